//! Columns under headings. Where they do not fit, the least needed ones are left out, and then the
//! widest texts are cut.
//!
//! ```text
//! node        operator  output               parameters      MACs
//! stage1/Conv Conv      [batch, 8, 28, 28]          208  156.80 k
//! ```

use super::Style;
use super::page::{Line, Page, Role};
use super::value::{cell, line};
use crate::table::{Align, Cell, Column, Row, Table, Zero};
use crate::value::Value;

const GAP: usize = 2;
/// Texts of a column are not cut below this.
const LEAST: usize = 8;
/// Terminal lines of one remark.
const REMARK: usize = 3;
/// Levels of a tree that are drawn; deeper ones would leave no space for a name.
const DEPTH: u64 = 64;

/// The table as lines of text, ending in a newline.
pub fn table(table: &Table, style: &Style) -> String {
    let mut page = Page::for_table(style);
    if let Some(title) = &table.title {
        page.line(Line::of(Role::Strong, title));
    }
    match &table.empty {
        Some(words) if table.is_empty() => page.line(line(words, &page)),
        _ => {
            for line in lines(table, page.full(), &page) {
                page.line(line);
            }
        }
    }
    for notes in &table.notes {
        page.blank();
        if let Some(title) = &notes.title {
            page.line(Line::of(Role::Strong, title));
        }
        for note in &notes.lines {
            for piece in line(note, &page).wrap_within(page.full(), REMARK, page.charset) {
                page.line(piece);
            }
        }
    }
    page.finish()
}

/// One row, ready to be set.
enum SetRow {
    Blank,
    Group(Line),
    Cells(Vec<Line>),
    /// The first cell, and what is read in place of the others.
    Instead(Line, Line),
    Note(Line),
}

/// The rows under their headings, in at most `width` columns. A column that holds nothing is left
/// out.
pub(super) fn lines(table: &Table, width: usize, page: &Page) -> Vec<Line> {
    let places: Vec<usize> =
        (0..table.columns.len()).filter(|i| table.columns[*i].in_terminal).collect();
    let columns: Vec<&Column> = places.iter().map(|i| &table.columns[*i]).collect();
    let rows = set_rows(table, &places, page);
    let footer: Vec<SetRow> = table
        .footer
        .iter()
        .map(|cells| SetRow::Cells(set_cells(cells, &places, table, page)))
        .collect();
    let titles: Vec<Line> = columns
        .iter()
        .map(|column| match table.has_headings {
            true => cell(&column.terminal_title(), Role::Quiet, Zero::Shown, page),
            false => Line::default(),
        })
        .collect();
    let widths = widths(&columns, &titles, rows.iter().chain(&footer), width);

    let mut lines = Vec::new();
    if table.has_headings {
        lines.extend(set_line(&titles, &columns, &widths, page));
    }
    lines.extend(rows.iter().flat_map(|row| set(row, &columns, &widths, width, page)));
    if !footer.is_empty() {
        lines.push(Line::default());
        lines.extend(footer.iter().flat_map(|row| set(row, &columns, &widths, width, page)));
    }
    lines
}

fn set_rows(table: &Table, places: &[usize], page: &Page) -> Vec<SetRow> {
    let mut columns: Vec<Vec<Line>> =
        places.iter().map(|i| column_cells(table, *i, page)).collect();
    let mut rows = Vec::new();
    let mut at = 0;
    let mut indent = 0;
    for row in &table.rows {
        match row {
            Row::Group(title) => {
                if !rows.is_empty() {
                    rows.push(SetRow::Blank);
                }
                indent = GAP;
                rows.push(SetRow::Group(cell(title, Role::Strong, Zero::Shown, page)));
            }
            Row::Cells { instead, note, .. } => {
                let cells = columns.iter_mut().map(|column| std::mem::take(&mut column[at]));
                let mut cells: Vec<Line> = cells.collect();
                if let Some(first) = cells.first_mut() {
                    *first = std::mem::take(first).indent(indent);
                }
                rows.push(match instead {
                    Some(words) => SetRow::Instead(cells.swap_remove(0), line(words, page)),
                    None => SetRow::Cells(cells),
                });
                rows.extend(note.iter().map(|note| SetRow::Note(line(note, page))));
                at += 1;
            }
        }
    }
    rows
}

