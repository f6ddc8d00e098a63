//! `torch.export`: an archive with the graph as JSON, and tensors as records or as a checkpoint.
//!
//! The archive has `models/NAME.json` with the tensors in `data/weights` and `data/constants`; before
//! version 2.8 of PyTorch it had `serialized_exported_program.json` with two checkpoints next to it.

mod graph;
mod map;
mod schema;
mod symbols;
mod weights;

use std::borrow::Cow;

use calipers_ir::{Format, GraphOrigin, Model};

use super::archive::{Record, Records};
use super::hazards::Hazards;
use super::state;
use crate::Error;
use crate::input::Input;
use schema::Program;
use weights::Weights;

/// The program in archives of the first layout.
const FIRST: &str = "serialized_exported_program.json";

/// Largest program that is read: those of large networks have some megabytes.
const MAX_PROGRAM: u64 = 1 << 25;

/// The name of the program in an archive; `None` where it has none.
pub(super) fn program_of(records: &Records) -> Option<String> {
    let is_program = |name: &&str| {
        let inside = name.strip_prefix("models/").and_then(|name| name.strip_suffix(".json"));
        inside.is_some_and(|stem| !stem.is_empty() && !stem.contains('/'))
    };
    // Of several programs, the one called `model` is what is loaded by default.
    let named = ["models/model.json", FIRST].into_iter().find(|name| records.has(name));
    named.or_else(|| records.inside().filter(is_program).min()).map(str::to_owned)
}

/// Reads an archive of `torch.export`.
pub(super) fn read(input: Input, mut records: Records, name: &str) -> Result<Model, Error> {
    let record = records.read(name)?.ok_or_else(|| damaged(name, "it is missing"))?;
    let program = parse(&record, name)?;
    let mut hazards = Hazards::default();
    let stem = name.trim_start_matches("models/").trim_end_matches(".json");
    let weights = Weights::read(&mut records, if name == FIRST { None } else { Some(stem) })?;
    records.check_others(&[], &mut hazards);
    let mut builder = state::builder(input, Format::TorchExport);
    builder.header.graph_origin = GraphOrigin::Stored;
    builder.header.producer_name = "PyTorch".to_owned();
    builder.header.producer_version = program.torch_version.clone().unwrap_or_default();
    let metadata = &mut builder.header.metadata;
    if let Some(version) = &program.schema_version {
        let version = format!("{}.{}", version.major, version.minor);
        metadata.push(("schema version".to_owned(), version));
    }
    let mut ranges: Vec<_> = program.range_constraints.iter().collect();
    ranges.sort_unstable_by_key(|(symbol, _)| symbol.as_str());
    for (symbol, range) in ranges {
        let bound = |bound: Option<i64>| bound.map_or("…".to_owned(), |it| it.to_string());
        let range = format!("{} to {}", bound(range.min_val), bound(range.max_val));
        metadata.push((format!("range of {symbol}"), range));
    }
    for other in records.inside().filter_map(|other| other.strip_prefix("models/")) {
        if name.strip_prefix("models/").is_some_and(|name| name != other) {
            metadata.push(("another program".to_owned(), other.to_owned()));
        }
    }
    graph::build(&mut builder, &program.graph_module, &weights, &mut hazards)?;
    builder.hazards = hazards.found;
    Ok(builder.finish()?)
}

fn parse(record: &Record, name: &str) -> Result<Program, Error> {
    if record.span.len() > MAX_PROGRAM {
        return Err(damaged(name, "it is larger than any program that is read"));
    }
    let bytes = record.bytes().ok_or_else(|| damaged(name, "its bytes are missing"))?;
    let first = serde_json::from_slice(&bytes);
    let parsed = first.or_else(|error| match with_quoted_numbers(&bytes) {
        Cow::Owned(quoted) => serde_json::from_slice(&quoted),
        Cow::Borrowed(_) => Err(error),
    });
    parsed.map_err(|error| Error::damaged(record.span.start, name, &error.to_string()))
}

/// The JSON with quotes around the numbers that JSON has no notation for, which Python writes all
/// the same.
fn with_quoted_numbers(bytes: &[u8]) -> Cow<'_, [u8]> {
    const NUMBERS: &[&[u8]] = &[b"-Infinity", b"Infinity", b"NaN"];
    let mut quoted = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    let mut is_text = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if is_text => at += 1,
            b'"' => is_text = !is_text,
            b'-' | b'I' | b'N' if !is_text => {
                let rest = bytes.get(at..).unwrap_or_default();
                if let Some(number) = NUMBERS.iter().find(|number| rest.starts_with(number)) {
                    quoted.extend_from_slice(bytes.get(copied..at).unwrap_or_default());
                    quoted.push(b'"');
                    quoted.extend_from_slice(number);
                    quoted.push(b'"');
                    at += number.len();
                    copied = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(bytes);
    }
    quoted.extend_from_slice(bytes.get(copied..).unwrap_or_default());
    Cow::Owned(quoted)
}

fn damaged(name: &str, problem: &str) -> Error {
    Error::damaged(0, name, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_lacks_are_quoted() {
        let text = br#"{"a": -Infinity, "NaN \" NaN": [NaN, 1, -2], "b": Infinity}"#;
        let quoted = br#"{"a": "-Infinity", "NaN \" NaN": ["NaN", 1, -2], "b": "Infinity"}"#;
        assert_eq!(with_quoted_numbers(text), Cow::<[u8]>::Borrowed(quoted));
        assert!(matches!(with_quoted_numbers(br#"{"a": [-1, 2]}"#), Cow::Borrowed(_)));
    }
}
