//! Findings on their own.
//!
//! ```text
//!   model.onnx
//!   1 error · 2 warnings · 3 notes
//!
//!   ✗ error    A data file's location is unsafe
//! ```

use calipers_report::FindingTable;

use super::Style;
use super::findings::{SEVERITY, set_finding};
use super::page::{Line, Page, Role};
use crate::text;
use crate::units;

/// Every finding in full, each under its id; ends in a newline.
pub fn findings(table: &FindingTable, style: &Style) -> String {
    let mut page = Page::new(style);
    let name = text::truncate(&text::name(&table.file, page.charset), page.full(), page.charset);
    page.line(Line::of(Role::Strong, name));
    let counts = [
        (table.errors, Role::Error, "error", "errors"),
        (table.warnings, Role::Warning, "warning", "warnings"),
        (table.infos, Role::Accent, "note", "notes"),
    ];
    let mut line = Line::default();
    for (count, role, one, many) in counts.into_iter().filter(|(count, ..)| *count > 0) {
        if line.width() > 0 {
            line.push(Role::Quiet, page.dot());
        }
        line.push(role, units::counted(count, one, many));
    }
    if line.width() == 0 {
        line.push(Role::Plain, "nothing was found");
    }
    page.line(line);
    for finding in &table.findings {
        page.blank();
        for line in set_finding(finding, true, &page) {
            page.line(line);
        }
        let id = Line::of(Role::Quiet, format!("calipers explain {}", finding.id));
        let indent = if page.body() >= 50 { SEVERITY } else { 2 };
        page.line(id.indent(indent).cut(page.full(), page.charset));
    }
    page.finish()
}
