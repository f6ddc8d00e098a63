//! Going over tensors in pieces, on every core.

use calipers_ir::{DType, Source, Span};

use crate::channels::{Channels, Dead, dead};
use crate::cores::on_every_core;
use crate::stats::Stats;
use crate::{bytes, kernel};

/// Bytes that one core looks at in one go. Small enough for its cache and for even work, large
/// enough that fetching and letting go of pages does not count.
const PIECE: u64 = 1 << 20;

/// Pieces that are handed out together, so that what they found does not pile up.
const BATCH: usize = 1024;

/// A tensor to be looked at.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Type of its elements.
    pub dtype: DType,
    /// How many there are.
    pub elements: u64,
    /// The file that holds them.
    pub source: &'a Source,
    /// Where in that file: little-endian, packed.
    pub span: Span,
    /// Its output channels; only floats are looked at for these.
    pub channels: Channels,
}

/// What was seen of a tensor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scanned {
    /// Its elements.
    pub stats: Stats,
    /// Output channels that are zero throughout.
    pub dead_channels: u64,
}

/// A part of a tensor.
struct Piece {
    item: usize,
    span: Span,
    elements: u64,
}

/// Looks at every element of these tensors. `progress` is reported how many bytes were read, from any
/// thread. A tensor whose type is no number, or whose span lies outside its file, has no elements.
pub fn scan(items: &[Item<'_>], progress: &(dyn Fn(u64) + Sync)) -> Vec<Scanned> {
    let mut found: Vec<(Stats, Dead)> = vec![Default::default(); items.len()];
    let mut pieces = items.iter().enumerate().flat_map(|(index, item)| pieces(index, item));
    loop {
        let batch: Vec<Piece> = pieces.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let look = |piece: &Piece| {
            let item = &items[piece.item];
            item.source.expect(piece.span);
            let seen =
                item.source.slice(piece.span).map(|bytes| statistics(item, bytes, piece.elements));
            item.source.release(piece.span);
            progress(piece.span.len());
            seen.unwrap_or_default()
        };
        // Joined in the order of the pieces: rounding must not hang on which core was first.
        let seen: Vec<(Stats, Dead)> = on_every_core(&batch, look);
        for (piece, (stats, dead)) in batch.iter().zip(seen) {
            let (all, all_dead) = &mut found[piece.item];
            all.merge(&stats);
            all_dead.merge(dead);
        }
    }
    let done = |(stats, dead): (Stats, Dead)| Scanned { stats, dead_channels: dead.count() };
    found.into_iter().map(done).collect()
}

/// Looks at every element of a tensor whose bytes are at hand.
pub fn scan_bytes(bytes: Vec<u8>, dtype: DType, elements: u64, channels: Channels) -> Scanned {
    let span = Span { start: 0, end: bytes.len() as u64 };
    let source = Source::new(bytes);
    let item = Item { dtype, elements, source: &source, span, channels };
    scan(&[item], &|_| {}).pop().unwrap_or_default()
}

/// A number that only tensors of the same bytes share.
pub fn digest(source: &Source, span: Span) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    let mut start = span.start;
    while start < span.end {
        let piece = Span { start, end: span.end.min(start + PIECE) };
        source.expect(piece);
        hasher.update(source.slice(piece)?);
        source.release(piece);
        start = piece.end;
    }
    Some(*hasher.finalize().as_bytes())
}

