//! Pickles inside pickles: bytes and texts that a pickle could pass on to be loaded.

use calipers_ir::{Source, Span};

use super::machine::{Import, Outcome, run_within};
use super::value::{Text, Value};
use super::{Judgment, judge};

/// How deep pickles are looked for in each other.
const MAX_DEPTH: usize = 3;

/// Longest text that is turned into bytes to look into.
const MAX_TEXT: u64 = 1 << 20;

/// Bytes that are looked into altogether.
const BUDGET: u64 = 1 << 24;

/// Values of each of them.
const MAX_VALUES: usize = 1 << 17;

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
        let made;
        let (source, span) = match candidate(source, value) {
            None => continue,
            Some(Candidate::Segment(span)) => (source, span),
            Some(Candidate::Made(bytes)) => {
                made = Source::new(bytes);
                (&made, Span { start: 0, end: made.size() })
            }
        };
        let end = span.end.min(span.start.saturating_add(*budget));
        let result = run_within(source, Span { start: span.start, end }, MAX_VALUES);
        // Other data can begin as a pickle does; it does not end as one.
        let is_one = result.problem.is_none();
        let is_sure = |import: &&Import| {
            is_one || !import.is_computed && judge(import) == Judgment::Dangerous
        };
        found.extend(result.imports.iter().filter(is_sure).cloned());
        // Whatever it is, a look at it costs something.
        let looked = result.end.saturating_sub(span.start).max(1 << 10);
        match budget.checked_sub(looked) {
            Some(left) => *budget = left,
            None => return,
        }
        search(source, &result, depth - 1, budget, found);
    }
}

/// Where a pickle may be.
enum Candidate {
    /// In the source.
    Segment(Span),
    /// In a text, whose characters are its bytes.
    Made(Vec<u8>),
}

/// A value that begins as a pickle does.
fn candidate(source: &Source, value: &Value<'_>) -> Option<Candidate> {
    let span = match value {
        Value::Bytes(span) | Value::Text(Text::Long(span)) => *span,
        Value::Text(Text::Short(text)) => return from_text(text).map(Candidate::Made),
        _ => return None,
    };
    let start = Span { start: span.start, end: span.start.checked_add(4)? };
    let start = source.slice(start).filter(|_| span.len() >= 4)?;
    match value {
        // A character for a byte of eight bits takes two bytes in UTF-8.
        Value::Text(_) if start.starts_with(&[0xc2, 0x80]) && span.len() <= MAX_TEXT => {
            from_text(std::str::from_utf8(source.slice(span)?).ok()?).map(Candidate::Made)
        }
        Value::Bytes(_) if is_start(start) => Some(Candidate::Segment(span)),
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
