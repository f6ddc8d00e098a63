//! Shapes that depend on the values of the data.

use std::collections::BTreeMap;

use calipers_arch::network::Origin;
use calipers_ir::{NodeId, Producer};
use calipers_ops::Extent;
use calipers_report::Severity;
use hashbrown::HashSet;

use crate::evidence::{input, operator, running};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "data-dependent-shapes",
    severity: Severity::Info,
    group: "deployment",
    title: "Data-dependent output shapes",
    checks: "Nodes whose output size depends on the values of the data, such as `NonZero`, and \
             nodes whose shape input is computed from data rather than from shapes.",
    why: "Memory for these tensors cannot be planned ahead, compilers for static shapes reject \
          them, and costs of later nodes remain formulas.",
    example: "`NonZero`: the number of rows is the number of nonzero elements.",
    recommendation: "Run these nodes on the host after the exported graph, or replace them with \
                     fixed-size operators, e.g. `TopK` with a constant `K`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let origins = evidence.origins();
    let fresh: HashSet<&str> = evidence.typed.fresh.iter().map(|dim| dim.name.as_str()).collect();
    let open = |node: NodeId| {
        model.outputs(node).iter().flatten().any(|value| {
            let tensor = evidence.typed.fact(*value).as_tensor();
            let dims = tensor.and_then(|tensor| tensor.dims());
            dims.is_none_or(|dims| {
                dims.iter().flat_map(|dim| dim.symbols()).any(|name| fresh.contains(name.name()))
            })
        })
    };
    let from_data = |node: NodeId, slot: usize| {
        input(model, node, slot).is_some_and(|value| match model.value(value).producer {
            Producer::Node { node, .. } => origins[node.index()] == Origin::Data,
            Producer::Input => model.value(value).initializer.is_none(),
            _ => false,
        })
    };
    let decides = |node: NodeId| {
        let op = model.written_op(node);
        let main = model.node(node).graph == model.main_id();
        let decided = match operator(model, node).map(|row| row.traits.extent) {
            Some(Extent::Data) => true,
            Some(Extent::Inputs(slots)) => main && slots.iter().any(|slot| from_data(node, *slot)),
            Some(Extent::Shapes) | None => false,
        };
        // The length of a scan output is the trip count of the loop.
        let turns = op == "Loop" && !evidence.typed.fresh.is_empty();
        ((decided || turns) && open(node)).then_some(op)
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut nodes = Vec::new();
    for node in running(model) {
        if let Some(op) = decides(node) {
            *counts.entry(op).or_default() += 1;
            nodes.push(node);
        }
    }
    let reported: Vec<String> = counts.iter().map(|(op, count)| format!("{count} {op}")).collect();
    Hit::of_nodes(
        model,
        &nodes,
        format!("{}: {}", counted(nodes.len(), "node"), reported.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use calipers_samples::DataType::{F32, I64};
    use calipers_samples::{Attribute, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn what_the_data_decides_is_found_and_what_a_caller_decides_is_not() {
        let of = |op: &str| {
            let mut model = ModelBuilder::new(17);
            model.input("x", F32, &["batch", "8"]).node(op, &["x"], &["y"], &[]);
            model.output("y", F32, &["?", "?"]).build()
        };
        assert_eq!(raised(&RULE, of("NonZero")).unwrap().detail, "1 node: 1 NonZero");
        assert_eq!(raised(&RULE, of("Relu")), None);
    }

    #[test]
    fn a_shape_computed_from_data_is_found_and_others_are_not() {
        let of = |shape: &str| {
            let mut model = ModelBuilder::new(17);
            model.input("x", F32, &["batch", "8"]).input("s", I64, &["2"]);
            model.node("Shape", &["x"], &["taken"], &[]);
            model.input("f", F32, &["2"]);
            model.node("Cast", &["f"], &["computed"], &[Attribute::int("to", 7)]);
            model.node("Reshape", &["x", shape], &["y"], &[]);
            model.output("y", F32, &["?", "?"]).build()
        };
        let detail = raised(&RULE, of("computed")).unwrap().detail;
        assert!(detail.contains("1 Reshape"), "{detail}");
        // Sizes that the caller gives are bound with `--value`.
        let raised_by =
            |shape: &str| raised(&RULE, of(shape)).map_or(String::new(), |it| it.detail);
        assert!(!raised_by("s").contains("Reshape"));
        assert!(!raised_by("taken").contains("Reshape"));
    }
}
