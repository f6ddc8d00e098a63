//! External tensors whose byte ranges overlap in part.

use std::collections::BTreeSet;

use calipers_report::Severity;

use super::external_tensors;
use crate::{Evidence, Hit, Rule, plural};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-overlap",
    severity: Severity::Warning,
    group: "security",
    title: "Overlapping external tensors",
    checks: "Byte ranges of the tensors in each data file. Tensors may share a complete range, but \
             not a part of one.",
    why: "Tensors with the same range are one weight under two names. Partial overlap means wrong \
          offsets, or a small file that expands to a large amount of memory.",
    example: "One tensor at bytes 0 to 8, another at bytes 4 to 12.",
    recommendation: "Re-export the model and its data file together: `onnx.save(model, \
                     \"out.onnx\", save_as_external_data=True)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let mut places: Vec<_> = external_tensors(model)
        .filter_map(|(tensor, external)| {
            let length = external.length.or(tensor.bytes())?;
            let start = external.offset?;
            Some((external.file, start, start.checked_add(length)?, model.name(tensor.name)))
        })
        .collect();
    places.sort_unstable();
    let mut shared = BTreeSet::new();
    let mut reach: Option<(usize, u64, u64)> = None;
    for (file, start, end, name) in places {
        match reach {
            Some((same, from, to)) if same == file && start < to => {
                if (from, to) != (start, end) {
                    shared.insert(name);
                }
                reach = Some((file, if end > to { start } else { from }, to.max(end)));
            }
            _ => reach = Some((file, start, end)),
        }
    }
    (!shared.is_empty()).then(|| {
        let tensors = plural(shared.len(), "tensor overlaps", "tensors overlap");
        Hit::new(
            format!("{tensors} a part of another tensor's bytes"),
            shared.iter().map(|name| (*name).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_shared_part_is_found_and_a_shared_whole_is_not() {
        let second_at = |offset: u64| {
            let mut model = ModelBuilder::new(17);
            for (name, offset) in [("a", 0), ("b", offset)] {
                let place = (Some(offset), Some(8));
                model.initializer(&Tensor::external(name, F32, &[2], "w.bin", place.0, place.1));
            }
            model.node("Add", &["a", "b"], &["y"], &[]).output("y", F32, &["2"]).build()
        };
        assert_eq!(raised(&RULE, second_at(4)).unwrap().nodes, ["b"]);
        assert_eq!(raised(&RULE, second_at(0)), None);
        assert_eq!(raised(&RULE, second_at(8)), None);
    }
}
