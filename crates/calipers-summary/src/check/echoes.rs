//! Texts of the model's author that a summary must not repeat: they may be orders.

use std::collections::HashSet;

use calipers_report::Report;

use super::super::names;

/// Words in a row that make a quotation.
const RUN: usize = 4;
/// Words of the author's texts that are looked at, so that a file cannot make this slow.
const MOST: usize = 20_000;

/// Runs of words that the author wrote.
pub(super) struct Echoes(HashSet<Vec<String>>);

impl Echoes {
    pub(super) fn new(report: &Report) -> Self {
        let mut runs = HashSet::new();
        let mut left = MOST;
        for text in written(report) {
            if names::plain(text).is_some() {
                continue;
            }
            let words = lowercase_words(
                text.char_indices().nth(MOST).map_or(text, |(end, _)| &text[..end]),
            );
            left = left.saturating_sub(words.len());
            for run in words.windows(RUN) {
                runs.insert(run.to_vec());
            }
            if left == 0 {
                break;
            }
        }
        Self(runs)
    }

    /// Whether a sentence repeats some of it.
    pub(super) fn are_in(&self, sentence: &str) -> bool {
        !self.0.is_empty() && lowercase_words(sentence).windows(RUN).any(|run| self.0.contains(run))
    }
}

/// What the model's author wrote, as far as the report holds it.
fn written(report: &Report) -> impl Iterator<Item = &str> {
    let model = &report.model;
    let ports = report.graph.inputs.iter().chain(&report.graph.outputs);
    let ports = ports.flat_map(|port| [port.name.as_str(), port.doc.as_str()]);
    let nodes = report.cost.top_nodes.iter().map(|node| node.node.as_str());
    let concerned = report.findings.iter().flat_map(|finding| &finding.nodes).map(String::as_str);
    let values = report.memory.largest.iter().map(|value| value.name.as_str());
    let functions = report.graph.local_functions.iter().map(|function| function.name.as_str());
    let metadata = model.metadata.iter().flat_map(|(key, value)| [key.as_str(), value.as_str()]);
    let files = model.data_files.iter().map(|file| file.location.as_str());
    let operators = report.graph.operators_total.iter().map(|row| row.op.as_str());
    [model.file.as_str(), &model.doc, &model.domain, &model.producer.name, &report.graph.name]
        .into_iter()
        .chain(metadata)
        .chain(ports)
        .chain(nodes)
        .chain(concerned)
        .chain(values)
        .chain(functions)
        .chain(files)
        .chain(operators)
        .chain(report.bindings.keys().map(String::as_str))
}

fn lowercase_words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