/// The cells of one column: trees and decimal points depend on all of them.
fn column_cells(table: &Table, at: usize, page: &Page) -> Vec<Line> {
    let column = &table.columns[at];
    let values: Vec<&Cell> = table.cell_rows().map(|cells| &cells[at]).collect();
    let lines: Vec<Line> = values.iter().map(|value| set_cell(value, column, page)).collect();
    if column.align == Align::Decimal {
        return align_points(&values, lines, page);
    }
    let depths: Option<Vec<u64>> = values
        .iter()
        .map(|cell| match cell.value {
            Value::Tree { depth, .. } => Some(depth),
            _ => None,
        })
        .collect();
    match depths.filter(|depths| !depths.is_empty()) {
        Some(depths) => {
            let branches = branches(&depths, page).into_iter();
            branches
                .zip(lines)
                .map(|(branch, line)| Line::of(Role::Quiet, branch).and_line(line))
                .collect()
        }
        None => lines,
    }
}

fn set_cell(value: &Cell, column: &Column, page: &Page) -> Line {
    cell(&value.value, value.tone.unwrap_or(column.tone), column.zero, page)
}

fn set_cells(cells: &[Cell], places: &[usize], table: &Table, page: &Page) -> Vec<Line> {
    let one = |i: &usize| match cells.get(*i) {
        Some(value) => set_cell(value, &table.columns[*i], page),
        None => Line::default(),
    };
    places.iter().map(one).collect()
}

/// Figures with their decimal points in one place; a dash where there is none, unless the whole
/// column is empty.
fn align_points(values: &[&Cell], lines: Vec<Line>, page: &Page) -> Vec<Line> {
    if values.iter().all(|cell| cell.value == Value::Blank) {
        return lines;
    }
    let decimals = |value: &Value| {
        let figure = value.figure().unwrap_or_default();
        figure.split_once('.').map_or(0, |(_, decimals)| decimals.len() + 1)
    };
    let most = values.iter().map(|cell| decimals(&cell.value)).max().unwrap_or(0);
    let set = |(cell, line): (&&Cell, Line)| match &cell.value {
        // Where the figures' last whole digits are.
        Value::Blank => {
            Line::of(Role::Quiet, page.glyph("–", "-")).and(Role::Plain, " ".repeat(most))
        }
        value if value.figure().is_some() => {
            line.and(Role::Plain, " ".repeat(most - decimals(value)))
        }
        _ => line,
    };
    values.iter().zip(lines).map(set).collect()
}

/// The lines that lead from a name of a tree to those below it.
fn branches(depths: &[u64], page: &Page) -> Vec<String> {
    // Whether another name of a depth follows is seen from the end.
    let mut open: Vec<bool> = vec![];
    let mut branches: Vec<String> = depths
        .iter()
        .rev()
        .map(|depth| {
            let depth = usize::try_from((*depth).min(DEPTH)).unwrap_or(0);
            open.resize(open.len().max(depth + 1), false);
            open.truncate(depth + 1);
            let mut branch = String::new();
            for (level, follows) in open.iter().enumerate().skip(1) {
                branch += match (level == depth, *follows) {
                    (true, true) => page.glyph("├ ", "|-"),
                    (true, false) => page.glyph("└ ", "`-"),
                    (false, true) => page.glyph("│ ", "| "),
                    (false, false) => "  ",
                };
            }
            open[depth] = true;
            branch
        })
        .collect();
    branches.reverse();
    branches
}

