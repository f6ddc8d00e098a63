//! Text in HTML and in SVG: nothing that comes out of a model becomes markup.

use crate::text;

/// Characters kept of a text: a name may have a gigabyte.
const CHARACTERS: usize = 20_000;

/// A text as it stands between tags and in quoted attributes. Characters that do not show are
/// written as escapes first; what is too long to be read ends in an ellipsis.
pub fn escape(raw: &str) -> String {
    match raw.char_indices().nth(CHARACTERS) {
        Some((end, _)) => text::escape_markup(&text::whole(&raw[..end])) + "…",
        None => text::escape_markup(&text::whole(raw)),
    }
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn markup_stays_text() {
        assert_eq!(escape("<b a='1' c=\"2\">&"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
        assert_eq!(escape("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(escape(&"x".repeat(30_000)).chars().count(), 20_001);
    }
}
