//! A table of many models: pages of HTML to search, filter and sort, and a page of Markdown.
//!
//! ```
//! use calipers_report::{KeyFigures, ModelRow, Registry};
//!
//! let figures = KeyFigures::unread("a.onnx".into(), "it is empty".into());
//! let registry = Registry { models: vec![ModelRow { figures, ..ModelRow::default() }], groups: vec![] };
//! let page = calipers_render::index::markdown(&registry.models);
//! assert!(page.contains("`a.onnx`") && page.contains("it is empty"));
//! assert_eq!(calipers_render::index::pages(&registry, "index.html")[0].name, "index.html");
//! ```
//!
//! `COLUMNS` says what both tables show, and `facets::FACETS` what the pages filter by, a line for each.

mod data;
mod facets;
mod markdown;
mod page;

use calipers_report::{Family, KeyFigures, ModelKind, ModelRow, Scheme, TaskKind};
pub use markdown::markdown;
pub use page::{Page, pages};

use crate::text::{self, Charset};
use crate::units;

/// A column of the table.
struct Column {
    heading: &'static str,
    /// Whether it holds figures, which are flush right and are sorted by size.
    figures: bool,
    /// What is in a cell: plain text, cleaned.
    text: fn(&KeyFigures) -> String,
    /// What a column of figures is sorted by.
    value: fn(&KeyFigures) -> Option<f64>,
}

/// The column that is shown only where all latencies are of one device, which its heading names.
const LATENCY: &str = "Latency";

/// Columns next to the model's name, in their order.
const COLUMNS: [Column; 9] = [
    texts("Kind", |model| {
        joined(&[model.kind.map(ModelKind::display_name), model.family.map(Family::display_name)])
    }),
    texts("Task", |model| joined(&[model.task.map(TaskKind::display_name)])),
    texts("Precision", precision),
    figures(
        "Parameters",
        |model| text_or_blank(model.parameters, units::count),
        |model| model.parameters.map(float),
    ),
    figures("FLOPs", flops, |model| model.flops.map(float)),
    figures(
        "Weights",
        |model| text_or_blank(model.weights_bytes, units::bytes),
        |model| model.weights_bytes.map(float),
    ),
    figures(
        "Peak activations",
        |model| text_or_blank(model.peak_activation_bytes, units::bytes),
        |model| model.peak_activation_bytes.map(float),
    ),
    figures(
        LATENCY,
        |model| model.latency_ms.map(units::time).unwrap_or_default(),
        |model| model.latency_ms.filter(|time| time.is_finite()),
    ),
    // Errors go before any number of warnings, and those before info.
    figures("Findings", findings, |model| {
        Some(float(model.errors?) * 1e8 + float(model.warnings?) * 1e4 + float(model.infos?))
    }),
];

const fn texts(heading: &'static str, text: fn(&KeyFigures) -> String) -> Column {
    Column { heading, figures: false, text, value: |_| None }
}

const fn figures(
    heading: &'static str,
    text: fn(&KeyFigures) -> String,
    value: fn(&KeyFigures) -> Option<f64>,
) -> Column {
    Column { heading, figures: true, text, value }
}

#[expect(clippy::cast_precision_loss, reason = "rows are sorted by it, and that is all")]
fn float(value: u64) -> f64 {
    value as f64
}

fn text_or_blank(value: Option<u64>, set: fn(u64) -> String) -> String {
    value.map(set).unwrap_or_default()
}

fn joined(parts: &[Option<&str>]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .flatten()
        .map(|part| text::truncate(&text::name(part, Charset::Unicode), 40, Charset::Unicode))
        .collect();
    parts.join(" · ")
}

fn precision(model: &KeyFigures) -> String {
    match model.quantization {
        None | Some(Scheme::None) => {
            model.precision.map(|dtype| dtype.to_string()).unwrap_or_default()
        }
        Some(scheme) => scheme.label().into_owned(),
    }
}

fn flops(model: &KeyFigures) -> String {
    let is_least = model.lower_bound == Some(true);
    match model.flops {
        // A sum that lacks everything says nothing.
        None => String::new(),
        Some(0) if is_least => String::new(),
        Some(0) => "none".to_owned(),
        Some(flops) if is_least => format!("≥ {}", units::operations(flops, "FLOPs")),
        Some(flops) => units::operations(flops, "FLOPs"),
    }
}

/// `1 error, 2 warnings`.
fn findings(model: &KeyFigures) -> String {
    let parts = [
        (model.errors, "error", "errors"),
        (model.warnings, "warning", "warnings"),
        (model.infos, "info", "info"),
    ];
    let parts = parts.into_iter().filter_map(|(count, one, many)| {
        count.filter(|count| *count > 0).map(|count| units::counted(count, one, many))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// The columns that say something, each with its heading.
fn columns(models: &[ModelRow]) -> Vec<(&'static Column, String)> {
    let is_filled =
        |column: &&Column| models.iter().any(|model| !(column.text)(&model.figures).is_empty());
    let heading = |column: &'static Column| match (column.heading == LATENCY, device(models)) {
        (false, _) => Some((column, column.heading.to_owned())),
        (true, Some(device)) => {
            let device =
                text::truncate(&text::name(device, Charset::Unicode), 40, Charset::Unicode);
            Some((column, format!("{} ({device})", column.heading)))
        }
        (true, None) => None,
    };
    COLUMNS.iter().filter(is_filled).filter_map(heading).collect()
}

/// The device that latencies are of, where there is one for all.
fn device(models: &[ModelRow]) -> Option<&str> {
    let mut devices = models.iter().filter_map(|model| model.figures.device.as_deref());
    let first = devices.next()?;
    devices.all(|device| device == first).then_some(first)
}

/// `3 models, 1 unreadable.`
fn heading(models: &[ModelRow]) -> String {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let all = units::counted(count(models.len()), "model", "models");
    match models.iter().filter(|model| model.figures.error.is_some()).count() {
        0 => format!("{all}."),
        broken => format!("{all}, {} unreadable.", units::integer(count(broken))),
    }
}
