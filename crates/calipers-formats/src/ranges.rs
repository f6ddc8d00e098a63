//! Files that are read in ranges: remote ones, and files that a browser holds.
//!
//! A reader asks for windows: a few bytes for the next field, or a payload. [`RangedBytes`] answers from the
//! ranges that it has and fetches others, few and large ones:
//!
//! - Reading on from where a range ends fetches the next one, twice as long each time.
//! - A gap that takes less time to read than a request does is read through, so the small tensors that inference
//!   looks at are at hand when it does.
//! - Behind a large tensor only the next header is fetched. Layers repeat, so the distances between large
//!   tensors do too: the headers that follow are fetched along with it where earlier distances predict them.

mod jumps;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use calipers_ir::{Bytes, Span};
use elsa::sync::FrozenVec;
use jumps::Jumps;

/// A file that can be read in ranges.
pub trait Ranges: Send + Sync {
    /// Bytes of the file.
    fn size(&self) -> u64;

    /// Reads these ranges, at the same time where that is faster. Each is inside the file.
    ///
    /// # Errors
    ///
    /// Why one of them cannot be read, for people.
    fn read(&self, spans: &[Span]) -> Result<Vec<Vec<u8>>, String>;
}

/// Bytes in memory, to read as a file of a server is read.
impl Ranges for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, spans: &[Span]) -> Result<Vec<Vec<u8>>, String> {
        let place = |offset: u64| usize::try_from(offset).ok();
        let part = |span: &Span| self.get(place(span.start)?..place(span.end)?).map(<[u8]>::to_vec);
        let parts: Option<_> = spans.iter().map(part).collect();
        parts.ok_or_else(|| "the range ends behind the file".to_owned())
    }
}

/// Bytes of the first range of a file: many models are not larger.
pub const FIRST: u64 = 256 << 10;

/// The longest range that is fetched ahead of a reader.
const LONGEST: u64 = 4 << 20;

/// What is fetched behind a large payload: the header of the next tensor, and a few small ones.
const HEADER: u64 = 16 << 10;

/// The shortest gap that is jumped over. Reading it takes 10 ms at 100 Mbit/s, less than most requests.
const GAP: u64 = 128 << 10;

/// Bytes before a predicted position that are fetched too: names of later layers are longer or shorter by a digit.
const SLACK: u64 = 1 << 10;

/// Bytes that are held at most. A graph without its large tensors is smaller.
const MAX_HELD: u64 = 1 << 30;

/// A file whose ranges are held once they were asked for. They stay until it is dropped, since readers borrow
/// them.
pub struct RangedBytes {
    ranges: Box<dyn Ranges>,
    extents: FrozenVec<Box<[u8]>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// First byte of each range, its length and its place in the list.
    index: BTreeMap<u64, (u64, usize)>,
    /// Bytes of all ranges.
    held: u64,
    /// Where the last range that was read on demand ends.
    end: u64,
    /// Bytes to fetch when it is read on.
    ahead: u64,
    /// Where the last window began.
    last: u64,
    jumps: Jumps,
    failure: Option<String>,
}

impl RangedBytes {
    /// Reads ranges of a file as they are needed.
    pub fn new(ranges: impl Ranges + 'static) -> Self {
        Self {
            ranges: Box::new(ranges),
            extents: FrozenVec::new(),
            state: Mutex::new(State { ahead: FIRST, ..State::default() }),
        }
    }

    /// Like [`RangedBytes::new`], for a file whose first bytes are known.
    pub fn with_start(ranges: impl Ranges + 'static, start: Vec<u8>) -> Self {
        let ranged = Self::new(ranges);
        {
            let mut state = ranged.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.end = start.len() as u64;
            ranged.insert(&mut state, 0, start);
        }
        ranged
    }

    /// What is held from `start` on; empty where nothing is.
    fn at_hand(&self, state: &State, start: u64) -> &[u8] {
        // Ranges may overlap; the one that begins last need not be the one that ends last.
        let before = state.index.range(..=start).rev().take(4);
        let longest = before
            .filter(|(first, (length, _))| start - **first < *length)
            .max_by_key(|(first, (length, _))| *first + length);
        let Some((first, (_, place))) = longest else { return &[] };
        let skipped = usize::try_from(start - first).unwrap_or(usize::MAX);
        self.extents.get(*place).and_then(|extent| extent.get(skipped..)).unwrap_or_default()
    }

    fn insert(&self, state: &mut State, start: u64, bytes: Vec<u8>) {
        let length = bytes.len() as u64;
        // A range that begins where another does replaces it only if it is longer.
        if length == 0 || state.index.get(&start).is_some_and(|(known, _)| *known >= length) {
            return;
        }
        let place = self.extents.push_get_index(bytes.into_boxed_slice());
        state.held += length;
        state.index.insert(start, (length, place));
    }

    /// Fetches at least `least` bytes from `start` on.
    fn fetch(&self, state: &mut State, start: u64, least: u64) -> Result<(), String> {
        let size = self.ranges.size();
        let held = self.at_hand(state, start).to_vec();
        let from = start + held.len() as u64;
        let is_next = from <= state.end.saturating_add(GAP) && state.end <= from + GAP;
        state.ahead = match is_next {
            true => (state.ahead * 2).min(LONGEST),
            false => HEADER,
        };
        if state.index.is_empty() {
            state.ahead = FIRST;
        }
        let end = (start + least).max(from.saturating_add(state.ahead)).min(size);
        let mut spans = vec![Span { start: from, end }];
        if !is_next {
            let predicted = state.jumps.predict(start);
            spans.extend(predicted.into_iter().filter_map(|at| {
                let span = Span { start: at.saturating_sub(SLACK), end: (at + HEADER).min(size) };
                let is_held =
                    self.at_hand(state, at).len() as u64 >= HEADER.min(size - at.min(size));
                (span.start < span.end && !is_held).then_some(span)
            }));
        }
        let wanted: u64 = spans.iter().map(|span| span.len()).sum();
        if state.held.saturating_add(wanted) > MAX_HELD {
            return Err(format!(
                "the graph is larger than {} MB without its large tensors",
                MAX_HELD / 1_000_000
            ));
        }
        let mut fetched = self.ranges.read(&spans)?.into_iter();
        if let Some(bytes) = fetched.next() {
            let whole = match held.is_empty() {
                true => bytes,
                false => [held, bytes].concat(),
            };
            self.insert(state, start, whole);
        }
        for (span, bytes) in spans[1..].iter().zip(fetched) {
            self.insert(state, span.start, bytes);
        }
        state.end = end;
        Ok(())
    }
}

impl Bytes for RangedBytes {
    fn size(&self) -> u64 {
        self.ranges.size()
    }

    fn whole(&self) -> Option<&[u8]> {
        None
    }

    fn window(&self, start: u64, least: u64) -> Option<&[u8]> {
        if start.checked_add(least)? > self.size() {
            return None;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failure.is_some() {
            return None;
        }
        let is_jump = start.abs_diff(state.last) >= GAP;
        let is_held = self.at_hand(&state, start).len() as u64 >= least;
        if is_jump {
            state.jumps.record(start);
        }
        state.last = start;
        if !is_held && let Err(reason) = self.fetch(&mut state, start, least) {
            state.failure = Some(reason);
            return None;
        }
        let bytes = self.at_hand(&state, start);
        (bytes.len() as u64 >= least).then_some(bytes)
    }

    fn failure(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).failure.clone()
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "test files are small")]
mod tests;
