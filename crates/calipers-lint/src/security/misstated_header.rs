//! Headers that state what the file does not have.

use calipers_ir::{Hazard, secrets};
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "misstated-header",
    severity: Severity::Warning,
    group: "security",
    title: "Header does not match the file",
    checks: "Sizes and places of tensors that a header states, against the file: data past its \
             end, tensors that overlap, sizes that do not follow from shape and type.",
    why: "A loader that trusts the header reads past the end of the data, or gives one tensor the \
          data of another. A truncated download looks the same.",
    example: "A SafeTensors file whose header ends a tensor 4 kB after the end of the file.",
    recommendation: "Download the file again and compare its size and digest with its author's.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut found = evidence.model.hazards.iter().filter_map(|hazard| match hazard {
        Hazard::Misstated { what } => Some(secrets::mask(what).into_owned()),
        _ => None,
    });
    let first = found.next()?;
    let detail = match found.count() {
        0 => first,
        more => format!("{first}; and {more} more"),
    };
    Some(Hit::new(detail, []))
}
