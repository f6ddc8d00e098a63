//! Float operators between quantized regions.

use std::collections::{BTreeMap, BTreeSet};

use calipers_ir::{Model, NodeId, Producer, ValueId};
use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::pairs::has;
use crate::evidence::operator;

pub(crate) const RULE: Rule = Rule {
    id: "float-islands",
    severity: Severity::Info,
    group: "quantization",
    title: "Float operators between quantized regions",
    checks: "Groups of nodes between `DequantizeLinear` and `QuantizeLinear` that contain an \
             operator without an integer kernel. The conversions around them are counted.",
    why: "Each conversion reads and writes the whole tensor. With many small islands a quantized \
          model can be slower than the float model.",
    example: "A quantized transformer: LayerNorm, Softmax and GELU in float between integer matrix \
              products.",
    recommendation: "Quantize fewer layers, e.g. `quantize_static(..., \
                     op_types_to_quantize=[\"Conv\", \"MatMul\", \"Gemm\"])`, or use a runtime \
                     that fuses the conversions, such as TensorRT.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    if !has(evidence, "QuantizeLinear") || !has(evidence, "DequantizeLinear") {
        return None;
    }
    let model = evidence.model;
    let op = |node: NodeId| model.written_op(node);
    let is_conversion = |node: NodeId| matches!(op(node), "QuantizeLinear" | "DequantizeLinear");
    let order = &model.main().order;
    let data = from_data(evidence);
    let carries = |value: &ValueId| {
        let fact = evidence.typed.fact(*value).as_tensor();
        data.contains(value) && fact.is_some_and(|tensor| tensor.dtype.is_float())
    };
    // Nodes connected by float values share the number of the first.
    let mut island: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut parents: Vec<usize> = Vec::new();
    for node in order.iter().copied().filter(|node| !is_conversion(*node)) {
        let inputs = model.inputs(node).iter().flatten().filter(|value| carries(value));
        let before: Vec<usize> = inputs
            .filter_map(|value| island.get(&maker(evidence, *value)?).copied())
            .map(|number| root(&mut parents, number))
            .collect();
        let number = before.first().copied().unwrap_or_else(|| {
            parents.push(parents.len());
            parents.len() - 1
        });
        before.iter().for_each(|other| parents[*other] = number);
        if model.outputs(node).iter().flatten().any(&carries) {
            island.insert(node, number);
        }
    }
    let mut islands: BTreeMap<usize, Island> = BTreeMap::new();
    for (node, number) in &island {
        let found = islands.entry(root(&mut parents, *number)).or_default();
        found.ops.push(*node);
        for value in model.inputs(*node).iter().flatten().filter(|value| carries(value)) {
            found.entries.extend(maker(evidence, *value).filter(|node| is_conversion(*node)));
        }
        for value in model.outputs(*node).iter().flatten() {
            let readers = model.consumers(*value).iter().map(|consumer| consumer.node);
            found.exits.extend(readers.filter(|node| op(*node) == "QuantizeLinear"));
        }
    }
    let between: Vec<Island> = islands
        .into_values()
        .filter(|island| !island.entries.is_empty() && !island.exits.is_empty())
        .filter(|island| island.ops.iter().any(|node| is_float_only(model, *node)))
        .collect();
    hit(evidence, &between)
}

/// Whether runtimes have no integer kernel for a node.
fn is_float_only(model: &Model, node: NodeId) -> bool {
    !operator(model, node).is_some_and(|row| row.traits.has_integer_kernel)
}

/// Nodes that are connected by float values.
#[derive(Default)]
struct Island {
    ops: Vec<NodeId>,
    /// `DequantizeLinear` nodes that it reads.
    entries: BTreeSet<NodeId>,
    /// `QuantizeLinear` nodes that read it.
    exits: BTreeSet<NodeId>,
}

/// Counts the operators and conversions of the islands.
fn hit(evidence: &Evidence<'_>, between: &[Island]) -> Option<Hit> {
    if between.is_empty() {
        return None;
    }
    let model = evidence.model;
    let foreign = || {
        let nodes = between.iter().flat_map(|island| island.ops.iter().copied());
        nodes.filter(|node| is_float_only(model, *node))
    };
    let mut ops: BTreeMap<&str, usize> = BTreeMap::new();
    for node in foreign() {
        *ops.entry(model.written_op(node)).or_default() += 1;
    }
    let list: Vec<String> = ops.iter().map(|(op, count)| format!("{count} {op}")).collect();
    let conversions: usize =
        between.iter().map(|island| island.entries.len() + island.exits.len()).sum();
    let detail = format!(
        "{} with {}, and {} around them",
        counted(between.len(), "island"),
        list.join(", "),
        counted(conversions, "conversion")
    );
    Some(Hit::new(detail, foreign().map(|node| model.node_label(node))))
}

/// Returns the values that depend on the inputs of the model.
fn from_data(evidence: &Evidence<'_>) -> BTreeSet<ValueId> {
    let model = evidence.model;
    let fed = |value: &ValueId| {
        let info = model.value(*value);
        matches!(info.producer, Producer::Input) && info.initializer.is_none()
    };
    let mut data: BTreeSet<ValueId> = BTreeSet::new();
    for node in &model.main().order {
        let inputs = model.inputs(*node);
        if inputs.iter().flatten().any(|value| data.contains(value) || fed(value)) {
            data.extend(inputs.iter().flatten().filter(|value| fed(value)));
            data.extend(model.outputs(*node).iter().flatten());
        }
    }
    data
}

/// Returns the node that computes a value.
fn maker(evidence: &Evidence<'_>, value: ValueId) -> Option<NodeId> {
    match evidence.model.value(value).producer {
        Producer::Node { node, .. } => Some(node),
        _ => None,
    }
}

/// Returns the representative of a group (union-find with path halving).
fn root(parents: &mut [usize], number: usize) -> usize {
    let mut number = number;
    while parents[number] != number {
        parents[number] = parents[parents[number]];
        number = parents[number];
    }
    number
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn between(ops: &[&str], ends_in_integers: bool) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8"]);
        let mut x = t.quantized(&x);
        for op in ops {
            x = t.op(op, &[&x]);
        }
        if ends_in_integers {
            x = t.quantized(&x);
        }
        t.build(&x)
    }

    #[test]
    fn operators_without_integer_kernels_are_reported() {
        let reported = raised(&RULE, between(&["Relu", "Erf", "Sqrt"], true)).unwrap();
        assert_eq!(reported.detail, "1 island with 1 Erf, 1 Sqrt, and 2 conversions around them");
    }

    #[test]
    fn integer_kernels_and_ends_of_the_network_are_not() {
        assert_eq!(raised(&RULE, between(&["Relu"], true)), None);
        assert_eq!(raised(&RULE, between(&["Erf"], false)), None);
    }
}
