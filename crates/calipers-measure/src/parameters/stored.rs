//! Everything that a model stores, wherever it stores it, once each.

use std::collections::HashMap;

use calipers_infer::walk::{ResolvedKind, ResolvedOps, Special};
use calipers_ir::{
    Attribute, AttributeValue, DType, Data, GraphKind, Model, NodeId, SparseId, StoredWeight,
    TensorId, ValueId, WeightRole,
};
use calipers_ops::{AttributeUse, Operator, Packing, canonical_domain};

use super::content;
use super::role::{self, Evidence, Network, Role};
use super::uses::UseTable;

/// A stored tensor, or a list in an attribute, and what it is.
#[derive(Clone, Debug)]
pub struct Stored {
    /// A name to show.
    pub name: String,
    /// Type of its elements, as they count: packed 4-bit weights are `uint4`.
    pub dtype: DType,
    /// Logical elements, or why they cannot be determined.
    pub elements: Result<u64, String>,
    /// Bytes it takes; `None` when they cannot be determined.
    pub bytes: Option<u64>,
    /// What it is for.
    pub role: Role,
    /// Whether nothing shows its role, and the likeliest was taken.
    pub assumed: bool,
    /// Filled when the model is loaded, not stored.
    pub generated: bool,
    /// The node that uses it first.
    pub user: Option<NodeId>,
    /// The value that holds it; `None` for what is in an attribute.
    pub value: Option<ValueId>,
    /// The tensor; `None` for lists in attributes and for what is filled at load time.
    pub tensor: Option<TensorId>,
}

/// Everything stored.
pub(super) fn list(model: &Model, resolved: &ResolvedOps, uses: &UseTable) -> Vec<Stored> {
    let mut lister = Lister {
        model,
        resolved,
        uses,
        network: Network::default(),
        seen: HashMap::new(),
        stated: model.stored_weights().iter().map(|it| (it.tensor, it)).collect(),
        found: Vec::new(),
    };
    lister.network = lister.network();
    lister.initializers();
    lister.attributes();
    lister.found
}

/// Takes what the reader of the format says of a tensor, instead of what its uses show.
fn stated_as(stored: &mut Stored, stated: &StoredWeight) {
    stored.role = match stated.role {
        WeightRole::Weight => Role::Weight,
        WeightRole::Statistic => Role::Statistic,
        WeightRole::Quantization => Role::Quantization,
        WeightRole::Constant => Role::Constant,
    };
    stored.elements = Ok(stated.elements);
    stored.dtype = stated.dtype;
    stored.assumed = false;
}

/// Shapes larger than this are not shapes of weights.
const MAX_RANK: u64 = 64;

struct Lister<'a> {
    model: &'a Model,
    resolved: &'a ResolvedOps,
    uses: &'a UseTable,
    network: Network,
    /// Places that are counted already: file, where it is another one; offset, length, type. The
    /// same zeros may be a bias and an index.
    seen: HashMap<(Option<usize>, u64, u64, DType), usize>,
    /// What the reader of the format says of tensors.
    stated: HashMap<TensorId, &'a StoredWeight>,
    found: Vec<Stored>,
}

