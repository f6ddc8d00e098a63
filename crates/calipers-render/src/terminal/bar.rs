//! Bars and lines of block characters, drawn to scale.

use super::page::{Line, Page, Role};
use crate::text::Charset;

/// Cells of the longest bar.
pub(super) const LONGEST: usize = 24;
/// The column where bars start, where there is space.
pub(super) const START: usize = 30;
/// Cells of a figure over time.
const CELLS: usize = 40;
/// Fewer cells of a figure over time show nothing.
const FEWEST: usize = 8;

/// A bar of at most `group` cells; what is not zero shows.
pub(super) fn cells(length: u64, longest: u64, group: usize, page: &Page) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let (full, steps) = match page.charset {
        Charset::Unicode => ("█", 8),
        Charset::Ascii => ("#", 1),
    };
    if length == 0 || longest == 0 || group == 0 {
        return String::new();
    }
    let ratio = u128::from(length) * (group * steps) as u128 / u128::from(longest);
    let parts = usize::try_from(ratio).unwrap_or(group * steps).clamp(1, group * steps);
    format!("{}{}", full.repeat(parts / steps), PARTS[parts % steps])
}

/// A figure over time in one line, each cell the highest of its steps; nothing where there are too
/// few steps, or no characters for it.
pub(super) fn timeline(steps: &[u64], page: &Page) -> Line {
    const HEIGHTS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    // A property is named before it.
    let cells = CELLS.min(page.body() / 2).min(steps.len());
    let highest = u128::from(steps.iter().copied().max().unwrap_or(0));
    if cells < FEWEST || highest == 0 || page.charset == Charset::Ascii {
        return Line::default();
    }
    let mut line = String::new();
    for cell in 0..cells {
        let segment = &steps[cell * steps.len() / cells..(cell + 1) * steps.len() / cells];
        let most = u128::from(segment.iter().copied().max().unwrap_or(0));
        let height = usize::try_from(most * 7 / highest).unwrap_or(7).min(7);
        line.push_str(HEIGHTS[height]);
    }
    Line::new(Role::Accent, line)
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
