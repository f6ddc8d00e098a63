//! What reading every weight showed.
//!
//! ```text
//!   Weights      read         44.63 MB in 102 tensors
//!                elements     all finite · 0.00 % zeros
//!                range        -1.2800 to 1.0400 · widest in conv1.weight
//! ```

use calipers_report::{Report, TensorRange, Weights};

use super::page::{Line, Page, Role};
use super::reasons::Reasons;
use super::rows::Rows;
use crate::{text, units};

/// Columns of a tensor's name.
const NAME: usize = 40;

/// Totals of the weights, where they were read.
pub(super) fn read(report: &Report, reasons: &mut Reasons<'_>, page: &mut Page) {
    let Some(weights) = &report.weights else { return };
    let plain = |text: String| Line::of(Role::Plain, text);
    let mut rows = Rows::default();
    let mut facts = vec![plain(format!(
        "{} in {}",
        units::bytes(weights.bytes),
        units::counted(weights.tensors, "tensor", "tensors")
    ))];
    if weights.unread > 0 {
        let unread = units::counted(weights.unread, "tensor", "tensors");
        facts.push(Line::of(Role::Warning, format!("{unread} not read")));
    }
    rows.facts("read", facts);
    if weights.elements > 0 {
        rows.facts("elements", elements(weights).into_iter().map(plain).collect());
        if let Some(widest) = widest(weights) {
            let range = format!("{} to {}", figure(widest.min), figure(widest.max));
            let name = plain(text::name(&widest.name, page.charset)).cut(NAME, page.charset);
            rows.facts("range", vec![plain(range), plain("widest in ".to_owned()).and_line(name)]);
        }
    }
    if reasons.explains("weights.unread") {
        rows.facts("not read", vec![reasons.unknown("weights.unread")]);
    }
    let lines = rows.set(page);
    page.section("Weights", "", lines);
}

fn elements(weights: &Weights) -> Vec<String> {
    let count = |number: u64, what: &str| format!("{} {what}", units::integer(number));
    let mut facts = match (weights.nan, weights.infinite) {
        (0, 0) => vec!["all finite".to_owned()],
        (nan, infinite) => vec![count(nan, "NaN"), count(infinite, "infinite")],
    };
    if weights.subnormal > 0 {
        facts.push(count(weights.subnormal, "subnormal"));
    }
    facts.push(format!("{:.2} % zeros", weights.sparsity_percent));
    if weights.dead_channels > 0 {
        facts.push(units::counted(weights.dead_channels, "dead channel", "dead channels"));
    }
    if weights.duplicate_bytes > 0 {
        facts.push(format!("{} stored twice", units::bytes(weights.duplicate_bytes)));
    }
    facts
}

/// A number to four digits, as a power of ten where it is very large or small.
fn figure(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        0.001..1e5 => format!("{number:.4}"),
        _ => format!("{number:.3e}"),
    }
}

/// The tensor with the widest range, the first among equals.
fn widest(weights: &Weights) -> Option<&TensorRange> {
    let width = |range: &TensorRange| range.max - range.min;
    let ranges = weights.ranges.iter().rev();
    ranges.max_by(|a, b| width(a).total_cmp(&width(b)))
}
