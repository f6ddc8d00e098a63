//! The network in one sentence.

use calipers_report::units;
use calipers_report::{Architecture, ArchitectureFacts, Family, ModelKind, Style, Task, TaskKind};

/// The sentence; empty when not even the kind is known.
pub(crate) fn sentence(architecture: &Architecture, task: &Task) -> String {
    let Some(kind) = architecture.kind else { return String::new() };
    let family = architecture.family;
    let mut head = family.map_or(kind.display_name(), Family::display_name).to_owned();
    match (architecture.style, kind, family) {
        (Some(style @ (Style::Encoder | Style::Decoder | Style::EncoderDecoder)), ..) => {
            head = format!("{head} {}", style.display_name());
        }
        (_, ModelKind::Cnn, Some(_)) => head += " convolutional network",
        (_, ModelKind::Rnn, Some(_)) => head += " recurrent network",
        _ => {}
    }
    let figures = figures(&architecture.facts, kind);
    let mut text = head;
    if !figures.is_empty() {
        text += &format!(": {}", figures.join(", "));
    }
    if let Some(does) = task.kind.activity() {
        text += &format!("; {does}");
        let classified = task.kind.is_classification();
        match task.classes.filter(|_| classified || task.kind == TaskKind::ObjectDetection) {
            Some(1) => text += " of 1 class",
            Some(classes) if classified => text += &format!(" into {} classes", grouped(classes)),
            Some(classes) => text += &format!(" of {} classes", grouped(classes)),
            None => {}
        }
    }
    text + "."
}

/// The figures of a network, the most telling first.
fn figures(facts: &ArchitectureFacts, kind: ModelKind) -> Vec<String> {
    let mut list = Vec::new();
    let mut add = |value: Option<i64>, one: &str, more: &str| {
        list.extend(value.filter(|value| *value > 0).map(|value| match value {
            1 => format!("1 {one}"),
            value => format!("{} {more}", grouped(value)),
        }));
    };
    add(facts.trees, "tree", "trees");
    add(facts.layers, "layer", "layers");
    if facts.layers.is_none() {
        add(facts.convs, "convolution", "convolutions");
        add(facts.residuals, "residual addition", "residual additions");
    }
    if let Some(heads) = facts.heads {
        let width = facts.head_dim.map_or(String::new(), |width| format!(" of {}", grouped(width)));
        let one = if heads == 1 { "head" } else { "heads" };
        list.push(format!("{} {one}{width}", grouped(heads)));
        if let Some(shared) = facts.kv_heads.filter(|shared| *shared != heads) {
            list.push(format!("{shared} for keys and values"));
        }
    }
    list.extend(facts.hidden.map(|width| format!("hidden {}", grouped(width))));
    list.extend(facts.ffn.map(|width| format!("feed-forward {}", grouped(width))));
    if let (Some(experts), chosen) = (facts.experts, facts.experts_per_token) {
        let chosen = chosen.map_or(String::new(), |chosen| format!(", {chosen} for each token"));
        list.push(format!("{} experts{chosen}", grouped(experts)));
    }
    if kind != ModelKind::TreeEnsemble {
        list.extend(facts.activation.map(|activation| activation.display_name().to_owned()));
    }
    list.extend(facts.norm_position.map(|position| position.display_name().to_owned()));
    if facts.rope == Some(true) {
        list.push("rotary positions".to_owned());
    }
    if facts.bidirectional == Some(true) {
        list.push("both ways".to_owned());
    }
    if facts.kv_cache == Some(true) {
        list.push("key-value cache".to_owned());
    }
    list
}

/// A number with its thousands apart.
pub(super) fn grouped(number: i64) -> String {
    units::signed(number)
}

#[cfg(test)]
mod tests {
    use calipers_report::{Activation, NormPosition};

    use super::*;

    #[test]
    fn a_sentence_of_an_encoder() {
        let facts = ArchitectureFacts {
            layers: Some(12),
            heads: Some(12),
            head_dim: Some(64),
            hidden: Some(768),
            ffn: Some(3072),
            activation: Some(Activation::Gelu),
            norm_position: Some(NormPosition::Post),
            ..ArchitectureFacts::default()
        };
        let architecture = Architecture {
            kind: Some(ModelKind::Transformer),
            style: Some(Style::Encoder),
            family: Some(Family::Bert),
            facts,
            ..Architecture::default()
        };
        let task = Task { kind: TaskKind::QuestionAnswering, ..Task::default() };
        assert_eq!(
            sentence(&architecture, &task),
            "BERT encoder: 12 layers, 12 heads of 64, hidden 768, feed-forward 3,072, GELU, \
             post-norm; answers questions by span."
        );
        assert_eq!(sentence(&Architecture::default(), &task), "");
        assert_eq!(grouped(-1_234_567), "-1,234,567");
    }
}
