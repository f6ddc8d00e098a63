//! Going over two tensors side by side, in pieces, on every core.

use calipers_ir::{DType, Span};

use crate::cores::on_every_core;
use crate::dequantize::{Dequantizer, Quantization};
use crate::difference::{self, Difference};
use crate::elements::{BLOCK, Elements, Reader, is_single};

/// Elements that one core looks at in one go: small enough for even work, large enough that
/// fetching and releasing pages does not count.
const PIECE: u64 = 1 << 18;

/// Side of a square of elements that is transposed in the cache.
const TILE: usize = 128;

/// Columns of a square that are transposed together: their elements in a row fill a cache line.
const PART: usize = 16;

/// Pieces that are handed out together, so that what they found does not pile up.
const BATCH: usize = 512;

/// The elements of a tensor, as numbers.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// The stored elements.
    pub elements: Elements<'a>,
    /// How they are quantized; `None` where they are what they say.
    pub quantization: Option<Quantization<'a>>,
}

/// An axis that two tensors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Positions along it.
    pub length: u64,
    /// Elements between neighbors in the first tensor.
    pub a: u64,
    /// Elements between neighbors in the second tensor.
    pub b: u64,
}

/// Two tensors to compare.
#[derive(Clone, Debug)]
pub struct TensorPair<'a> {
    /// The first.
    pub a: Stream<'a>,
    /// The second.
    pub b: Stream<'a>,
    /// The axes, best those of the largest steps in the first tensor first.
    pub axes: Vec<Axis>,
}

impl TensorPair<'_> {
    /// Bytes that comparing them reads.
    pub fn bytes(&self) -> u64 {
        self.a.bytes().saturating_add(self.b.bytes())
    }
}

impl Stream<'_> {
    fn bytes(&self) -> u64 {
        let form = self.quantization.as_ref();
        let parameters = form.into_iter().flat_map(|form| {
            [Some(form.scale), form.zero_point].into_iter().flatten().map(|part| part.elements)
        });
        let spans = parameters.chain([self.elements]).map(|elements| elements.span.len());
        spans.fold(0, u64::saturating_add)
    }

    fn is_single(&self) -> bool {
        self.quantization.is_some() || is_single(self.elements.dtype)
    }
}

/// Axes for two tensors of the same elements in the same order.
pub fn in_order(elements: u64) -> Vec<Axis> {
    vec![Axis { length: elements, a: 1, b: 1 }]
}

