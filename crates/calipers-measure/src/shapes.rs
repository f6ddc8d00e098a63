//! Inferred shapes, for the report and for `calipers shapes`.

use std::collections::BTreeMap;

use calipers_infer::{Bindings, Typed};
use calipers_ir::{DType, GraphKind, Model, Producer, ValueId};
use calipers_ops::{Fact, TensorFact};
use calipers_report::{Dimension, ShapeFacts, ShapeTable, UnknownShape, ValueKind, ValueShape};

/// Unknown values that the report names; it counts them all.
const NAMED: usize = 20;

/// How much is known of the values that the main graph's nodes give.
pub fn summarize(model: &Model, typed: &Typed) -> ShapeFacts {
    let mut facts = ShapeFacts { data_dependent: data_dependent(typed), ..ShapeFacts::default() };
    for node in &model.main().order {
        for value in model.outputs(*node).iter().flatten() {
            facts.values += 1;
            let fact = typed.fact(*value);
            let tensor = fact.as_tensor();
            let known = tensor.is_none_or(|tensor| tensor.dtype != DType::Undefined);
            if known && !matches!(fact, Fact::Unknown(_)) {
                facts.typed += 1;
            }
            match tensor.and_then(TensorFact::dims) {
                Some(dims) if dims.iter().all(|dim| dim.as_const().is_some()) => facts.fixed += 1,
                Some(_) => facts.symbolic += 1,
                None => {
                    let Some(reason) = shape(fact).reason else { continue };
                    facts.unshaped += 1;
                    if facts.unknown.len() < NAMED {
                        let value = model.name(model.value(*value).name).to_owned();
                        facts.unknown.push(UnknownShape { value, reason });
                    }
                }
            }
        }
    }
    facts
}

/// Every value of the main graph and of its subgraphs.
pub fn shapes(model: &Model, typed: &Typed, bindings: &Bindings) -> ShapeTable {
    let mut table = ShapeTable {
        data_dependent: data_dependent(typed),
        bindings: crate::bindings::describe(model, bindings),
        ..ShapeTable::default()
    };
    let name = |value: ValueId| model.name(model.value(value).name).to_owned();
    let main = model.main();
    let made = main.order.iter().flat_map(|node| model.outputs(*node).iter().flatten());
    let stored = model.values().filter(|(_, value)| {
        value.graph == model.main_id() && value.producer == Producer::Initializer
    });
    let stored: Vec<ValueId> = stored.map(|(id, _)| id).collect();
    for value in main.inputs.iter().chain(&stored).chain(made) {
        table.values.push((name(*value), shape(typed.fact(*value))));
    }
    for (id, graph) in model.graphs() {
        let GraphKind::Subgraph { node, attribute } = graph.kind else { continue };
        if !hangs_on_main(model, id) {
            continue;
        }
        let place = format!("{}.{}", model.node_label(node), model.name(attribute));
        let values: BTreeMap<_, _> = graph
            .inputs
            .iter()
            .chain(graph.order.iter().flat_map(|node| model.outputs(*node).iter().flatten()))
            .map(|value| (name(*value), shape(typed.fact(*value))))
            .collect();
        table.subgraphs.insert(place, values);
    }
    table
}

fn hangs_on_main(model: &Model, graph: calipers_ir::GraphId) -> bool {
    let mut next = Some(graph);
    while let Some(id) = next {
        if id == model.main_id() {
            return true;
        }
        next = model.graph(id).parent;
    }
    false
}

/// Data-dependent dimensions by name, each with what determines it.
pub fn data_dependent(typed: &Typed) -> BTreeMap<String, String> {
    typed.fresh.iter().map(|dim| (dim.name.clone(), dim.why.clone())).collect()
}

/// The inferred type and shape of a value.
pub fn shape(fact: &Fact) -> ValueShape {
    let of_tensor = |tensor: &TensorFact, kind: Option<ValueKind>| ValueShape {
        kind,
        dtype: Some(tensor.dtype).filter(|dtype| *dtype != DType::Undefined),
        shape: tensor.dims().map(|dims| {
            dims.iter()
                .map(|dim| match dim.as_const() {
                    Some(size) => Dimension::Size(size),
                    None if dim.is_undefined() => Dimension::Unknown,
                    None => Dimension::Symbol(dim.to_string()),
                })
                .collect()
        }),
        reason: tensor.shape.as_ref().err().map(|reason| reason.to_string()),
    };
    let of_kind = |kind, inner: &Fact| ValueShape { kind: Some(kind), ..shape(inner) };
    match fact {
        Fact::Tensor(tensor) => of_tensor(tensor, None),
        Fact::SparseTensor(tensor) => of_tensor(tensor, Some(ValueKind::SparseTensor)),
        Fact::Sequence(sequence) => of_kind(ValueKind::Sequence, &sequence.element),
        Fact::Optional(inner) => of_kind(ValueKind::Optional, inner),
        Fact::Map { .. } => ValueShape { kind: Some(ValueKind::Map), ..ValueShape::default() },
        Fact::Opaque => ValueShape { kind: Some(ValueKind::Opaque), ..ValueShape::default() },
        Fact::Unknown(reason) => ValueShape {
            kind: Some(ValueKind::Unknown),
            reason: Some(reason.to_string()),
            ..ValueShape::default()
        },
    }
}
