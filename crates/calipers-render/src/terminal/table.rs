//! Columns under headings. Where they do not fit, the least needed ones are left out, and then the
//! widest texts are cut.
//!
//! ```text
//! node        operator  output               parameters      MACs
//! stage1/Conv Conv      [batch, 8, 28, 28]          208  156.80 k
//! ```

use super::page::{Line, Page, Role};
use super::value::{cell, line_within};
use super::{Style, bar};
use crate::table::{Align, Cell, Column, Row, Table, Zero};
use crate::value::Value;

const GAP: usize = 2;
/// Lines of a cell that continues.
const WRAPPED: usize = 4;
/// Columns without which a continuing cell is set beneath the first.
const BESIDE: usize = 20;
/// Columns without which a sentence in place of cells is set beneath the first cell.
const NARROW: usize = 16;
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
        page.line(Line::new(Role::Strong, title));
    }
    match &table.empty {
        Some(words) if table.is_empty() => page.line(line_within(words, usize::MAX, &page)),
        _ => {
            for line in lines(table, &[], page.full(), &page) {
                page.line(line);
            }
        }
    }
    for notes in &table.notes {
        page.blank();
        if let Some(title) = &notes.title {
            page.line(Line::new(Role::Strong, title));
        }
        for note in &notes.lines {
            for piece in
                line_within(note, usize::MAX, &page).wrap_within(page.full(), REMARK, page.charset)
            {
                page.line(piece);
            }
        }
    }
    page.finish()
}

/// One cell, ready to be set.
#[derive(Clone, PartialEq)]
enum Content {
    Text(Line),
    /// A bar to the scale of the longest one.
    Bar(u64, u64),
}

impl Content {
    fn width(&self) -> usize {
        match self {
            Self::Text(line) => line.width(),
            Self::Bar(0, _) => 0,
            Self::Bar(..) => bar::LONGEST,
        }
    }

    /// The cell in at most `width` columns.
    fn set(self, column: &Column, width: usize, page: &Page) -> Vec<Line> {
        match self {
            Self::Text(line) if column.wraps => line.wrap_within(width, WRAPPED, page.charset),
            Self::Text(line) => vec![line.cut(width, page.charset)],
            Self::Bar(length, longest) => {
                vec![Line::new(column.tone, bar::cells(length, longest, width, page))]
            }
        }
    }
}

/// One row, ready to be set.
enum SetRow {
    Blank,
    Group(Line),
    Cells(Vec<Content>),
    /// The first cell, and what is read in place of the others.
    Instead(Line, Line),
    Note(Line),
}

/// The rows under their headings, in at most `width` columns. A column that holds nothing is left
/// out. Rows of `aligned`, tables with the same columns, take part in how wide the columns are.
pub(super) fn lines(table: &Table, aligned: &[&Table], width: usize, page: &Page) -> Vec<Line> {
    let places: Vec<usize> =
        (0..table.columns.len()).filter(|i| table.columns[*i].in_terminal).collect();
    let columns: Vec<&Column> = places.iter().map(|i| &table.columns[*i]).collect();
    let mut rows = set_rows(table, &places, page);
    let others: Vec<SetRow> =
        aligned.iter().flat_map(|other| set_rows(other, &places, page)).collect();
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
    let natural = natural(&columns, rows.iter().chain(&others).chain(&footer));
    let widths = widths(&columns, &titles, &natural, width);
    shorten_repeats(&mut rows, &columns, &widths);
    let is_narrow = |i: usize| columns[i].wraps && widths[i] < natural[i].min(BESIDE);
    let layout = Layout {
        columns: &columns,
        widths: &widths,
        width,
        stacks: !table.has_headings && (0..columns.len()).any(is_narrow),
    };

    let mut lines = Vec::new();
    if table.has_headings {
        let titles = titles.into_iter().map(Content::Text).collect();
        lines.extend(set_line(titles, &layout, page));
    }
    lines.extend(rows.into_iter().flat_map(|row| set(row, &layout, page)));
    if !footer.is_empty() {
        lines.push(Line::default());
        lines.extend(footer.into_iter().flat_map(|row| set(row, &layout, page)));
    }
    lines
}

/// Cells that need several lines and repeat the one above: caches have one shape for every layer.
fn shorten_repeats(rows: &mut [SetRow], columns: &[&Column], widths: &[usize]) {
    for at in (1..rows.len()).rev() {
        let (before, after) = rows.split_at_mut(at);
        let (Some(SetRow::Cells(one)), Some(SetRow::Cells(other))) =
            (before.last(), after.first_mut())
        else {
            continue;
        };
        for i in (0..columns.len()).filter(|i| columns[*i].wraps) {
            if other[i].width() > widths[i] && one[i] == other[i] {
                other[i] = Content::Text(Line::new(Role::Quiet, "as above"));
            }
        }
    }
}

