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

use calipers_report::{Confidence, Family, ModelKind, Report, Style};

use crate::text::{self, Charset};
use crate::{metadata, sections};

/// The front matter, ending in a newline after its last line of dashes.
pub fn front_matter(report: &Report) -> String {
    let mut head = "---\n".to_owned();
    if let Some(library) = report.model.format.hub_library() {
        let _ = writeln!(head, "library_name: {library}");
    }
    // A guess is not published as the task of the model.
    let is_sure = report.task.confidence > Confidence::Low;
    if let Some(pipeline) = report.task.kind.pipeline_tag().filter(|_| is_sure) {
        // Writing to a String does not fail.
        let _ = writeln!(head, "pipeline_tag: {pipeline}");
    }
    let _ = writeln!(head, "model_name: {}", scalar(&sections::model_name(report)));
    for line in licensing(report) {
        let _ = writeln!(head, "{line}");
    }
    if let Some(base) = metadata::base_model(report) {
        let _ = writeln!(head, "base_model: {}", scalar(base));
    }
    for (key, values) in [
        ("language", metadata::languages(report).into_iter().map(str::to_owned).collect()),
        ("tags", tags(report)),
    ] {
        if !values.is_empty() {
            let _ = writeln!(head, "{key}:");
        }
        for value in values {
            let _ = writeln!(head, "- {}", scalar(&value));
        }
    }
    head.push_str("---\n");
    head
}

/// The license, as hubs spell it; one that they do not know has a name of its own.
fn licensing(report: &Report) -> Vec<String> {
    match (metadata::license_id(report), metadata::license(report)) {
        (Some(id), _) => vec![format!("license: {id}")],
        (None, Some(text)) => {
            let name = text::truncate(&text::name(text, Charset::Unicode), 60, Charset::Unicode);
            vec!["license: other".to_owned(), format!("license_name: {}", scalar(&name))]
        }
        (None, None) => vec![],
    }
}

/// What a hub filters by; each once.
fn tags(report: &Report) -> Vec<String> {
    let mut tags = vec![report.model.format.id().to_owned()];
    let architecture = &report.architecture;
    let scheme = report.quantization.scheme;
    let scheme_id = scheme.id();
    let found = [
        architecture.kind.map(ModelKind::id),
        architecture.style.map(Style::id),
        architecture.family.map(Family::id),
        scheme.is_quantized().then_some(&*scheme_id),
    ];
    let found = found.into_iter().flatten().chain(metadata::tags(report));
    for tag in found.map(str::to_owned) {
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
        report.task.confidence = Confidence::High;
        assert!(front_matter(&report).contains("\npipeline_tag: feature-extraction\n"));
        // A guess is not a tag.
        report.task.confidence = Confidence::Low;
        assert!(!front_matter(&report).contains("pipeline_tag"));
        report.task.kind = TaskKind::Unknown;
        assert!(!front_matter(&report).contains("pipeline_tag"));
    }

    #[test]
    fn metadata_of_the_author_is_what_hubs_read() {
        let mut report = Report::default();
        report.model.file = "m.onnx".to_owned();
        for (key, value) in [
            ("license", "AGPL-3.0 License (https://ultralytics.com/license)"),
            ("base_model", "owner/base"),
            ("language", "en"),
            ("tags", "edge, a: b"),
        ] {
            report.model.metadata.insert(key.to_owned(), value.to_owned());
        }
        assert_eq!(
            front_matter(&report),
            "---\nlibrary_name: onnx\nmodel_name: m\nlicense: agpl-3.0\nbase_model: \"owner/base\"\n\
             language:\n- en\ntags:\n- onnx\n- edge\n- \"a: b\"\n---\n"
        );
        report.model.metadata.insert("license".to_owned(), "Ours\nx: y".to_owned());
        let own = front_matter(&report);
        assert!(own.contains("license: other\nlicense_name: \"Ours\\\\nx: y\"\n"), "{own}");
    }
}
