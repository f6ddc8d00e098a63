//! The graph of an exported program as nodes.

use std::collections::{HashMap, HashSet};

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{
    DType, Dim, Hazard, ModelBuilder, NameId, StoredWeight, TooLarge, TypeId, WeightRole,
};

use super::map::{self, Op};
use super::schema::{Argument, GraphModule, Node, Size, Stored, TensorMeta};
use super::symbols;
use super::weights::Weights;
use crate::Error;
use crate::pytorch::dtype;
use crate::pytorch::hazards::Hazards;
use crate::roles::role_of;

/// The values of a graph, by the names that nodes have for them.
pub(super) struct Values<'g> {
    pub(super) module: &'g GraphModule,
    /// Names of values that stored tensors fill: the path of the parameter.
    paths: HashMap<&'g str, &'g str>,
}

impl<'g> Values<'g> {
    fn new(module: &'g GraphModule) -> Self {
        let mut taken: HashSet<&str> =
            module.graph.tensor_values.keys().map(String::as_str).collect();
        taken.extend(module.graph.sym_int_values.keys().map(String::as_str));
        let mut paths = HashMap::new();
        for (stored, _) in stored_inputs(module) {
            // A path that is also the name of another value keeps the name that nodes have.
            if taken.insert(&stored.path) {
                paths.insert(stored.arg.name.as_str(), stored.path.as_str());
            }
        }
        Self { module, paths }
    }

    /// The name of a value, as it is shown.
    pub(super) fn shown<'n>(&self, name: &'n str) -> &'n str
    where
        'g: 'n,
    {
        self.paths.get(name).copied().unwrap_or(name)
    }

    /// The type of a value.
    pub(super) fn meta(&self, name: &str) -> Option<&'g TensorMeta> {
        self.module.graph.tensor_values.get(name)
    }
}

/// A size as a dimension.
fn dim(assembly: &mut Assembly<'_>, size: &Size) -> Dim {
    match (size.as_int, &size.as_expr) {
        (Some(size), _) => Dim::Size(size),
        (None, Some(expression)) => match symbols::infix(&expression.expr_str) {
            Some(text) => match text.parse() {
                Ok(size) => Dim::Size(size),
                Err(_) => Dim::Symbol(assembly.name(&text)),
            },
            None => Dim::Unknown,
        },
        (None, None) => Dim::Unknown,
    }
}

fn type_of(assembly: &mut Assembly<'_>, meta: &TensorMeta) -> Result<TypeId, TooLarge> {
    let shape = meta.sizes.iter().map(|size| dim(assembly, size)).collect();
    assembly.tensor_type(dtype::of_number(meta.dtype), Some(shape))
}

/// Inputs that stored tensors fill, and what those are if their names do not say.
fn stored_inputs(module: &GraphModule) -> impl Iterator<Item = (&Stored, WeightRole)> {
    module.signature.input_specs.iter().filter_map(|spec| {
        let parameter = spec.parameter.iter().map(|stored| (stored, WeightRole::Weight));
        let others = spec.buffer.iter().chain(&spec.tensor_constant);
        parameter.chain(others.map(|stored| (stored, WeightRole::Constant))).next()
    })
}

/// Adds the graph.
pub(super) fn build(
    builder: &mut ModelBuilder,
    module: &GraphModule,
    weights: &Weights,
    hazards: &mut Hazards,
) -> Result<(), Error> {
    let graph = builder.add_main_graph()?;
    let mut assembly = Assembly::new(builder, graph);
    let values = Values::new(module);
    let lacking = add_stored(&mut assembly, &values, weights)?;
    if lacking > 0 {
        let what = format!("{lacking} tensors have a record that is missing or too small");
        hazards.push(Hazard::Misstated { what });
    }
    for spec in &module.signature.input_specs {
        match spec.user_input.as_ref().map(|input| &input.arg) {
            Some(Argument::Tensor(name)) => {
                let ty = declared(&mut assembly, &values, name)?;
                let name = assembly.name(name);
                assembly.add_input(name, ty);
            }
            Some(Argument::Symbol(name)) => {
                let ty = assembly.tensor_type(DType::Int64, Some(Vec::new()))?;
                let name = assembly.name(name);
                assembly.add_input(name, Some(ty));
            }
            _ => {}
        }
    }
    for node in &module.graph.nodes {
        add_node(&mut assembly, &values, node)?;
    }
    for spec in &module.signature.output_specs {
        let user = spec.user_output.as_ref().and_then(|output| match &output.arg {
            Argument::Tensor(name) | Argument::Symbol(name) => Some(name.as_str()),
            _ => None,
        });
        let loss = spec.loss_output.as_ref().map(|output| output.arg.name.as_str());
        let Some(name) = user.or(loss) else { continue };
        let ty = declared(&mut assembly, &values, name)?;
        let name = assembly.name(values.shown(name));
        assembly.add_output(name, ty);
    }
    Ok(())
}

