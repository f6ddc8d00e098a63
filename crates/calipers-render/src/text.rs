//! Words that came out of a model, made fit to print.
//!
//! Names, documentation, metadata and paths are whatever the file's author wrote, and the author
//! may be hostile: escape sequences that repaint the terminal, overrides that turn the reading
//! direction, invisible characters that make two names look alike. Each is printed as a visible
//! escape. No rendering prints a word of the report without passing it through here.
//!
//! ```
//! use calipers_render::text::{self, Charset};
//!
//! assert_eq!(text::name("in\u{1b}[31m\nput", Charset::Unicode), r"in\u{1b}[31m\nput");
//! assert_eq!(text::prose("one\n  two", Charset::Unicode), "one two");
//! assert_eq!(text::truncate("encoder.layer.11.weight", 15, Charset::Unicode), "encoder….weight");
//! ```

pub(crate) use calipers_report::wording::{capitalized, sentence};
use unicode_width::UnicodeWidthChar as _;

/// Characters that the reader's terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// All of Unicode.
    Unicode,
    /// ASCII alone; any other character is written as an escape.
    Ascii,
}

impl Charset {
    /// The mark that represents what was left out.
    pub fn ellipsis(self) -> &'static str {
        match self {
            Self::Unicode => "…",
            Self::Ascii => "...",
        }
    }
}

/// Characters kept of a name: no screen shows more, and a name may have a gigabyte.
const NAME_CHARS: usize = 400;

/// Characters kept of a text.
const PROSE_CHARS: usize = 2000;

/// Marks that may sit on one letter; Vietnamese and decomposed Hangul need two. More than that
/// serves only to paint over the lines above and below.
const MARKS_PER_LETTER: usize = 2;

/// A name on one line, each hidden character an escape. Of an overlong name the middle is left out.
pub fn name(raw: &str, charset: Charset) -> String {
    if raw.char_indices().nth(NAME_CHARS).is_none() {
        return escape(raw, charset);
    }
    let half = NAME_CHARS / 2;
    let head = raw.char_indices().nth(half).map_or(raw, |(end, _)| &raw[..end]);
    let tail = raw.char_indices().rev().nth(half - 1).map_or(raw, |(start, _)| &raw[start..]);
    format!("{}{}{}", escape(head, charset), charset.ellipsis(), escape(tail, charset))
}

/// A name whole, however long, each hidden character an escape: for formats that programs read.
pub fn whole(raw: &str) -> String {
    escape(raw, Charset::Unicode)
}

/// A text as one paragraph: runs of white space become one space, each hidden character an escape.
/// An overlong text ends in an ellipsis.
pub fn prose(raw: &str, charset: Charset) -> String {
    let (kept, cut) = match raw.char_indices().nth(PROSE_CHARS) {
        Some((end, _)) => (&raw[..end], true),
        None => (raw, false),
    };
    let folded = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut clean = escape(&folded, charset);
    if cut {
        clean.push_str(charset.ellipsis());
    }
    clean
}

/// Words of ours in the characters that the reader's terminal can show.
pub(crate) fn ours(text: &str, charset: Charset) -> String {
    match charset {
        Charset::Unicode => text.to_owned(),
        Charset::Ascii => {
            let plain = text.replace('µ', "u").replace('⁹', "^9").replace(" · ", " | ");
            escape(&plain, charset)
        }
    }
}

/// Whether a character is invisible, moves the cursor, or changes how its neighbors are shown.
pub fn is_hidden(c: char) -> bool {
    if c.is_control() || (c.is_whitespace() && c != ' ') {
        return true;
    }
    // Unicode's default ignorables and format controls, the blank Braille cell, and the fillers.
    matches!(
        u32::from(c),
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
            | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x2800 | 0x3164
            | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
            | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff
    )
}

/// Columns that a text takes.
///
/// It is the sum over the characters. A terminal that joins some of them (flags, skin tones) needs
/// fewer, none needs more, so what fits by this measure fits.
pub fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The text in at most `max` columns, with an ellipsis for the middle where it is longer.
pub fn truncate(text: &str, max: usize, charset: Charset) -> String {
    if width(text) <= max {
        return text.to_owned();
    }
    let ellipsis = charset.ellipsis();
    let Some(kept) = max.checked_sub(width(ellipsis)).filter(|kept| *kept > 0) else {
        return split(text, max).0.to_owned();
    };
    let (head, _) = split(text, kept - kept / 2);
    let mut start = text.len();
    let mut group = kept / 2;
    for (at, c) in text.char_indices().rev() {
        let Some(left) = group.checked_sub(columns(c)) else { break };
        group = left;
        start = at;
    }
    // A mark whose letter is gone would sit on the ellipsis.
    let tail = text[start..].trim_start_matches(|c| columns(c) == 0);
    format!("{head}{ellipsis}{tail}")
}

/// The longest beginning of at most `max` columns, and the rest.
pub fn split(text: &str, max: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += columns(c);
        if used > max {
            return text.split_at(at);
        }
    }
    (text, "")
}

fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

fn escape(raw: &str, charset: Charset) -> String {
    let mut clean = String::with_capacity(raw.len());
    let mut marks = MARKS_PER_LETTER;
    for c in raw.chars() {
        // The first character of a text has no letter to sit on, hence the start value.
        marks = if columns(c) == 0 { marks + 1 } else { 0 };
        if is_hidden(c) || marks > MARKS_PER_LETTER {
            clean.extend(c.escape_default());
        } else if charset == Charset::Ascii && !c.is_ascii() {
            match plain(c) {
                Some(plain) => clean.push_str(plain),
                None => clean.extend(c.escape_default()),
            }
        } else {
            clean.push(c);
        }
    }
    clean
}

