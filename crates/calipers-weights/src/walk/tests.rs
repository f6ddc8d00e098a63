//! Pairs of every two types, in every order, against a loop over doubles.
#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use calipers_ir::Source;
use proptest::prelude::*;

use super::*;
use crate::{Parameter, bytes};

const TYPES: [DType; 22] = [
    DType::Float32,
    DType::Float64,
    DType::Float16,
    DType::Bfloat16,
    DType::Float8E4M3Fn,
    DType::Float8E4M3Fnuz,
    DType::Float8E5M2,
    DType::Float8E5M2Fnuz,
    DType::Float8E8M0,
    DType::Float4E2M1,
    DType::Int8,
    DType::Uint8,
    DType::Int16,
    DType::Uint16,
    DType::Int32,
    DType::Uint32,
    DType::Int64,
    DType::Uint64,
    DType::Bool,
    DType::Int4,
    DType::Uint4,
    DType::Int2,
];

/// Bytes with where they are, which outlive the streams that read them.
struct Held {
    dtype: DType,
    source: Source,
    span: Span,
}

impl Held {
    fn new(dtype: DType, bytes: Vec<u8>) -> Self {
        let span = Span { start: 0, end: bytes.len() as u64 };
        Self { dtype, source: Source::new(bytes), span }
    }

    fn floats(floats: &[f32]) -> Self {
        Self::new(DType::Float32, floats.iter().flat_map(|float| float.to_le_bytes()).collect())
    }

    fn elements(&self) -> Elements<'_> {
        Elements { dtype: self.dtype, source: &self.source, span: self.span }
    }

    fn stream(&self) -> Stream<'_> {
        Stream { elements: self.elements(), quantization: None }
    }

    /// One element, decoded by itself.
    fn element(&self, at: usize) -> f64 {
        use DType::*;
        let bytes = self.source.whole().unwrap();
        let word = |width: usize| {
            let mut word = [0; 8];
            word[..width].copy_from_slice(&bytes[at * width..(at + 1) * width]);
            u64::from_le_bytes(word)
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "the width says so"
        )]
        match self.dtype {
            Float32 => f64::from(f32::from_bits(word(4) as u32)),
            Float64 => f64::from_bits(word(8)),
            Float16 => half::f16::from_bits(word(2) as u16).to_f64(),
            Bfloat16 => half::bf16::from_bits(word(2) as u16).to_f64(),
            Int16 => f64::from((word(2) as u16).cast_signed()),
            Uint16 => word(2) as f64,
            Int32 => f64::from((word(4) as u32).cast_signed()),
            Uint32 => word(4) as f64,
            Int64 => word(8).cast_signed() as f64,
            Uint64 => word(8) as f64,
            Int8 => f64::from((word(1) as u8).cast_signed()),
            Uint8 => word(1) as f64,
            Bool => f64::from(u8::from(word(1) != 0)),
            Uint4 => f64::from(bytes[at / 2] >> (at % 2 * 4) & 15),
            Int4 => f64::from(((bytes[at / 2] >> (at % 2 * 4)) << 4).cast_signed() >> 4),
            Int2 => f64::from(((bytes[at / 4] >> (at % 4 * 2)) << 6).cast_signed() >> 6),
            Float4E2M1 => f64::from(
                bytes::table::<1>(self.dtype)[usize::from(bytes[at / 2] >> (at % 2 * 4) & 15)][0],
            ),
            _ => f64::from(bytes::table::<1>(self.dtype)[word(1) as usize][0]),
        }
    }
}

/// The same figures, straight from their definitions.
fn naive(pairs: &[(f64, f64)]) -> Difference {
    let mut found = Difference { elements: pairs.len() as u64, ..Difference::default() };
    for (a, b) in pairs {
        if a.is_finite() && b.is_finite() {
            found.different += u64::from(a != b);
            found.sign_flips += u64::from(a.signum() != b.signum() && *a != 0.0 && *b != 0.0);
            found.max_abs = found.max_abs.max((a - b).abs());
            found.sum_abs += (a - b).abs();
            found.squares += (a - b).powi(2);
            found.squares_a += a.powi(2);
            found.squares_b += b.powi(2);
            found.dot += a * b;
        } else {
            found.not_finite += 1;
            let is_same = a == b || a.is_nan() && b.is_nan();
            found.different += u64::from(!is_same);
        }
    }
    found
}

