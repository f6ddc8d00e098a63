//! Labels of classes: from a file, the metadata, or a configuration next to the model.

use std::path::Path;

use calipers_formats::wire::{Message, Payload};
use serde_json::Value;

use super::{Subject, read_file};
use crate::Error;

/// Bytes of a labels file at most.
const MOST_BYTES: u64 = 10_000_000;

/// Files next to a model that may have labels.
const CONFIGURATIONS: [&str; 4] =
    ["config.json", "config.min.json", "preprocessor_config.json", "labels.json"];

/// Labels of classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Labels {
    all: Vec<String>,
    /// Where they are from; `None` where there are none.
    pub(super) source: Option<String>,
    /// Whether the user named the file.
    is_named: bool,
}

impl Labels {
    /// The labels of a named file, a line each or JSON, else of the metadata, else of a
    /// configuration in the model's folder.
    pub(super) fn find(subject: &Subject<'_>) -> Result<Self, Error> {
        if let Some(path) = subject.labels {
            let failed = |why: String| {
                Error::Request(format!("cannot read the labels {}: {why}", path.display()))
            };
            let bytes = read_file(path, MOST_BYTES).map_err(failed)?;
            let text = String::from_utf8(bytes)
                .map_err(|_| failed("it is not a text: write one label per line".to_owned()))?;
            let all = match serde_json::from_str(&text) {
                Ok(value) => in_json(&value).unwrap_or_default(),
                Err(_) => text.lines().map(str::to_owned).collect(),
            };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return match all.is_empty() {
                true => Err(failed("it has no labels: write one per line".to_owned())),
                false => Ok(Self { all, source: Some(name), is_named: true }),
            };
        }
        let metadata = &subject.model.header.metadata;
        let known = ["names", "id2label", "labels", "classes", "character", "dictionary"];
        for key in known {
            let Some((_, text)) = metadata.iter().find(|(name, _)| name == key) else { continue };
            // The report keeps the start of a long text; the file has all of it.
            let whole = whole_metadata(subject.model.source.whole().unwrap_or_default(), key);
            let text = whole.as_deref().unwrap_or(text);
            let all = parse(text);
            // One line is a description or a number of classes.
            if all.len() > 1 || text.trim_start().starts_with(['{', '[']) && !all.is_empty() {
                let source = Some(format!("metadata `{key}`"));
                return Ok(Self { all, source, is_named: false });
            }
        }
        Ok(Self::beside(subject.path).unwrap_or_default())
    }

    /// Labels in a configuration in the model's folder.
    fn beside(model: &Path) -> Option<Self> {
        let files = crate::apply::beside(model, &CONFIGURATIONS);
        files.into_iter().find_map(|path| {
            // A file that cannot be read has no labels; nobody asked for it.
            let value = serde_json::from_slice(&read_file(&path, MOST_BYTES).ok()?).ok()?;
            let all = in_json(&value)?;
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some(Self { all, source: Some(name), is_named: false })
        })
    }

    /// Labels that a test has.
    #[cfg(test)]
    pub(super) fn list(all: &[&str]) -> Self {
        let all = all.iter().map(|label| (*label).to_owned()).collect();
        Self { all, ..Self::default() }
    }

    /// The number of labels.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Refuses a named file that has not one label per class.
    pub(super) fn check(&self, classes: usize) -> Result<(), Error> {
        let source = self.source.as_deref().unwrap_or_default();
        match self.is_named && self.len() != classes {
            true => Err(Error::Request(format!(
                "{source} has {} labels, the model has {classes} classes: write one line per class",
                self.len()
            ))),
            false => Ok(()),
        }
    }

    /// The label of a class; none where there are not as many labels as classes.
    pub(super) fn label(&self, class: usize, classes: usize) -> Option<String> {
        (self.len() == classes).then(|| self.all.get(class).cloned()).flatten()
    }

    /// The label at a place, for characters.
    pub(super) fn get(&self, place: usize) -> Option<&str> {
        self.all.get(place).map(String::as_str)
    }
}

/// The value of a key in the metadata of an ONNX file.
fn whole_metadata(model: &[u8], key: &str) -> Option<String> {
    // ModelProto: an entry of the metadata is field 14. StringStringEntryProto: the key is field 1,
    // the value field 2.
    let entries = parts(model).filter(|(number, _)| *number == 14);
    entries.into_iter().find_map(|(_, entry)| {
        let part = |wanted| Some(parts(entry).find(|(number, _)| *number == wanted)?.1);
        let value = part(1).filter(|found| *found == key.as_bytes()).and_then(|_| part(2))?;
        (value.len() as u64 <= MOST_BYTES).then(|| String::from_utf8_lossy(value).into_owned())
    })
}

/// The fields of a protobuf message that are texts or messages; it ends where the bytes are not one.
fn parts(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let fields: Vec<_> = Message::new(bytes, 0).fields().map_while(Result::ok).collect();
    fields.into_iter().filter_map(|field| match field.payload {
        Payload::Bytes(part) => Some((field.number, part.bytes().ok()?)),
        _ => None,
    })
}

