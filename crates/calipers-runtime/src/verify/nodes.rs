//! Nodes of the file against nodes that a runtime executed.

use std::collections::BTreeMap;

use calipers_ir::Model;
use calipers_report::NodeCounts;

use crate::bench::parse_profile;
use crate::session::Session;

/// Counts what the session ran, from its profile. `None` where the runtime writes no profile, or
/// expands functions of the file into other nodes.
///
/// A runtime also expands operators that it has no kernel for, so a difference is reported and is
/// not an error.
pub(super) fn counts(model: &Model, session: &mut dyn Session) -> Option<NodeCounts> {
    let written = session.end_profile().ok()?;
    let text = std::fs::read_to_string(written).ok()?;
    let kernels = parse_profile(&text, 0).ok()?.kernels;
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let executed = kernels
        .iter()
        .flat_map(|kernel| std::iter::repeat_n(kernel.op.as_str(), count(kernel.count)));
    if model.functions().len() > 0 {
        return None;
    }
    let main = model.main().order.iter().map(|node| model.node(*node));
    // A constant is stored when the model is loaded.
    let expected = main.map(|node| model.name(node.op)).filter(|op| *op != "Constant");
    Some(compare(expected, executed))
}

/// Compares two lists of operators, in any order.
fn compare<'a>(
    expected: impl Iterator<Item = &'a str>,
    executed: impl Iterator<Item = &'a str>,
) -> NodeCounts {
    let mut counts = NodeCounts::default();
    let mut balance: BTreeMap<&str, u64> = BTreeMap::new();
    for op in expected {
        counts.expected += 1;
        *balance.entry(op).or_default() += 1;
    }
    for op in executed {
        match balance.get_mut(op).filter(|left| **left > 0) {
            Some(left) => {
                *left -= 1;
                counts.executed += 1;
            }
            None => counts.added_by_runtime += 1,
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_matched_one_by_one() {
        let file = ["Conv", "Relu", "Relu", "Gemm"];
        let ran = ["Relu", "Cast", "Conv", "Relu"];
        let found = compare(file.into_iter(), ran.into_iter());
        // Conv and two Relu; the Gemm did not run, and the Cast is not in the file.
        let wanted = NodeCounts { expected: 4, executed: 3, added_by_runtime: 1 };
        assert_eq!(found, wanted);
    }
}
