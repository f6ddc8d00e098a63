//! Any part of the report as JSON: the public contract, for scripts and services.
//!
//! ```
//! let mut report = calipers_report::Report::default();
//! report.graph.name = "a\u{202e}b".to_owned();
//! let json = calipers_render::json::to_string(&report);
//! assert!(json.contains(r#""name": "a\u202eb""#));
//! ```

use std::fmt::Write as _;

use serde::Serialize;

use crate::output::{Form, Format};
use crate::text;

/// JSON.
pub const FORMAT: Format = Format {
    id: "json",
    extensions: &["json"],
    description: "For a program",
    needs: Form::Data,
    render: |answer, _| answer.as_json(),
};

/// A report, or a part of one, as indented JSON that ends in a newline. The same value gives the
/// same bytes.
///
/// Invisible and direction-changing characters are written as `\u` escapes, which leaves the value
/// as it is and keeps a hostile name from acting on the terminal that shows the JSON.
///
/// # Panics
///
/// Where the value does not serialize: a map whose keys are not strings, or a failing
/// `Serialize`. The types of `calipers-report` have neither.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> String {
    let json = serde_json::to_string_pretty(value)
        .expect("reports have string keys only, and their parts serialize without failing");
    escape_hidden(&json) + "\n"
}

/// A value as JSON on one line, its invisible characters as they are.
pub(crate) fn line<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("texts and numbers serialize without failing")
}

/// Escapes invisible characters; in JSON they only occur inside strings.
pub(crate) fn escape_hidden(json: &str) -> String {
    let mut safe = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        // The layout's own line breaks are ASCII; beyond it a character can only be in a string.
        if c >= '\u{7f}' && text::is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String does not fail.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use calipers_report::Report;

    use super::*;

    #[test]
    fn escaping_leaves_the_value_as_it_is() {
        let mut report = Report::default();
        report.graph.name = "\u{9b}31m \u{202e}x \u{e0041} \u{1b}[0m é 中\n\"".to_owned();
        let json = to_string(&report);
        assert!(json.chars().all(|c| c == '\n' || !text::is_hidden(c)), "{json}");
        assert!(json.contains("é 中"), "visible letters stay letters");
        assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    }

    #[test]
    fn it_is_deterministic_and_ends_in_one_newline() {
        let report = Report::default();
        let json = to_string(&report);
        assert_eq!(json, to_string(&report));
        assert!(json.ends_with("}\n"));
    }
}
