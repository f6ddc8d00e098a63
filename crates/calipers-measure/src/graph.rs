//! The graph: what goes in, what comes out, how many nodes of what kind.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use calipers_infer::Typed;
use calipers_ir::{DType, Dim, Graph, GraphKind, Model, NameId, Node, NodeId, ValueId};
use calipers_ops::{Fact, canonical_domain};
use calipers_report::{
    Dimension, FunctionFacts, GraphFacts, OperatorCount, Port, Unknown, ValueKind,
};
use hashbrown::HashMap;

use crate::{not_known, shapes};

/// Writes down the structure of the model.
pub fn describe(model: &Model, typed: &Typed, unknown: &mut Vec<Unknown>) -> GraphFacts {
    let main = model.main();
    let depth = model.depth(model.main_id());
    if depth.is_none() {
        not_known(unknown, "graph.depth", "the graph has a cycle");
    }
    let counted = counted_graphs(model);
    let count = |kind: fn(&GraphKind) -> bool| {
        counted.iter().filter(|graph| kind(&graph.kind)).count() as u64
    };
    let inputs = model.required_inputs();
    let ports = |values: &[ValueId], field: &str, unknown: &mut Vec<Unknown>| {
        let values = values.iter().enumerate();
        values.map(|(index, v)| port(model, typed, *v, field, index, unknown)).collect::<Vec<_>>()
    };
    let mut outputs = ports(&main.outputs, "outputs", unknown);
    for (port, value) in outputs.iter_mut().zip(&main.outputs) {
        port.inferred = inferred(port, typed, *value);
    }
    GraphFacts {
        name: model.name(main.name).to_owned(),
        nodes: main.nodes.len() as u64,
        nodes_total: counted.iter().map(|graph| graph.nodes.len() as u64).sum(),
        depth,
        overridable_inputs: (main.inputs.len() - inputs.len()) as u64,
        inputs: ports(&inputs, "inputs", unknown),
        outputs,
        initializers: (main.initializers.len() + main.sparse_initializers.len()) as u64,
        initializer_elements: initializer_elements(model, unknown),
        subgraphs: count(|kind| matches!(kind, GraphKind::Subgraph { .. })),
        functions: model.functions().len() as u64,
        local_functions: local_functions(model),
        operators: operators(model, &[main]),
        operators_total: operators(model, &counted),
    }
}

/// Inputs of the main graph that a caller must feed.
pub fn fed_inputs(model: &Model) -> Vec<ValueId> {
    let filled = |value: &ValueId| {
        let value = model.value(*value);
        value.initializer.is_some() || value.sparse_initializer.is_some()
    };
    model.main().inputs.iter().copied().filter(|value| !filled(value)).collect()
}

/// Graphs whose nodes belong to inference: all but those of training and what is inside them.
fn counted_graphs(model: &Model) -> Vec<&Graph> {
    // A parent always is before its subgraphs, so one pass settles who is inside what.
    let mut training = vec![false; model.graphs().len()];
    for (id, graph) in model.graphs() {
        training[id.index()] = graph.kind == GraphKind::Training
            || graph.parent.is_some_and(|parent| training[parent.index()]);
    }
    model.graphs().filter(|(id, _)| !training[id.index()]).map(|(_, graph)| graph).collect()
}

fn port(
    model: &Model,
    typed: &Typed,
    id: ValueId,
    field: &str,
    index: usize,
    unknown: &mut Vec<Unknown>,
) -> Port {
    let value = model.value(id);
    let mut port = Port {
        name: model.name(value.name).to_owned(),
        kind: ValueKind::Unknown,
        type_text: "unknown".to_owned(),
        ..Port::default()
    };
    let path = |part: &str| format!("graph.{field}[{index}].{part}");
    let Some(ty) = value.ty.map(|ty| model.value_type(ty)) else {
        // Formats that do not declare types have them in their layers.
        if !model.header.format.is_onnx()
            && let Fact::Tensor(tensor) = typed.fact(id)
            && let Some(shape) = shapes::shape(typed.fact(id)).shape
        {
            port.kind = ValueKind::Tensor;
            port.type_text = tensor.to_string();
            port.dtype = Some(tensor.dtype).filter(|dtype| *dtype != DType::Undefined);
            port.shape = Some(shape);
            return port;
        }
        not_known(unknown, &path("type"), "the file declares no type");
        return port;
    };
    port.kind = ty.kind().parse().unwrap_or_default();
    port.type_text = ty.describe(&model.names);
    if let Some(tensor) = ty.tensor() {
        port.dtype = Some(tensor.dtype).filter(|dtype| *dtype != DType::Undefined);
        // Formats that leave the type of a result open have it in its operator.
        if port.dtype.is_none()
            && !model.header.format.is_onnx()
            && let Fact::Tensor(found) = typed.fact(id)
            && found.dtype != DType::Undefined
        {
            port.dtype = Some(found.dtype);
            port.type_text = port.type_text.replacen('?', &found.dtype.to_string(), 1);
        }
        port.shape =
            tensor.shape.as_ref().map(|dims| dims.iter().map(|d| dimension(model, d)).collect());
        if port.shape.is_none() {
            not_known(unknown, &path("shape"), "the file declares no shape");
        }
    }
    port
}

