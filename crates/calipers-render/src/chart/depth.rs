//! Where along the network its cost lies.

use calipers_report::{DepthSegment, Report};

use super::canvas::{Anchor, Area, Canvas, MARGIN, Style, WIDTH};
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::units;

/// Height of a panel's name, of its bars, and between panels.
const NAME: f64 = 24.0;
const BARS: f64 = 60.0;
const GAP: f64 = 20.0;
const FOOT: f64 = 22.0;

/// One measure along the order of execution.
struct Panel {
    name: &'static str,
    total: String,
    shares: Vec<f64>,
}

/// Three panels over one order of execution, each with the share of its own total.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let segments = &report.cost.by_depth;
    let panels = panels(report);
    if panels.is_empty() || segments.len() < 3 {
        return None;
    }
    let title = "Cost in execution order".to_owned();
    let nodes: u128 = segments.iter().map(|segment| u128::from(segment.nodes)).sum();
    let each = segments.first().map_or(1, |segment| segment.nodes);
    let remark = match each {
        1 => "share of each node".to_owned(),
        _ => format!(
            "share of each {} nodes, {} nodes in total",
            units::integer(each),
            units::integer(nodes)
        ),
    };
    #[expect(clippy::cast_precision_loss, reason = "panels are three at most")]
    let count = panels.len() as f64;
    let height = Canvas::TOP + count * (NAME + BARS + GAP) - GAP + FOOT + MARGIN;
    let mut canvas = Canvas::new(theme, height);
    canvas.heading(&title, &remark);
    let mut top = Canvas::TOP;
    for panel in &panels {
        let bottom = top + NAME + BARS;
        let plot = Area { left: MARGIN, right: WIDTH - MARGIN, top: top + NAME, bottom };
        draw_panel(&mut canvas, &plot, panel);
        top = bottom + GAP;
    }
    let y = top - GAP + 16.0;
    canvas.text(MARGIN, y, &Style::AXIS, "first node");
    let last = format!("node {}", units::integer(nodes));
    canvas.text(WIDTH - MARGIN, y, &Style::AXIS.anchor(Anchor::End), &last);
    let most = panels.iter().map(|panel| {
        let (_, share) = highest(&panel.shares);
        format!("{} {}", panel.name, units::percent(share))
    });
    let alt = format!("Cost in execution order, largest shares: {}.", listed(most));
    Some(ChartDraft { title, alt, canvas })
}

fn panels(report: &Report) -> Vec<Panel> {
    let cost = &report.cost;
    let panel = |name, total: Option<String>, share: fn(&DepthSegment) -> Option<f64>| {
        let shares: Option<Vec<f64>> = cost.by_depth.iter().map(share).collect();
        let shares = shares.filter(|shares| shares.iter().any(|share| *share > 0.0))?;
        Some(Panel { name, total: total.unwrap_or_default(), shares })
    };
    let macs = cost.macs.map(|macs| units::operations(macs, "MACs"));
    let bytes = cost.bytes_moved.map(units::bytes);
    let elements = report.parameters.total.map(units::count);
    [
        panel("arithmetic", macs, |segment| segment.macs_percent),
        panel("bytes moved", bytes, |segment| segment.bytes_percent),
        panel("parameters", elements, |segment| segment.parameters_percent),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn draw_panel(canvas: &mut Canvas, plot: &Area, panel: &Panel) {
    let (at, most) = highest(&panel.shares);
    let name = crate::text::capitalized(panel.name);
    let strong = Style::BODY.strong();
    canvas.text_and_rest(plot.left, plot.top - 10.0, &strong, &name, &panel.total);
    let reported = format!("maximum {}", units::percent(most));
    canvas.text(plot.right, plot.top - 10.0, &Style::QUIET.anchor(Anchor::End), &reported);
    #[expect(clippy::cast_precision_loss, reason = "segments are 64 at most")]
    let step = plot.width() / panel.shares.len() as f64;
    let gap = if step > 6.0 { 2.0 } else { 1.0 };
    let mut left = plot.left;
    for (i, share) in panel.shares.iter().enumerate() {
        let high = (share / most * plot.height()).clamp(0.0, plot.height());
        if high > 0.0 {
            let top = plot.bottom - high.max(1.0);
            let area = Area { left, right: left + step - gap, top, bottom: plot.bottom };
            let words = format!("{} of the {}", units::percent(*share), panel.name);
            let color = if i == at { Color::Ink } else { Color::Gray };
            canvas.with_tooltip(&words, |canvas| canvas.rect(&area, 0.0, color));
        }
        left += step;
    }
    canvas.line([plot.left, plot.bottom], [plot.right, plot.bottom], Color::Grid, false);
}

/// The first of the highest shares, and where it is.
fn highest(shares: &[f64]) -> (usize, f64) {
    let first = |best: (usize, f64), (at, share): (usize, &f64)| {
        if *share > best.1 { (at, *share) } else { best }
    };
    shares.iter().enumerate().fold((0, 0.0), first)
}