fn declared(
    assembly: &mut Assembly<'_>,
    values: &Values<'_>,
    name: &str,
) -> Result<Option<TypeId>, TooLarge> {
    values.meta(name).map(|meta| type_of(assembly, meta)).transpose()
}

/// Adds the parameters, buffers and constants; returns how many are not whole in the file.
fn add_stored(
    assembly: &mut Assembly<'_>,
    values: &Values<'_>,
    weights: &Weights,
) -> Result<u64, TooLarge> {
    let mut lacking = weights.missing;
    let mut counted = HashSet::new();
    for (stored, by_kind) in stored_inputs(values.module) {
        let name = assembly.name(values.shown(&stored.arg.name));
        let Some(weight) = weights.get(&stored.path) else {
            // Its type is known, and it is filled: it is not an input.
            let Some(meta) = values.meta(&stored.arg.name) else { continue };
            lacking += 1;
            let dims: Vec<i64> = meta.sizes.iter().map(|size| size.as_int.unwrap_or(-1)).collect();
            let dtype = dtype::of_number(meta.dtype);
            assembly.add_stored(name, dtype, &dims, calipers_ir::Data::Absent)?;
            continue;
        };
        let id = assembly.add_stored(name, weight.dtype, &weight.dims, weight.data.clone())?;
        if weight.place.is_some_and(|place| !counted.insert(place)) {
            continue;
        }
        let role = match (by_kind, role_of(&stored.path, weight.dtype, &weight.dims)) {
            (WeightRole::Weight, WeightRole::Quantization) => WeightRole::Quantization,
            (WeightRole::Weight, _) => WeightRole::Weight,
            (by_kind, WeightRole::Weight) => by_kind,
            (_, by_name) => by_name,
        };
        let elements = assembly.builder.tensor(id).elements().unwrap_or(0);
        let weight = StoredWeight { tensor: id, role, elements, dtype: weight.dtype };
        assembly.builder.stored_weights.push(weight);
    }
    Ok(lacking)
}

fn add_node(assembly: &mut Assembly<'_>, values: &Values<'_>, node: &Node) -> Result<(), TooLarge> {
    let mut outputs = Vec::new();
    for output in &node.outputs {
        match output {
            Argument::Tensor(name) => add_value(assembly, values, name, &mut outputs)?,
            Argument::Tensors(names) => {
                for name in names.iter().flatten() {
                    add_value(assembly, values, name, &mut outputs)?;
                }
            }
            Argument::Symbol(name) => {
                let ty = assembly.tensor_type(DType::Int64, Some(Vec::new()))?;
                let name = assembly.name(name);
                // A symbolic number is the same wherever it is read.
                if values.module.graph.sym_int_values.contains_key(assembly.builder.names.get(name))
                {
                    assembly.declare(name, ty);
                }
                outputs.push(name);
            }
            _ => {}
        }
    }
    let written = node.target.strip_prefix("torch.ops.").unwrap_or(&node.target);
    let name = node.name.clone().unwrap_or_default();
    let call = Call { written: written.to_owned(), name, outputs, ..Call::default() };
    let mut op = Op::new(assembly, values, node, call);
    map::map(&mut op)?;
    let call = op.call;
    assembly.add(&call)?;
    Ok(())
}

fn add_value(
    assembly: &mut Assembly<'_>,
    values: &Values<'_>,
    name: &str,
    outputs: &mut Vec<NameId>,
) -> Result<(), TooLarge> {
    let ty = declared(assembly, values, name)?;
    let id = assembly.name(name);
    if let Some(ty) = ty {
        assembly.declare(id, ty);
    }
    outputs.push(id);
    Ok(())
}
