//! Stored tensors whose elements show that nobody learned them: zeros, and masks.
//!
//! Only operands of several axes are looked at, and only their first and last elements are read.

use calipers_ir::{DType, Data, Model, Span, TensorId};

/// Bytes that are read at either end.
const MAX_BYTES: usize = 16 * 1024;

/// What hides a score from `Softmax` is at most this: Swin Transformer adds -100.
const HIDES: f64 = -100.0;

/// Whether a tensor holds zeros alone, or nothing but 0 and one large negative number. `false`
/// where its elements are outside the file.
pub(super) fn is_filled(model: &Model, tensor: TensorId) -> bool {
    let stored = model.tensor(tensor);
    let Data::Raw(span) = stored.data else {
        let few = MAX_BYTES as u64 / 8;
        return model.floats(tensor, few).is_ok_and(|values| is_fill(values.into_iter()));
    };
    let size = match stored.dtype {
        DType::Float64 => 8,
        DType::Float32 => 4,
        DType::Float16 | DType::Bfloat16 => 2,
        _ => return false,
    };
    let most = MAX_BYTES as u64;
    let first = Span { start: span.start, end: span.end.min(span.start + most) };
    // Elements begin at multiples of their size.
    let skipped = span.len().saturating_sub(most) / size as u64 * size as u64;
    let last = Span { start: span.start + skipped, end: span.end };
    let ends = (model.source.slice(first), model.source.slice(last));
    let (Some(first), Some(last)) = ends else { return false };
    let elements = first.chunks_exact(size).chain(last.chunks_exact(size));
    is_fill(elements.map(|element| number(stored.dtype, element)))
}

fn is_fill(elements: impl Iterator<Item = f64>) -> bool {
    let mut other: Option<f64> = None;
    let mut any = false;
    for element in elements {
        any = true;
        if element == 0.0 {
            continue;
        }
        if element > HIDES || other.is_some_and(|other| other != element) || element.is_nan() {
            return false;
        }
        other = Some(element);
    }
    any
}

fn number(dtype: DType, element: &[u8]) -> f64 {
    match (dtype, element) {
        (DType::Float64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        (DType::Float32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        (DType::Bfloat16, &[a, b]) => f64::from(f32::from_le_bytes([0, 0, a, b])),
        (DType::Float16, &[a, b]) => half(u16::from_le_bytes([a, b])),
        _ => f64::NAN,
    }
}

/// A half-precision number. Below the smallest normal one, its sign is all that counts here.
fn half(bits: u16) -> f64 {
    let magnitude = match (bits >> 10 & 0x1f, bits & 0x3ff) {
        (0, 0) => 0.0,
        (0, _) => f64::from(f32::MIN_POSITIVE),
        (0x1f, 0) => f64::INFINITY,
        (0x1f, _) => f64::NAN,
        (exponent, fraction) => {
            (1.0 + f64::from(fraction) / 1024.0) * 2_f64.powi(i32::from(exponent) - 15)
        }
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_masks_are_fills_and_weights_are_not() {
        for fill in [vec![0.0, 0.0], vec![0.0, -100.0], vec![f64::NEG_INFINITY, 0.0]] {
            assert!(is_fill(fill.iter().copied()), "{fill:?}");
        }
        for other in [vec![], vec![0.0, 0.5], vec![0.0, -0.5], vec![-200.0, -300.0], vec![f64::NAN]]
        {
            assert!(!is_fill(other.iter().copied()), "{other:?}");
        }
    }

    #[test]
    fn halves_are_read_as_the_standard_writes_them() {
        // 0x3c00 is 1, 0xfbff is -65504, the least finite half, and 0xfc00 minus infinity.
        let read = [0x3c00, 0xfbff, 0xfc00, 0x8000].map(half);
        assert_eq!(read, [1.0, -65504.0, f64::NEG_INFINITY, 0.0]);
    }
}
