//! The network in one sentence.

use calipers_report::units;
use calipers_report::{
    Architecture, ArchitectureFacts, Confidence, Family, ModelKind, Style, Task, TaskKind,
};

/// The sentence; empty when the kind is unknown.
pub(crate) fn sentence(architecture: &Architecture, task: &Task) -> String {
    let Some(kind) = architecture.kind else { return String::new() };
    let family = architecture.family;
    let variant = architecture.variant.as_deref();
    let name = variant.or(family.map(Family::display_name));
    let mut text = name.unwrap_or(kind.display_name()).to_owned();
    match (architecture.style, kind, family) {
        (Some(style @ (Style::Encoder | Style::Decoder | Style::EncoderDecoder)), ..)
            if !text.ends_with(style.display_name()) =>
        {
            text += &format!(" {}", style.display_name());
        }
        // A variant needs no more words.
        _ if variant.is_some() => {}
        (_, ModelKind::Cnn, Some(_)) => text += " convolutional network",
        (_, ModelKind::Rnn, Some(family)) if family != Family::Rnn => text += " recurrent network",
        _ => {}
    }
    // A network without a name is described by what it is made of.
    let design = match name {
        Some(_) => architecture.backbone_text().into_iter().collect(),
        None => architecture.design(),
    };
    match &design[..] {
        [] => {}
        [one] => text += &format!(" with {one}"),
        [most @ .., last] => text += &format!(" with {} and {last}", most.join(", ")),
    }
    // A guess is in the task's own section.
    if task.kind != TaskKind::Unknown && task.confidence > Confidence::Low {
        text += &format!(" for {}", task.kind.display_name());
    }
    let mut figures = figures(&architecture.facts, kind);
    let has_classes = task.kind.is_classification() || task.kind == TaskKind::ObjectDetection;
    figures.extend(
        task.classes.filter(|_| has_classes).map(|classes| counted(classes, "class", "classes")),
    );
    if !figures.is_empty() {
        text += &format!(": {}", figures.join(", "));
    }
    text + "."
}

/// The figures of a network, the most important first.
fn figures(facts: &ArchitectureFacts, kind: ModelKind) -> Vec<String> {
    let mut list = Vec::new();
    let mut add = |value: Option<i64>, one: &str, many: &str| {
        list.extend(value.filter(|value| *value > 0).map(|value| counted(value, one, many)));
    };
    add(facts.trees, "tree", "trees");
    add(facts.layers, "layer", "layers");
    if facts.layers.is_none() {
        add(facts.convs, "convolution", "convolutions");
        add(facts.residuals, "residual addition", "residual additions");
    }
    if facts.layers.is_none()
        && let (Some(resolutions), Some(stride)) = (facts.resolutions, facts.total_stride)
    {
        let resolutions = counted(resolutions, "feature resolution", "feature resolutions");
        list.push(format!("{resolutions}, total stride {stride}"));
    }
    list.extend(facts.hidden.map(|width| format!("hidden size {}", grouped(width))));
    if let Some(heads) = facts.heads {
        let width = facts.head_dim.map_or(String::new(), |width| format!(" of {}", grouped(width)));
        list.push(format!("{}{width}", counted(heads, "head", "heads")));
        let shared = facts.kv_heads.filter(|shared| *shared != heads);
        list.extend(shared.map(|shared| counted(shared, "KV head", "KV heads")));
    }
    list.extend(facts.ffn.map(|width| format!("feed-forward size {}", grouped(width))));
    if let Some(experts) = facts.experts {
        let chosen = facts.experts_per_token;
        let chosen = chosen.map_or(String::new(), |chosen| format!(" ({chosen} per token)"));
        list.push(format!("{}{chosen}", counted(experts, "expert", "experts")));
    }
    if kind != ModelKind::TreeEnsemble {
        list.extend(facts.activation.map(|activation| activation.display_name().to_owned()));
    }
    list.extend(facts.norm_position.map(|position| position.display_name().to_owned()));
    if facts.rope == Some(true) {
        list.push("rotary position embedding".to_owned());
    }
    if facts.bidirectional == Some(true) {
        list.push("bidirectional".to_owned());
    }
    if facts.kv_cache == Some(true) {
        list.push("KV cache".to_owned());
    }
    list
}

/// A number with thousands separators.
pub(super) fn grouped(number: i64) -> String {
    units::signed(number)
}

/// A count with its noun in the right number: `1 class`, `1,000 classes`.
pub(super) fn counted(count: i64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
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
        let task = Task {
            kind: TaskKind::QuestionAnswering,
            confidence: Confidence::High,
            ..Task::default()
        };
        assert_eq!(
            sentence(&architecture, &task),
            "BERT encoder for question answering: 12 layers, hidden size 768, 12 heads of 64, \
             feed-forward size 3,072, GELU, post-norm."
        );
        assert_eq!(sentence(&Architecture::default(), &task), "");
        assert_eq!(grouped(-1_234_567), "-1,234,567");
        assert_eq!(counted(1, "class", "classes"), "1 class");
    }
}