/// Compares tensors element by element. `progress` is called from any thread with the bytes read
/// since the last call. A pair whose elements or parameters are not all there, or are not numbers,
/// is `None`.
pub fn differences(
    pairs: &[TensorPair<'_>],
    progress: &(dyn Fn(u64) + Sync),
) -> Vec<Option<Difference>> {
    let plans: Vec<Option<Plan>> = pairs.iter().map(Plan::new).collect();
    let mut found: Vec<Option<Difference>> =
        plans.iter().map(|plan| plan.as_ref().map(|_| Difference::default())).collect();
    let mut pieces = plans
        .iter()
        .enumerate()
        .flat_map(|(pair, plan)| plan.iter().flat_map(move |plan| plan.pieces(pair)));
    loop {
        let batch: Vec<Piece> = pieces.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let compare = |piece: &Piece| {
            let plan = plans[piece.pair].as_ref()?;
            let found = plan.compare(&pairs[piece.pair], piece);
            progress(plan.bytes(&pairs[piece.pair], piece));
            found
        };
        // Joined in the order of the pieces: rounding must not hang on which core was first.
        let seen: Vec<Option<Difference>> = on_every_core(&batch, compare);
        for (piece, seen) in batch.iter().zip(seen) {
            match (&mut found[piece.pair], seen) {
                (Some(all), Some(seen)) => all.merge(&seen),
                (all, _) => *all = None,
            }
        }
        let mut done: Vec<usize> = batch.iter().map(|piece| piece.pair).collect();
        done.dedup();
        for at in
            done.into_iter().filter(|at| plans[*at].as_ref().is_some_and(|p| !p.is_in_order()))
        {
            for elements in [pairs[at].a.elements, pairs[at].b.elements] {
                elements.source.release(elements.span);
            }
        }
    }
    found
}

/// Part of a pair: some of its units, one after the other.
struct Piece {
    pair: usize,
    units: std::ops::Range<u64>,
}

/// How a pair is walked: in units, each a run or a square of elements.
struct Plan {
    /// Axes around a unit.
    outer: Vec<Axis>,
    /// The axis along which the second tensor is read; only one position for runs.
    across: Axis,
    /// The axis along which the first tensor is read, and both for runs.
    along: Axis,
    /// The largest unit: positions across and along. Runs have one across.
    unit: (u64, u64),
    units: u64,
    units_per_piece: u64,
}

impl Plan {
    fn new(pair: &TensorPair<'_>) -> Option<Self> {
        let elements =
            pair.axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.length))?;
        if elements > 0 {
            let last = |step: fn(&Axis) -> u64| {
                pair.axes.iter().try_fold(0_u64, |sum, axis| {
                    sum.checked_add((axis.length - 1).checked_mul(step(axis))?)
                })
            };
            for (stream, last) in [(&pair.a, last(|axis| axis.a)?), (&pair.b, last(|axis| axis.b)?)]
            {
                let is_there = last < stream.elements.capacity()?
                    && stream.quantization.as_ref().is_none_or(|form| form.reaches(last));
                is_there.then_some(())?;
            }
        }
        let mut outer = if elements > 0 { merged(&pair.axes) } else { Vec::new() };
        let single = Axis { length: 1, a: 0, b: 0 };
        let position = |axes: &[Axis], is_next: fn(&Axis) -> bool| axes.iter().position(is_next);
        let (across, along, unit) = if outer.is_empty() {
            (single, Axis { length: elements.min(1), a: 1, b: 1 }, (1, PIECE))
        } else if let Some(at) = position(&outer, |axis| axis.a == 1 && axis.b == 1) {
            (single, outer.remove(at), (1, PIECE))
        } else {
            let mut take = |is_next: fn(&Axis) -> bool| match position(&outer, is_next) {
                Some(at) => outer.remove(at),
                None => single,
            };
            (take(|axis| axis.b == 1), take(|axis| axis.a == 1), (TILE as u64, TILE as u64))
        };
        let units = outer
            .iter()
            .map(|axis| axis.length)
            .chain([across.length.div_ceil(unit.0), along.length.div_ceil(unit.1)])
            .try_fold(1_u64, u64::checked_mul)?;
        let held = across.length.min(unit.0).saturating_mul(along.length.min(unit.1)).max(1);
        let units_per_piece = (PIECE / held).max(1);
        Some(Self { outer, across, along, unit, units, units_per_piece })
    }

    /// Whether both tensors are read from start to end.
    fn is_in_order(&self) -> bool {
        self.outer.is_empty() && !self.is_tiled()
    }

    fn is_tiled(&self) -> bool {
        self.unit.0 > 1
    }

    fn pieces(&self, pair: usize) -> impl Iterator<Item = Piece> + use<> {
        let (units, per_piece) = (self.units, self.units_per_piece);
        (0..units.div_ceil(per_piece)).map(move |at| {
            let start = at * per_piece;
            Piece { pair, units: start..units.min(start.saturating_add(per_piece)) }
        })
    }

    /// The share of a piece in the bytes of a pair.
    fn bytes(&self, pair: &TensorPair<'_>, piece: &Piece) -> u64 {
        let before = |unit: u64| {
            let bytes = u128::from(pair.bytes()) * u128::from(unit) / u128::from(self.units.max(1));
            u64::try_from(bytes).unwrap_or(u64::MAX)
        };
        before(piece.units.end) - before(piece.units.start)
    }

    fn compare(&self, pair: &TensorPair<'_>, piece: &Piece) -> Option<Difference> {
        let walker = Walker {
            a: Decoder::new(&pair.a)?,
            b: Decoder::new(&pair.b)?,
            is_single: pair.a.is_single() && pair.b.is_single(),
        };
        let mut sums = Difference::default();
        if !self.is_in_order() && piece.units.start == 0 {
            pair.a.elements.source.expect(pair.a.elements.span);
            pair.b.elements.source.expect(pair.b.elements.span);
        }
        let mut buffers = Buffers::default();
        for unit in piece.units.clone() {
            let unit = self.locate(unit);
            let (start_a, start_b) = (usize::try_from(unit.a).ok()?, usize::try_from(unit.b).ok()?);
            if self.is_tiled() {
                sums.merge(&walker.tile(self, &unit, &mut buffers)?);
                continue;
            }
            let length = usize::try_from(unit.along).ok()?;
            let spans = [(&pair.a, unit.a), (&pair.b, unit.b)].map(|(stream, start)| {
                (stream.elements.source, stream.elements.run(start, unit.along))
            });
            if self.is_in_order() {
                spans.iter().for_each(|(source, span)| source.expect(*span));
            }
            sums.merge(&walker.run(start_a, start_b, length));
            if self.is_in_order() {
                spans.iter().for_each(|(source, span)| source.release(*span));
            }
        }
        Some(sums)
    }

    /// Where a unit begins and how large it is.
    fn locate(&self, unit: u64) -> Unit {
        let mut rest = unit;
        let mut place = |count: u64| {
            let at = rest % count.max(1);
            rest /= count.max(1);
            at
        };
        let along = place(self.along.length.div_ceil(self.unit.1)) * self.unit.1;
        let across = place(self.across.length.div_ceil(self.unit.0)) * self.unit.0;
        let mut found = Unit {
            a: along * self.along.a + across * self.across.a,
            b: along * self.along.b + across * self.across.b,
            across: (self.across.length - across).min(self.unit.0),
            along: (self.along.length - along).min(self.unit.1),
        };
        for axis in self.outer.iter().rev() {
            let at = place(axis.length);
            found.a += at * axis.a;
            found.b += at * axis.b;
        }
        found
    }
}

