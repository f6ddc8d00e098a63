//! Known edits: models that were changed in one way, with what a comparison must report.
//!
//! Unlike a mutant, an edited model is as valid as the one that it was made from. An edit that the
//! model has no place for is left out.
//!
//! ```
//! let edits = calipers_testkit::known_edits(&calipers_samples::digits());
//! let replaced = edits.iter().find(|edit| edit.name == "operator replaced").unwrap();
//! assert_eq!(replaced.expected.changed.len(), 1);
//! assert!(!replaced.expected.breaking);
//! ```

mod graph;

use std::collections::BTreeSet;

use graph::{Edited, inputs_of, set_text, text};

use super::tree::{Field, Payload};

/// A model that was changed in one way.
#[derive(Clone, Debug)]
pub struct Edit {
    /// What was done.
    pub name: &'static str,
    /// The edited model.
    pub model: Vec<u8>,
    /// What a comparison with the original must report.
    pub expected: Expected,
}

/// What a comparison must report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Names of the added nodes.
    pub added: BTreeSet<String>,
    /// Names of the removed nodes.
    pub removed: BTreeSet<String>,
    /// Names of the changed nodes.
    pub changed: BTreeSet<String>,
    /// Whether a caller breaks.
    pub breaking: bool,
}

impl Expected {
    fn nothing() -> Self {
        Self::default()
    }

    fn breaking() -> Self {
        Self { breaking: true, ..Self::default() }
    }

    fn added(name: &str) -> Self {
        Self { added: [name.to_owned()].into(), ..Self::default() }
    }

    fn removed(names: impl IntoIterator<Item = String>) -> Self {
        Self { removed: names.into_iter().collect(), ..Self::default() }
    }

    fn changed(names: impl IntoIterator<Item = String>) -> Self {
        Self { changed: names.into_iter().collect(), ..Self::default() }
    }
}

type Change = fn(&mut Edited) -> Option<Expected>;

const EDITS: &[(&str, Change)] = &[
    ("every node and value renamed", rename),
    ("nodes stored in another order", reorder),
    ("attribute changed", change_attribute),
    ("operator replaced", replace_operator),
    ("node removed", remove_node),
    ("node inserted", insert_node),
    ("one weight changed", change_weight),
    ("layer removed", remove_layer),
    ("dimension fixed", fix_dimension),
    ("input renamed", rename_input),
    ("output removed", remove_output),
    ("outputs in another order", swap_outputs),
    ("optional input added", add_optional_input),
    ("required input added", add_required_input),
    ("weights cast to float16", cast_weights),
    ("opset raised", raise_opset),
];

/// Every known edit that the model has a place for.
pub fn known_edits(model: &[u8]) -> Vec<Edit> {
    let original = Edited::parse(model);
    let edit = |(name, change): &(&'static str, Change)| {
        let mut edited = original.clone();
        let expected = change(&mut edited)?;
        Some(Edit { name, model: edited.write(), expected })
    };
    EDITS.iter().filter_map(edit).collect()
}

fn rename(model: &mut Edited) -> Option<Expected> {
    let ports: BTreeSet<String> =
        model.names_of(11).into_iter().chain(model.names_of(12)).collect();
    // Annotations and sparse tensors hold names in further places.
    if model.graph().iter().any(|field| matches!(field.number, 14 | 15)) {
        return None;
    }
    graph::rename(model.graph_mut(), &|name| match ports.contains(name) {
        true => name.to_owned(),
        false => format!("renamed/{name}"),
    });
    Some(Expected::nothing())
}

/// Takes the last node that can run, over and over.
fn reorder(model: &mut Edited) -> Option<Expected> {
    let nodes: Vec<Field> = model.nodes().cloned().collect();
    let made: BTreeSet<String> = nodes.iter().flat_map(graph::outputs_of).collect();
    let (mut known, mut left) = (BTreeSet::new(), nodes.clone());
    let mut order = Vec::new();
    while !left.is_empty() {
        let can_run = |node: &Field| {
            graph::reads(node).iter().all(|name| !made.contains(name) || known.contains(name))
        };
        let at = left.iter().rposition(can_run)?;
        let node = left.remove(at);
        known.extend(graph::outputs_of(&node));
        order.push(node);
    }
    if order == nodes {
        return None;
    }
    let mut order = order.into_iter();
    for field in model.graph_mut().iter_mut().filter(|field| field.number == 1) {
        *field = order.next()?;
    }
    Some(Expected::nothing())
}

fn change_attribute(model: &mut Edited) -> Option<Expected> {
    let float_of = |node: &Field| {
        let fields = graph::fields(node)?;
        fields.iter().position(|field| {
            let name = graph::fields(field).and_then(|fields| text(fields, 1));
            field.number == 5 && matches!(name.as_deref(), Some("epsilon" | "alpha" | "slope"))
        })
    };
    let at = model.last_node(|node| float_of(node).is_some())?;
    let name = model.node_name(at)?;
    let node = model.node_mut(at);
    let attribute = float_of(node)?;
    let fields = graph::fields_mut(&mut graph::fields_mut(node)?[attribute])?;
    let value = fields.iter_mut().find(|field| field.number == 2)?;
    let Payload::Fixed32(bits) = &mut value.payload else { return None };
    *bits = (f32::from_bits(*bits) * 2.0 + 0.125).to_bits();
    Some(Expected::changed([name]))
}

