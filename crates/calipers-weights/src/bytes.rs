//! Elements of a byte or less: each of the 256 bytes is counted, and decoded once.

use calipers_ir::DType;

use crate::stats::Stats;

/// What one element is.
enum Element {
    Finite(f64),
    Subnormal(f64),
    Infinite(bool),
    Nan,
}

/// Whether elements of this type are looked at byte by byte.
pub(crate) fn is_byte(dtype: DType) -> bool {
    use DType::*;
    matches!(
        dtype,
        Int8 | Uint8
            | Bool
            | Int4
            | Uint4
            | Int2
            | Uint2
            | Float8E4M3Fn
            | Float8E4M3Fnuz
            | Float8E5M2
            | Float8E5M2Fnuz
            | Float8E8M0
            | Float4E2M1
    )
}

/// Statistics of `elements` elements in these bytes, the first in the lowest bits.
pub(crate) fn stats(bytes: &[u8], dtype: DType, elements: u64) -> Stats {
    let bits = usize::try_from(dtype.bits().unwrap_or(8)).unwrap_or(8);
    let per_byte = (8 / bits).max(1) as u64;
    // A last byte that is not full is looked at by itself: its padding is no element.
    let whole = usize::try_from(elements / per_byte).unwrap_or(usize::MAX).min(bytes.len());
    let mut counts = [0_u64; 256];
    count(&bytes[..whole], &mut counts);
    let mut of_code = [0_u64; 256];
    for (byte, times) in (0_u8..=255).zip(counts) {
        for code in codes(byte, bits) {
            of_code[usize::from(code)] += times;
        }
    }
    if let Some(last) = bytes.get(whole) {
        let left = usize::try_from(elements % per_byte).unwrap_or(0);
        for code in codes(*last, bits).take(left) {
            of_code[usize::from(code)] += 1;
        }
    }
    let mut stats = Stats::default();
    for (code, times) in (0_u8..=255).zip(of_code) {
        if times == 0 {
            continue;
        }
        match decode(code, dtype) {
            Element::Finite(value) => stats.add(value, times),
            Element::Subnormal(value) => {
                stats.add(value, times);
                stats.subnormal += times;
            }
            Element::Infinite(negative) => {
                stats.elements += times;
                let of_sign = if negative {
                    &mut stats.negative_infinite
                } else {
                    &mut stats.positive_infinite
                };
                *of_sign += times;
            }
            Element::Nan => {
                stats.elements += times;
                stats.nan += times;
            }
        }
    }
    stats
}

/// How often each byte occurs. Four tables: two equal neighbors do not wait for each other.
fn count(bytes: &[u8], counts: &mut [u64; 256]) {
    // A table of 32-bit counts holds for four thousand million bytes of each.
    for part in bytes.chunks(1 << 30) {
        let mut tables = [[0_u32; 256]; 4];
        let (fours, rest) = part.as_chunks::<4>();
        for four in fours {
            for (table, byte) in tables.iter_mut().zip(four) {
                table[usize::from(*byte)] += 1;
            }
        }
        for byte in rest {
            tables[0][usize::from(*byte)] += 1;
        }
        for table in &tables {
            for (sum, count) in counts.iter_mut().zip(table) {
                *sum += u64::from(*count);
            }
        }
    }
}

/// The codes of a byte's elements, the first in the lowest bits.
fn codes(byte: u8, bits: usize) -> impl Iterator<Item = u8> {
    let mask = if bits >= 8 { 0xff } else { (1_u8 << bits) - 1 };
    (0..8 / bits.max(1)).map(move |at| byte >> (at * bits) & mask)
}

/// The elements of each byte as float32, the first in the lowest bits; all of them fit exactly. `N`
/// elements are in a byte.
#[expect(clippy::cast_possible_truncation, reason = "elements of a byte fit a float32")]
pub(crate) fn table<const N: usize>(dtype: DType) -> Box<[[f32; N]; 256]> {
    let mut table = Box::new([[0.0; N]; 256]);
    for (byte, values) in (0_u8..=255).zip(table.iter_mut()) {
        for (code, value) in codes(byte, 8 / N).zip(values) {
            *value = match decode(code, dtype) {
                Element::Finite(value) | Element::Subnormal(value) => value as f32,
                Element::Infinite(true) => f32::NEG_INFINITY,
                Element::Infinite(false) => f32::INFINITY,
                Element::Nan => f32::NAN,
            };
        }
    }
    table
}

