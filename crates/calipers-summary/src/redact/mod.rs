//! Takes the names of a model out of what is reported of it: `--redact-names`.
//!
//! Names of layers, tensors, dimensions, functions, scopes and files, foreign operators and what the
//! author wrote become words that stay the same through all outputs: `node-17`, `tensor-3`, `dim_1`,
//! `file`. Figures, families and standard operators stay. It is done once, on the report and on the
//! tables, so no rendering can forget it.
//!
//! A name inside one of our sentences is replaced too, quoted or not. Words that every model uses
//! (`input`, `batch`), names of digits alone and names of one or two letters stay inside sentences.

mod names;
mod view;

use std::collections::BTreeMap;

use calipers_ir::Model;
use calipers_report::{
    BlockKind, CompositeKind, DeviceClass, Evidence, KernelKind, LayerTable, ModelKind, Report,
    ShapeTable, SkipKind, SweepTable, TaskKind, ValueKind, ValueShape,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use self::names::Names;

/// What represents a text whose words cannot be determined apart.
const REDACTED: &str = "redacted";

/// Fields whose words are the program's own.
const OURS: &[&str] = &[
    "activation",
    "attention",
    "bottleneck",
    "checks",
    "computes_in",
    "computes_in_why",
    "confidence",
    "dtype",
    "family",
    "format",
    "found",
    "generator",
    "granularity",
    "id",
    "method",
    "norm_position",
    "precision",
    "precision_why",
    "recommendation",
    "schema_version",
    "scheme",
    "severity",
    "sha256",
    "source",
    "status",
    "style",
    "title",
    "version",
    "why",
    "words",
];

/// Objects whose keys are names of the model.
const NAMED_KEYS: &[&str] =
    &["bindings", "data_dependent", "dims", "inputs", "opsets", "subgraphs", "values"];

/// Whether a text is a value of one of the closed sets that the field can hold.
fn is_closed(field: &str, text: &str) -> bool {
    match field {
        "class" => text.parse::<DeviceClass>().is_ok(),
        "evidence" => text.parse::<Evidence>().is_ok(),
        "kind" => is_kind(text),
        _ => false,
    }
}

fn is_kind(text: &str) -> bool {
    text.parse::<ModelKind>().is_ok()
        || text.parse::<BlockKind>().is_ok()
        || text.parse::<CompositeKind>().is_ok()
        || text.parse::<TaskKind>().is_ok()
        || text.parse::<KernelKind>().is_ok()
        || text.parse::<SkipKind>().is_ok()
        || text.parse::<ValueKind>().is_ok()
}

/// What was redacted does not read back: better nothing than something with names or holes in it.
#[derive(Debug, thiserror::Error)]
#[error("names cannot be taken out of this output: {0}")]
pub struct NotRedacted(#[from] serde_json::Error);

/// Knows the names of one model, and replaces them.
pub struct Redactor(Names);

impl Redactor {
    /// A redactor of what is reported of this model.
    pub fn new(model: &Model) -> Self {
        Self(Names::new(model))
    }

    /// Replaces every name in a report; its summary is written again.
    pub fn report(&self, report: &mut Report) -> Result<(), NotRedacted> {
        let mut reported: Report = self.value(report)?;
        let metadata = &report.model.metadata;
        reported.model.metadata = (1..=metadata.len())
            .map(|number| (format!("metadata-{number}"), REDACTED.to_owned()))
            .collect::<BTreeMap<_, _>>();
        for text in [&mut reported.model.doc, &mut reported.model.domain] {
            if !text.is_empty() {
                *text = REDACTED.to_owned();
            }
        }
        for port in reported.graph.inputs.iter_mut().chain(&mut reported.graph.outputs) {
            if !port.doc.is_empty() {
                port.doc = REDACTED.to_owned();
            }
        }
        for finding in &mut reported.findings {
            let before = report.findings.iter().find(|other| other.id == finding.id);
            let nodes = before.map(|finding| finding.nodes.as_slice()).unwrap_or_default();
            finding.nodes = nodes.iter().map(|name| self.concerned(name)).collect();
        }
        if reported.summary.is_some() {
            reported.summary = Some(crate::summarize(&reported));
        }
        *report = reported;
        Ok(())
    }

    /// Replaces every name in a table of nodes.
    pub fn layers(&self, table: &mut LayerTable) -> Result<(), NotRedacted> {
        *table = self.value(table)?;
        for scope in &mut table.scopes {
            scope.class = None;
        }
        Ok(())
    }

    /// Replaces every name in a table of values.
    pub fn shapes(&self, table: &mut ShapeTable) -> Result<(), NotRedacted> {
        // Their order is that of execution, which a map would lose.
        let values = std::mem::take(&mut table.values);
        *table = self.value(table)?;
        let shape = |shape: &ValueShape| self.value(shape);
        let pairs = values.iter().map(|(name, value)| Ok((self.name(name), shape(value)?)));
        table.values = pairs.collect::<Result<_, NotRedacted>>()?;
        Ok(())
    }

    /// Replaces every name in a table of sizes.
    pub fn sweep(&self, table: &mut SweepTable) -> Result<(), NotRedacted> {
        *table = self.value(table)?;
        Ok(())
    }

    fn value<T: Serialize + DeserializeOwned>(&self, reported: &T) -> Result<T, NotRedacted> {
        let mut value = serde_json::to_value(reported)?;
        self.replace(&mut value, "");
        // Only words were changed, and none of those that represent a choice, so it reads back.
        Ok(serde_json::from_value(value)?)
    }

    fn replace(&self, value: &mut Value, field: &str) {
        match value {
            Value::String(text) if field == "scope" => *text = self.0.scope(text),
            Value::String(text) if is_standard(field, text) => {}
            Value::String(text) if is_closed(field, text) => {}
            // A block of one operator is called as the operator is.
            Value::String(text) if field == "kind" => {
                if let Some(word) = self.0.word(text).filter(|word| is_foreign(word)) {
                    *text = word.to_owned();
                }
            }
            Value::String(text) if !OURS.contains(&field) => *text = self.text(text),
            Value::Array(items) => {
                for item in items {
                    // The keys of an object in a list are fields, whatever the list is called.
                    let is_object = item.is_object() && !OURS.contains(&field);
                    self.replace(item, if is_object { "" } else { field });
                }
            }
            Value::Object(map) => self.object(map, field),
            _ => {}
        }
    }

    fn object(&self, map: &mut Map<String, Value>, field: &str) {
        if OURS.contains(&field) {
            return;
        }
        let named = NAMED_KEYS.contains(&field);
        let fields = std::mem::take(map);
        for (key, mut value) in fields {
            // A binding is a number or the word `symbolic`.
            if field != "bindings" {
                let is_graph = field == "subgraphs";
                self.replace(&mut value, if is_graph { "values" } else { &key });
            }
            map.insert(if named { self.text(&key) } else { key }, value);
        }
    }

    /// The word for what is a name, whole or inside a text.
    fn name(&self, name: &str) -> String {
        self.0.word(name).map_or_else(|| self.text(name), str::to_owned)
    }

    /// The word for something that a finding concerns.
    fn concerned(&self, name: &str) -> String {
        if let Some(word) = self.0.word(name) {
            return word.to_owned();
        }
        // A node without a name is known by its operator and its place.
        let unnamed = name.strip_suffix(')').and_then(|name| name.split_once(" (node "));
        match unnamed {
            Some((op, place)) if place.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("{} (node {place})", self.0.word(op).unwrap_or(op))
            }
            _ => REDACTED.to_owned(),
        }
    }

    /// A text with every name in it replaced.
    fn text(&self, text: &str) -> String {
        if let Some(word) = self.0.word(text) {
            return word.to_owned();
        }
        let mut clean = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = ' ';
        while let Some(first) = rest.chars().next() {
            if matches!(first, '"' | '`')
                && let Some((quoted, after)) = quotation(rest)
            {
                clean.push(first);
                clean.push_str(&self.quoted(&quoted));
                clean.push(first);
                (rest, before) = (after, first);
                continue;
            }
            let starts = !(before.is_alphanumeric() || before == '_');
            if let Some(name) = starts.then(|| self.0.at_start(rest)).flatten() {
                clean.push_str(self.0.word(name).unwrap_or(REDACTED));
                before = name.chars().next_back().unwrap_or(' ');
                rest = &rest[name.len()..];
                continue;
            }
            clean.push(first);
            before = first;
            rest = &rest[first.len_utf8()..];
        }
        clean
    }

    /// What is in quotes is a name, cut short perhaps, or a number.
    fn quoted(&self, name: &str) -> String {
        match self.0.word(name) {
            Some(word) => word.to_owned(),
            None if name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                name.to_owned()
            }
            None if calipers_ops::find(calipers_ops::ONNX, name).is_some() => name.to_owned(),
            None => REDACTED.to_owned(),
        }
    }
}

