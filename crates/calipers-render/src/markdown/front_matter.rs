//! The head of a card that model hubs read: YAML between two lines of dashes.
//!
//! ```yaml
//! ---
//! library_name: onnx
//! pipeline_tag: object-detection
//! tags:
//! - onnx
//! ---
//! ```

use std::fmt::Write as _;

use calipers_report::{Family, ModelKind, Report, Style};

use crate::sections;
use crate::text::{self, Charset};

/// The front matter, ending in a newline after its last line of dashes.
pub fn front_matter(report: &Report) -> String {
    let mut head = "---\nlibrary_name: onnx\n".to_owned();
    if let Some(pipeline) = report.task.kind.pipeline_tag() {
        // Writing to a String does not fail.
        let _ = writeln!(head, "pipeline_tag: {pipeline}");
    }
    let _ = writeln!(head, "model_name: {}", scalar(&sections::model_name(report)));
    head.push_str("tags:\n");
    for tag in tags(report) {
        let _ = writeln!(head, "- {}", scalar(&tag));
    }
    head.push_str("model_facts:\n");
    let mut fact = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(head, "  {key}: {value}");
        }
    };
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    fact("file_bytes", Some(report.model.bytes.to_string()));
    fact("precision", sections::precision(report).map(|text| scalar(&text)));
    fact("parameters", number(report.parameters.total));
    fact("parameter_bytes", number(report.parameters.bytes));
    let exact = !report.cost.lower_bound;
    fact("macs", number(report.cost.macs.filter(|_| exact)));
    fact("peak_activation_bytes", number(report.memory.peak_activation_bytes));
    fact("architecture", report.architecture.kind.map(|kind| scalar(kind.id())));
    fact("family", report.architecture.family.map(|family| scalar(family.id())));
    head.push_str("---\n");
    head
}

/// What a hub filters by; each once.
fn tags(report: &Report) -> Vec<String> {
    let mut tags = vec!["onnx".to_owned()];
    let architecture = &report.architecture;
    let scheme = report.quantization.scheme;
    let scheme_id = scheme.id();
    let found = [
        architecture.kind.map(ModelKind::id),
        architecture.style.map(Style::id),
        architecture.family.map(Family::id),
        scheme.is_quantized().then_some(&*scheme_id),
    ];
    for tag in found.into_iter().flatten().map(str::to_owned) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// A text as a YAML scalar: as it is where it can only be a text, else in double quotes.
fn scalar(raw: &str) -> String {
    let clean = text::name(raw, Charset::Unicode);
    let plain = clean.starts_with(|c: char| c.is_ascii_alphabetic())
        && clean.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.'))
        && !clean.ends_with(' ')
        && !RESERVED.contains(&clean.to_ascii_lowercase().as_str());
    if plain {
        return clean;
    }
    let mut quoted = "\"".to_owned();
    for c in clean.chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// Words that YAML takes for something else than a text.
const RESERVED: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "null", "y"];

#[cfg(test)]
mod tests {
    use calipers_report::TaskKind;

    use super::*;

    #[test]
    fn a_scalar_is_a_text_and_nothing_else() {
        for (raw, yaml) in [
            ("mnist-8", "mnist-8"),
            ("dynamic int8", "dynamic int8"),
            ("No", "\"No\""),
            ("1e3", "\"1e3\""),
            ("a: b", "\"a: b\""),
            ("---", "\"---\""),
            ("x\"\\\n", r#""x\"\\\\n""#),
            ("- a", "\"- a\""),
            ("", "\"\""),
        ] {
            assert_eq!(scalar(raw), yaml, "{raw:?}");
        }
    }

    #[test]
    fn a_task_has_the_hub_s_name() {
        let mut report = Report::default();
        report.task.kind = TaskKind::TextEmbedding;
        assert!(front_matter(&report).contains("\npipeline_tag: feature-extraction\n"));
        report.task.kind = TaskKind::Unknown;
        assert!(!front_matter(&report).contains("pipeline_tag"));
    }
}