/// Columns of each column; 0 for one that is left out.
fn widths<'a>(
    columns: &[&Column],
    titles: &[Line],
    rows: impl Iterator<Item = &'a SetRow>,
    width: usize,
) -> Vec<usize> {
    let mut widest = vec![0; columns.len()];
    for row in rows {
        let cells = match row {
            SetRow::Cells(cells) => cells.as_slice(),
            SetRow::Group(cell) | SetRow::Instead(cell, _) => std::slice::from_ref(cell),
            SetRow::Blank | SetRow::Note(_) => &[],
        };
        for (i, cell) in cells.iter().enumerate() {
            widest[i] = widest[i].max(cell.width());
        }
    }
    // What continues on further lines takes what the others leave, and they leave it something.
    let wraps = columns.iter().any(|column| column.wraps);
    let limit = |column: &Column| match wraps && !column.wraps {
        true => column.widest.min(width * 2 / 5),
        false => column.widest,
    };
    let mut widths: Vec<usize> = columns
        .iter()
        .zip(&widest)
        .enumerate()
        .map(|(i, (column, width))| match *width {
            0 if i > 0 => 0,
            width => width.min(limit(column)).max(titles[i].width()),
        })
        .collect();
    let sum = |widths: &[usize]| -> usize {
        let kept = widths.iter().enumerate().filter(|(i, width)| *i == 0 || **width > 0);
        kept.map(|(_, width)| width + GAP).sum::<usize>().saturating_sub(GAP)
    };
    loop {
        let wished: Vec<usize> = widths
            .iter()
            .zip(columns)
            .map(|(width, column)| (*width).min(column.preferred))
            .collect();
        let kept = (0..columns.len()).filter(|i| widths[*i] > 0);
        let least = kept.max_by_key(|i| (columns[*i].priority, *i));
        match least.filter(|i| columns[*i].priority > 0 && sum(&wished) > width) {
            Some(least) => widths[least] = 0,
            None => break,
        }
    }
    while sum(&widths) > width {
        let texts =
            (0..columns.len()).filter(|i| columns[*i].align == Align::Left && widths[*i] > LEAST);
        let wrapping = texts.clone().find(|i| columns[*i].wraps);
        let widest = wrapping
            .or_else(|| texts.max_by_key(|i| widths[*i]))
            .or_else(|| (0..columns.len()).max_by_key(|i| widths[*i]));
        match widest.filter(|i| widths[*i] > 1) {
            Some(widest) => widths[widest] -= 1,
            None => break,
        }
    }
    widths
}

fn set(
    row: &SetRow,
    columns: &[&Column],
    widths: &[usize],
    width: usize,
    page: &Page,
) -> Vec<Line> {
    let first = widths.first().copied().unwrap_or(0);
    match row {
        SetRow::Blank => vec![Line::default()],
        SetRow::Group(title) => vec![title.clone().cut(first.max(LEAST), page.charset)],
        SetRow::Note(note) => {
            let indent = first + GAP;
            let pieces = note.clone().wrap(width.saturating_sub(indent).max(LEAST));
            pieces.into_iter().map(|piece| piece.indent(indent)).collect()
        }
        SetRow::Instead(cell, words) => {
            let cell = cell.clone().cut(first, page.charset);
            let mut line = Line::default();
            line.pad_to(flush(columns.first().copied(), first, &cell));
            line.append(cell);
            line.pad_to(first + GAP);
            vec![line.and_line(words.clone()).cut(width, page.charset)]
        }
        SetRow::Cells(cells) => set_line(cells, columns, widths, page),
    }
}

/// Spaces before a cell.
fn flush(column: Option<&Column>, width: usize, cell: &Line) -> usize {
    match column.map(|column| column.align) {
        None | Some(Align::Left) => 0,
        Some(Align::Right | Align::Decimal) => width.saturating_sub(cell.width()),
    }
}

fn set_line(cells: &[Line], columns: &[&Column], widths: &[usize], page: &Page) -> Vec<Line> {
    let mut line = Line::default();
    let mut start = 0;
    let mut further = Vec::new();
    for (i, width) in widths.iter().enumerate().filter(|(i, width)| *i == 0 || **width > 0) {
        let cell = cells[i].clone();
        let mut pieces = match columns[i].wraps {
            true => cell.wrap(*width),
            false => vec![cell.cut(*width, page.charset)],
        }
        .into_iter();
        let cell = pieces.next().unwrap_or_default();
        line.pad_to(start + flush(Some(columns[i]), *width, &cell));
        line.append(cell);
        further.extend(pieces.map(|piece| piece.indent(start)));
        start += width + GAP;
    }
    let mut lines = vec![line];
    lines.extend(further);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_show_what_follows() {
        let depths = [0, 1, 2, 1, 2, 2];
        let page = Page::new(&Style::plain(80));
        assert_eq!(branches(&depths, &page), ["", "├ ", "│ └ ", "└ ", "  ├ ", "  └ "]);
        let ascii = Page::new(&Style { width: 80, color: false, unicode: false });
        assert_eq!(branches(&depths[..3], &ascii), ["", "`-", "  `-"]);
    }
}