fn set_rows(table: &Table, places: &[usize], page: &Page) -> Vec<SetRow> {
    let mut columns: Vec<std::vec::IntoIter<Content>> =
        places.iter().map(|i| column_cells(table, *i, page).into_iter()).collect();
    let mut rows = Vec::new();
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
                let mut cells: Vec<Content> =
                    columns.iter_mut().filter_map(Iterator::next).collect();
                if let Some(Content::Text(first)) = cells.first_mut() {
                    *first = std::mem::take(first).indent(indent);
                }
                rows.push(match (instead, cells.first()) {
                    (Some(words), Some(Content::Text(first))) => {
                        SetRow::Instead(first.clone(), line_within(words, usize::MAX, page))
                    }
                    _ => SetRow::Cells(cells),
                });
                rows.extend(
                    note.iter().map(|note| SetRow::Note(line_within(note, usize::MAX, page))),
                );
            }
        }
    }
    rows
}

/// The cells of one column: trees, bars and decimal points depend on all of them.
fn column_cells(table: &Table, at: usize, page: &Page) -> Vec<Content> {
    let column = &table.columns[at];
    let values: Vec<&Cell> = table.cell_rows().map(|cells| &cells[at]).collect();
    if column.has_bars {
        let length = |cell: &&Cell| match cell.value {
            Value::Bar(length) => length,
            _ => 0,
        };
        let longest = values.iter().map(length).max().unwrap_or(0);
        return values.iter().map(|cell| Content::Bar(length(cell), longest)).collect();
    }
    let lines: Vec<Line> = values.iter().map(|value| set_cell(value, column, page)).collect();
    text_cells(column, &values, lines, page).into_iter().map(Content::Text).collect()
}

fn text_cells(column: &Column, values: &[&Cell], lines: Vec<Line>, page: &Page) -> Vec<Line> {
    if column.align == Align::Decimal {
        return align_points(values, lines, page);
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
                .map(|(branch, line)| Line::new(Role::Quiet, branch).and_line(line))
                .collect()
        }
        None => lines,
    }
}

fn set_cell(value: &Cell, column: &Column, page: &Page) -> Line {
    cell(&value.value, value.tone.unwrap_or(column.tone), column.zero, page)
}

fn set_cells(cells: &[Cell], places: &[usize], table: &Table, page: &Page) -> Vec<Content> {
    let one = |i: &usize| match cells.get(*i) {
        Some(value) => Content::Text(set_cell(value, &table.columns[*i], page)),
        None => Content::Text(Line::default()),
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
            Line::new(Role::Quiet, page.glyph("–", "-")).and(Role::Plain, " ".repeat(most))
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

/// Columns of the widest cell of each column.
fn natural<'a>(columns: &[&Column], rows: impl Iterator<Item = &'a SetRow>) -> Vec<usize> {
    let mut natural = vec![0; columns.len()];
    for row in rows {
        match row {
            SetRow::Cells(cells) => {
                for (i, cell) in cells.iter().enumerate() {
                    natural[i] = natural[i].max(cell.width());
                }
            }
            SetRow::Group(cell) | SetRow::Instead(cell, _) => {
                if let Some(first) = natural.first_mut() {
                    *first = (*first).max(cell.width());
                }
            }
            SetRow::Blank | SetRow::Note(_) => {}
        }
    }
    natural
}

/// Columns of each column; 0 for one that is left out.
fn widths(columns: &[&Column], titles: &[Line], natural: &[usize], width: usize) -> Vec<usize> {
    let sum = |widths: &[usize]| -> usize {
        let kept = widths.iter().enumerate().filter(|(i, width)| *i == 0 || **width > 0);
        kept.map(|(_, width)| width + GAP).sum::<usize>().saturating_sub(GAP)
    };
    let limited = |limit: &dyn Fn(&Column) -> usize| -> Vec<usize> {
        let one = |(i, (column, width)): (usize, (&&Column, &usize))| match *width {
            0 if i > 0 => 0,
            width => width.min(limit(column)).max(titles[i].width()),
        };
        columns.iter().zip(natural).enumerate().map(one).collect()
    };
    let mut widths = limited(&|column| column.widest);
    if sum(&widths) > width && columns.iter().any(|column| column.wraps) {
        // What continues on further lines takes what the others leave, and they leave it something.
        widths = limited(&|column| match column.wraps {
            true => column.widest,
            false => column.widest.min(width * 2 / 5),
        });
    }
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
        let gives_way = texts.clone().find(|i| columns[*i].wraps || columns[*i].has_bars);
        let widest = gives_way
            .or_else(|| texts.max_by_key(|i| widths[*i]))
            .or_else(|| (0..columns.len()).max_by_key(|i| widths[*i]));
        match widest.filter(|i| widths[*i] > 1) {
            Some(widest) => widths[widest] -= 1,
            None => break,
        }
    }
    // Where there is space, the bars of neighboring tables begin in the same column.
    if let Some(bars) = columns.iter().position(|column| column.has_bars)
        && widths[bars] > 0
        && width >= bar::START + bar::LONGEST
    {
        let before = sum(&widths[..bars]) + GAP;
        widths[0] += bar::START.saturating_sub(before).min(width.saturating_sub(sum(&widths)));
    }
    widths
}

