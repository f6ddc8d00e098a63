//! Measured beside predicted time, for the model and its slowest blocks.

use calipers_report::{Benchmark, BlockTime};

use super::ChartDraft;
use super::bars::{self, Bar};
use super::theme::{Color, Theme};
use crate::units;

/// Blocks that have bars.
const BLOCKS: usize = 8;

/// Two bars for the model and for each of its slowest blocks.
pub(super) fn draw(measured: &Benchmark, theme: Theme) -> Option<ChartDraft> {
    let predicted = measured.predicted.latency_ms?.expected;
    let mut rows = pair("Model", measured.latency_ms.median, Some(predicted));
    let blocks = measured.profile.as_ref().map_or(&[][..], |profile| &profile.blocks);
    let mut slowest: Vec<&BlockTime> = blocks.iter().collect();
    slowest.sort_by(|a, b| b.measured_ms.total_cmp(&a.measured_ms));
    for block in slowest.into_iter().take(BLOCKS) {
        rows.extend(pair(&block.name, block.measured_ms, block.predicted_ms));
    }
    let title = "Measured and predicted latency".to_owned();
    let alt = format!(
        "Measured {}, predicted {}.",
        units::time(measured.latency_ms.median),
        units::time(predicted)
    );
    let remark = "blue is measured, gray is predicted";
    let canvas = bars::draw(theme, &rows, |canvas| canvas.heading(&title, remark));
    Some(ChartDraft { title, alt, canvas })
}

/// The bar of the measured time, and that of the predicted one where there is one.
fn pair(name: &str, measured: f64, predicted: Option<f64>) -> Vec<Bar> {
    let bar = |name: &str, ms: f64, color| Bar {
        name: name.to_owned(),
        parts: vec![(nanoseconds(ms), color)],
        figures: vec![units::time(ms)],
    };
    let mut bars = vec![bar(name, measured, Color::Blue)];
    bars.extend(predicted.map(|ms| bar("", ms, Color::Gray)));
    bars
}

fn nanoseconds(ms: f64) -> u128 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    let whole = (ms * 1e6).max(0.0) as u128;
    whole
}
