//! Names and metadata: they choose between the tasks that shapes allow, and confirm one.

use calipers_ir::Hint;
use calipers_report::TaskKind;

use super::Seen;
use crate::network::Val;

impl Seen<'_, '_> {
    /// An entry of the metadata, as evidence.
    fn metadata(&self, key: &str) -> Option<Hint<'_>> {
        let mut entries = self.net().model.metadata_hints();
        entries.find(|(name, _)| name.is(key)).map(|(_, value)| value)
    }

    /// The task that the exporter of a family of detectors writes.
    pub(super) fn stated_task(&self) -> Option<TaskKind> {
        self.metadata("task")?.judge(|task| {
            Some(match task {
                "detect" | "obb" => TaskKind::ObjectDetection,
                "segment" => TaskKind::InstanceSegmentation,
                "classify" => TaskKind::ImageClassification,
                "pose" => TaskKind::PoseEstimation,
                _ => return None,
            })
        })
    }

    /// How many classes the exporter of that family names: `{0: 'cat', 1: 'dog'}`.
    pub(super) fn stated_classes(&self) -> Option<i64> {
        self.metadata("names")?.judge(|names| {
            let mut rest = names.trim().strip_prefix('{')?;
            let mut count = 0_i64;
            // Each name follows the number that is next.
            while let Some((_, after)) = rest.split_once(&format!("{count}: ")) {
                (rest, count) = (after, count + 1);
            }
            (count > 0).then_some(count)
        })
    }

    /// How many characters the file lists as those that it recognizes.
    pub(super) fn listed_characters(&self) -> Option<i64> {
        let count = self.metadata("character")?.judge(|list| list.lines().count());
        i64::try_from(count).ok()
    }

    /// Whether the list of characters is one of table tags.
    pub(super) fn lists_table_tags(&self) -> bool {
        let has_tags = |list: &str| {
            let has = |tag: &str| list.lines().any(|line| line.trim() == tag);
            has("<tr>") && (has("<td>") || has("<td></td>"))
        };
        self.metadata("character").is_some_and(|list| list.judge(has_tags))
    }

    /// Whether a word of an output's name starts so.
    pub(super) fn output_named(&self, output: Val, starts: &[&str]) -> bool {
        self.net().output_hint(output).name_parts().any_starts_with(starts)
    }

    /// Whether a word of some input's or output's name starts so.
    pub(super) fn interface_named(&self, starts: &[&str]) -> bool {
        let net = self.net();
        let inputs = net.inputs.iter().map(|val| net.hint(*val));
        let outputs = net.outputs.iter().map(|val| net.output_hint(*val));
        inputs.chain(outputs).any(|name| name.name_parts().any_starts_with(starts))
    }

    /// Whether the name of an output says that it holds scores.
    pub(super) fn named_scores(&self, output: Val) -> bool {
        const STARTS: &[&str] =
            &["class", "cls", "conf", "label", "logit", "pred", "prob", "score", "softmax"];
        self.output_named(output, STARTS)
    }
}