/// How the columns of a table are set.
struct Layout<'a> {
    columns: &'a [&'a Column],
    widths: &'a [usize],
    width: usize,
    /// Whether the cells after the first are beneath it.
    stacks: bool,
}

fn set(row: SetRow, layout: &Layout<'_>, page: &Page) -> Vec<Line> {
    let first = layout.widths.first().copied().unwrap_or(0);
    let hang = |pieces: Vec<Line>, indent: usize| -> Vec<Line> {
        pieces.into_iter().map(|piece| piece.indent(indent)).collect()
    };
    match row {
        SetRow::Blank => vec![Line::default()],
        SetRow::Group(title) => vec![title.cut(first.max(LEAST), page.charset)],
        SetRow::Note(note) => {
            let indent = first + GAP;
            hang(note.wrap(layout.width.saturating_sub(indent).max(LEAST)), indent)
        }
        SetRow::Instead(cell, words) if layout.stacks || layout.width < first + NARROW => {
            stacked(cell, words, layout, page)
        }
        SetRow::Instead(cell, words) => {
            let cell = cell.cut(first, page.charset);
            let mut line = Line::default();
            line.pad_to(flush(layout.columns.first().copied(), first, &cell));
            line.append(cell);
            let start = first + GAP;
            line.pad_to(start);
            let group = layout.width.saturating_sub(start).max(LEAST);
            let mut pieces = words.wrap_within(group, WRAPPED, page.charset).into_iter();
            let mut lines = vec![line.and_line(pieces.next().unwrap_or_default())];
            lines.extend(hang(pieces.collect(), start));
            lines
        }
        SetRow::Cells(cells) if layout.stacks => {
            let mut texts = cells.into_iter().filter_map(|cell| match cell {
                Content::Text(line) => Some(line),
                Content::Bar(..) => None,
            });
            let name = texts.next().unwrap_or_default();
            let mut rest = Line::default();
            for text in texts.filter(|text| text.width() > 0) {
                rest.push(Role::Plain, if rest.width() > 0 { " " } else { "" });
                rest.append(text);
            }
            stacked(name, rest, layout, page)
        }
        SetRow::Cells(cells) => set_line(cells, layout, page),
    }
}

/// The first cell, and the others beneath it.
fn stacked(first: Line, rest: Line, layout: &Layout<'_>, page: &Page) -> Vec<Line> {
    let width = layout.width.saturating_sub(GAP).max(LEAST);
    let mut lines = vec![first.cut(layout.width, page.charset)];
    let rest = rest.wrap_within(width, WRAPPED, page.charset).into_iter();
    lines.extend(rest.filter(|line| line.width() > 0).map(|line| line.indent(GAP)));
    lines
}

/// Spaces before a cell.
fn flush(column: Option<&Column>, width: usize, cell: &Line) -> usize {
    match column.map(|column| column.align) {
        None | Some(Align::Left) => 0,
        Some(Align::Right | Align::Decimal) => width.saturating_sub(cell.width()),
    }
}

fn set_line(cells: Vec<Content>, layout: &Layout<'_>, page: &Page) -> Vec<Line> {
    let mut line = Line::default();
    let mut start = 0;
    let mut further = Vec::new();
    let columns = layout.columns.iter().zip(layout.widths).zip(cells).enumerate();
    for (_, ((column, width), cell)) in
        columns.filter(|(i, ((_, width), _))| *i == 0 || **width > 0)
    {
        let mut pieces = cell.set(column, *width, page).into_iter();
        let cell = pieces.next().unwrap_or_default();
        line.pad_to(start + flush(Some(column), *width, &cell));
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
