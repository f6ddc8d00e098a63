//! Names and metadata: they choose between the tasks that shapes allow, and confirm one.

use calipers_report::TaskKind;

use super::Seen;
use crate::given::name_parts;
use crate::network::Val;

impl Seen<'_, '_> {
    /// An entry of the metadata.
    pub(super) fn metadata(&self, key: &str) -> Option<&str> {
        let entries = &self.net().model.header.metadata;
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_ref())
    }

    /// The task that the exporter of a family of detectors writes.
    pub(super) fn stated_task(&self) -> Option<TaskKind> {
        Some(match self.metadata("task")? {
            "detect" | "obb" => TaskKind::ObjectDetection,
            "segment" => TaskKind::InstanceSegmentation,
            "classify" => TaskKind::ImageClassification,
            "pose" => TaskKind::PoseEstimation,
            _ => return None,
        })
    }

    /// How many classes the exporter of that family names: `{0: 'cat', 1: 'dog'}`.
    pub(super) fn stated_classes(&self) -> Option<i64> {
        let names = self.metadata("names")?.trim().strip_prefix('{')?;
        let mut count = 0_i64;
        // Each name follows the number that is next.
        let mut rest = names;
        while let Some((_, after)) = rest.split_once(&format!("{count}: ")) {
            (rest, count) = (after, count + 1);
        }
        (count > 0).then_some(count)
    }

    /// How many characters the file lists as those that it recognizes.
    pub(super) fn listed_characters(&self) -> Option<i64> {
        i64::try_from(self.metadata("character")?.lines().count()).ok()
    }

    /// Whether the list of characters is one of table tags.
    pub(super) fn lists_table_tags(&self) -> bool {
        self.metadata("character").is_some_and(|list| {
            let has = |tag: &str| list.lines().any(|line| line.trim() == tag);
            has("<tr>") && (has("<td>") || has("<td></td>"))
        })
    }

    /// Whether a word of an output's name starts so.
    pub(super) fn output_named(&self, output: Val, starts: &[&str]) -> bool {
        let words = name_parts(self.net().output_name(output));
        words.iter().any(|word| starts.iter().any(|start| word.starts_with(start)))
    }

    /// Whether a word of some input's or output's name starts so.
    pub(super) fn interface_named(&self, starts: &[&str]) -> bool {
        let net = self.net();
        let inputs = net.inputs.iter().map(|val| net.name(*val));
        let outputs = net.outputs.iter().map(|val| net.output_name(*val));
        inputs.chain(outputs).any(|name| {
            name_parts(name).iter().any(|word| starts.iter().any(|start| word.starts_with(start)))
        })
    }

    /// Whether the name of an output says that it holds scores.
    pub(super) fn named_scores(&self, output: Val) -> bool {
        const STARTS: &[&str] =
            &["class", "cls", "conf", "label", "logit", "pred", "prob", "score", "softmax"];
        self.output_named(output, STARTS)
    }
}
