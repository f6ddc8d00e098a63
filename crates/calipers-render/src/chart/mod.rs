//! Charts of a report: SVG from our own writer, PNG on request.
//!
//! ```
//! use calipers_render::chart::{Theme, charts};
//!
//! let mut report = calipers_report::Report::default();
//! assert!(charts(&report, Theme::Light).is_empty(), "nothing to show, nothing drawn");
//! report.graph.operators.push(calipers_report::OperatorCount {
//!     op: "Conv".to_owned(),
//!     count: 2,
//!     percent: 100.0,
//!     ..Default::default()
//! });
//! assert!(charts(&report, Theme::Dark)[0].svg.starts_with("<svg"));
//! ```
//!
//! A chart is a file with a `draw` and a line in `CHARTS`. It takes what the report holds and
//! gives a `ChartDraft`, or nothing where there is nothing to show. `canvas` writes the SVG,
//! `font` knows how wide a text is, `theme` holds the colors.

mod axis;
mod bars;
mod canvas;
mod colors;
mod depth;
mod devices;
mod flops;
mod font;
mod heat;
mod mark;
mod memory;
mod operators;
mod overview;
mod parameters;
mod pareto;
#[cfg(feature = "png")]
mod png;
mod predicted;
mod roofline;
mod scaling;
mod theme;

use calipers_report::wording::listed;
use calipers_report::{Benchmark, ComparisonTable, Report, WeightChanges};
use canvas::Canvas;
pub use mark::marked_png;
#[cfg(feature = "png")]
pub use png::{PngError, png, png_within_limits};
pub use theme::Theme;

use crate::text::{self, Charset};

/// A chart, ready to be written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// The stem of its file: `operators`.
    pub name: &'static str,
    /// What it is called.
    pub title: String,
    /// One sentence that says what it shows, with the figures. It is plain text, cleaned.
    pub alt: String,
    /// The chart.
    pub svg: String,
}

/// What a `draw` gives.
struct ChartDraft {
    title: String,
    alt: String,
    canvas: Canvas,
}

impl ChartDraft {
    fn finish(self, name: &'static str) -> Chart {
        let Self { title, alt, canvas } = self;
        let svg = canvas.finish(name, &title, &alt);
        Chart { name, title, alt, svg }
    }
}

/// A chart's file name, and what draws it.
type Row = (&'static str, fn(&Report, Theme) -> Option<ChartDraft>);

/// Every chart, in the order in which they are shown.
const CHARTS: [Row; 11] = [
    ("overview", overview::draw),
    ("operators", operators::draw),
    ("parameters", parameters::draw),
    ("flops", flops::draw),
    ("memory", memory::draw),
    ("depth", depth::draw),
    ("roofline", roofline::draw),
    ("batch-scaling", scaling::batch),
    ("sequence-scaling", scaling::sequence),
    ("resolution-scaling", scaling::resolution),
    ("devices", devices::draw),
];

/// The charts of a report that have something to show, in a fixed order.
pub fn charts(report: &Report, theme: Theme) -> Vec<Chart> {
    let draw = |(name, draw): &Row| Some(draw(report, theme)?.finish(name));
    CHARTS.iter().filter_map(draw).collect()
}

/// The trade-off of several models; nothing where fewer than two of them have both figures.
pub fn pareto(table: &ComparisonTable, theme: Theme) -> Option<Chart> {
    Some(pareto::draw(table, theme)?.finish(PARETO))
}

/// How much the weights of two models differ along depth; nothing where they do not.
pub fn weight_changes(weights: &WeightChanges, theme: Theme) -> Option<Chart> {
    Some(heat::draw(weights, theme)?.finish(WEIGHT_CHANGES))
}

/// Measured beside predicted latency; nothing where there is no estimate.
pub fn predicted(measured: &Benchmark, theme: Theme) -> Option<Chart> {
    Some(predicted::draw(measured, theme)?.finish(PREDICTED))
}

/// The name of the chart of [`predicted`].
pub const PREDICTED: &str = "predicted";
/// The name of the chart of [`pareto`].
pub const PARETO: &str = "pareto";
/// The name of the chart of [`weight_changes`].
pub const WEIGHT_CHANGES: &str = "weight-changes";

/// The number of entries that have a row of their own in a bar chart.
pub(crate) fn bar_rows(entries: usize) -> usize {
    bars::shown(entries)
}

/// Columns of a word of the model in a sentence.
const WORD: usize = 60;

/// A word of the model, fit for a sentence.
fn word(raw: &str) -> String {
    text::truncate(&text::name(raw, Charset::Unicode), WORD, Charset::Unicode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chart_has_a_name_of_its_own() {
        for (i, (name, _)) in CHARTS.iter().enumerate() {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
            assert!(!CHARTS[..i].iter().any(|(other, _)| other == name), "{name} is twice");
        }
    }
}
