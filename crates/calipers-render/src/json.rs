//! The report as JSON: the public contract, for scripts and services.
//!
//! ```
//! let mut report = calipers_report::Report::default();
//! report.graph.name = "a\u{202e}b".to_owned();
//! let json = calipers_render::to_json(&report);
//! assert!(json.contains(r#""name": "a\u202eb""#));
//! ```

use std::fmt::Write as _;

use calipers_devices::{DeviceSheet, Selection};
use calipers_report::{
    Drawing, FindingRule, FindingTable, GraphView, Hardware, KeyFigures, LayerTable, Report,
    ShapeTable, SweepTable,
};
use serde::Serialize;

use crate::text;

/// The report as indented JSON, ending in a newline. The same report gives the same bytes.
///
/// Invisible and direction-changing characters are written as `\u` escapes, which leaves the value
/// as it is and keeps a hostile name from acting on the terminal that shows the JSON.
pub fn to_json(report: &Report) -> String {
    safe_json(report)
}

/// The table of shapes as indented JSON, in the same way.
pub fn shapes_to_json(table: &ShapeTable) -> String {
    safe_json(table)
}

/// The table of nodes as indented JSON, in the same way.
pub fn layers_to_json(table: &LayerTable) -> String {
    safe_json(table)
}

/// The table of sizes as indented JSON, in the same way.
pub fn sweep_to_json(table: &SweepTable) -> String {
    safe_json(table)
}

/// What is said of hardware as indented JSON, in the same way.
pub fn hardware_to_json(hardware: &Hardware) -> String {
    safe_json(hardware)
}

/// The devices as indented JSON, in the same way.
pub fn devices_to_json(selection: &Selection<'_>) -> String {
    safe_json(selection)
}

/// One device in full as indented JSON, in the same way.
pub fn device_to_json(sheet: &DeviceSheet) -> String {
    safe_json(sheet)
}

/// The graph as rooms, as indented JSON, in the same way.
pub fn graph_to_json(view: &GraphView) -> String {
    safe_json(view)
}

/// A drawing as indented JSON, in the same way.
pub fn drawing_to_json(drawing: &Drawing) -> String {
    safe_json(drawing)
}

/// Findings on their own as indented JSON, in the same way.
pub fn findings_to_json(table: &FindingTable) -> String {
    safe_json(table)
}

/// The documentation of rules as indented JSON, in the same way.
pub fn rules_to_json(rules: &[FindingRule]) -> String {
    safe_json(&rules)
}

/// Key figures of many models as JSON, a line each.
pub fn figures_to_jsonl(models: &[KeyFigures]) -> String {
    let mut lines = String::new();
    for model in models {
        lines += &harmless(
            &serde_json::to_string(model)
                .expect("key figures have string keys only, and serialise without failing"),
        );
        lines.push('\n');
    }
    lines
}

pub(crate) fn safe_json(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value)
        .expect("reports have string keys only, and their parts serialise without failing");
    harmless(&json) + "\n"
}

/// JSON whose invisible characters are escapes. Where they stand in JSON, they stand in texts.
fn harmless(json: &str) -> String {
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
    use super::*;

    #[test]
    fn escaping_leaves_the_value_as_it_is() {
        let mut report = Report::default();
        report.graph.name = "\u{9b}31m \u{202e}x \u{e0041} \u{1b}[0m é 中\n\"".to_owned();
        let json = to_json(&report);
        assert!(json.chars().all(|c| c == '\n' || !text::is_hidden(c)), "{json}");
        assert!(json.contains("é 中"), "visible letters stay letters");
        assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    }

    #[test]
    fn it_is_deterministic_and_ends_in_one_newline() {
        let report = Report::default();
        let json = to_json(&report);
        assert_eq!(json, to_json(&report));
        assert!(json.ends_with("}\n"));
    }
}