/// Labels in a JSON document: a list of texts, a dictionary of numbers and texts, or either under a
/// key that has `label`, `classes` or `names` in it.
fn in_json(value: &Value) -> Option<Vec<String>> {
    let texts = |values: &mut dyn Iterator<Item = &Value>| -> Option<Vec<String>> {
        values.map(|value| value.as_str().map(str::to_owned)).collect()
    };
    match value {
        Value::Array(all) if !all.is_empty() => texts(&mut all.iter()),
        Value::Object(all) if !all.is_empty() => {
            let numbered: Option<Vec<(usize, &Value)>> =
                all.iter().map(|(key, value)| Some((key.parse().ok()?, value))).collect();
            if let Some(mut numbered) = numbered {
                numbered.sort_by_key(|(number, _)| *number);
                let is_counted = numbered.iter().enumerate().all(|(place, (key, _))| place == *key);
                let mut values = numbered.iter().map(|(_, value)| *value);
                return is_counted.then(|| texts(&mut values)).flatten();
            }
            let is_key =
                |key: &str| ["label", "classes", "names"].iter().any(|it| key.contains(it));
            // `id2label` before anything else: `label2id` is the same the other way round.
            let first = all.get("id2label").and_then(in_json);
            first.or_else(|| {
                all.iter().filter(|(key, _)| is_key(key)).find_map(|(_, value)| match value {
                    Value::Array(_) => in_json(value),
                    _ => None,
                })
            })
        }
        _ => None,
    }
}

/// Labels in metadata: a dictionary or a list as Python or JSON writes it, or a line each.
fn parse(text: &str) -> Vec<String> {
    /// Classes at most: a key of a dictionary may be any number.
    const MOST: usize = 1_000_000;
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return text.lines().map(str::to_owned).collect();
    }
    let mut labels: Vec<String> = Vec::new();
    let mut rest = &text[1..];
    while let Some(start) = rest.find(['\'', '"']) {
        let quote = &rest[start..=start];
        let Some((inside, after)) = rest[start + 1..].split_once(quote) else { break };
        // A quoted number before a colon is the key of what follows.
        let key = match after.trim_start().strip_prefix(':') {
            Some(_) => {
                rest = &rest[start + 1..];
                let Some((_, value)) = after.split_once(['\'', '"']) else { break };
                let Some((label, left)) = value.split_once(['\'', '"']) else { break };
                rest = if left.len() < rest.len() { left } else { rest };
                (inside.trim().parse().ok(), label)
            }
            None => {
                // A bare number and a colon before the text, where this is a dictionary.
                let before = rest[..start].trim().trim_end_matches(':').trim_end();
                let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next();
                rest = after;
                (digits.and_then(|digits| digits.parse().ok()), inside)
            }
        };
        let (place, label) = (key.0.unwrap_or(labels.len()), key.1);
        if place >= MOST {
            break;
        }
        if labels.len() <= place {
            labels.resize(place + 1, String::new());
        }
        label.clone_into(&mut labels[place]);
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_exporters_write_them() {
        assert_eq!(parse("{0: 'person', 1: \"dog's\"}"), ["person", "dog's"]);
        assert_eq!(parse(r#"{"0": "cat", "1": "dog"}"#), ["cat", "dog"]);
        assert_eq!(parse(r#"{"1": "dog", "0": "cat"}"#), ["cat", "dog"]);
        assert_eq!(parse("{2: 'c', 0: 'a'}"), ["a", "", "c"]);
        assert!(parse("{99999999999: 'far'}").is_empty());
        assert_eq!(parse("['a', 'b']"), ["a", "b"]);
        assert_eq!(parse("a\nb\n"), ["a", "b"]);
        assert!(parse("{0: 'unclosed").is_empty());
    }

    #[test]
    fn metadata_is_read_from_the_file() {
        // An integer field, then two entries: `a` is `x`, `b` is `yz`.
        let file = b"\x08\x07\x72\x06\x0a\x01a\x12\x01x\x72\x07\x0a\x01b\x12\x02yz";
        assert_eq!(whole_metadata(file, "b").as_deref(), Some("yz"));
        assert_eq!(whole_metadata(file, "c"), None);
        for length in 0..file.len() {
            whole_metadata(&file[..length], "b");
        }
    }

    #[test]
    fn labels_are_found_in_json() {
        let labels = |text: &str| in_json(&serde_json::from_str(text).unwrap());
        let both = Some(vec!["cat".to_owned(), "dog".to_owned()]);
        assert_eq!(labels(r#"["cat", "dog"]"#), both);
        assert_eq!(
            labels(r#"{"label2id": {"dog": 1}, "id2label": {"1": "dog", "0": "cat"}}"#),
            both
        );
        assert_eq!(labels(r#"{"size": 4, "target_labels_space": ["cat", "dog"]}"#), both);
        assert_eq!(labels(r#"{"0": "cat", "7": "dog"}"#), None);
        assert_eq!(labels("[1, 2]"), None);
    }

    #[test]
    fn labels_of_another_number_of_classes_are_not_used() {
        let all = vec!["cat".to_owned(), "dog".to_owned()];
        let labels = Labels { all, source: Some("l.txt".to_owned()), is_named: true };
        assert_eq!((labels.label(1, 2).as_deref(), labels.label(1, 3)), (Some("dog"), None));
        let error = labels.check(3).unwrap_err().to_string();
        assert_eq!(error, "l.txt has 2 labels, the model has 3 classes: write one line per class");
    }
}
