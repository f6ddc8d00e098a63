//! Kinds of models, and how each is reported: one file to a kind.

pub(super) mod audio;
pub(super) mod classical;
pub(super) mod convolutional;
pub(super) mod dense;
pub(super) mod dense_prediction;
pub(super) mod detector;
pub(super) mod dual_encoder;
pub(super) mod encoder;
pub(super) mod generator;
pub(super) mod other;
pub(super) mod pipeline;
pub(super) mod recurrent;
pub(super) mod seq2seq;
pub(super) mod trees;
pub(super) mod vision_transformer;

use calipers_report::units;
use calipers_report::{AttentionKind, ModelKind, Report, Style};

use super::wording::{activation, listed, some, tokens};

/// Whether the kind is this one.
fn is_kind(report: &Report, kind: ModelKind) -> bool {
    report.architecture.kind == Some(kind)
}

/// Whether the style is this one.
fn is_style(report: &Report, style: Style) -> bool {
    report.architecture.style == Some(style)
}

/// One image, with its size where the input shows it.
fn image(report: &Report) -> String {
    let batch = report.hardware.as_ref().map_or(1, |hardware| hardware.batch);
    match batch {
        1 => "one image".to_owned(),
        many => format!("a batch of {} images", units::integer(many)),
    }
}

/// A sequence of as many tokens as the report is about.
fn sequence(report: &Report) -> String {
    match tokens(report) {
        Some(tokens) => format!("a sequence of {} tokens", units::integer(tokens)),
        None => "one run".to_owned(),
    }
}

fn one_run(_: &Report) -> String {
    "one run".to_owned()
}

/// Layers of attention in a sentence: `It stacks 12 post-norm layers with 12 heads of 64 …`.
fn attention_layers(report: &Report) -> Option<String> {
    let facts = &report.architecture.facts;
    let norm = facts
        .norm_position
        .map_or(String::new(), |position| format!("{} ", position.display_name()));
    let layers = some(facts.layers, &format!("{norm}layer"), &format!("{norm}layers"))?;
    let mut parts = Vec::new();
    if let Some(heads) = some(facts.heads, "head", "heads") {
        let width = facts.head_dim.map_or(String::new(), |width| format!(" of {}", number(width)));
        let shared = facts.kv_heads.filter(|shared| facts.heads != Some(*shared));
        let shared = shared.map_or(String::new(), |shared| {
            let attention = facts.attention.map_or("shared", AttentionKind::display_name);
            let heads = if shared == 1 { "head" } else { "heads" };
            format!(" ({attention} attention, {} {heads} for keys and values)", number(shared))
        });
        parts.push(format!("{heads}{width}{shared}"));
    }
    parts.extend(facts.hidden.map(|width| format!("hidden width {}", number(width))));
    let activation =
        activation(report).map_or(String::new(), |activation| format!(" ({activation})"));
    let inner = facts.ffn.map(|width| format!("feed-forward width {}{activation}", number(width)));
    parts.extend(inner);
    parts.extend((facts.rope == Some(true)).then(|| "rotary positions".to_owned()));
    parts.extend(facts.experts.map(|experts| match facts.experts_per_token {
        Some(each) => format!("{} experts of which {each} serve a token", number(experts)),
        None => format!("{} experts", number(experts)),
    }));
    let with = if parts.is_empty() { String::new() } else { format!(" with {}", listed(&parts)) };
    Some(format!("It stacks {layers}{with}."))
}

/// Convolutions in a sentence.
fn convolutions(report: &Report) -> Option<String> {
    let facts = &report.architecture.facts;
    let convolutions = some(facts.convs, "convolution", "convolutions")?;
    let mut text = format!("It is built of {convolutions}");
    if let Some(depthwise) = facts.depthwise.filter(|count| *count > 0) {
        text += &format!(", {} of them depthwise", number(depthwise));
    }
    let mut more = Vec::new();
    more.extend(some(facts.residuals, "residual addition", "residual additions"));
    more.extend(some(
        facts.squeeze_excite,
        "squeeze-and-excite block",
        "squeeze-and-excite blocks",
    ));
    more.extend(activation(report).map(|activation| format!("{activation} activations")));
    if !more.is_empty() {
        text += &format!(", with {}", listed(&more));
    }
    if facts.batchnorm_folded == Some(true) {
        text += "; its batch norms are folded into the weights";
    }
    Some(text + ".")
}

/// A number of a width or a count, thousands apart.
fn number(value: i64) -> String {
    u64::try_from(value).map_or_else(|_| value.to_string(), units::integer)
}

/// `into 1,000 classes`, where the classes are known.
fn into_classes(report: &Report) -> String {
    match report.task.classes.or(report.architecture.facts.classes).filter(|classes| *classes > 0) {
        Some(1) => " into 1 class".to_owned(),
        Some(classes) => format!(" into {} classes", number(classes)),
        None => String::new(),
    }
}
