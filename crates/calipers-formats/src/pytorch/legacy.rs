//! Pickles that are files of their own: those of `torch.save` before version 1.6, whose storages
//! follow the pickles, and any other.

use std::collections::HashMap;

use calipers_ir::{DType, Format, Model, Source, Span};

use super::flatten::{Contents, flatten};
use super::hazards::Hazards;
use super::rebuilt::Pickled;
use super::state;
use super::store::Places;
use crate::Error;
use crate::input::Input;
use crate::pickle::{Outcome, Value, Values, run};

/// The number that the first pickle of such a file is, as the bytes of its operation.
const MAGIC: &[u8] = &[0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];

/// Bytes at the start that the number is among, with the frame of later protocols.
const MAGIC_WITHIN: u64 = 32;

/// Reads a pickle.
pub(super) fn read(input: Input) -> Result<Model, Error> {
    let source = input.source.clone();
    let whole = Span { start: 0, end: source.size() };
    let start = Span { start: 0, end: whole.end.min(MAGIC_WITHIN) };
    let start = source.slice(start).unwrap_or_default();
    let has_magic = start.windows(MAGIC.len()).any(|window| window == MAGIC);
    let mut hazards = Hazards::default();
    let builder = state::builder(input, Format::PyTorch);
    if has_magic {
        let (contents, places) = saved(&source, whole, &mut hazards);
        return state::finish(builder, &contents, &places, hazards);
    }
    let outcome = run(&source, whole);
    hazards.add(&source, &outcome);
    if outcome.problem.is_none() {
        hazards.check_after(&source, Span { start: outcome.end, end: whole.end });
    }
    let contents = contents(&outcome);
    let nothing = contents.tensors.is_empty() && outcome.imports.is_empty();
    if nothing && let Some(problem) = &outcome.problem {
        return Err(Error::damaged(outcome.end, "the pickle", problem));
    }
    let places = Places { is_plain: true, ..Places::default() };
    state::finish(builder, &contents, &places, hazards)
}

fn contents(outcome: &Outcome<'_>) -> Contents {
    outcome.top.map(|top| flatten(Pickled::new(outcome), top)).unwrap_or_default()
}

/// What `torch.save` wrote: a number, a version, facts of the system, the object, the keys of the
/// storages, and the storages.
fn saved(source: &Source, whole: Span, hazards: &mut Hazards) -> (Contents, Places) {
    let mut left = whole;
    let mut next = |hazards: &mut Hazards| {
        let outcome = run(source, left);
        hazards.add(source, &outcome);
        left.start = outcome.end;
        outcome
    };
    let mut places = Places { is_plain: true, ..Places::default() };
    for part in 0..3 {
        let outcome = next(hazards);
        if outcome.problem.is_some() {
            return (Contents::default(), places);
        }
        let little = outcome.top.and_then(|top| outcome.values.item(top, "little_endian"));
        if part == 2
            && let Some(little) = little
        {
            places.is_big_endian = outcome.values.get(little) == &Value::Bool(false);
        }
    }
    let object = next(hazards);
    let contents = contents(&object);
    if object.problem.is_some() {
        return (contents, places);
    }
    let keys = next(hazards);
    if keys.problem.is_none() {
        let at = Span { start: keys.end, end: whole.end };
        places.storages = storages(source, at, &object, &keys);
    }
    (contents, places)
}

/// Where the storages are: in the order of their keys, each after the number of its elements.
fn storages(
    source: &Source,
    at: Span,
    object: &Outcome<'_>,
    keys: &Outcome<'_>,
) -> HashMap<String, Option<Span>> {
    let types = storage_types(object);
    let mut places = HashMap::new();
    let mut start = at.start;
    let listed = keys.top.and_then(|top| keys.values.elements(top)).unwrap_or_default();
    for key in listed {
        let key = match keys.values.get(*key) {
            Value::Int(number) => number.to_string(),
            _ => keys.values.text(*key).unwrap_or_default().to_owned(),
        };
        let next = || {
            let count = source.slice(Span { start, end: start.checked_add(8)? })?;
            let count = u64::from_le_bytes(*count.first_chunk()?);
            let bytes = types.get(&key)?.bytes(count)?;
            let start = start + 8;
            Some(Span { start, end: start.checked_add(bytes)? })
        };
        // Where one does not end inside the file, nothing is known of those after it.
        let Some(span) = next().filter(|span| span.end <= at.end) else { break };
        start = span.end;
        places.insert(key, Some(span));
    }
    places
}

/// The types of elements of all storages that a pickle names.
fn storage_types(object: &Outcome<'_>) -> HashMap<String, DType> {
    let pickled = Pickled::new(object);
    let ids = (0..object.values.len()).filter_map(Values::id);
    let storages = ids.filter_map(|id| pickled.storage(id));
    storages.map(|storage| (storage.key, storage.dtype)).collect()
}
