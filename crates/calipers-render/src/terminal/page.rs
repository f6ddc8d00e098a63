//! Lines of styled text, and the page that sets them.
//!
//! A wide page sets each section next to its heading, a narrow one beneath it:
//! ```text
//!   Graph        12 nodes · depth 11          Graph
//!                                               12 nodes · depth 11
//! ```

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style as Ansi};

use super::Style;
use crate::text::{self, Charset};
pub(super) use crate::value::Tone as Role;

/// How a tone looks.
///
/// Text is in the reader's own color, so it is legible on any background; the accent is for
/// bars, and a severity colors its mark, not its message. Colors are never bold: many terminals
/// brighten bold ones, and bright yellow on white vanishes.
fn ansi(role: Role) -> Ansi {
    match role {
        Role::Plain => Ansi::new(),
        Role::Strong => Ansi::new().bold(),
        Role::Quiet | Role::Emphasis => Ansi::new().dimmed(),
        Role::Accent => AnsiColor::Cyan.on_default(),
        Role::Error => AnsiColor::Red.on_default(),
        Role::Warning => AnsiColor::Yellow.on_default(),
    }
}

/// One line: pieces of text, each with its role. Its text has been cleaned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line(Vec<(Role, String)>);

impl Line {
    /// A line of one piece.
    pub(super) fn new(role: Role, text: impl Into<String>) -> Self {
        Self::default().and(role, text)
    }

    /// This line with a piece at its end.
    pub(super) fn and(mut self, role: Role, text: impl Into<String>) -> Self {
        self.push(role, text);
        self
    }

    /// This line with another at its end.
    pub(super) fn and_line(mut self, other: Self) -> Self {
        self.append(other);
        self
    }

    pub(super) fn push(&mut self, role: Role, text: impl Into<String>) {
        let text = text.into();
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some((last, end)) if *last == role => end.push_str(&text),
            _ => self.0.push((role, text)),
        }
    }

    /// Spaces up to the given column.
    pub(super) fn pad_to(&mut self, column: usize) {
        let missing = column.saturating_sub(self.width());
        self.push(Role::Plain, " ".repeat(missing));
    }

    pub(super) fn append(&mut self, other: Self) {
        for (role, text) in other.0 {
            self.push(role, text);
        }
    }

    /// This line in one tone.
    pub(super) fn toned(self, role: Role) -> Self {
        Self::new(role, self.plain_text())
    }

    /// The text without its tones.
    pub(super) fn plain_text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }

    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text::width(text)).sum()
    }

    /// This line moved right.
    pub(super) fn indent(self, columns: usize) -> Self {
        let mut line = Self::new(Role::Plain, " ".repeat(columns));
        line.append(self);
        line
    }

    /// This line in at most `max` columns. Of a longer one the part before its last few columns is
    /// left out: paths differ most at their beginning.
    pub(super) fn cut(self, max: usize, charset: Charset) -> Self {
        if self.width() <= max {
            return self;
        }
        let ellipsis = charset.ellipsis();
        let Some(group) = max.checked_sub(text::width(ellipsis)) else { return self.split(max).0 };
        let tail = group / 4;
        let end = self.width() - tail;
        let (start, _) = self.clone().split(group - tail);
        let (_, tail) = self.split(end);
        start.and(Role::Quiet, ellipsis).and_line(tail)
    }

    /// The line in pieces of at most `width` columns, broken at spaces, inside a word only where
    /// the word alone is too wide.
    pub(super) fn wrap(self, width: usize) -> Vec<Self> {
        if self.width() <= width {
            return vec![self];
        }
        let mut lines = vec![];
        let mut current = Self::default();
        for word in self.split_words() {
            let fits = current.width() + 1 + word.width() <= width;
            if current.0.is_empty() {
                current = word;
            } else if fits {
                let role = current.0.last().map_or(Role::Plain, |(role, _)| *role);
                current.push(role, " ");
                current.append(word);
            } else {
                lines.push(std::mem::replace(&mut current, word));
            }
            while current.width() > width {
                let (head, rest) = current.split(width.max(2));
                lines.push(head);
                current = rest;
            }
        }
        lines.push(current);
        lines
    }

    /// [`Line::wrap`], cut off with an ellipsis after `most` lines.
    pub(super) fn wrap_within(self, width: usize, most: usize, charset: Charset) -> Vec<Self> {
        cut_off(self.wrap(width), width, most, charset)
    }

    fn split_words(self) -> Vec<Self> {
        let mut words = vec![Self::default()];
        for (role, text) in self.0 {
            for (i, piece) in text.split(' ').enumerate() {
                if i > 0 {
                    words.push(Self::default());
                }
                if let Some(word) = words.last_mut() {
                    word.push(role, piece);
                }
            }
        }
        words.retain(|word| !word.0.is_empty());
        words
    }

    fn split(self, width: usize) -> (Self, Self) {
        let (mut head, mut rest) = (Self::default(), Self::default());
        for (role, text) in self.0 {
            let group = if rest.0.is_empty() { width.saturating_sub(head.width()) } else { 0 };
            let (before, after) = text::split(&text, group);
            head.push(role, before);
            rest.push(role, after);
        }
        (head, rest)
    }
}

