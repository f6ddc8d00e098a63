//! How the network is built: its facts, what repeats, and the diagram.

use calipers_report::{Architecture, Confidence, Family, ModelKind, Repeat, Report, Style};
use maud::{Markup, html};
use serde_json::Value;

use super::diagram::diagram;
use super::parts::{fact, part};
use crate::page::untrusted::Untrusted;
use crate::units;

/// Levels of repeated parts inside repeated parts that are listed.
const REPEAT_LEVELS: usize = 7;

/// The section.
pub(super) fn architecture(report: &Report) -> Markup {
    let architecture = &report.architecture;
    part(
        "architecture",
        "Architecture",
        &html! {
            div.split {
                div {
                    dl.facts {
                        @for (name, value) in facts(report).iter().filter(|(_, it)| !it.is_empty()) {
                            (fact(Untrusted(name), Untrusted(value)))
                        }
                    }
                    @if !architecture.repeats.is_empty() {
                        h3 { "What repeats" }
                        (repeats(&architecture.repeats, REPEAT_LEVELS))
                    }
                    @if !architecture.evidence.is_empty() {
                        details {
                            summary { "What this rests on" }
                            ul {
                                @for line in architecture.evidence.iter().chain(&report.task.evidence) {
                                    li { (Untrusted(line)) }
                                }
                            }
                        }
                    }
                }
                div.diagram tabindex="0" role="region" aria-label="Diagram of the network" {
                    (diagram(&architecture.block_diagram))
                }
            }
        },
    )
}

/// Names and values; what is not known of the optional ones is empty.
fn facts(report: &Report) -> Vec<(String, String)> {
    let Architecture { kind, family, style, confidence, facts, .. } = &report.architecture;
    let sure = match confidence {
        _ if family.is_none() => "",
        Confidence::High => "",
        Confidence::Medium => " (likely)",
        Confidence::Low => " (a guess)",
    };
    let known = |id: Option<&str>| id.unwrap_or("not known").to_owned();
    let mut rows = vec![
        ("kind".to_owned(), known(kind.map(ModelKind::display_name))),
        ("family".to_owned(), known(family.map(Family::display_name)) + sure),
        ("style".to_owned(), style.map_or("", Style::id).to_owned()),
        ("task".to_owned(), report.task.kind.display_name().to_owned()),
        ("quantization".to_owned(), report.quantization.scheme.id().into_owned()),
    ];
    if let Ok(Value::Object(facts)) = serde_json::to_value(facts) {
        rows.extend(facts.iter().map(|(name, value)| (name.replace('_', " "), plain(value))));
    }
    rows
}

fn plain(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), units::integer),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let parts = map.iter().map(|(name, value)| format!("{} {name}", plain(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        Value::Null => String::new(),
    }
}

fn repeats(list: &[Repeat], levels: usize) -> Markup {
    html! {
        ul {
            @for repeat in list {
                li {
                    (units::integer(repeat.times)) " × " (Untrusted(&repeat.name)) " "
                    span.note { (units::counted(repeat.nodes, "node", "nodes")) " each" }
                    @if !repeat.differs.is_empty() {
                        br;
                        span.note { "differ in " (Untrusted(&repeat.differs.join(", "))) }
                    }
                    @if !repeat.inside.is_empty() && levels > 1 {
                        (repeats(&repeat.inside, levels - 1))
                    }
                }
            }
        }
    }
}