fn decode(code: u8, dtype: DType) -> Element {
    use DType::*;
    let signed = |bits: u32| {
        let shift = 8 - bits;
        f64::from(code.cast_signed() << shift >> shift)
    };
    match dtype {
        Int8 => Element::Finite(signed(8)),
        Int4 => Element::Finite(signed(4)),
        Int2 => Element::Finite(signed(2)),
        Bool => Element::Finite(f64::from(u8::from(code != 0))),
        Float8E4M3Fn if code & 0x7f == 0x7f => Element::Nan,
        Float8E4M3Fnuz | Float8E5M2Fnuz if code == 0x80 => Element::Nan,
        Float8E5M2 if code & 0x7f == 0x7c => Element::Infinite(code >> 7 == 1),
        Float8E5M2 if code & 0x7f > 0x7c => Element::Nan,
        Float8E4M3Fn => float(code, 7, 3, 7),
        Float8E4M3Fnuz => float(code, 7, 3, 8),
        Float8E5M2 => float(code, 7, 2, 15),
        Float8E5M2Fnuz => float(code, 7, 2, 16),
        Float4E2M1 => float(code, 3, 1, 1),
        Float8E8M0 if code == 0xff => Element::Nan,
        Float8E8M0 => Element::Finite(2_f64.powi(i32::from(code) - 127)),
        _ => Element::Finite(f64::from(code)),
    }
}

/// A small float: where its sign is, the bits of its fraction, the bias of its exponent.
fn float(code: u8, sign: u32, fraction: u32, bias: i32) -> Element {
    let part = |bits: u8| f64::from(bits) / f64::from(1_u32 << fraction);
    let tail = code & ((1 << fraction) - 1);
    let exponent = i32::from((code & ((1 << sign) - 1)) >> fraction);
    let direction = if code >> sign & 1 == 1 { -1.0 } else { 1.0 };
    if exponent > 0 {
        return Element::Finite(direction * (1.0 + part(tail)) * 2_f64.powi(exponent - bias));
    }
    let value = direction * part(tail) * 2_f64.powi(1 - bias);
    if tail == 0 { Element::Finite(value) } else { Element::Subnormal(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_a_byte() {
        let seen = stats(&[0, 1, 255, 128], DType::Int8, 4);
        assert_eq!((seen.min, seen.max, seen.zeros), (-128.0, 1.0, 1));
        assert!((seen.mean + 32.0).abs() < 1e-12);
        let seen = stats(&[0, 1, 255, 128], DType::Uint8, 4);
        assert_eq!((seen.min, seen.max), (0.0, 255.0));
        let seen = stats(&[0, 7], DType::Bool, 2);
        assert_eq!((seen.min, seen.max), (0.0, 1.0));
    }

    #[test]
    fn padding_is_no_element() {
        // 0x8f holds -1 then -8; 0xf7 holds 7 and padding.
        let seen = stats(&[0x8f, 0xf7], DType::Int4, 3);
        assert_eq!((seen.elements, seen.min, seen.max), (3, -8.0, 7.0));
        let seen = stats(&[0b11_10_01_00], DType::Uint2, 3);
        assert_eq!((seen.elements, seen.max, seen.zeros), (3, 2.0, 1));
    }

    #[test]
    fn small_floats_are_what_their_tables_say() {
        // Largest of each type, from the standard's page on float8.
        for (code, dtype, value) in [
            (0x7e, DType::Float8E4M3Fn, 448.0),
            (0x7f, DType::Float8E4M3Fnuz, 240.0),
            (0x7b, DType::Float8E5M2, 57344.0),
            (0x7f, DType::Float8E5M2Fnuz, 57344.0),
            (127, DType::Float8E8M0, 1.0),
        ] {
            assert_eq!(stats(&[code], dtype, 1).max, value, "{dtype}");
        }
        // 0x7 is 6, 0x1 is the subnormal 0.5, 0x9 its negative.
        let seen = stats(&[0x17, 0x99], DType::Float4E2M1, 4);
        assert_eq!((seen.max, seen.min, seen.subnormal), (6.0, -0.5, 3));
        let seen = stats(&[0x7c, 0xfc, 0x7d, 0x01], DType::Float8E5M2, 4);
        assert_eq!((seen.positive_infinite, seen.negative_infinite, seen.nan), (1, 1, 1));
        assert_eq!((seen.subnormal, seen.finite()), (1, 1));
        assert_eq!(stats(&[0xff, 0x7f], DType::Float8E4M3Fn, 2).nan, 2);
    }
}
