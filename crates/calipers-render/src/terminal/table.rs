//! Columns under headings. Where they do not fit, the least needed ones are left out, and then the
//! widest texts are cut.
//!
//! ```text
//! node        operator  output               parameters      MACs
//! stage1/Conv Conv      [batch, 8, 28, 28]          208  156.80 k
//! ```

use super::page::{Line, Page, Role};
use crate::text;

const GAP: usize = 2;

/// One column.
pub(super) struct Column {
    pub(super) heading: String,
    /// Whether its cells stand flush right, as figures do, and are never cut.
    pub(super) figures: bool,
    /// Columns with the highest number go first where there is no room; 0 always stays.
    pub(super) spare: u8,
    /// Columns that its texts may take at most.
    pub(super) most: usize,
    /// Columns that its texts keep before less needed columns have to go.
    pub(super) room: usize,
}

impl Column {
    pub(super) fn text(heading: &str, spare: u8, most: usize) -> Self {
        Self { heading: heading.to_owned(), figures: false, spare, most, room: 20 }
    }

    pub(super) fn figures(heading: &str, spare: u8) -> Self {
        Self { heading: heading.to_owned(), figures: true, spare, most: 28, room: 28 }
    }

    /// This column with more room.
    pub(super) fn room(mut self, room: usize) -> Self {
        self.room = room;
        self
    }
}

/// A column's texts are not cut below this.
const LEAST: usize = 8;

/// Sets rows of cells, as many in each as there are columns. A column whose cells are all empty is
/// left out. `closing` rows stand after a gap.
pub(super) fn set(columns: &[Column], rows: &[Vec<Line>], closing: &[Vec<Line>], page: &mut Page) {
    let all = || rows.iter().chain(closing);
    let natural: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| match all().map(|row| row[i].width()).max().unwrap_or(0) {
            0 if i > 0 => 0,
            width => width.min(column.most).max(text::width(&column.heading)),
        })
        .collect();
    let mut kept: Vec<usize> = (0..columns.len()).filter(|i| natural[*i] > 0).collect();
    let wish = |i: usize| natural[i].min(columns[i].room);
    let sum = |kept: &[usize], width: &dyn Fn(usize) -> usize| -> usize {
        kept.iter().map(|i| width(*i) + GAP).sum::<usize>().saturating_sub(GAP)
    };
    while sum(&kept, &wish) > page.full() {
        let spare = kept.iter().copied().max_by_key(|i| (columns[*i].spare, *i));
        let Some(spare) = spare.filter(|i| columns[*i].spare > 0) else { break };
        kept.retain(|i| *i != spare);
    }
    let mut widths = natural.clone();
    while sum(&kept, &|i| widths[i]) > page.full() {
        let texts = kept.iter().copied().filter(|i| !columns[*i].figures && widths[*i] > LEAST);
        let widest = texts.max_by_key(|i| widths[*i]);
        let Some(widest) = widest.or_else(|| kept.iter().copied().max_by_key(|i| widths[*i]))
        else {
            break;
        };
        if widths[widest] <= 1 {
            break;
        }
        widths[widest] -= 1;
    }
    let heading = columns.iter().map(|column| Line::of(Role::Quiet, &column.heading)).collect();
    let mut line = |cells: &Vec<Line>| {
        let mut line = Line::default();
        let mut start = 0;
        for i in &kept {
            let cell = cells[*i].clone().cut(widths[*i], page.charset);
            let flush = if columns[*i].figures { widths[*i] - cell.width() } else { 0 };
            line.pad_to(start + flush);
            line.append(cell);
            start += widths[*i] + GAP;
        }
        page.line(line);
    };
    line(&heading);
    rows.iter().for_each(&mut line);
    if !closing.is_empty() {
        line(&vec![Line::default(); columns.len()]);
        closing.iter().for_each(&mut line);
    }
}
