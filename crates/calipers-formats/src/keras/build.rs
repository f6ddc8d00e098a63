//! Putting the model together: inputs, nodes of layers, and everything that is stored.

use std::collections::{HashMap, HashSet};

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{
    Affine, DType, Dim, GraphId, GraphOrigin, Hazard, ModelBuilder, NameId, StoredWeight, TooLarge,
    TypeId, WeightRole,
};
use serde_json::Value;

use super::json::Config;
use super::layers::{Placed, Site, map};
use super::missing;
use super::network::{Argument, Layer, LayerCall, Network, Shape, layers_of, network};
use super::variables::{is_statistic, variables};
use super::weights::{Claimed, Holder, Weights};
use crate::hdf5::{Dataset, ElementKind};

/// The weights of a file.
pub(super) struct Data<'w> {
    pub(super) weights: &'w Weights,
    /// Whether their bytes are those of the file.
    pub(super) is_in_place: bool,
}

/// Why the file does not give a model.
pub(super) enum Failure {
    /// The configuration is damaged.
    Config(String),
    /// There is more than fits.
    TooLarge(TooLarge),
}

impl From<TooLarge> for Failure {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// Adds everything to the graph.
pub(super) fn build(
    builder: &mut ModelBuilder,
    graph: GraphId,
    config: Option<&Value>,
    data: &Data<'_>,
) -> Result<(), Failure> {
    let mut stored =
        Store { data, claimed: HashSet::new(), holders: HashSet::new(), tensors: Vec::new() };
    if let Some(config) = config {
        let class = Config(config).text("class_name");
        let inside = config.get("config").unwrap_or(config);
        builder.header.metadata.push(("class".to_owned(), class.to_owned()));
        let name = Config(inside).text("name");
        let name = builder.names.intern(name);
        builder.graph_mut(graph).name = name;
        if layers_of(inside).is_some() {
            let network = network(inside, data.weights).map_err(Failure::Config)?;
            let mut assembly = Assembly::new(builder, graph);
            Builder {
                network,
                stored: &mut stored,
                weights: HashMap::new(),
                ranks: HashMap::new(),
            }
            .add(&mut assembly)?;
        } else {
            // A model of a class of its own is code, and not in the file.
            builder.header.graph_origin = GraphOrigin::Absent;
        }
    }
    let mut assembly = Assembly::new(builder, graph);
    stored.add_rest(&mut assembly)?;
    let tensors = std::mem::take(&mut stored.tensors);
    builder.stored_weights.extend(tensors);
    Ok(())
}

/// Weights that are in the graph already.
struct Store<'w> {
    data: &'w Data<'w>,
    claimed: HashSet<String>,
    holders: HashSet<Holder>,
    tensors: Vec<StoredWeight>,
}

