//! Initializers that nothing reads.

use calipers_report::Severity;
use calipers_report::units;

use super::dead_nodes::alive;
use crate::evidence::Outputs;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "unused-initializers",
    severity: Severity::Info,
    group: "deployment",
    title: "Unused initializers",
    checks: "Initializers that no node reads and no graph outputs, or that only dead nodes read.",
    why: "They enlarge the file and the download, and some runtimes load them. They do not count \
          as parameters.",
    example: "The weights of a layer that was cut off after the export.",
    recommendation: "Run `onnxsim in.onnx out.onnx`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let (alive, outputs) = (alive(model), Outputs::from_model(model));
    let mut names = Vec::new();
    let mut bytes = 0_u64;
    for (id, value) in model.values() {
        let Some(tensor) = value.initializer.map(|tensor| model.tensor(tensor)) else { continue };
        let read = model.consumers(id).iter().any(|consumer| alive[consumer.node.index()]);
        if !read && !outputs.has(id) {
            names.push(model.name(value.name));
            bytes = bytes.saturating_add(tensor.bytes().unwrap_or(0));
        }
    }
    (!names.is_empty()).then(|| {
        Hit::new(
            format!("{}, {} in total", counted(names.len(), "tensor"), units::bytes(bytes)),
            names.iter().map(|name| (*name).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_tensor_that_nothing_reads_is_found_and_one_given_out_is_not() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Relu", &["x"], &["y"], &[]).initializer(&Tensor::f32("w", &[2], &[1.0, 2.0]));
        assert_eq!(raised(&RULE, model.build()).unwrap().detail, "1 tensor, 8 B in total");
        model.output("w", F32, &["2"]);
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