fn is_near(a: f64, b: f64, scale: f64) -> bool {
    a == b || (a - b).abs() <= 1e-11 * scale || !scale.is_finite()
}

fn check(seen: &Difference, wanted: &Difference) {
    assert_eq!((seen.elements, seen.different), (wanted.elements, wanted.different));
    assert_eq!((seen.sign_flips, seen.not_finite), (wanted.sign_flips, wanted.not_finite));
    assert!(is_near(seen.max_abs, wanted.max_abs, wanted.max_abs), "{seen:?}\n{wanted:?}");
    assert!(is_near(seen.sum_abs, wanted.sum_abs, wanted.sum_abs), "{seen:?}\n{wanted:?}");
    assert!(is_near(seen.squares_a, wanted.squares_a, wanted.squares_a), "{seen:?}\n{wanted:?}");
    assert!(is_near(seen.squares_b, wanted.squares_b, wanted.squares_b), "{seen:?}\n{wanted:?}");
    assert!(is_near(seen.squares, wanted.squares, wanted.squares), "{seen:?}\n{wanted:?}");
    let scale = (wanted.squares_a * wanted.squares_b).sqrt();
    assert!(is_near(seen.dot, wanted.dot, scale), "{seen:?}\n{wanted:?}");
}

fn compare(a: Stream<'_>, b: Stream<'_>, axes: Vec<Axis>) -> Option<Difference> {
    differences(&[TensorPair { a, b, axes }], &|_| {}).pop().unwrap()
}