/// Whether it is an operator or a domain that everybody knows.
fn is_standard(field: &str, text: &str) -> bool {
    match field {
        "op" => crate::is_known_operator(text),
        "domain" => calipers_ops::is_known_domain(text),
        _ => false,
    }
}

/// Whether a word represents an operator that only this model has.
fn is_foreign(word: &str) -> bool {
    word.starts_with("operator-") || word.starts_with("function-")
}

/// What is in quotes at the start of a text, escapes undone, and what follows.
fn quotation(text: &str) -> Option<(String, &str)> {
    let mut letters = text.char_indices();
    let (_, quote) = letters.next()?;
    let mut inside = String::new();
    while let Some((at, c)) = letters.next() {
        match c {
            c if c == quote => return Some((inside, &text[at + c.len_utf8()..])),
            '\\' if quote == '"' => match letters.next()?.1 {
                'n' => inside.push('\n'),
                't' => inside.push('\t'),
                'r' => inside.push('\r'),
                '0' => inside.push('\0'),
                'u' => {
                    let digits: String = letters
                        .by_ref()
                        .map(|(_, c)| c)
                        .skip(1)
                        .take_while(|c| *c != '}')
                        .collect();
                    inside.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                other => inside.push(other),
            },
            c => inside.push(c),
        }
    }
    None
}