impl Elements<'_> {
    /// The bytes that hold some of the elements.
    fn run(&self, start: u64, length: u64) -> Span {
        let bits = u128::from(self.dtype.bits().unwrap_or(8));
        let byte = |bits: u128| {
            let offset = u64::try_from(bits).unwrap_or(u64::MAX);
            self.span.start.saturating_add(offset).min(self.span.end)
        };
        Span {
            start: byte(u128::from(start) * bits / 8),
            end: byte((u128::from(start) + u128::from(length)) * bits / 8),
        }
    }
}

/// Part of a pair of tensors: where it begins in each, and its size.
struct Unit {
    a: u64,
    b: u64,
    across: u64,
    along: u64,
}

/// Axes without those of one position, neighbors that are one axis in both tensors as one.
fn merged(axes: &[Axis]) -> Vec<Axis> {
    let mut merged: Vec<Axis> = Vec::new();
    for axis in axes.iter().filter(|axis| axis.length != 1) {
        let is_one = |before: &&mut Axis| {
            axis.a.checked_mul(axis.length) == Some(before.a)
                && axis.b.checked_mul(axis.length) == Some(before.b)
        };
        match merged.last_mut().filter(is_one) {
            Some(before) => {
                *before = Axis { length: before.length.saturating_mul(axis.length), ..*axis };
            }
            None => merged.push(*axis),
        }
    }
    merged
}

#[derive(Default)]
struct Buffers {
    a: Vec<f64>,
    b: Vec<f64>,
    singles_a: Vec<f32>,
    singles_b: Vec<f32>,
}

/// Reads one of the tensors.
struct Decoder<'a> {
    reader: Reader<'a>,
    dequantizer: Option<Dequantizer<'a>>,
}

impl<'a> Decoder<'a> {
    fn new(stream: &Stream<'a>) -> Option<Self> {
        let dequantizer = match &stream.quantization {
            Some(form) => Some(Dequantizer::new(form)?),
            None => None,
        };
        Some(Self { reader: stream.elements.reader()?, dequantizer })
    }

    fn singles(&self, start: usize, out: &mut [f32]) {
        self.reader.singles(start, out);
        if let Some(dequantizer) = &self.dequantizer {
            dequantizer.apply(start as u64, out);
        }
    }

    fn doubles(&self, start: usize, out: &mut [f64]) {
        if self.dequantizer.is_none() {
            return self.reader.doubles(start, out);
        }
        let mut buffer = [0.0; BLOCK];
        for (at, part) in out.chunks_mut(BLOCK).enumerate() {
            let singles = &mut buffer[..part.len()];
            self.singles(start + at * BLOCK, singles);
            for (double, single) in part.iter_mut().zip(singles) {
                *double = f64::from(*single);
            }
        }
    }
}

/// Reads both tensors.
struct Walker<'a> {
    a: Decoder<'a>,
    b: Decoder<'a>,
    /// Whether every element is a float32.
    is_single: bool,
}