/// The ASCII spelling of a punctuation mark of ordinary prose.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        '–' | '−' | '‑' => "-",
        '—' => "--",
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        '…' => "...",
        '×' => "x",
        '·' => ".",
        '→' => "->",
        '≤' => "<=",
        '≥' => ">=",
        _ => return None,
    })
}

/// A text that is clean already as is between tags and in quoted attributes of HTML and SVG.
pub(crate) fn escape_markup(clean: &str) -> String {
    let mut safe = String::with_capacity(clean.len());
    for c in clean.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A relative address; whatever could end it or mean something else is written in hexadecimal.
pub(crate) fn address(path: &str) -> String {
    let mut safe = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                safe.push(char::from(byte));
            }
            byte => safe += &format!("%{byte:02X}"),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(raw: &str) -> [String; 4] {
        [Charset::Unicode, Charset::Ascii]
            .map(|charset| [name(raw, charset), prose(raw, charset)])
            .concat()
            .try_into()
            .unwrap()
    }

    #[test]
    fn every_control_character_is_escaped_or_folded() {
        let controls = (0..=0x10_ffff).filter_map(char::from_u32).filter(|c| c.is_control());
        let mut seen = 0;
        for c in controls {
            seen += 1;
            for raw in [format!("{c}"), format!("a{c}b"), format!("{c}[31mred{c}{c}")] {
                for clean in shown(&raw) {
                    assert!(!clean.contains(char::is_control), "{c:?} survived in {clean:?}");
                }
            }
            assert!(
                name(&format!("a{c}b"), Charset::Unicode).contains('\\'),
                "{c:?} left no trace"
            );
        }
        assert_eq!(seen, 65, "C0, DEL and C1");
    }

    #[test]
    fn no_character_is_hidden_or_unmeasured_after_cleaning() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let raw = format!("a{c}b");
            let clean = name(&raw, Charset::Unicode);
            assert!(!clean.contains(is_hidden), "{c:?} survived");
            let measured = unicode_width::UnicodeWidthStr::width(clean.as_str());
            assert!(measured <= width(&clean), "{c:?} takes {measured} columns");
            assert!(name(&raw, Charset::Ascii).is_ascii(), "{c:?} is not ASCII");
        }
    }

    #[test]
    fn direction_and_zero_width_characters_are_visible() {
        let hostile = ('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
            .chain('\u{200b}'..='\u{200f}')
            .chain(['\u{61c}', '\u{2060}', '\u{feff}', '\u{ad}', '\u{180e}', '\u{e0041}']);
        for c in hostile {
            let text = format!("x\\u{{{:x}}}y", u32::from(c));
            assert_eq!(shown(&format!("x{c}y")), [&text, &text, &text, &text].map(String::clone));
        }
    }

    #[test]
    fn names_keep_their_letters() {
        for raw in
            ["/model/layers.0/attn::MatMul", "入力テンソル", "größe", "a b", "🙂", "e\u{301}"]
        {
            assert_eq!(name(raw, Charset::Unicode), raw);
        }
        assert_eq!(name("größe × 中", Charset::Ascii), r"gr\u{f6}\u{df}e x \u{4e2d}");
    }

    #[test]
    fn marks_do_not_pile_up() {
        let tower = format!("a{}", "\u{301}".repeat(4));
        assert_eq!(name(&tower, Charset::Unicode), "a\u{301}\u{301}\\u{301}\\u{301}");
        assert_eq!(name("\u{301}a", Charset::Unicode), r"\u{301}a", "no letter to sit on");
    }

    #[test]
    fn long_texts_are_cut() {
        let raw = format!("start{}end", "x".repeat(1 << 20));
        let clean = name(&raw, Charset::Unicode);
        assert_eq!(width(&clean), NAME_CHARS + 1);
        assert!(clean.starts_with("start") && clean.ends_with("end"));
        assert_eq!(width(&prose(&raw, Charset::Ascii)), PROSE_CHARS + 3);
        assert_eq!(prose(" \n a \t\r\n b ", Charset::Unicode), "a b");
    }

    #[test]
    fn truncation_never_exceeds_its_columns() {
        for text in
            ["short", "encoder.layer.11.attention.weight", "入力テンソルの名前です", "🙂🙃🙂🙃🙂"]
        {
            for max in 0..40 {
                for charset in [Charset::Unicode, Charset::Ascii] {
                    let cut = truncate(text, max, charset);
                    assert!(width(&cut) <= max, "{cut:?} in {max}");
                    assert_eq!(cut == text, width(text) <= max, "{cut:?} in {max}");
                }
            }
        }
        assert_eq!(truncate("abcdefghij", 7, Charset::Unicode), "abc…hij");
        assert_eq!(truncate("abcdefghij", 7, Charset::Ascii), "ab...ij");
        assert_eq!(truncate("入力テンソル", 6, Charset::Unicode), "入…ル");
    }

    #[test]
    fn splitting_keeps_everything() {
        assert_eq!(split("abc", 2), ("ab", "c"));
        assert_eq!(split("abc", 3), ("abc", ""));
        assert_eq!(split("入力", 3), ("入", "力"));
        assert_eq!(split("e\u{301}x", 1), ("e\u{301}", "x"), "a mark stays with its letter");
    }

    #[test]
    fn an_address_cannot_be_left() {
        assert_eq!(address("a b/(c)\"<é.md"), "a%20b/%28c%29%22%3C%C3%A9.md");
        assert_eq!(address("javascript:x"), "javascript%3Ax");
    }
}