/// Element-wise operators with one of the same shape and type.
fn other_operator(op: &str) -> Option<&'static str> {
    match op {
        "Relu" | "Sigmoid" | "Erf" => Some("Tanh"),
        "Tanh" => Some("Sigmoid"),
        _ => None,
    }
}

fn is_elementwise(node: &Field) -> bool {
    graph::op(node).is_some_and(|op| other_operator(&op).is_some())
}

fn replace_operator(model: &mut Edited) -> Option<Expected> {
    let at = model.last_node(is_elementwise)?;
    let name = model.node_name(at)?;
    let node = graph::fields_mut(model.node_mut(at))?;
    let op = text(node, 4)?;
    set_text(node, 4, other_operator(&op)?);
    Some(Expected::changed([name]))
}

fn remove_node(model: &mut Edited) -> Option<Expected> {
    let outputs = model.names_of(12);
    let at = model.last_node(|node| {
        is_elementwise(node) && graph::outputs_of(node).iter().all(|name| !outputs.contains(name))
    })?;
    let name = model.node_name(at)?;
    let node = model.node_mut(at).clone();
    let (from, to) = (graph::outputs_of(&node).pop()?, inputs_of(&node).into_iter().next()?);
    model.graph_mut().remove(at);
    graph::redirect(model.graph_mut(), &from, &to);
    Some(Expected::removed([name]))
}

fn insert_node(model: &mut Edited) -> Option<Expected> {
    let outputs = model.names_of(12);
    let at = model.last_node(|node| {
        matches!(
            graph::op(node).as_deref(),
            Some("Conv" | "MatMul" | "Gemm" | "LayerNormalization")
        ) && graph::outputs_of(node).iter().all(|name| !outputs.contains(name))
    })?;
    let value = graph::outputs_of(model.node_mut(at)).into_iter().next()?;
    graph::redirect(model.graph_mut(), &value, "inserted_value");
    let node = graph::node("inserted", "Abs", &value, "inserted_value");
    model.graph_mut().insert(at + 1, node);
    Some(Expected::added("inserted"))
}

fn change_weight(model: &mut Edited) -> Option<Expected> {
    // A node of a subgraph may read the tensor.
    if model.has_subgraphs() {
        return None;
    }
    let readers: Vec<(Option<String>, Vec<String>)> = model
        .nodes()
        .map(|node| (graph::fields(node).and_then(|fields| text(fields, 3)), graph::reads(node)))
        .collect();
    let tensors = model.graph_mut().iter_mut().filter(|field| field.number == 5);
    for tensor in tensors.rev() {
        let Some(fields) = graph::fields_mut(tensor) else { continue };
        let Some(name) = text(fields, 8) else { continue };
        let mut reading = readers.iter().filter(|(_, reads)| reads.contains(&name));
        let (Some((Some(reader), _)), None) = (reading.next(), reading.next()) else { continue };
        // A fixture may store less than its dimensions need.
        let is_float = graph::number(fields, 2) == Some(1) && graph::is_whole(fields);
        let data = fields.iter_mut().find_map(|field| match &mut field.payload {
            Payload::Bytes(_, bytes) if field.number == 9 && bytes.len() >= 16 => Some(bytes),
            _ => None,
        });
        if let (true, Some(bytes), false) = (is_float, data, reader.is_empty()) {
            let element: [u8; 4] = bytes[4..8].try_into().unwrap();
            let value = f32::from_le_bytes(element) + 1.0;
            bytes[4..8].copy_from_slice(&value.to_le_bytes());
            return Some(Expected::changed([reader.clone()]));
        }
    }
    None
}

/// Removes `layer.0` of the sample encoder: what follows reads the embeddings.
fn remove_layer(model: &mut Edited) -> Option<Expected> {
    let is_inside = |name: &str| name.starts_with("layer.0/");
    let (mut inside, mut first) = (BTreeSet::new(), None);
    for node in model.nodes() {
        let name = graph::fields(node).and_then(|fields| text(fields, 3))?;
        if is_inside(&name) {
            first.get_or_insert_with(|| inputs_of(node));
            inside.insert(name);
        }
    }
    let x = first?.into_iter().next()?;
    let output = model.nodes().flat_map(graph::outputs_of).find(|name| name == "layer.0/output")?;
    model.graph_mut().retain(|field| {
        let name = graph::fields(field).and_then(|fields| text(fields, 3)).unwrap_or_default();
        field.number != 1 || !is_inside(&name)
    });
    graph::redirect(model.graph_mut(), &output, &x);
    Some(Expected::removed(inside))
}

