//! Precisions by name, and what a device without one runs instead.

use calipers_report::{Precision, suggestions};

/// Returns what a runtime computes in where the device has no units for this precision, best first.
///
/// Never a type that holds less: fp32 has no fallback, and bf16 does not become fp16, whose
/// range is smaller. Narrow weights are widened before the product.
pub fn fallbacks(precision: Precision) -> &'static [Precision] {
    use Precision::{Bf16, Fp4, Fp8, Fp16, Fp32, Int4, Int8, Tf32};
    match precision {
        Fp32 => &[],
        Tf32 | Bf16 => &[Fp32],
        // A device that states bf16 alone computes in it.
        Fp16 => &[Fp32, Bf16],
        Fp8 | Int8 => &[Fp16, Bf16, Fp32],
        // Four-bit weights are commonly unpacked to 16 bits; an integer-only device unpacks to int8.
        Int4 => &[Fp16, Bf16, Int8, Fp32],
        Fp4 => &[Fp8, Fp16, Bf16, Fp32],
    }
}

/// A word that names no precision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("unknown precision {word:?}; expected one of {}", ids().collect::<Vec<_>>().join(", "))]
pub struct UnknownPrecision {
    /// What was given.
    pub word: String,
    /// The nearest precision, where one is near.
    pub near: Option<Precision>,
}

fn ids() -> impl Iterator<Item = &'static str> {
    Precision::ALL.iter().map(|precision| precision.id())
}

/// Parses an id in any case, and ONNX's names: `float32`, `float16`, `bfloat16`.
///
/// ```
/// use calipers_perf::devices::{Precision, parse_precision};
///
/// assert_eq!(parse_precision("BF16"), Ok(Precision::Bf16));
/// assert_eq!(parse_precision("float16"), Ok(Precision::Fp16));
/// ```
pub fn parse_precision(word: &str) -> Result<Precision, UnknownPrecision> {
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "float32" => Ok(Precision::Fp32),
        "float16" => Ok(Precision::Fp16),
        "bfloat16" => Ok(Precision::Bf16),
        id => id.parse().map_err(|_| UnknownPrecision {
            near: suggestions::nearest(id, ids()).and_then(|near| near.parse().ok()),
            word: suggestions::shortened(word),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        for precision in Precision::ALL {
            assert_eq!(parse_precision(&precision.id().to_uppercase()), Ok(*precision));
        }
        assert_eq!(parse_precision("bfloat16"), Ok(Precision::Bf16));
        let error = parse_precision("fp61").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("unknown precision \"fp61\"; expected one of fp32, tf32,")
        );
        assert!(error.near.is_some());
    }

    #[test]
    fn no_fallback_holds_less() {
        for precision in Precision::ALL {
            for fallback in fallbacks(*precision) {
                assert!(fallback.bits() >= precision.bits() && fallback != precision);
            }
        }
    }
}