impl Walker<'_> {
    /// Compares a run of elements that are neighbors in both tensors.
    fn run(&self, start_a: usize, start_b: usize, length: usize) -> Difference {
        let mut sums = Difference::default();
        let (mut singles_a, mut singles_b) = ([0.0; BLOCK], [0.0; BLOCK]);
        let mut at = 0;
        while at < length {
            let count = BLOCK.min(length - at);
            let (from_a, from_b) = (start_a + at, start_b + at);
            at += count;
            if !self.is_single {
                sums.merge(&self.run_of_doubles(from_a, from_b, count));
                continue;
            }
            let (a, b) = (&mut singles_a[..count], &mut singles_b[..count]);
            self.a.singles(from_a, a);
            if self.is_same(from_a, from_b, count) {
                sums.merge(&difference::same(a));
                continue;
            }
            self.b.singles(from_b, b);
            sums.merge(&difference::singles(a, b));
        }
        sums
    }

    /// Whether the bytes of a run are the same in both tensors, and mean the same.
    fn is_same(&self, start_a: usize, start_b: usize, length: usize) -> bool {
        let is_plain = self.a.dequantizer.is_none() && self.b.dequantizer.is_none();
        is_plain
            && self.a.reader.dtype == self.b.reader.dtype
            && self.a.reader.run_bytes(start_a, length).is_some_and(|bytes| {
                self.b.reader.run_bytes(start_b, length).is_some_and(|other| bytes == other)
            })
    }

    fn run_of_doubles(&self, start_a: usize, start_b: usize, length: usize) -> Difference {
        let (mut a, mut b) = ([0.0; BLOCK], [0.0; BLOCK]);
        let (a, b) = (&mut a[..length], &mut b[..length]);
        self.a.doubles(start_a, a);
        self.b.doubles(start_b, b);
        let mut sums = difference::doubles(a, b);
        // Doubles do not distinguish all 64-bit integers; their bytes do.
        let dtype = self.a.reader.dtype;
        if dtype == self.b.reader.dtype && matches!(dtype, DType::Int64 | DType::Uint64) {
            let [a, b] = [(&self.a, start_a), (&self.b, start_b)]
                .map(|(side, start)| side.reader.run_bytes(start, length).unwrap_or_default());
            let pairs = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
            sums.different = pairs.filter(|(a, b)| a != b).count() as u64;
        }
        sums
    }

    /// Compares a square. One tensor holds its rows, the other one its columns.
    fn tile(&self, plan: &Plan, unit: &Unit, buffers: &mut Buffers) -> Option<Difference> {
        let (rows, columns) =
            (usize::try_from(unit.across).ok()?, usize::try_from(unit.along).ok()?);
        let (start_a, start_b) = (usize::try_from(unit.a).ok()?, usize::try_from(unit.b).ok()?);
        let step_a = usize::try_from(plan.across.a).ok()?;
        let step_b = usize::try_from(plan.along.b).ok()?;
        let shape = Tile { rows, columns, start_a, start_b, step_a, step_b };
        let mut sums = Difference::default();
        if self.is_single {
            let Buffers { singles_a: a, singles_b: b, .. } = buffers;
            shape.fill(a, b, |at, out| self.a.singles(at, out), |at, out| self.b.singles(at, out));
            for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
                sums.merge(&difference::singles(a, b));
            }
        } else {
            let Buffers { a, b, .. } = buffers;
            shape.fill(a, b, |at, out| self.a.doubles(at, out), |at, out| self.b.doubles(at, out));
            for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
                sums.merge(&difference::doubles(a, b));
            }
        }
        Some(sums)
    }
}

/// A square of elements in both tensors.
struct Tile {
    rows: usize,
    columns: usize,
    start_a: usize,
    start_b: usize,
    step_a: usize,
    step_b: usize,
}

impl Tile {
    /// Reads the rows of the first tensor, and the columns of the second one as rows.
    fn fill<T: Copy + Default>(
        &self,
        a: &mut Vec<T>,
        b: &mut Vec<T>,
        read_a: impl Fn(usize, &mut [T]),
        read_b: impl Fn(usize, &mut [T]),
    ) {
        let size = self.rows * self.columns;
        a.resize(size, T::default());
        b.resize(size, T::default());
        for (row, out) in a.chunks_mut(self.columns).enumerate() {
            read_a(self.start_a + row * self.step_a, out);
        }
        let mut columns = [T::default(); PART * TILE];
        for first in (0..self.columns).step_by(PART) {
            // Some columns at a time, so that the rows they go to are written in the cache.
            let count = PART.min(self.columns - first);
            for (column, out) in columns.chunks_mut(TILE).take(count).enumerate() {
                read_b(self.start_b + (first + column) * self.step_b, &mut out[..self.rows]);
            }
            for (row, out) in b.chunks_mut(self.columns).enumerate() {
                for (column, out) in out[first..first + count].iter_mut().enumerate() {
                    *out = columns[column * TILE + row];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