/// What inference knows of an output's shape also what the file says. Exporters make up names
/// for unknown dimensions, and leave shapes out.
fn inferred(port: &Port, typed: &Typed, value: ValueId) -> Option<Vec<Dimension>> {
    let shape = shapes::shape(typed.fact(value)).shape?;
    let is_known = shape.iter().all(|dim| *dim != Dimension::Unknown);
    (is_known && port.kind == ValueKind::Tensor && port.shape.as_ref() != Some(&shape))
        .then_some(shape)
}

fn dimension(model: &Model, dim: &Dim) -> Dimension {
    match dim {
        Dim::Size(size) if *size >= 0 => Dimension::Size(*size),
        Dim::Symbol(name) => Dimension::Symbol(model.name(*name).to_owned()),
        // Some exporters write -1 where they mean any size.
        Dim::Size(_) | Dim::Unknown => Dimension::Unknown,
    }
}

fn initializer_elements(model: &Model, unknown: &mut Vec<Unknown>) -> BTreeMap<String, u64> {
    let mut elements: BTreeMap<String, u64> = BTreeMap::new();
    let main = model.main();
    let sparse = main.sparse_initializers.iter().filter_map(|id| model.sparse_tensor(*id).values);
    for id in main.initializers.iter().copied().chain(sparse) {
        let tensor = model.tensor(id);
        match tensor.elements() {
            Ok(count) => {
                let sum = elements.entry(tensor.dtype.to_string()).or_insert(0);
                *sum = sum.saturating_add(count);
            }
            Err(error) => {
                let reason = format!("of {}, {error}", model.name(tensor.name));
                not_known(unknown, "graph.initializer_elements", reason);
            }
        }
    }
    elements
}

fn local_functions(model: &Model) -> Vec<FunctionFacts> {
    type Key = (String, NameId, NameId);
    let key = |domain: NameId, name: NameId, overload: NameId| -> Key {
        (canonical_domain(model.name(domain)).to_owned(), name, overload)
    };
    let mut calls: HashMap<Key, u64> = HashMap::new();
    if model.functions().len() > 0 {
        for (_, node) in model.nodes() {
            *calls.entry(key(node.domain, node.op, node.overload)).or_insert(0) += 1;
        }
    }
    // Nodes of a body and of the subgraphs in it: each subgraph counts for the root it hangs on.
    let mut root: Vec<usize> = (0..model.graphs().len()).collect();
    let mut nodes = vec![0_u64; model.graphs().len()];
    for (id, graph) in model.graphs() {
        if let Some(parent) = graph.parent {
            root[id.index()] = root[parent.index()];
        }
        nodes[root[id.index()]] += graph.nodes.len() as u64;
    }
    model
        .functions()
        .map(|(_, function)| FunctionFacts {
            name: model.name(function.name).to_owned(),
            domain: canonical_domain(model.name(function.domain)).to_owned(),
            overload: model.name(function.overload).to_owned(),
            nodes: nodes[function.body.index()],
            calls: calls
                .get(&key(function.domain, function.name, function.overload))
                .copied()
                .unwrap_or(0),
        })
        .collect()
}

fn operators(model: &Model, graphs: &[&Graph]) -> Vec<OperatorCount> {
    let mut counts: HashMap<(NameId, NameId), (NodeId, u64)> = HashMap::new();
    let mut total = 0_u64;
    for graph in graphs {
        for node in graph.nodes.nodes() {
            let Node { op, domain, written, .. } = *model.node(node);
            counts.entry((written.unwrap_or(op), domain)).or_insert((node, 0)).1 += 1;
            total += 1;
        }
    }
    // The standard domain has two spellings; a sorted map by text makes them one, and makes the
    // order of the hash map irrelevant.
    let mut named: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (first, count) in counts.into_values() {
        let key = (model.written_op(first), canonical_domain(model.written_domain(first)));
        *named.entry(key).or_insert(0) += count;
    }
    let mut operators: Vec<_> = named
        .into_iter()
        .map(|((op, domain), count)| OperatorCount {
            op: op.to_owned(),
            domain: domain.to_owned(),
            count,
            percent: percent(count, total),
        })
        .collect();
    // Stable, so equal counts stay in the order of their names.
    operators.sort_by_key(|operator| Reverse(operator.count));
    operators
}

/// A share in percent, to two decimals.
#[expect(clippy::cast_precision_loss, reason = "node counts are far below 2^53")]
pub fn percent(count: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { (count as f64 / total as f64 * 10_000.0).round() / 100.0 }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn shares_have_two_decimals() {
        assert_eq!(percent(146, 772), 18.91); // 146 / 772 = 0.18911…
        assert_eq!(percent(1, 3), 33.33);
        assert_eq!(percent(0, 0), 0.0);
    }
}