fn fix_dimension(model: &mut Edited) -> Option<Expected> {
    let inputs = model.graph_mut().iter_mut().filter(|field| field.number == 11);
    let dimension = inputs.flat_map(graph::dimensions).find_map(|dim| text(dim, 2))?;
    let ports = model.graph_mut().iter_mut().filter(|field| matches!(field.number, 11 | 12));
    for dim in ports.flat_map(graph::dimensions) {
        if text(dim, 2).as_ref() == Some(&dimension) {
            *dim = vec![Field { number: 1, payload: Payload::Varint(4) }];
        }
    }
    Some(Expected::breaking())
}

fn rename_input(model: &mut Edited) -> Option<Expected> {
    let input = model.real_inputs().into_iter().next()?;
    // An input that is an output, too, keeps its name.
    if model.names_of(12).contains(&input) {
        return None;
    }
    graph::rename(model.graph_mut(), &|name| match name == input {
        true => "another_name".to_owned(),
        false => name.to_owned(),
    });
    // The names of nodes are apart from those of values.
    Some(Expected::breaking())
}

fn remove_output(model: &mut Edited) -> Option<Expected> {
    let last = (model.names_of(12).len() > 1)
        .then(|| model.graph().iter().rposition(|field| field.number == 12))??;
    model.graph_mut().remove(last);
    Some(Expected::breaking())
}

/// Sessions return outputs in this order, so code that reads them by place breaks.
fn swap_outputs(model: &mut Edited) -> Option<Expected> {
    let places: Vec<usize> =
        (0..model.graph().len()).filter(|at| model.graph()[*at].number == 12).collect();
    let [first, .., last] = places[..] else { return None };
    model.graph_mut().swap(first, last);
    Some(Expected::breaking())
}

fn add_optional_input(model: &mut Edited) -> Option<Expected> {
    let mut graph = graph::extra_input();
    graph.extend(graph::extra_initializer());
    model.graph_mut().extend(graph);
    Some(Expected::nothing())
}

fn add_required_input(model: &mut Edited) -> Option<Expected> {
    model.graph_mut().extend(graph::extra_input());
    Some(Expected::breaking())
}

/// Casts stored floats and the types of all values.
fn cast_weights(model: &mut Edited) -> Option<Expected> {
    let is_plain = |node: &Field| {
        graph::op(node).is_some_and(|op| {
            matches!(
                op.as_str(),
                "Conv"
                    | "BatchNormalization"
                    | "Relu"
                    | "MaxPool"
                    | "GlobalAveragePool"
                    | "Flatten"
                    | "Gemm"
                    | "Softmax"
                    | "Add"
                    | "MatMul"
                    | "Reshape"
                    | "Sigmoid"
                    | "Concat"
            )
        })
    };
    if !model.nodes().all(is_plain) {
        return None;
    }
    let mut cast = BTreeSet::new();
    for tensor in model.graph_mut().iter_mut().filter(|field| field.number == 5) {
        let fields = graph::fields_mut(tensor)?;
        if graph::number(fields, 2) == Some(1) {
            cast.insert(text(fields, 8)?);
            graph::to_float16(fields)?;
        }
    }
    for value in model.graph_mut().iter_mut().filter(|field| matches!(field.number, 11..=13)) {
        graph::to_float16_type(value);
    }
    let names = model.nodes().filter_map(|node| {
        let name = graph::fields(node).and_then(|fields| text(fields, 3))?;
        inputs_of(node).iter().any(|input| cast.contains(input)).then_some(name)
    });
    Some(Expected { breaking: true, ..Expected::changed(names) })
}

fn raise_opset(model: &mut Edited) -> Option<Expected> {
    // The sample with subgraphs has a ReduceMean, which opset 18 changes.
    if model.has_subgraphs() {
        return None;
    }
    let opsets = model.fields.iter_mut().filter(|field| field.number == 8);
    let mut standard = opsets
        .filter_map(graph::fields_mut)
        .find(|fields| matches!(text(fields, 1).as_deref(), None | Some("" | "ai.onnx")));
    let version = standard.as_mut()?.iter_mut().find(|field| field.number == 2)?;
    let Payload::Varint(number) = &mut version.payload else { return None };
    // Versions between which the operators of the samples mean the same.
    if *number != 17 {
        return None;
    }
    *number += 1;
    Some(Expected::nothing())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::tree::Kind;

    #[test]
    fn every_edit_has_a_sample_and_changes_it() {
        let mut found = BTreeSet::new();
        for sample in calipers_samples::SAMPLES {
            let original = (sample.model)();
            for edit in known_edits(&original) {
                assert_ne!(edit.model, original, "{}: {}", sample.name, edit.name);
                found.insert(edit.name);
            }
        }
        let all: BTreeSet<&str> = EDITS.iter().map(|(name, _)| *name).collect();
        assert_eq!(found, all);
    }

    #[test]
    fn a_kind_of_field_is_kept() {
        let model = Edited::parse(&calipers_samples::digits());
        assert!(matches!(model.graph()[0].payload, Payload::Message(Kind::Node, _)));
    }
}