/// Bytes that are mostly ordinary numbers: floats with small exponents.
fn bytes_of(dtype: DType, elements: usize, random: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = random.iter().copied().cycle().take(elements * 8).collect();
    let length = dtype.bytes(elements as u64).unwrap();
    bytes.truncate(usize::try_from(length).unwrap());
    if dtype == DType::Float32 {
        // The exponent of every second float is that of a weight.
        bytes.chunks_exact_mut(8).for_each(|two| two[3] = two[3] & 0x80 | 0x3c);
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_two_types(
        left in 0..TYPES.len(),
        right in 0..TYPES.len(),
        elements in 1..70_usize,
        random in proptest::collection::vec(any::<u8>(), 1..600),
        offset in 0..7_usize,
        is_same in any::<bool>(),
    ) {
        let a = Held::new(TYPES[left], bytes_of(TYPES[left], elements, &random));
        let offset = if is_same { 0 } else { offset.min(random.len() - 1) };
        let b = Held::new(TYPES[right], bytes_of(TYPES[right], elements, &random[offset..]));
        let pairs: Vec<(f64, f64)> =
            (0..elements).map(|at| (a.element(at), b.element(at))).collect();
        let seen = compare(a.stream(), b.stream(), in_order(elements as u64)).unwrap();
        let mut wanted = naive(&pairs);
        if left == right && matches!(TYPES[left], DType::Int64 | DType::Uint64) {
            let (a, b) = (a.source.whole().unwrap(), b.source.whole().unwrap());
            wanted.different = a.chunks(8).zip(b.chunks(8)).filter(|(a, b)| a != b).count() as u64;
        }
        check(&seen, &wanted);
    }

    /// A tensor of three axes against one that stores these in another order.
    #[test]
    fn every_order_of_axes(
        dims in proptest::array::uniform3(1..150_usize),
        order in Just([0_usize, 1, 2]).prop_shuffle(),
        pad in 0..3_usize,
        is_wide in any::<bool>(),
    ) {
        prop_assume!(dims.iter().product::<usize>() < 200_000);
        let dtype = if is_wide { DType::Int32 } else { DType::Uint16 };
        let width = if is_wide { 4 } else { 2 };
        let elements: usize = dims.iter().product();
        let number = |at: usize| (at * 7919 % 60013) as u32;
        let held = |count: usize| {
            let bytes = (0..count).flat_map(|at| number(at).to_le_bytes()[..width].to_vec());
            Held::new(dtype, bytes.collect())
        };
        // Steps of the second tensor, whose rows are padded.
        let mut steps = [0; 3];
        let mut step = 1;
        for (at, axis) in order.iter().rev().enumerate() {
            steps[*axis] = step;
            step *= dims[*axis] + if at == 0 { pad } else { 0 };
        }
        let (a, b) = (held(elements), held(step));
        let own = [dims[1] * dims[2], dims[2], 1];
        let axes = (0..3).map(|at| Axis {
            length: dims[at] as u64,
            a: own[at] as u64,
            b: steps[at] as u64,
        });
        let mut pairs = Vec::new();
        for x in 0..dims[0] {
            for y in 0..dims[1] {
                for z in 0..dims[2] {
                    let at = |steps: [usize; 3]| x * steps[0] + y * steps[1] + z * steps[2];
                    pairs.push((f64::from(number(at(own))), f64::from(number(at(steps)))));
                }
            }
        }
        let seen = compare(a.stream(), b.stream(), axes.collect());
        check(&seen.unwrap(), &naive(&pairs));
    }

    #[test]
    fn per_channel_and_blocks(
        dims in (1..5_usize, 1..40_usize, 1..6_usize),
        block in 1..20_usize,
        is_blocked in any::<bool>(),
        has_zero_point in any::<bool>(),
        is_packed in any::<bool>(),
    ) {
        let (outer, axis, inner) = dims;
        let elements = outer * axis * inner;
        let (dtype, limit) = if is_packed { (DType::Int4, 16) } else { (DType::Int8, 256) };
        let code = |at: usize| (at * 37 % limit) as u8;
        let bytes = match is_packed {
            true => (0..elements.div_ceil(2)).map(|at| code(2 * at) | code(2 * at + 1) << 4).collect(),
            false => (0..elements).map(code).collect(),
        };
        let a = Held::new(dtype, bytes);
        let block = if is_blocked { block } else { 1 };
        let blocks = axis.div_ceil(block);
        let count = if is_blocked { outer * blocks * inner } else { axis };
        let scale: Vec<f32> = (0..count).map(|at| 0.01 + at as f32 * 0.003).collect();
        let zero_point: Vec<u8> = (0..count).map(|at| (at * 11 % 256) as u8).collect();
        let (scales, zero_points) = (Held::floats(&scale), Held::new(DType::Int8, zero_point.clone()));
        let parameter = |held| {
            let steps = if is_blocked { (blocks * inner, inner, 1) } else { (0, 1, 0) };
            let (outer, axis, inner) = (steps.0 as u64, steps.1 as u64, steps.2 as u64);
            Parameter { elements: held, outer, axis, inner }
        };
        let quantization = Quantization {
            axis: axis as u64,
            inner: inner as u64,
            block: block as u64,
            scale: parameter(scales.elements()),
            zero_point: has_zero_point.then(|| parameter(zero_points.elements())),
            implied_zero_point: 3.0,
        };
        let other: Vec<f32> = (0..elements).map(|at| (at % 17) as f32 * 0.1 - 0.8).collect();
        let b = Held::floats(&other);
        let mut pairs = Vec::new();
        for (at, other) in other.iter().enumerate() {
            let (o, c, i) = (at / inner / axis, at / inner % axis, at % inner);
            let index = if is_blocked { (o * blocks + c / block) * inner + i } else { c };
            let zero = if has_zero_point { f32::from(zero_point[index].cast_signed()) } else { 3.0 };
            #[expect(clippy::cast_possible_truncation, reason = "an element of a byte")]
            let code = a.element(at) as f32;
            pairs.push((f64::from((code - zero) * scale[index]), f64::from(*other)));
        }
        let stream = Stream { elements: a.elements(), quantization: Some(quantization) };
        let seen = compare(stream, b.stream(), in_order(elements as u64));
        check(&seen.unwrap(), &naive(&pairs));
        // A scale too few.
        let short = Held::floats(&scale[..count - 1]);
        let quantization = Quantization { scale: parameter(short.elements()), ..quantization };
        let stream = Stream { elements: a.elements(), quantization: Some(quantization) };
        prop_assert_eq!(compare(stream, b.stream(), in_order(elements as u64)), None);
    }

    #[test]
    fn merging_is_associative(
        parts in proptest::array::uniform3(proptest::collection::vec((-9.0..9.0, -9.0..9.0), 0..40)),
    ) {
        let [x, y, z] = parts.each_ref().map(|part| naive(part));
        let (mut left, mut tail) = (x, y);
        left.merge(&y);
        left.merge(&z);
        tail.merge(&z);
        let mut right = x;
        right.merge(&tail);
        check(&left, &right);
        check(&left, &naive(&parts.concat()));
    }
}

#[test]
fn pieces_are_the_whole() {
    // Three pieces of floats; one element of each differs by 1, in the last one by 2.
    let elements = (2 * PIECE + 100) as usize;
    let a: Vec<f32> = (0..elements).map(|at| (at % 7) as f32).collect();
    let mut b = a.clone();
    (b[5], b[PIECE as usize + 5], b[elements - 1]) =
        (6.0, a[PIECE as usize + 5] + 1.0, a[elements - 1] - 2.0);
    let (a, b) = (Held::floats(&a), Held::floats(&b));
    let read = std::sync::atomic::AtomicU64::new(0);
    let pair = TensorPair { a: a.stream(), b: b.stream(), axes: in_order(elements as u64) };
    let progress = |bytes| {
        read.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed);
    };
    let seen = differences(&[pair], &progress)[0].unwrap();
    assert_eq!((seen.elements, seen.different), (elements as u64, 3));
    assert_eq!((seen.max_abs, seen.sum_abs, seen.squares), (2.0, 4.0, 6.0));
    assert_eq!(read.into_inner(), 8 * elements as u64);
}

