//! Pickles, read without running them.
//!
//! A pickle is a program for a stack machine: it imports functions and classes and calls them.
//! Here its operations are followed step by step, and what it would import or call becomes a
//! [`Value`] that says so. Nothing is imported and nothing is called. Steps, objects, the stack and
//! the memo have limits, and values refer to each other by index, so that no pickle can take more
//! memory than its size allows or nest deeper than the stack of this program.

mod cursor;
mod imports;
mod known;
mod machine;
mod nested;
mod op;
mod value;

pub(crate) use cursor::Cursor;
pub(crate) use imports::{Judgment, judge};
pub(crate) use machine::{Import, Outcome, run};
pub(crate) use nested::nested_imports;
pub(crate) use op::{Op, Payload};
pub(crate) use value::{Id, Object, Value, Values};

/// Whether bytes may be the start of a pickle: of protocol 2 and above by their mark, of those
/// before by a few operations that are all known.
pub(crate) fn may_start(bytes: &[u8]) -> bool {
    match bytes {
        [0x80, protocol, ..] => (2..=5).contains(protocol),
        _ => is_old(bytes),
    }
}

/// Whether bytes read as a pickle of protocol 0 or 1: every operation known, down to the end, or to
/// the end of what there is to look at.
fn is_old(bytes: &[u8]) -> bool {
    /// Operations that a text is not likely to have in a row.
    const ENOUGH: usize = 16;
    let source = calipers_ir::Source::new(bytes.to_vec());
    let mut cursor = Cursor::new(&source, calipers_ir::Span { start: 0, end: source.size() });
    for steps in 0..ENOUGH {
        match Op::read(&mut cursor) {
            Ok(Op::Stop) => return steps > 0,
            Ok(_) => {}
            Err(problem) => return problem.is_end && steps > 2,
        }
    }
    true
}