/// The first `most` lines, the last with an ellipsis where there are more.
pub(super) fn cut_off(mut lines: Vec<Line>, width: usize, most: usize, set: Charset) -> Vec<Line> {
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.pop() {
            let ellipsis = format!(" {}", set.ellipsis());
            let (head, _) = last.split(width.saturating_sub(text::width(&ellipsis)));
            lines.push(head.and(Role::Quiet, ellipsis));
        }
    }
    lines
}

/// Items one after another with a separator, broken between items, inside an item only where it
/// alone is too wide. Such an item has its lines to itself.
pub(super) fn flow(items: Vec<Line>, separator: &str, width: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = vec![];
    let mut open = false;
    for item in items {
        let fits = item.width() <= width;
        if let Some(last) = lines.last_mut().filter(|_| open)
            && last.width() + text::width(separator) + item.width() <= width
        {
            last.push(Role::Quiet, separator);
            last.append(item);
        } else {
            lines.extend(item.wrap(width));
            open = fits;
        }
    }
    lines
}

/// The screen being set.
pub(super) struct Page {
    lines: Vec<Line>,
    width: usize,
    color: bool,
    /// What the terminal can show.
    pub(super) charset: Charset,
}

/// Columns of the headings next to the sections, margin included.
const GUTTER: usize = 15;
/// Below this, headings are above their sections.
const WIDE: usize = 64;
const MARGIN: usize = 2;
/// Columns of the widest table.
const TABLE: usize = 240;

impl Page {
    pub(super) fn new(style: &Style) -> Self {
        Self {
            lines: vec![],
            width: style.width.clamp(24, 100),
            color: style.color,
            charset: style.charset(),
        }
    }

    /// A page for a table, which may be as wide as the terminal.
    pub(super) fn for_table(style: &Style) -> Self {
        Self { width: style.width.clamp(24, TABLE), ..Self::new(style) }
    }

    fn is_wide(&self) -> bool {
        self.width >= WIDE
    }

    fn margin(&self) -> usize {
        if self.is_wide() { MARGIN } else { 0 }
    }

    /// Columns of a section's lines.
    pub(super) fn body(&self) -> usize {
        self.width - if self.is_wide() { GUTTER } else { MARGIN }
    }

    /// Columns between the margin and the page's edge.
    pub(super) fn full(&self) -> usize {
        self.width - self.margin()
    }