#[test]
fn what_is_not_there_is_not_compared() {
    let held = Held::floats(&[1.0, 2.0, 3.0]);
    let outside = Elements { span: Span { start: 4, end: 16 }, ..held.elements() };
    let outside = Stream { elements: outside, quantization: None };
    assert_eq!(compare(held.stream(), outside, in_order(3)), None);
    assert_eq!(compare(held.stream(), held.stream(), in_order(4)), None);
    let huge = vec![Axis { length: u64::MAX, a: 1, b: 1 }, Axis { length: 2, a: 1, b: 1 }];
    assert_eq!(compare(held.stream(), held.stream(), huge), None);
    let far = vec![Axis { length: 3, a: u64::MAX, b: 1 }];
    assert_eq!(compare(held.stream(), held.stream(), far), None);
    let texts = Held::new(DType::String, vec![0; 12]);
    assert_eq!(compare(texts.stream(), texts.stream(), in_order(3)), None);
    let empty = Held::floats(&[]);
    assert_eq!(compare(empty.stream(), held.stream(), in_order(0)), Some(Difference::default()));
    let form = |axis, inner, block| Quantization {
        axis,
        inner,
        block,
        scale: Parameter { elements: held.elements(), outer: 0, axis: 0, inner: 0 },
        zero_point: None,
        implied_zero_point: 0.0,
    };
    for (axis, inner, block) in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (u64::MAX, 2, 1)] {
        let quantization = Some(form(axis, inner, block));
        let stream = Stream { elements: held.elements(), quantization };
        assert_eq!(compare(stream, held.stream(), in_order(3)), None);
    }
}

#[test]
fn integers_beyond_doubles() {
    let held = |number: i64| Held::new(DType::Int64, number.to_le_bytes().to_vec());
    let (a, b) = (held(i64::MAX), held(i64::MAX - 1));
    assert_eq!(compare(a.stream(), b.stream(), in_order(1)).unwrap().different, 1);
    assert_eq!(compare(a.stream(), a.stream(), in_order(1)).unwrap().different, 0);
}
