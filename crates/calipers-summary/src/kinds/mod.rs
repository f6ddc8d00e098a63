//! Kinds of models and how each is described: one file per kind.

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
use calipers_report::{AttentionKind, BlockKind, ModelKind, Report, Style, TaskKind};

use super::wording::{counted, listed, stated_family, stated_task, tokens};

/// Returns whether the model is of this kind.
fn is_kind(report: &Report, kind: ModelKind) -> bool {
    report.architecture.kind == Some(kind)
}

/// Returns whether the network has this style.
fn is_style(report: &Report, style: Style) -> bool {
    report.architecture.style == Some(style)
}

/// The images of one run: `one image`.
fn image(report: &Report) -> String {
    let batch = report.hardware.as_ref().map_or(1, |hardware| hardware.batch);
    match batch {
        1 => "one image".to_owned(),
        many => format!("a batch of {} images", units::integer(many)),
    }
}

/// The sequence of one run: `a sequence of 128 tokens`.
fn sequence(report: &Report) -> String {
    match tokens(report) {
        Some(tokens) => format!("a sequence of {} tokens", units::integer(tokens)),
        None => "one run".to_owned(),
    }
}

fn one_run(_: &Report) -> String {
    "one run".to_owned()
}

fn one_row(_: &Report) -> String {
    "one row".to_owned()
}

fn no_notes(_: &Report) -> Vec<String> {
    Vec::new()
}

/// The noun with its task: `encoder for question answering`.
fn for_task(report: &Report, noun: &str) -> String {
    match stated_task(report) {
        TaskKind::Unknown => noun.to_owned(),
        task => format!("{noun} for {}", task.display_name()),
    }
}

/// What a network without a name is made of: `a ResNet-50 backbone`, `inverted residuals`.
pub(super) fn design(report: &Report) -> Vec<String> {
    match stated_family(report) {
        Some(_) => Vec::new(),
        None => report.architecture.design(),
    }
}

/// Returns whether the layers are recurrent ones.
pub(super) fn is_recurrent(report: &Report) -> bool {
    let mut blocks = report.architecture.blocks.iter();
    report.architecture.facts.heads.is_none() && blocks.any(|it| it.kind == BlockKind::Recurrent)
}

/// The figures of attention layers: `12 post-norm layers`, `hidden size 768`.
fn attention_layers(report: &Report) -> Vec<String> {
    let facts = &report.architecture.facts;
    let norm = facts
        .norm_position
        .map_or(String::new(), |position| format!("{} ", position.display_name()));
    let noun = if is_recurrent(report) { "recurrent layer" } else { "layer" };
    let layers = counted(facts.layers, &format!("{norm}{noun}"), &format!("{norm}{noun}s"));
    let Some(layers) = layers else { return Vec::new() };
    let mut figures = vec![layers];
    figures.extend(facts.hidden.map(|width| format!("hidden size {}", number(width))));
    if let Some(heads) = counted(facts.heads, "attention head", "attention heads") {
        let shared = facts.kv_heads.filter(|shared| facts.heads != Some(*shared));
        let shared = shared.map_or(String::new(), |shared| {
            let attention = facts.attention.map_or("shared", AttentionKind::display_name);
            let heads = if shared == 1 { "head" } else { "heads" };
            format!(" ({attention}, {} KV {heads})", number(shared))
        });
        figures.push(format!("{heads}{shared}"));
    }
    figures.extend(facts.experts.map(|experts| match facts.experts_per_token {
        Some(each) => format!("{} experts ({each} per token)", number(experts)),
        None => format!("{} experts", number(experts)),
    }));
    figures
}

/// The vocabulary: `a vocabulary of 30,522`.
fn vocabulary(report: &Report) -> Option<String> {
    let words = report.architecture.facts.vocab?;
    Some(format!("a vocabulary of {}", number(words)))
}

/// The figures of convolutions: `53 convolutions (17 depthwise)`, `16 residual additions`.
fn convolutions(report: &Report) -> Vec<String> {
    let facts = &report.architecture.facts;
    let convolutions = counted(facts.convs, "convolution", "convolutions");
    let Some(mut convolutions) = convolutions else { return Vec::new() };
    if let Some(depthwise) = facts.depthwise.filter(|count| *count > 0) {
        convolutions += &format!(" ({} depthwise)", number(depthwise));
    }
    let residuals = counted(facts.residuals, "residual addition", "residual additions");
    std::iter::once(convolutions).chain(residuals).collect()
}

/// The positions of a detection head: `8,400 positions at strides 8, 16, and 32`.
pub(super) fn positions(report: &Report) -> Option<String> {
    let facts = &report.architecture.facts;
    let positions = counted(facts.positions, "position", "positions")?;
    let strides = facts.strides.as_deref().unwrap_or_default();
    let strides: Vec<String> = strides.iter().map(|stride| number(*stride)).collect();
    Some(match strides.is_empty() {
        true => positions,
        false => format!("{positions} at strides {}", listed(&strides)),
    })
}

/// A number with thousands separators.
fn number(value: i64) -> String {
    units::signed(value)
}

/// The classes: `1,000 classes`.
fn classes(report: &Report) -> Option<String> {
    let classes = report.task.classes.or(report.architecture.facts.classes);
    counted(classes, "class", "classes")
}

/// Names of the most common operators that are known: `Conv, Relu, and Add`.
fn operators(report: &Report, most: usize) -> String {
    let known = report.graph.operators.iter();
    let known = known.filter_map(|row| super::names::operator(&row.op));
    listed(&known.take(most).map(str::to_owned).collect::<Vec<_>>())
}
