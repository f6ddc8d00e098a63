//! Pickles that end early or use operations that do not exist.

use calipers_ir::Hazard;
use calipers_report::Severity;

use super::shortened;
use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "broken-pickle",
    severity: Severity::Warning,
    group: "security",
    title: "Pickle is damaged",
    checks: "Pickles of a checkpoint that end before their program does, or use an operation that \
             no protocol defines.",
    why: "What comes before the damage is executed when the file is loaded. Damage after a harmful \
          call is a known way to hide it from scanners.",
    example: "A pickle that calls a function and ends without the `STOP` operation.",
    recommendation: "Download the file again and compare its digest with its author's; do not load \
                     it if it is still damaged.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut problems = evidence.model.hazards.iter().filter_map(|hazard| match hazard {
        Hazard::BrokenPickle { problem } => Some(problem),
        _ => None,
    });
    problems.next().map(|problem| Hit::new(shortened(problem), []))
}