    /// The separator of facts on one line.
    pub(super) fn dot(&self) -> &'static str {
        match self.charset {
            Charset::Unicode => " · ",
            Charset::Ascii => " | ",
        }
    }

    /// One of two spellings.
    pub(super) fn glyph(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self.charset {
            Charset::Unicode => unicode,
            Charset::Ascii => ascii,
        }
    }

    /// A line from margin to edge.
    pub(super) fn line(&mut self, line: Line) {
        let line = line.indent(self.margin());
        self.lines.push(line);
    }

    /// An empty line.
    pub(super) fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    /// A section under its heading, after an empty line; `note` qualifies the heading. Nothing at
    /// all when the section has no line.
    pub(super) fn section(&mut self, heading: &str, note: &str, body: Vec<Line>) {
        if !body.is_empty() {
            self.blank();
            self.adjoin(heading, note, body);
        }
    }

    /// A section without a heading, from margin to edge, after an empty line.
    pub(super) fn untitled(&mut self, body: Vec<Line>) {
        if !body.is_empty() {
            self.blank();
        }
        for line in body {
            self.line(line);
        }
    }

    /// A section that belongs to the one before it: no empty line between them.
    pub(super) fn adjoin(&mut self, heading: &str, note: &str, body: Vec<Line>) {
        if body.is_empty() {
            return;
        }
        if !self.is_wide() {
            let mut title = Line::new(Role::Strong, heading);
            if !note.is_empty() {
                title.push(Role::Quiet, format!(" {note}"));
            }
            self.lines.push(title);
            self.lines.extend(body.into_iter().map(|line| line.indent(MARGIN)));
            return;
        }
        let mut labels = vec![Line::new(Role::Strong, heading)];
        if !note.is_empty() {
            labels.push(Line::new(Role::Quiet, note));
        }
        let rows = body.len().max(labels.len());
        let mut labels = labels.into_iter();
        let mut body = body.into_iter();
        for _ in 0..rows {
            let mut line = labels.next().unwrap_or_default().indent(MARGIN);
            if let Some(content) = body.next().filter(|content| content.width() > 0) {
                line.pad_to(GUTTER);
                line.append(content);
            }
            self.lines.push(line);
        }
    }

    /// The whole text.
    pub(super) fn finish(self) -> String {
        let mut text = String::new();
        for line in self.lines {
            // Sections keep to their width; this makes it certain.
            let (line, _) = line.split(self.width);
            for (role, piece) in line.0 {
                let ansi = ansi(role);
                if self.color && ansi != Ansi::new() {
                    // Writing to a String does not fail.
                    let _ = write!(text, "{ansi}{piece}{ansi:#}");
                } else {
                    text.push_str(&piece);
                }
            }
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.0.iter().map(|(_, text)| text.as_str()).collect()).collect()
    }

    #[test]
    fn wrapping_breaks_at_spaces_and_inside_what_is_too_wide() {
        let line =
            Line::new(Role::Plain, "one two ").and(Role::Strong, "three").and(Role::Plain, "!");
        assert_eq!(plain(&line.clone().wrap(40)), ["one two three!"]);
        assert_eq!(plain(&line.clone().wrap(8)), ["one two", "three!"]);
        assert_eq!(plain(&line.wrap(4)), ["one", "two", "thre", "e!"]);
        assert_eq!(plain(&Line::new(Role::Plain, "入力テ").wrap(3)), ["入", "力", "テ"]);
    }

    #[test]
    fn wrapping_ends_at_every_width() {
        let line = Line::new(Role::Plain, "入力 abc defghij \u{301}");
        for width in 0..12 {
            for piece in line.clone().wrap(width) {
                assert!(piece.width() <= width.max(2));
            }
        }
    }

    #[test]
    fn flowing_breaks_between_items() {
        let items = ["aa", "bb", "c c c"].map(|item| Line::new(Role::Plain, item)).to_vec();
        assert_eq!(plain(&flow(items.clone(), ", ", 20)), ["aa, bb, c c c"]);
        assert_eq!(plain(&flow(items.clone(), ", ", 7)), ["aa, bb", "c c c"]);
        assert_eq!(plain(&flow(items, ", ", 3)), ["aa", "bb", "c c", "c"]);
    }
}
