//! What the model is, and the figures of its network.

use calipers_report::units;
use calipers_report::{Confidence, GraphOrigin, Report, TaskKind, with_article};

use super::super::parts::{quantization as quantization_part, title};
use super::super::wording;
use super::super::{kind_of, kinds, names};
use super::{Fact, Role, counted, counted_signed};

/// What the model is, as surely as the report knows it.
pub(super) fn identity(report: &Report) -> Vec<Fact> {
    let kind = kind_of(report);
    let mut facts = Vec::new();
    match report.architecture.kind {
        Some(_) => {
            let noun = quantization_part::noun(report, (kind.noun)(report));
            let probably = match wording::confidence(report) {
                Confidence::High => "",
                Confidence::Medium | Confidence::Low => "probably ",
            };
            let text = format!("{probably}{}", with_article(&noun));
            facts.push(Fact::new(Role::Identity, text));
        }
        None if report.model.graph_origin == GraphOrigin::Absent => {
            facts.push(Fact::new(Role::Statement, title::NO_GRAPH));
        }
        None => facts.push(Fact::new(Role::Statement, title::UNRECOGNIZED)),
    }
    if let (task, Confidence::Low) = (report.task.kind, report.task.confidence)
        && task != TaskKind::Unknown
        && report.architecture.kind.is_some()
    {
        let text = format!("Its task may be {} (low confidence)", task.display_name());
        facts.push(Fact::new(Role::Statement, text));
    }
    let notes = (kind.notes)(report);
    facts.extend(
        notes.iter().map(|note| Fact::new(Role::Statement, note.trim_end_matches('.')).detail()),
    );
    facts
}

/// The main figures of the network.
pub(super) fn figures(report: &Report) -> Vec<Fact> {
    let facts = &report.architecture.facts;
    let mut texts = kinds::design(report);
    let norm = facts.norm_position.map(|position| format!("{} ", position.display_name()));
    let norm = norm.unwrap_or_default();
    let recurrent = if kinds::is_recurrent(report) { "recurrent " } else { "" };
    let layer = format!("{norm}{recurrent}layer");
    texts.extend(counted_signed(facts.layers, &layer, &format!("{layer}s")));
    texts.extend(size("a hidden size of", facts.hidden));
    texts.extend(counted_signed(
        facts.heads,
        "attention head per layer",
        "attention heads per layer",
    ));
    if facts.kv_heads != facts.heads {
        let (one, many) = ("KV head per layer", "KV heads per layer");
        texts.extend(counted_signed(facts.kv_heads, one, many));
    }
    texts.extend(size("a vocabulary of", facts.vocab).map(|text| format!("{text} tokens")));
    texts.extend(counted_signed(facts.experts, "expert", "experts"));
    if let Some(experts) = counted_signed(facts.experts_per_token, "expert", "experts") {
        texts.push(format!("{experts} per token"));
    }
    texts.extend(counted_signed(facts.convs, "convolution", "convolutions"));
    texts.extend(counted_signed(facts.trees, "tree", "trees"));
    let classes = facts.classes.or(report.task.classes);
    texts.extend(counted_signed(classes, "class", "classes"));
    texts.into_iter().map(|text| Fact::new(Role::Property, text).detail()).collect()
}

/// Figures of the network that few readers ask for.
pub(super) fn details(report: &Report) -> Vec<Fact> {
    let facts = &report.architecture.facts;
    let mut texts = Vec::new();
    texts.extend(size("a head dimension of", facts.head_dim));
    texts.extend(size("a feed-forward width of", facts.ffn));
    for (value, one, many) in [
        (facts.depthwise, "depthwise convolution", "depthwise convolutions"),
        (facts.residuals, "residual addition", "residual additions"),
        (facts.squeeze_excite, "squeeze-and-excitation block", "squeeze-and-excitation blocks"),
        (facts.silu, "SiLU activation", "SiLU activations"),
    ] {
        texts.extend(counted_signed(value, one, many));
    }
    for (norm, count) in &facts.norm {
        let norm = norm.display_name();
        texts.extend(counted_signed(
            Some(*count),
            &format!("{norm} layer"),
            &format!("{norm} layers"),
        ));
    }
    texts.extend(kinds::positions(report));
    if let Some(node) = report.cost.top_nodes.first()
        && let (Some(op), Some(percent)) = (names::operator(&node.op), node.percent)
    {
        let percent = units::percent(percent);
        texts.push(format!(
            "{} as its most expensive node ({percent} of its MACs)",
            with_article(op)
        ));
    }
    texts.into_iter().map(|text| Fact::new(Role::Property, text).detail()).collect()
}

/// How the model is quantized.
pub(super) fn quantization(report: &Report) -> Vec<Fact> {
    let quantization = &report.quantization;
    if !quantization.scheme.is_quantized() {
        return Vec::new();
    }
    let (quantized, all) = (quantization.contractions_quantized, quantization.contractions);
    let operators = units::counted(all, "weighted operator", "weighted operators");
    let which = match (quantized, all) {
        (1, 1) => "1 weighted operator".to_owned(),
        (quantized, all) if quantized == all => format!("all {operators}"),
        (quantized, _) => format!("{} of {operators}", units::integer(quantized)),
    };
    let form = quantization_part::form(report);
    let mut texts = vec![format!("{which} quantized ({form})")];
    if let Some(percent) = quantization.weights_percent {
        texts.push(format!("{} of its weights quantized", units::percent(percent)));
    }
    let block = counted_signed(quantization.block, "weight", "weights");
    texts.extend(block.map(|weights| format!("quantization groups of {weights}")));
    for (op, count) in &quantization.unquantized {
        if let Some(op) = names::operator(op) {
            let (one, many) = (format!("{op} node"), format!("{op} nodes"));
            let nodes = counted(Some(*count), &one, &many);
            texts.extend(nodes.map(|nodes| format!("{nodes} in floating point")));
        }
    }
    texts.into_iter().map(|text| Fact::new(Role::Property, text).detail()).collect()
}

/// A size behind its noun: `a hidden size of 384`.
fn size(noun: &str, value: Option<i64>) -> Option<String> {
    value.map(|value| format!("{noun} {}", units::signed(value)))
}
