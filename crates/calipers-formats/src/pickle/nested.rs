//! Pickles inside pickles: bytes and texts that a pickle could pass on to be loaded.

use calipers_ir::{Source, Span};

use super::machine::{Import, Outcome, run};
use super::value::{Text, Value};
use super::{Judgment, judge};

/// How deep pickles are looked for in each other.
const MAX_DEPTH: usize = 3;

/// Largest one that is looked into.
const MAX_BYTES: u64 = 1 << 22;

/// How much is looked into altogether, in bytes.
const BUDGET: u64 = 1 << 24;

/// What pickles in the values of a pickle import.
pub(crate) fn nested_imports(source: &Source, outcome: &Outcome<'_>) -> Vec<Import> {
    let mut found = Vec::new();
    let mut budget = BUDGET;
    search(source, outcome, MAX_DEPTH, &mut budget, &mut found);
    found
}

fn search(
    source: &Source,
    outcome: &Outcome<'_>,
    depth: usize,
    budget: &mut u64,
    found: &mut Vec<Import>,
) {
    if depth == 0 {
        return;
    }
    for value in outcome.values.all() {
        let Some(bytes) = candidate(source, value) else { continue };
        let Some(left) = budget.checked_sub(bytes.len() as u64) else { return };
        *budget = left;
        let inner = Source::new(bytes);
        let result = run(&inner, Span { start: 0, end: inner.size() });
        // Other data can begin as a pickle does; it does not end as one.
        let is_one = result.problem.is_none();
        let is_sure = |import: &&Import| {
            is_one || !import.is_computed && judge(import) == Judgment::Dangerous
        };
        found.extend(result.imports.iter().filter(is_sure).cloned());
        search(&inner, &result, depth - 1, budget, found);
    }
}

/// The bytes of a value that begins as a pickle does.
fn candidate(source: &Source, value: &Value<'_>) -> Option<Vec<u8>> {
    let span = match value {
        Value::Bytes(span) | Value::Text(Text::Long(span)) => *span,
        Value::Text(Text::Short(text)) => return from_text(text),
        _ => return None,
    };
    if span.len() > MAX_BYTES || span.len() < 4 {
        return None;
    }
    let start = source.slice(Span { start: span.start, end: span.start + 4 })?;
    match value {
        // Eight bits of a byte as a character take two bytes in UTF-8.
        Value::Text(_) if start.starts_with(&[0xc2, 0x80]) => {
            from_text(std::str::from_utf8(source.slice(span)?).ok()?)
        }
        Value::Bytes(_) if is_start(start) => Some(source.slice(span)?.to_vec()),
        _ => None,
    }
}

/// Bytes that are written as a text, a character each.
fn from_text(text: &str) -> Option<Vec<u8>> {
    let mut start = [0; 2];
    for (byte, character) in start.iter_mut().zip(text.chars()) {
        *byte = u8::try_from(u32::from(character)).ok()?;
    }
    if text.len() < 4 || !is_start(&start) {
        return None;
    }
    text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
}

/// Whether bytes begin as a pickle with a protocol does, or as an import or a call of protocol 0.
fn is_start(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 0..=5, ..] | [b'c' | b'(', b'a'..=b'z' | b'_' | b'(' | b'S', ..])
}
