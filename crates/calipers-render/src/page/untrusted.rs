//! Text in HTML and in SVG: nothing that comes out of a model becomes markup.

use maud::{Markup, Render, html};

use crate::text;

/// Characters kept of a text: a name may have a gigabyte.
const CHARACTERS: usize = 20_000;

/// Text that is not ours, for templates: every string of a report is written as
/// `(Untrusted(&name))`.
///
/// A template escapes markup in any string, but would let through characters that are invisible or
/// change the reading direction, and a name of a gigabyte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Untrusted<'a>(pub(crate) &'a str);

impl Render for Untrusted<'_> {
    fn render_to(&self, buffer: &mut String) {
        clean(self.0).render_to(buffer);
    }
}

/// The parts with a separator between each two.
pub(crate) fn joined(parts: &[impl Render], separator: &str) -> Markup {
    html! {
        @for (place, part) in parts.iter().enumerate() {
            @if place > 0 { (separator) }
            (part)
        }
    }
}

/// Escapes text for use between tags and in quoted attributes. Invisible characters become visible
/// escapes first; text that is too long to read ends in an ellipsis.
pub fn escape(raw: &str) -> String {
    text::escape_markup(&clean(raw))
}

fn clean(raw: &str) -> String {
    match raw.char_indices().nth(CHARACTERS) {
        Some((end, _)) => text::whole(&raw[..end]) + "…",
        None => text::whole(raw),
    }
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::{Untrusted, escape, joined};

    #[test]
    fn markup_stays_text() {
        assert_eq!(escape("<b a='1' c=\"2\">&"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
        assert_eq!(escape("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(escape(&"x".repeat(30_000)).chars().count(), 20_001);
    }

    #[test]
    fn templates_show_what_is_hidden() {
        let name = "<b>\"&\u{202e}\u{200b}\n";
        let page = html! { p title=(Untrusted(name)) { (Untrusted(name)) } };
        let shown = "&lt;b&gt;&quot;&amp;\\u{202e}\\u{200b}\\n";
        assert_eq!(page.into_string(), format!("<p title=\"{shown}\">{shown}</p>"));
    }

    #[test]
    fn separators_are_between_parts() {
        assert_eq!(joined(&[""; 0], " · ").into_string(), "");
        assert_eq!(joined(&["a", "<"], " & ").into_string(), "a &amp; &lt;");
    }
}
