//! What was learned, what is stored beside it, and which operators it belongs to.
//!
//! ```text
//!   Parameters   total      5,994 (5.99 k) · 6 tensors
//!                trainable  5,994 · non-trainable 0
//!                size       23.98 kB (23,976 bytes)
//! ```

use calipers_report::{Parameters, Report};

use super::chart::{self, Bar};
use super::header::{more, size};
use super::page::{Line, Page, Role};
use super::reasons::Reasons;
use super::rows::Rows;
use crate::{text, units};

/// Kinds of operator that are shown before the rest is folded.
const OPERATORS: usize = 5;

/// Parameters in all, by precision, in bytes, and what is stored beside them.
pub(super) fn totals(report: &Report, reasons: &mut Reasons<'_>, page: &mut Page) {
    let parameters = &report.parameters;
    let mut rows = Rows::default();
    learned(parameters, reasons, page, &mut rows);
    stored(report, reasons, &mut rows);
    let lines = match parameters.total {
        // With no other row to tell it from, the total needs no key.
        Some(0) if rows.len() == 1 => vec![Line::of(Role::Quiet, "none")],
        _ => rows.set(page),
    };
    page.section("Parameters", "", lines);
}

/// What was learned.
fn learned(parameters: &Parameters, reasons: &mut Reasons<'_>, page: &Page, rows: &mut Rows) {
    let total = parameters.total.map(|total| match total {
        0 => plain("none"),
        1..1000 => Line::of(Role::Strong, units::integer(total)),
        _ => Line::of(Role::Strong, units::integer(total))
            .and(Role::Plain, format!(" ({})", units::count(total))),
    });
    let mut facts = vec![reasons.figure("parameters.total", total)];
    // The usual case needs no row of its own.
    let all = parameters.total.is_some() && parameters.non_trainable == Some(0);
    if all && parameters.total != Some(0) {
        facts.push(plain("all trainable"));
    }
    if parameters.tensors > 0 {
        facts.push(plain(units::counted(parameters.tensors, "tensor", "tensors")));
    }
    rows.facts("total", facts);
    if parameters.total == Some(0) {
        return;
    }

    if !all {
        let mut figure = |name: &str, value: Option<u64>| {
            let value = value.map(|value| plain(units::integer(value)));
            reasons.figure(&format!("parameters.{name}"), value)
        };
        let trainable = figure("trainable", parameters.trainable);
        let others = figure("non_trainable", parameters.non_trainable);
        rows.facts("trainable", vec![trainable, plain("non-trainable ").and_line(others)]);
    }

    let mut by_dtype: Vec<_> = parameters.by_dtype.iter().collect();
    by_dtype.sort_by_key(|(_, elements)| std::cmp::Reverse(**elements));
    let by_dtype = by_dtype.into_iter().map(|(dtype, elements)| {
        let dtype = text::name(dtype, page.charset);
        plain(format!("{dtype} {}", units::integer(*elements)))
    });
    rows.facts("precision", by_dtype.collect());
    rows.facts("size", vec![reasons.figure("parameters.bytes", parameters.bytes.map(size))]);
    if parameters.generated > 0 {
        let elements = units::integer(parameters.generated);
        rows.facts("generated", vec![plain(format!("{elements} filled at load, not stored"))]);
    }
}

/// What is stored beside it, and all of it together.
fn stored(report: &Report, reasons: &mut Reasons<'_>, rows: &mut Rows) {
    let parameters = &report.parameters;
    let besides = [
        ("constants", parameters.constants, ["constant", "constants"]),
        (
            "quantization",
            parameters.quantization,
            ["scale or zero point", "scales and zero points"],
        ),
    ];
    let mut facts = vec![];
    for (name, value, [one, many]) in besides {
        match value {
            Some(0) => {}
            Some(value) => facts.push(plain(units::counted(value, one, many))),
            None => {
                let why = reasons.unknown(&format!("parameters.{name}"));
                facts.push(plain(format!("{many} ")).and_line(why));
            }
        }
    }
    rows.facts("besides", facts);
    // The section on memory begins with the same figure, where there is one.
    let said = report.memory.weights_bytes.is_some();
    if parameters.stored_bytes.is_none() || parameters.stored_bytes != parameters.bytes && !said {
        let bytes = parameters.stored_bytes.map(size);
        rows.facts("in all", vec![reasons.figure("parameters.stored_bytes", bytes)]);
    }
}

fn plain(text: impl Into<String>) -> Line {
    Line::of(Role::Plain, text)
}

/// Bytes of parameters by the operator that uses them.
pub(super) fn weights(report: &Report, reasons: &mut Reasons<'_>, page: &mut Page) {
    let by_op = &report.parameters.by_op;
    let shown = if by_op.len() > OPERATORS + 1 { OPERATORS } else { by_op.len() };
    let (shown, folded) = by_op.split_at(shown);
    let bars: Vec<Bar> = shown
        .iter()
        .map(|entry| Bar {
            name: text::name(&entry.op, page.charset),
            figures: vec![entry.bytes.map_or_else(|| "unknown".to_owned(), units::bytes)],
            length: entry.bytes.unwrap_or(0),
        })
        .collect();
    let mut lines = chart::bars(&bars, page);
    if let Some(line) = more(folded.len(), "kind", "kinds", page) {
        // The unknown ones come last: where there is one among the folded, their sum is not known.
        let bytes: Option<u128> = folded.iter().map(|entry| entry.bytes.map(u128::from)).sum();
        let bytes = bytes.map_or_else(|| "unknown".to_owned(), units::bytes);
        lines.extend(line.and(Role::Quiet, format!(", {bytes}")).wrap(page.body()));
    }
    let lacking = by_op.iter().any(|entry| entry.bytes.is_none());
    if lacking && reasons.explains("parameters.by_op") {
        lines.extend(reasons.unknown("parameters.by_op").wrap(page.body()));
    }
    if by_op.is_empty() && reasons.explains("parameters.by_op") && report.parameters.total.is_some()
    {
        lines.extend(reasons.unknown("parameters.by_op").wrap(page.body()));
    }
    let note = if lines.len() > 1 { "by operator" } else { "" };
    page.section("Weights", note, lines);
}
