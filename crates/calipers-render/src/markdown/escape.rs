//! Texts that came out of a model, made fit to be in Markdown.
//!
//! ```
//! use calipers_render::markdown::{code, plain};
//!
//! assert_eq!(plain("a|b <i>*c*"), r"a\|b \<i>\*c\*");
//! assert_eq!(code("layer_norm/Mul"), "`layer_norm/Mul`");
//! ```

use std::fmt::Write as _;

use crate::text::{self, Charset};

/// Columns of a name; of a longer one the middle is left out.
const NAME: usize = 72;

/// Columns of a command in a sentence of ours.
const COMMAND: usize = 200;

/// What keeps an address from being made a link, and shows nothing.
const BREAK: &str = "<!-- -->";

/// Schemes that a bare address begins with, each without its colon.
const SCHEMES: [&str; 6] = ["http", "https", "ftp", "mailto", "xmpp", "javascript"];

/// A text of one line that Markdown shows as it is.
pub fn plain(raw: &str) -> String {
    let clean = text::prose(raw, Charset::Unicode);
    let mut safe = String::with_capacity(clean.len());
    let mut before = ' ';
    let mut letters = clean.chars().peekable();
    while let Some(c) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        match c {
            // These make links of bare addresses, and of names of people.
            ':' if ends_in_scheme(&safe) => safe.push_str("&#58;"),
            '.' if ends_in(&safe, "www") => safe.push_str("&#46;"),
            '@' => {
                safe.push('@');
                safe.push_str(BREAK);
            }
            // Only what could be an entity.
            '&' if next == '#' || next.is_ascii_alphabetic() => safe.push_str("&amp;"),
            // Inside a word it is a letter.
            '_' if before.is_alphanumeric() && next.is_alphanumeric() => safe.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '|' | '~' | '$' => {
                safe.push('\\');
                safe.push(c);
            }
            _ => safe.push(c),
        }
        before = c;
    }
    // At the beginning of a line these would make a list, a heading, a quote or a rule.
    match safe.chars().next() {
        Some('-' | '=' | '+' | '#' | '>') => format!("\\{safe}"),
        Some(digit) if digit.is_ascii_digit() => numbered(safe),
        _ => safe,
    }
}

/// A sentence of ours that quotes names between backticks: those become code, and all else is
/// [`plain`]. A name with a backtick of its own is quoted in the wrong places, and acts nowhere.
pub fn reported(raw: &str) -> String {
    let clean = text::prose(raw, Charset::Unicode);
    let parts: Vec<&str> = clean.split('`').collect();
    // The last quote has no end where their number is odd.
    if parts.len().is_multiple_of(2) {
        return plain(raw);
    }
    let mut safe = String::with_capacity(clean.len());
    for (i, part) in parts.iter().enumerate() {
        if i % 2 == 1 {
            safe += &code_within(part, COMMAND);
            continue;
        }
        let blank = |is: bool| if is && !part.trim().is_empty() { " " } else { "" };
        safe += blank(part.starts_with(' '));
        safe += &plain(part);
        safe += blank(part.ends_with(' '));
        if !part.is_empty() && part.trim().is_empty() {
            safe.push(' ');
        }
    }
    safe
}

/// A line that begins with a number is no item of a list.
fn numbered(mut line: String) -> String {
    let end = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
    let mark = line[end..].starts_with(['.', ')']);
    let item = line[end..].chars().nth(1).is_none_or(|c| c == ' ');
    if mark && item {
        line.insert(end, '\\');
    }
    line
}

fn ends_in_scheme(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| ends_in(text, scheme))
}

fn ends_in(text: &str, word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// A name as code, cut in the middle where it is long; in a table as elsewhere.
pub fn code(raw: &str) -> String {
    code_within(raw, NAME)
}

/// A text as code of at most this width.
fn code_within(raw: &str, width: usize) -> String {
    let clean = text::truncate(&text::name(raw, Charset::Unicode), width, Charset::Unicode);
    if clean.trim().is_empty() {
        return "(blank)".to_owned();
    }
    // Between backticks a bar cannot be determined from a table's in every place, nor a backtick at all.
    if !clean.contains(['|', '`', '\\']) && clean.trim() == clean {
        return format!("`{clean}`");
    }
    let mut safe = "<code>".to_owned();
    for c in clean.chars() {
        match c {
            '@' => {
                safe.push('@');
                safe.push_str(BREAK);
            }
            c if c.is_alphanumeric() || !c.is_ascii() => safe.push(c),
            // Writing to a String does not fail.
            c => _ = write!(safe, "&#{};", u32::from(c)),
        }
    }
    safe.push_str("</code>");
    safe
}

/// A text inside the double quotes of an HTML attribute.
pub fn attribute(raw: &str) -> String {
    text::escape_markup(&text::prose(raw, Charset::Unicode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_hostile_text_acts() {
        for (raw, safe) in [
            ("<script>alert(1)</script>", r"\<script>alert(1)\</script>"),
            ("[click](http://evil)", r"\[click\](http&#58;//evil)"),
            ("HTTPS://evil www.evil.com", "HTTPS&#58;//evil www&#46;evil.com"),
            ("me@evil.com", "me@<!-- -->evil.com"),
            ("a|b", r"a\|b"),
            ("~~a~~ $$b$$", r"\~\~a\~\~ \$\$b\$\$"),
            ("- item", r"\- item"),
            ("1. item", r"1\. item"),
            ("1.5 GB, 3 < 4", r"1.5 GB, 3 \< 4"),
            ("&lt; R&D a & b", "&amp;lt; R&amp;D a & b"),
            ("snake_case _emphasis_", r"snake_case \_emphasis\_"),
            ("a\n# b", "a # b"),
            ("# b", r"\# b"),
        ] {
            assert_eq!(plain(raw), safe);
        }
    }

    #[test]
    fn quoted_names_in_our_sentences_are_code() {
        assert_eq!(
            reported("a score (`logits`, 1 × 2) of `x` `y`"),
            "a score (`logits`, 1 × 2) of `x` `y`"
        );
        assert_eq!(reported("odd ` quote <b>"), r"odd \` quote \<b>");
        assert_eq!(reported("`a`<i>`|`"), r"`a`\<i><code>&#124;</code>");
        assert_eq!(reported("plain *text*"), r"plain \*text\*");
    }

    #[test]
    fn names_are_code_wherever_they_are() {
        assert_eq!(code("a/b:0 [x](y) <i> *"), "`a/b:0 [x](y) <i> *`");
        assert_eq!(code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(code("`x` me@evil.com"), "<code>&#96;x&#96;&#32;me@<!-- -->evil&#46;com</code>");
        assert_eq!(code("a\nb"), "<code>a&#92;nb</code>");
        assert_eq!(code(" "), "(blank)");
        assert!(code(&"x".repeat(5000)).len() < 100);
    }

    #[test]
    fn an_attribute_cannot_be_left() {
        assert_eq!(
            attribute("\"><img onerror='x'>\n\ny"),
            "&quot;&gt;&lt;img onerror=&#39;x&#39;&gt; y"
        );
    }
}
