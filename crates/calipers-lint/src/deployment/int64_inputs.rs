//! Inputs of 64 bits where 32 would do.

use calipers_ir::{DType, ValueId};
use calipers_ops::Movement;
use calipers_report::Severity;

use crate::evidence::{Outputs, operator, output};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "int64-inputs",
    severity: Severity::Info,
    group: "deployment",
    title: "Inputs are int64 where int32 would do",
    checks: "Inputs of type int64 that only pick rows of tables, or are cast to another type.",
    why: "Accelerators and phones compute in 32 bits: they convert such inputs on every call, or \
          leave the first nodes to the host. No table has rows that 32 bits do not count.",
    example: "`input_ids` as int64, which an embedding of 30,522 rows looks up.",
    recommendation: "declare these inputs as int32 where the target prefers it",
    check,
};

/// Uses of an input that are followed.
const MOST_USES: usize = 64;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let outputs = Outputs::of(model);
    let wide = model.required_inputs().into_iter().filter(|input| {
        let tensor = evidence.typed.fact(*input).as_tensor();
        tensor.is_some_and(|tensor| tensor.dtype == DType::Int64)
            && narrows(evidence, &outputs, *input)
    });
    let inputs: Vec<ValueId> = wide.collect();
    (!inputs.is_empty()).then(|| {
        Hit::new(
            format!("{}, used only to pick rows or cast", counted(inputs.len(), "input")),
            inputs.iter().map(|input| model.name(model.value(*input).name).to_owned()),
        )
    })
}

/// Whether every use of a value only picks rows with it, or casts it.
fn narrows(evidence: &Evidence<'_>, outputs: &Outputs, value: ValueId) -> bool {
    let model = evidence.model;
    let mut values = vec![value];
    let mut seen = 0_usize;
    let mut used = false;
    while let Some(value) = values.pop() {
        if outputs.has(value) {
            return false;
        }
        for consumer in model.consumers(value) {
            seen += 1;
            used = true;
            if seen > MOST_USES {
                return false;
            }
            let Some(row) = operator(model, consumer.node) else { return false };
            match (row.traits.movement, consumer.slot) {
                (Some(Movement::Convert), 0) => {}
                (Some(Movement::View), 0) => values.extend(output(model, consumer.node)),
                // Of the operators with indices, these take 32 bits as well.
                (_, 1) if matches!(row.name, "Gather" | "GatherElements") => {}
                _ if row.traits.reads_shape => {}
                _ => return false,
            }
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use calipers_samples::DataType::{I32, I64};
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn ids_are_found_and_sums_and_narrow_ids_are_not() {
        let model = |dtype, summed: bool| {
            let mut tiny = Tiny::new();
            let ids = tiny.input_of(dtype, &["1", "8"]);
            let table = tiny.weight(&[100, 4]);
            let used = if summed { tiny.op("Add", &[&ids, &ids]) } else { ids };
            let y = tiny.op("Gather", &[&table, &used]);
            tiny.output(&y).bytes()
        };
        assert_eq!(raised(&RULE, model(I64, false)).unwrap().nodes.len(), 1);
        assert_eq!(raised(&RULE, model(I64, true)), None);
        assert_eq!(raised(&RULE, model(I32, false)), None);
    }
}