impl Store<'_> {
    /// Adds the weights of a layer.
    fn add_of_layer(
        &mut self,
        assembly: &mut Assembly<'_>,
        layer: &Layer<'_>,
        input: Option<&Shape>,
    ) -> Result<Vec<Placed>, TooLarge> {
        // Layers of one name share what there is: the first has it.
        let claimed = match self.holders.insert(layer.holder.clone()) {
            true => self.data.weights.of_layer(&layer.holder, layer.class, layer.config),
            false => Vec::new(),
        };
        let mut placed = Vec::new();
        for Claimed { path, variable, shown } in claimed {
            let Some(dataset) = self.data.weights.datasets.get(&path) else { continue };
            if !self.claimed.insert(path.clone()) {
                continue;
            }
            let name = match self.data.weights.has_names() {
                true => self.data.weights.shown(&path).to_owned(),
                false => format!("{}/{shown}", layer.name),
            };
            let leaf = variable.map_or_else(|| leaf(&shown), |variable| variable.name);
            let name = self.add(assembly, &name, leaf, &path, dataset)?;
            placed.push(Placed {
                part: variable.map_or("", |variable| variable.part),
                variable: variable.map_or("", |variable| variable.name),
                name,
                dims: dims(dataset),
            });
        }
        self.add_missing(assembly, layer, input, &mut placed)?;
        Ok(placed)
    }

    /// Adds what a layer has and the file does not, where its dimensions follow.
    fn add_missing(
        &mut self,
        assembly: &mut Assembly<'_>,
        layer: &Layer<'_>,
        input: Option<&Shape>,
        placed: &mut Vec<Placed>,
    ) -> Result<(), TooLarge> {
        for variable in variables(layer.class, layer.config) {
            let is_here = |it: &Placed| it.part == variable.part && it.variable == variable.name;
            if placed.iter().any(is_here) {
                continue;
            }
            let Some(dims) = missing::dims(layer, &variable, input) else { continue };
            let name = assembly.name(&format!("{}/{}", layer.name, variable.shown()));
            let tensor =
                assembly.add_stored(name, DType::Float32, &dims, calipers_ir::Data::Absent)?;
            let elements = dims
                .iter()
                .try_fold(1_u64, |count, dim| count.checked_mul(u64::try_from(*dim).ok()?));
            let is_statistic = is_statistic(variable.name);
            let role = if is_statistic { WeightRole::Statistic } else { WeightRole::Weight };
            let elements = elements.unwrap_or_default();
            self.tensors.push(StoredWeight { tensor, role, elements, dtype: DType::Float32 });
            placed.push(Placed { part: variable.part, variable: variable.name, name, dims });
        }
        Ok(())
    }

    /// Adds what no layer has claimed.
    fn add_rest(&mut self, assembly: &mut Assembly<'_>) -> Result<(), TooLarge> {
        let weights = self.data.weights;
        for (path, dataset) in &weights.datasets {
            if self.claimed.contains(path) {
                continue;
            }
            let shown = weights.shown(path);
            // The third version numbers variables; groups are called after the class.
            let leaf = weights.statistic_by_group(path).unwrap_or_else(|| leaf(shown));
            self.add(assembly, shown, leaf, path, dataset)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        assembly: &mut Assembly<'_>,
        name: &str,
        leaf: &str,
        path: &str,
        dataset: &Dataset,
    ) -> Result<NameId, TooLarge> {
        let name = assembly.name(name);
        let dtype = dtype(dataset);
        let dims = dims(dataset);
        let span = dataset.span.filter(|_| self.data.is_in_place);
        let bytes = dims
            .iter()
            .try_fold(dataset.element.size, |size, dim| size.checked_mul(dim.unsigned_abs()));
        let elements =
            dims.iter().try_fold(1_u64, |count, dim| count.checked_mul(dim.unsigned_abs()));
        let is_plain = dataset.element.is_little || dataset.element.size == 1;
        let data = match (span, dataset.place) {
            (Some(span), _) if is_plain && dtype != DType::String => calipers_ir::Data::Raw(span),
            (None, crate::hdf5::Place::Contiguous { .. }) if self.data.is_in_place => {
                let what = format!("the data of {path} is not inside the file");
                assembly.builder.hazards.push(Hazard::Misstated { what });
                calipers_ir::Data::Absent
            }
            (_, crate::hdf5::Place::Unwritten | crate::hdf5::Place::Virtual) => {
                calipers_ir::Data::Absent
            }
            _ => calipers_ir::Data::Fields { bytes: bytes.unwrap_or(u64::MAX), elements },
        };
        let tensor = assembly.add_stored(name, dtype, &dims, data)?;
        let role = match leaf {
            leaf if is_statistic(leaf) || path.contains("seed_generator") => WeightRole::Statistic,
            leaf if leaf.ends_with("_scale") => WeightRole::Quantization,
            _ if dtype == DType::String => WeightRole::Constant,
            _ => WeightRole::Weight,
        };
        let elements = elements.unwrap_or_default();
        self.tensors.push(StoredWeight { tensor, role, elements, dtype });
        if dtype == DType::Int8 && matches!(leaf, "kernel" | "embeddings") {
            let axis = dims.len().checked_sub(1).and_then(|axis| u32::try_from(axis).ok());
            let scales = dims.last().map_or(1, |dim| dim.unsigned_abs());
            assembly.add_affine(name, Affine { scales, axis, is_symmetric: true });
        }
        Ok(name)
    }
}

/// The name of a variable, without what is around it.
fn leaf(name: &str) -> &str {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split(':').next().unwrap_or(last)
}

fn dtype(dataset: &Dataset) -> DType {
    match dataset.element.kind {
        ElementKind::Number(dtype) => dtype,
        ElementKind::FixedText | ElementKind::HeapText => DType::String,
        // What NumPy has no name for: brain floats are the only such weights of two bytes.
        ElementKind::Opaque if dataset.element.size == 2 => DType::Bfloat16,
        ElementKind::Opaque | ElementKind::Other => DType::Undefined,
    }
}

fn dims(dataset: &Dataset) -> Vec<i64> {
    let dims = dataset.dims.as_deref().unwrap_or(&[0]);
    dims.iter().map(|dim| i64::try_from(*dim).unwrap_or(i64::MAX)).collect()
}

/// Adds a network to a graph.
struct Builder<'n, 's, 'w> {
    network: Network<'n>,
    stored: &'s mut Store<'w>,
    /// Weights of each layer that was called.
    weights: HashMap<usize, Vec<Placed>>,
    /// How many dimensions values have whose shapes the file does not state.
    ranks: HashMap<usize, usize>,
}

