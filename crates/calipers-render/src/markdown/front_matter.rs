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

use calipers_report::Report;

use crate::sections;
use crate::text::{self, Charset};

/// Tasks of ours and what hubs call them. A task that is not here has no name there.
const PIPELINES: [(&str, &str); 22] = [
    ("audio-classification", "audio-classification"),
    ("audio-to-audio", "audio-to-audio"),
    ("depth-estimation", "depth-estimation"),
    ("fill-mask", "fill-mask"),
    ("image-classification", "image-classification"),
    ("image-embedding", "image-feature-extraction"),
    ("image-features", "image-feature-extraction"),
    ("image-segmentation", "image-segmentation"),
    ("image-text-similarity", "zero-shot-image-classification"),
    ("image-to-image", "image-to-image"),
    ("image-to-text", "image-to-text"),
    ("object-detection", "object-detection"),
    ("pose-estimation", "keypoint-detection"),
    ("question-answering", "question-answering"),
    ("speech-recognition", "automatic-speech-recognition"),
    ("super-resolution", "image-to-image"),
    ("tabular-classification", "tabular-classification"),
    ("tabular-regression", "tabular-regression"),
    ("text-classification", "text-classification"),
    ("text-embedding", "feature-extraction"),
    ("text-generation", "text-generation"),
    ("token-classification", "token-classification"),
];

/// The front matter, ending in a newline after its last line of dashes.
pub fn front_matter(report: &Report) -> String {
    let mut head = "---\nlibrary_name: onnx\n".to_owned();
    if let Some((_, pipeline)) = PIPELINES.iter().find(|(task, _)| *task == report.task.kind) {
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
    let word = |text: &Option<String>| text.as_deref().map(scalar);
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    fact("file_bytes", Some(report.model.bytes.to_string()));
    fact("precision", sections::precision(report).map(|text| scalar(&text)));
    fact("parameters", number(report.parameters.total));
    fact("parameter_bytes", number(report.parameters.bytes));
    let exact = !report.cost.lower_bound;
    fact("macs", number(report.cost.macs.filter(|_| exact)));
    fact("peak_activation_bytes", number(report.memory.peak_activation_bytes));
    fact("architecture", word(&report.architecture.kind));
    fact("family", word(&report.architecture.family));
    head.push_str("---\n");
    head
}

/// What a hub filters by; each once.
fn tags(report: &Report) -> Vec<String> {
    let mut tags = vec!["onnx".to_owned()];
    let architecture = &report.architecture;
    let quantized = Some(report.quantization.scheme.clone())
        .filter(|scheme| !matches!(scheme.as_str(), "" | "none"));
    let found = [&architecture.kind, &architecture.style, &architecture.family, &quantized];
    for tag in found.into_iter().flatten().map(|tag| text::name(tag, Charset::Unicode)) {
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
    fn the_table_is_sorted() {
        assert!(PIPELINES.is_sorted());
    }

    #[test]
    fn a_task_has_the_hub_s_name() {
        let mut report = Report::default();
        report.task.kind = "text-embedding".into();
        assert!(front_matter(&report).contains("\npipeline_tag: feature-extraction\n"));
        report.task.kind = "unknown".into();
        assert!(!front_matter(&report).contains("pipeline_tag"));
    }
}