/// The same for bytes at hand.
pub fn digest_bytes(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

/// Bytes of a row of channels, where channels are looked at.
fn row_bytes(item: &Item<'_>) -> Option<u64> {
    let width = u64::from(item.dtype.bits()? / 8);
    let row = match item.channels {
        Channels::Rows(rows) if rows > 0 && item.elements.is_multiple_of(rows) => {
            item.elements / rows
        }
        Channels::Columns(columns) if columns > 0 && item.elements.is_multiple_of(columns) => {
            columns
        }
        _ => return None,
    };
    let row = row.checked_mul(width)?;
    // A channel of many pieces is no filter.
    (item.dtype.is_float() && width > 1 && row > 0 && row <= PIECE).then_some(row)
}

fn pieces(index: usize, item: &Item<'_>) -> impl Iterator<Item = Piece> {
    let known = bytes::is_byte(item.dtype) || kernel::stats(&[], item.dtype).is_some();
    let span = if known { item.span } else { Span::default() };
    // Whole rows where channels are looked at, else whole elements: all widths divide a piece.
    let size = row_bytes(item).map_or(PIECE, |row| PIECE / row * row);
    let elements = item.elements;
    let bits = u64::from(item.dtype.bits().unwrap_or(8));
    let per_piece = size * 8 / bits;
    (0..span.len().div_ceil(size)).map(move |at| {
        let start = span.start + at * size;
        let end = span.end.min(start + size);
        let elements = elements.saturating_sub(at * per_piece).min(per_piece);
        Piece { item: index, span: Span { start, end }, elements }
    })
}

fn statistics(item: &Item<'_>, bytes: &[u8], elements: u64) -> (Stats, Dead) {
    if bytes::is_byte(item.dtype) {
        return (bytes::stats(bytes, item.dtype, elements), Dead::default());
    }
    let stats = kernel::stats(bytes, item.dtype).unwrap_or_default();
    let width = item.dtype.bits().map_or(0, |bits| bits as usize / 8);
    let row = row_bytes(item).and_then(|row| usize::try_from(row).ok());
    let dead = row.map_or_else(Dead::default, |row| dead(bytes, item.channels, row, width));
    (stats, dead)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn bytes(floats: impl IntoIterator<Item = f32>) -> Vec<u8> {
        floats.into_iter().flat_map(f32::to_le_bytes).collect()
    }

    #[test]
    fn pieces_are_the_whole() {
        // Larger than some pieces; in each row one of 300 columns is not zero, and rows 0 and 1 are.
        let rows = 3000;
        let floats = (0..rows * 300_usize)
            .map(|at| if at / 300 > 1 && at % 300 == at / 300 % 299 { 1.0 } else { 0.0 });
        let bytes = bytes(floats);
        let elements = bytes.len() as u64 / 4;
        let source = Source::new(bytes.clone());
        let span = Span { start: 0, end: bytes.len() as u64 };
        let read = AtomicU64::new(0);
        let item =
            |channels| Item { dtype: DType::Float32, elements, source: &source, span, channels };
        let items = [item(Channels::Rows(3000)), item(Channels::Columns(300))];
        let seen = scan(&items, &|bytes| {
            read.fetch_add(bytes, Ordering::Relaxed);
        });
        assert_eq!(read.into_inner(), 2 * span.len());
        assert_eq!(seen[0].stats.zeros, seen[1].stats.zeros);
        assert_eq!(seen[0].stats.zeros, elements - 2998);
        assert_eq!((seen[0].dead_channels, seen[1].dead_channels), (2, 1));
    }

    #[test]
    fn narrow_elements_over_pieces() {
        let bytes = vec![0x21; 3 << 20];
        let seen = scan_bytes(bytes, DType::Uint4, (6 << 20) - 1, Channels::None);
        assert_eq!(seen.stats.elements, (6 << 20) - 1);
        assert_eq!((seen.stats.min, seen.stats.max), (1.0, 2.0));
    }

    #[test]
    fn what_is_no_number_or_not_there_is_left_alone() {
        let source = Source::new(vec![0; 8]);
        let outside = Span { start: 4, end: 12 };
        let item = |dtype| Item {
            dtype,
            elements: 2,
            source: &source,
            span: outside,
            channels: Channels::None,
        };
        for seen in scan(&[item(DType::Float32), item(DType::String)], &|_| {}) {
            assert_eq!(seen, Scanned::default());
        }
    }

    #[test]
    fn the_same_bytes_have_the_same_digest() {
        let source = Source::new([vec![7; 3 << 20], vec![7; 3 << 20], vec![8; 3 << 20]].concat());
        let part = |at: u64| Span { start: at * (3 << 20), end: (at + 1) * (3 << 20) };
        assert_eq!(digest(&source, part(0)), digest(&source, part(1)));
        assert_ne!(digest(&source, part(0)), digest(&source, part(2)));
        assert_eq!(digest(&source, part(3)), None);
    }
}