impl Builder<'_, '_, '_> {
    fn add(mut self, assembly: &mut Assembly<'_>) -> Result<(), TooLarge> {
        let names: Vec<NameId> = {
            let values = self.network.values.iter();
            values.map(|value| assembly.name(&value.name)).collect()
        };
        let name = |value: usize| names.get(value).copied();
        for input in &self.network.inputs {
            let Some(name) = name(*input) else { continue };
            let ty = self.declared(assembly, *input)?;
            assembly.add_input(name, ty);
        }
        for place in self.network.order() {
            self.add_call(assembly, place, &names)?;
        }
        for output in &self.network.outputs {
            let Some(name) = name(*output) else { continue };
            let ty = self.declared(assembly, *output)?;
            assembly.add_output(name, ty);
        }
        Ok(())
    }

    /// The type that the file states of a value.
    fn declared(
        &self,
        assembly: &mut Assembly<'_>,
        value: usize,
    ) -> Result<Option<TypeId>, TooLarge> {
        let shape = self.network.values.get(value).and_then(|value| value.shape.as_ref());
        let Some(shape) = shape else { return Ok(None) };
        let batch = assembly.name("batch");
        let dims = shape.dims.iter().enumerate().map(|(place, dim)| match (place, dim) {
            (_, Some(size)) => Dim::Size(*size),
            // The first dimension is the batch of all inputs and outputs.
            (0, None) => Dim::Symbol(batch),
            (_, None) => Dim::Unknown,
        });
        let dims = dims.collect();
        assembly.tensor_type(shape.dtype, Some(dims)).map(Some)
    }

    fn add_call(
        &mut self,
        assembly: &mut Assembly<'_>,
        place: usize,
        names: &[NameId],
    ) -> Result<(), TooLarge> {
        let network = &self.network;
        let Some(call) = network.calls.get(place) else { return Ok(()) };
        let Some(layer) = network.layers.get(call.layer) else { return Ok(()) };
        if !self.weights.contains_key(&call.layer) {
            let input = given(call).first().and_then(|value| self.shape(*value));
            let placed = self.stored.add_of_layer(assembly, layer, input.as_ref())?;
            self.weights.insert(call.layer, placed);
            if carries_code(layer) {
                let hazard = Hazard::CodeInLayer { layer: layer.name.clone() };
                assembly.builder.hazards.push(hazard);
            }
        }
        let weights = self.weights.get(&call.layer).map(Vec::as_slice).unwrap_or_default();
        let given = given(call);
        let shapes = given.iter().map(|value| self.shape(*value)).collect();
        let outputs = call.outputs.iter().filter_map(|output| names.get(*output).copied());
        let node = Call {
            written: layer.class.to_owned(),
            name: call.name.clone(),
            outputs: outputs.collect(),
            ..Call::default()
        };
        let inputs = given.iter().filter_map(|value| names.get(*value).copied()).collect();
        let mut site =
            Site { assembly, layer, call, weights, names, inputs, shapes, node, rank: None };
        map(&mut site)?;
        let (node, rank) = (site.node, site.rank);
        assembly.add(&node)?;
        for output in &call.outputs {
            let stated = self.declared(assembly, *output)?;
            if let (Some(ty), Some(name)) = (stated, names.get(*output)) {
                assembly.declare(*name, ty);
            }
        }
        if let (Some(output), Some(rank)) = (call.outputs.first(), rank) {
            self.ranks.insert(*output, rank);
        }
        Ok(())
    }

    /// The shape of a value as the file states it, or its number of dimensions as far as it follows.
    fn shape(&self, value: usize) -> Option<Shape> {
        let stated = self.network.values.get(value)?.shape.clone();
        let dims = || Some(vec![None; *self.ranks.get(&value)?]);
        stated.or_else(|| Some(Shape { dtype: DType::Undefined, dims: dims()? }))
    }
}

/// The values that a call is given, without the masks that go with them.
fn given(call: &LayerCall) -> Vec<usize> {
    let mut values = Vec::new();
    for argument in &call.arguments {
        argument.collect(&mut values);
    }
    for (name, argument) in &call.named {
        if !name.contains("mask") {
            Argument::collect(argument, &mut values);
        }
    }
    values
}

/// Whether a layer carries code: a function of Python, as bytes.
fn carries_code(layer: &Layer<'_>) -> bool {
    layer.class == "Lambda" || holds_code(layer.config.0)
}

fn holds_code(config: &Value) -> bool {
    let mut open = vec![config];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                if Config(value).text("class_name") == "__lambda__"
                    || Config(value).text("function_type") == "lambda"
                {
                    return true;
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    false
}
