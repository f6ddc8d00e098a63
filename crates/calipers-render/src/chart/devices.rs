//! How long a run takes on each of several devices.

use calipers_report::{DeviceRow, Hardware, Report};

use super::axis::{self, Axis, FOOT};
use super::canvas::{Anchor, Area, Canvas, MARGIN, Style, WIDTH};
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::text::{self, Charset};
use crate::units;

/// Devices at most; the slowest are left out.
const ROWS: usize = 24;
const ROW: f64 = 30.0;
/// Columns of a reason.
const REASON: usize = 120;
/// Names and times take no more than these.
const NAMES: f64 = 272.0;
const TIMES: f64 = 200.0;

/// A range for each device on one axis of time, fastest first.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let hardware = report.hardware.as_ref()?;
    let mut rows: Vec<&DeviceRow> = hardware.devices.iter().collect();
    let time = |row: &DeviceRow| row.latency_ms.map_or(f64::INFINITY, |span| span.expected);
    // Stable, so those without a time stay as they were, at the end.
    rows.sort_by(|a, b| {
        let untimed = |row: &DeviceRow| row.latency_ms.is_none();
        untimed(a).cmp(&untimed(b)).then(time(a).total_cmp(&time(b)))
    });
    rows.truncate(ROWS);
    let seconds = rows.iter().filter_map(|row| row.latency_ms);
    let axis = Axis::close(seconds.flat_map(|span| [span.low, span.high]).map(|ms| ms / 1e3))?;
    let title = "Time of one run by device".to_owned();
    #[expect(clippy::cast_precision_loss, reason = "rows are few")]
    let height = Canvas::TOP + rows.len() as f64 * ROW + FOOT + MARGIN;
    let mut canvas = Canvas::new(theme, height);
    canvas.heading(&title, &remark(hardware, rows.len()));
    let names: Vec<String> = rows.iter().map(|row| Style::BODY.fit(&row.name, NAMES)).collect();
    let wide = names.iter().map(|name| Style::BODY.width(name)).fold(0.0, f64::max);
    let figures: Vec<String> = rows
        .iter()
        .map(|row| match row.latency_ms {
            Some(_) => Style::BODY.fit(&figure(row), TIMES),
            None => figure(row),
        })
        .collect();
    let timed = rows.iter().zip(&figures).filter(|(row, _)| row.latency_ms.is_some());
    let figures_wide = timed.map(|(_, text)| Style::BODY.width(text)).fold(0.0, f64::max);
    let times = rows.iter().take_while(|row| row.latency_ms.is_some()).count();
    #[expect(clippy::cast_precision_loss, reason = "rows are few")]
    let plot = Area {
        left: MARGIN + wide + 18.0,
        right: WIDTH - MARGIN - figures_wide - 18.0,
        top: Canvas::TOP,
        bottom: Canvas::TOP + times as f64 * ROW,
    };
    axis::columns(&mut canvas, &plot, &axis, &|value| units::axis(value, "s"));
    let mut top = plot.top;
    for (i, ((row, name), figure)) in rows.iter().zip(&names).zip(&figures).enumerate() {
        // Those without a time are beneath the axis.
        let down = if i < times { 0.0 } else { FOOT };
        draw_row(&mut canvas, &plot, &axis, (row, name, figure), top + down + ROW / 2.0);
        top += ROW;
    }
    let words = rows.iter().zip(&figures).take(ROWS);
    let words = words.map(|(row, figure)| format!("{} {figure}", super::word(&row.name)));
    Some(ChartDraft { alt: format!("Time of one run: {}.", listed(words)), title, canvas })
}

fn draw_row(
    canvas: &mut Canvas,
    plot: &Area,
    axis: &Axis,
    (row, name, figure): (&DeviceRow, &str, &str),
    middle: f64,
) {
    canvas.text(MARGIN, middle + 4.0, &Style::BODY, name);
    let Some(span) = row.latency_ms else {
        let group = WIDTH - MARGIN - plot.left;
        let words = Style::QUIET.fit(figure, group);
        canvas.text(plot.left, middle + 4.0, &Style::QUIET, &words);
        return;
    };
    let [low, expected, high] =
        [span.low, span.expected, span.high].map(|ms| axis.place(ms / 1e3, plot.left, plot.right));
    let range =
        Area { left: low, right: high.max(low + 3.0), top: middle - 4.0, bottom: middle + 4.0 };
    canvas.tint(&range, 4.0, Color::Blue, 0.35);
    canvas.dot([expected, middle], 5.0, Color::Blue, 1.0);
    canvas.text(WIDTH - MARGIN, middle + 4.0, &Style::BODY.anchor(Anchor::End), figure);
}

/// A time with its range, or why there is none.
fn figure(row: &DeviceRow) -> String {
    if let Some(span) = row.latency_ms {
        return units::time_range(span.low, span.expected, span.high);
    }
    if row.fits == Some(false) {
        return match (row.memory_bytes, row.device_memory_bytes) {
            (Some(needs), Some(has)) => {
                format!(
                    "does not fit: needs {} of {}",
                    units::gigabytes(needs),
                    units::capacity(has)
                )
            }
            _ => "does not fit".to_owned(),
        };
    }
    let reason = row.reason.as_deref().unwrap_or("unknown");
    text::truncate(&text::prose(reason, Charset::Unicode), REASON, Charset::Unicode)
}

fn remark(hardware: &Hardware, shown: usize) -> String {
    let mut facts = vec![format!(
        "{}, batch {}",
        hardware.precision.display_name(),
        units::integer(hardware.batch)
    )];
    if let Some(context) = hardware.context {
        facts.push(units::counted(context, "token", "tokens"));
    }
    facts.push("a dot is the time expected, the band its range".to_owned());
    let left = hardware.devices.len() - shown;
    if left > 0 {
        let devices = units::counted(left as u64, "device", "devices");
        facts.push(format!("{devices} not shown"));
    }
    facts.join(", ")
}
