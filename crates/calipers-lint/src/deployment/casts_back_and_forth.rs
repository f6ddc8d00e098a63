//! Casts that restore an earlier type.

use calipers_ir::{DType, Model, NodeId, ValueId};
use calipers_ops::Movement;
use calipers_report::Severity;

use crate::evidence::{input, operator, output, producer, running, standard_op};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "casts-back-and-forth",
    severity: Severity::Info,
    group: "deployment",
    title: "Redundant Cast pairs",
    checks: "`Cast` nodes that restore the type before an earlier `Cast`, with only layout \
             operators in between. Float-to-integer round trips are ignored: they round on \
             purpose.",
    why: "Each cast reads and writes the whole tensor. If the intermediate type is narrower, the \
          pair also rounds the values.",
    example: "`Cast` from float16 to float32, `Reshape`, `Cast` to float16.",
    recommendation: "Let the operators between the casts keep the surrounding type: remove them \
                     from `op_block_list` of \
                     `onnxruntime.transformers.float16.convert_float_to_float16`, or delete both \
                     casts.",
    check,
};

/// Layout operators that are followed between two casts.
const MOST_MOVES: usize = 8;

/// Whether a node keeps every element unchanged.
fn is_layout(model: &Model, node: NodeId) -> bool {
    let movement = operator(model, node).and_then(|row| row.traits.movement);
    movement.is_some_and(Movement::is_layout)
}

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (model, typed) = (evidence.model, evidence.typed);
    let dtype = |value: ValueId| {
        let dtype = typed.fact(value).as_tensor()?.dtype;
        (dtype != DType::Undefined).then_some(dtype)
    };
    let undoes = |node: NodeId| {
        if standard_op(model, node) != Some("Cast") {
            return None;
        }
        let mut value = input(model, node, 0)?;
        for _ in 0..MOST_MOVES {
            match producer(model, value)? {
                (before, "Cast") => {
                    let (from, through) = (dtype(input(model, before, 0)?)?, dtype(value)?);
                    let back = dtype(output(model, node)?)?;
                    // A round trip through integers rounds on purpose.
                    let alike = from.is_float() == through.is_float();
                    return (back == from && through != from && alike).then_some((from, through));
                }
                (before, _) if is_layout(model, before) => value = input(model, before, 0)?,
                _ => return None,
            }
        }
        None
    };
    let mut pairs: Vec<(NodeId, (DType, DType))> = Vec::new();
    pairs.extend(running(model).into_iter().filter_map(|node| Some((node, undoes(node)?))));
    let (_, (from, through)) = pairs.first()?;
    let hit = Hit::new(
        format!("{}; first {from} to {through} and back", counted(pairs.len(), "pair")),
        pairs.iter().map(|(node, _)| model.node_label(*node)),
    );
    // The advice about float16 conversion fits floats only.
    let floats = from.is_float();
    Some(if floats { hit } else { hit.recommend("Remove both casts before the export.") })
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn model(between: &str, to: i64) -> Vec<u8> {
        let mut tiny = Tiny::new();
        let x = tiny.input(&["2", "8"]);
        let half = tiny.cast(&x, to);
        let moved = tiny.op(between, &[&half]);
        let back = tiny.cast(&moved, 1);
        tiny.output(&back).bytes()
    }

    #[test]
    fn a_pair_around_a_move_is_found_and_one_around_arithmetic_is_not() {
        let found = raised(&RULE, model("Transpose", 10)).unwrap();
        assert_eq!(found.detail, "1 pair; first float32 to float16 and back");
        assert_eq!(raised(&RULE, model("Exp", 10)), None);
        assert_eq!(raised(&RULE, model("Transpose", 7)), None, "it rounds");
    }
}
