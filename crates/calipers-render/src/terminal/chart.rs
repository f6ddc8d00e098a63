//! A bar chart of text: name, figures, bar. Where there is no room for bars there are none.
//!
//! ```text
//! Conv    13.60 kB  ████████████████████████
//! MatMul  10.24 kB  ██████████████████
//! Add        136 B  ▎
//! ```

use super::page::{Line, Page, Role};
use crate::text;

/// One bar.
pub(super) struct Bar {
    /// What it measures, cleaned.
    pub(super) name: String,
    /// Figures as they are printed.
    pub(super) figures: Vec<String>,
    /// Its length, to the scale of the longest one.
    pub(super) length: u64,
}

/// Cells of the longest bar.
const LONGEST: usize = 24;
/// Columns of names and figures, where that is enough.
const BESIDE: usize = 28;
/// Fewer cells than these tell nothing.
const SHORTEST: usize = 8;
const GAP: usize = 2;

/// The bars as lines of a section, the figures of each column flush right.
pub(super) fn bars(bars: &[Bar], page: &Page) -> Vec<Line> {
    let columns = bars.iter().map(|bar| bar.figures.len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|i| bars.iter().filter_map(|bar| bar.figures.get(i)).map(|f| text::width(f)).max())
        .map(Option::unwrap_or_default)
        .collect();
    let figures: usize = widths.iter().map(|width| width + GAP).sum();
    // Where there is room, the bars of neighbouring charts begin in the same column.
    let least = if page.body() >= BESIDE + LONGEST { BESIDE.saturating_sub(figures) } else { 0 };
    let natural = bars.iter().map(|bar| text::width(&bar.name)).max().unwrap_or(0).max(least);
    let names = natural.min(page.body().saturating_sub(figures)).min(page.body() / 2);
    let room = page.body().saturating_sub(names + figures + GAP).min(LONGEST);
    let longest = bars.iter().map(|bar| bar.length).max().unwrap_or(0);

    let line = |bar: &Bar| {
        let mut line = Line::of(Role::Plain, text::truncate(&bar.name, names, page.charset));
        line.pad_to(names);
        for (figure, width) in bar.figures.iter().zip(&widths) {
            let column = line.width() + GAP + width - text::width(figure);
            line.pad_to(column);
            line.push(Role::Plain, figure);
        }
        if room >= SHORTEST {
            line.push(Role::Plain, " ".repeat(GAP));
            line.push(Role::Accent, cells(bar.length, longest, room, page));
        }
        line
    };
    bars.iter().map(line).collect()
}

/// A bar of `value` where `longest` takes `room` cells. What is not nothing shows.
fn cells(value: u64, longest: u64, room: usize, page: &Page) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let (full, steps) = (page.glyph("█", "#"), if page.glyph("█", "#") == "#" { 1 } else { 8 });
    if value == 0 || longest == 0 {
        return String::new();
    }
    let ratio = u128::from(value) * (room * steps) as u128 / u128::from(longest);
    let parts = usize::try_from(ratio).unwrap_or(room * steps).clamp(1, room * steps);
    format!("{}{}", full.repeat(parts / steps), PARTS[parts % steps])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;

    #[test]
    fn bars_are_to_scale_and_what_is_not_nothing_shows() {
        let page = Page::new(&Style::plain(80));
        assert_eq!(cells(8, 8, 4, &page), "████");
        assert_eq!(cells(3, 8, 4, &page), "█▌");
        assert_eq!(cells(1, 1_000_000, 4, &page), "▏");
        assert_eq!(cells(0, 8, 4, &page), "");
        assert_eq!(cells(0, 0, 4, &page), "");
        assert_eq!(cells(u64::MAX, u64::MAX, 4, &page), "████");
        let ascii = Page::new(&Style { width: 80, color: false, unicode: false });
        assert_eq!(cells(3, 8, 4, &ascii), "#");
        assert_eq!(cells(1, 1_000_000, 4, &ascii), "#");
    }
}