impl Lister<'_> {
    /// Values that an initializer fills, outside training.
    fn filled(&self) -> impl Iterator<Item = (ValueId, Option<TensorId>, Option<SparseId>)> {
        self.model.values().filter_map(|(id, value)| {
            let training = self.model.graph(value.graph).kind == GraphKind::Training;
            let filled = value.initializer.is_some() || value.sparse_initializer.is_some();
            (filled && !training).then_some((id, value.initializer, value.sparse_initializer))
        })
    }

    fn evidence<'t>(
        &self,
        dtype: DType,
        dims: &'t [i64],
        value: ValueId,
        initializer: bool,
    ) -> Evidence<'t> {
        Evidence { dtype, dims, uses: self.uses.uses[value.index()], initializer }
    }

    /// What the weights by their place show of the network.
    fn network(&self) -> Network {
        let mut network = Network::default();
        let mut add = |evidence: &Evidence<'_>| {
            if evidence.is_placed_weight() {
                network.has_weights = true;
                if evidence.dims.len() > 1 {
                    network.channels.extend(evidence.dims);
                }
            }
        };
        for (value, tensor, sparse) in self.filled() {
            let sparse = sparse.map(|id| self.model.sparse_tensor(id));
            let tensor = tensor.or(sparse.and_then(|sparse| sparse.values));
            if let Some(tensor) = tensor.map(|id| self.model.tensor(id)) {
                let dims = sparse.map_or(&tensor.dims, |sparse| &sparse.dims);
                add(&self.evidence(tensor.dtype, dims, value, true));
            }
        }
        for (node, _) in self.model.nodes() {
            let Some(Some(output)) = self.model.outputs(node).first() else { continue };
            match self.resolved.get(node).special {
                Special::Constant => {
                    if let Some(AttributeValue::Tensor(id)) = self.model.attribute(node, "value") {
                        let tensor = self.model.tensor(*id);
                        add(&self.evidence(tensor.dtype, &tensor.dims, *output, false));
                    }
                }
                Special::ConstantOfShape => {
                    if let Some((dtype, dims)) = self.generated_type(node) {
                        add(&self.evidence(dtype, &dims, *output, true));
                    }
                }
                _ => {}
            }
        }
        network
    }

    fn initializers(&mut self) {
        for (value, tensor, sparse) in self.filled().collect::<Vec<_>>() {
            if let Some(tensor) = tensor {
                let dims = &self.model.tensor(tensor).dims;
                self.add_used(tensor, dims, value, true);
            }
            if let Some(sparse) = sparse {
                self.add_sparse(sparse, value, true);
            }
        }
    }

    fn attributes(&mut self) {
        let model = self.model;
        for (id, node) in model.nodes() {
            if model.graph(node.graph).kind == GraphKind::Training {
                continue;
            }
            let output = model.outputs(id).first().copied().flatten();
            match (self.resolved.get(id).special, output) {
                (Special::Constant, Some(output)) => self.constant(id, output),
                (Special::ConstantOfShape, Some(output)) => {
                    self.generated(id, output);
                    self.held(id);
                }
                _ => self.held(id),
            }
        }
        for (_, function) in model.functions() {
            for attribute in model.function_defaults(function) {
                if let AttributeValue::Tensor(tensor) = attribute.value {
                    self.add_tensor(tensor, Role::Constant, None);
                }
            }
        }
    }

    /// The value of a `Constant`, in whichever form it has.
    fn constant(&mut self, node: NodeId, output: ValueId) {
        for Attribute { name, value } in self.model.attributes(node) {
            let (dtype, count) = match value {
                AttributeValue::Tensor(tensor) => {
                    let dims = &self.model.tensor(*tensor).dims;
                    self.add_used(*tensor, dims, output, false);
                    continue;
                }
                AttributeValue::SparseTensor(sparse) => {
                    self.add_sparse(*sparse, output, false);
                    continue;
                }
                AttributeValue::Float(_) => (DType::Float32, None),
                AttributeValue::Int(_) => (DType::Int64, None),
                AttributeValue::Floats(list) => (DType::Float32, Some(list.len())),
                AttributeValue::Ints(list) => (DType::Int64, Some(list.len())),
                _ => continue,
            };
            if !self.model.name(*name).starts_with("value") {
                continue;
            }
            let dims: Vec<i64> = count.into_iter().filter_map(|n| i64::try_from(n).ok()).collect();
            let evidence = self.evidence(dtype, &dims, output, false);
            let elements = count.unwrap_or(1);
            let (role, assumed) = role::role(&evidence, &self.network);
            self.found.push(Stored {
                name: self.model.name(self.model.value(output).name).to_owned(),
                dtype,
                elements: Ok(elements),
                bytes: dtype.bytes(elements),
                role,
                assumed,
                generated: false,
                user: self.uses.user[output.index()],
                value: Some(output),
                tensor: None,
            });
        }
    }

    /// Weights that the file does not store but describes: a shape, filled with one number.
    fn generated(&mut self, node: NodeId, output: ValueId) {
        let Some((dtype, dims)) = self.generated_type(node) else { return };
        let evidence = self.evidence(dtype, &dims, output, true);
        let (role, assumed) = role::role(&evidence, &self.network);
        // Zeros that the arithmetic needs are made while the model runs; only weights count.
        if !matches!(role, Role::Weight | Role::Statistic) {
            return;
        }
        let elements = dims
            .iter()
            .try_fold(1_u64, |product, dim| product.checked_mul(u64::try_from(*dim).ok()?))
            .ok_or_else(|| "the product of its dimensions does not fit in 64 bits".to_owned());
        self.found.push(Stored {
            name: self.model.name(self.model.value(output).name).to_owned(),
            dtype,
            bytes: Some(0),
            elements,
            role,
            assumed,
            generated: true,
            user: self.uses.user[output.index()],
            value: Some(output),
            tensor: None,
        });
    }

    /// Type and shape of what a `ConstantOfShape` with a stored shape makes.
    fn generated_type(&self, node: NodeId) -> Option<(DType, Vec<i64>)> {
        let shape = self.model.inputs(node).first().copied().flatten()?;
        let shape = self.model.value(shape).initializer?;
        let dims = self.model.integers(shape, MAX_RANK).ok()?;
        let dtype = match self.model.attribute(node, "value") {
            Some(AttributeValue::Tensor(tensor)) => self.model.tensor(*tensor).dtype,
            _ => DType::Float32,
        };
        Some((dtype, dims))
    }

    /// Tensors and lists in the attributes of any other node.
    fn held(&mut self, node: NodeId) {
        let model = self.model;
        if model.attributes(node).is_empty() {
            return;
        }
        let row = self.row(node);
        let domain = model.name(model.node(node).domain);
        let classical = canonical_domain(domain) == calipers_ops::ML
            || row.is_some_and(|row| !row.attributes.is_empty());
        for Attribute { name, value } in model.attributes(node) {
            let text = model.name(*name);
            let learned = row.and_then(|row| row.attributes.iter().find(|(name, _)| *name == text));
            let role = match learned {
                Some((_, AttributeUse::Learned)) => Role::Weight,
                Some((_, AttributeUse::Fitted)) => Role::Statistic,
                None => Role::Constant,
            };
            let (dtype, count, bytes) = match value {
                AttributeValue::Tensor(tensor) => {
                    self.add_tensor(*tensor, role, Some(node));
                    continue;
                }
                AttributeValue::Tensors(tensors) => {
                    tensors.iter().for_each(|tensor| self.add_tensor(*tensor, role, Some(node)));
                    continue;
                }
                AttributeValue::Floats(list) if classical => (DType::Float32, list.len(), None),
                AttributeValue::Ints(list) if classical => (DType::Int64, list.len(), None),
                AttributeValue::Texts { count, bytes, .. } if classical => {
                    (DType::String, *count, Some(*bytes))
                }
                _ => continue,
            };
            self.found.push(Stored {
                name: format!("{}.{text}", model.node_label(node)),
                dtype,
                elements: Ok(count),
                bytes: bytes.or(dtype.bytes(count)),
                role,
                assumed: false,
                generated: false,
                user: Some(node),
                value: None,
                tensor: None,
            });
        }
    }

    /// A tensor whose role its uses decide.
    fn add_used(&mut self, tensor: TensorId, dims: &[i64], value: ValueId, initializer: bool) {
        let evidence = self.evidence(self.model.tensor(tensor).dtype, dims, value, initializer);
        let (mut role, mut assumed) = role::role(&evidence, &self.network);
        if role == Role::Weight && evidence.may_be_fill() && content::is_filled(self.model, tensor)
        {
            (role, assumed) = (Role::Constant, false);
        }
        let before = self.found.len();
        self.add_tensor(tensor, role, self.uses.user[value.index()]);
        if let Some(stored) = self.found.get_mut(before) {
            stored.assumed = assumed && !self.stated.contains_key(&tensor);
            stored.value = Some(value);
        }
    }

    /// A sparse tensor: its elements count as what the whole is used for, its indices as indices.
    fn add_sparse(&mut self, sparse: SparseId, value: ValueId, initializer: bool) {
        let sparse = self.model.sparse_tensor(sparse).clone();
        if let Some(values) = sparse.values {
            self.add_used(values, &sparse.dims, value, initializer);
        }
        if let Some(indices) = sparse.indices {
            self.add_tensor(indices, Role::Constant, None);
        }
    }

    /// A tensor of a known role, unless its place was counted already: several may share one.
    fn add_tensor(&mut self, id: TensorId, role: Role, user: Option<NodeId>) {
        let tensor = self.model.tensor(id);
        let place = match &tensor.data {
            Data::External(external) => {
                let length = external.length.or(tensor.bytes()).unwrap_or(0);
                external.offset.map(|offset| (Some(external.file), offset, length, tensor.dtype))
            }
            Data::Raw(span) => Some((None, span.start, span.len(), tensor.dtype)),
            Data::Absent | Data::Fields { .. } | Data::Inline(_) => None,
        };
        if let Some(place) = place.filter(|place| place.2 > 0) {
            let first = *self.seen.entry(place).or_insert(self.found.len());
            if let Some(known) = self.found.get_mut(first) {
                // One number may be a bias here and a setting there: then it is learned.
                let is_stated = known.tensor.is_some_and(|known| self.stated.contains_key(&known));
                if role == Role::Weight && known.role == Role::Constant && !is_stated {
                    (known.role, known.user) = (role, user);
                }
                return;
            }
        }
        let mut stored = Stored {
            name: self.model.name(tensor.name).to_owned(),
            dtype: tensor.dtype,
            elements: tensor.elements().map_err(|error| error.to_string()),
            bytes: tensor.bytes(),
            role,
            assumed: false,
            generated: false,
            user,
            value: None,
            tensor: Some(id),
        };
        if role == Role::Weight {
            self.unpack(&mut stored);
        }
        match self.stated.get(&id) {
            Some(stated) => stated_as(&mut stored, stated),
            // The file does not have what a reader made of other fields.
            None if matches!(tensor.data, Data::Inline(_)) && role == Role::Constant => return,
            None => {}
        }
        self.found.push(stored);
    }

    fn row(&self, node: NodeId) -> Option<&'static Operator> {
        match self.resolved.get(node).kind {
            ResolvedKind::Operator(row) => Some(row),
            _ => None,
        }
    }

    /// Counts weights that an operator keeps packed in bytes.
    fn unpack(&self, stored: &mut Stored) {
        let Some(user) = stored.user else { return };
        let Some(packing) = self.row(user).and_then(|row| row.packing) else { return };
        if stored.dtype != DType::Uint8 {
            return;
        }
        let integer = |name: &str| match self.model.attribute(user, name) {
            Some(AttributeValue::Int(value)) => u64::try_from(*value).ok(),
            _ => None,
        };
        let (Packing::Product { bits, .. } | Packing::Bits { bits }) = packing;
        let (bits, dtype) = match integer(bits).unwrap_or(4) {
            2 => (2, DType::Uint2),
            4 => (4, DType::Uint4),
            _ => return,
        };
        let elements = match packing {
            Packing::Product { rows, columns, .. } => integer(rows)
                .zip(integer(columns))
                .and_then(|(rows, columns)| rows.checked_mul(columns)),
            Packing::Bits { .. } => {
                stored.elements.as_ref().ok().and_then(|bytes| bytes.checked_mul(8 / bits))
            }
        };
        if let Some(elements) = elements {
            stored.elements = Ok(elements);
            stored.dtype = dtype;
        }
    }
}
