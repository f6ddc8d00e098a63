//! The table of findings.

use calipers_report::{FindingRule, Severity};

use crate::sections::severity;
use crate::table::{Cell, Column, Row, Table, Tone, Value};

/// Returns the rules as rows under their groups; in a document each links to its heading.
pub fn rules(rules: &[FindingRule]) -> Table {
    let title = Column::text("title", "title").limits(200, 8).wrapping();
    let columns = vec![
        Column::text("id", "id").limits(200, 20).tone(Tone::Quiet),
        Column::text("severity", "severity"),
        Column::data("group"),
        title,
    ];
    let mut set = Table::new("rules", columns).without_headings();
    for group in rules.chunk_by(|one, next| one.group == next.group) {
        set.rows.extend(group.first().map(|rule| Row::Group(Value::text(&rule.group))));
        for rule in group {
            let tone = match rule.severity {
                Severity::Error => Tone::Error,
                Severity::Warning => Tone::Warning,
                Severity::Info => Tone::Accent,
            };
            set.cells(vec![
                Value::Anchor(rule.id.clone()).into(),
                Cell::toned(Value::text(severity(rule.severity)), tone),
                Value::text(&rule.group).into(),
                Value::quoted(&rule.title).into(),
            ]);
        }
    }
    set
}
