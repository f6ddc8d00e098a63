//! Precisions, and what a device without one runs instead.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use calipers_report::suggestions;

/// What a product's inputs are held in.
///
/// ```
/// use calipers_perf::devices::Precision;
///
/// assert_eq!("bf16".parse(), Ok(Precision::Bf16));
/// assert_eq!(Precision::Int4.to_string(), "int4");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floats on vector units.
    Fp32,
    /// 32-bit floats rounded to 10 bits of mantissa by matrix units.
    Tf32,
    /// 16-bit floats on matrix units, accumulated in fp32.
    Fp16,
    /// 16-bit floats with the exponents of fp32.
    Bf16,
    /// 8-bit floats.
    Fp8,
    /// 8-bit integers.
    Int8,
    /// 4-bit integers.
    Int4,
    /// 4-bit floats.
    Fp4,
}

impl Precision {
    /// All of them, widest first.
    pub const ALL: [Self; 8] = [
        Self::Fp32,
        Self::Tf32,
        Self::Fp16,
        Self::Bf16,
        Self::Fp8,
        Self::Int8,
        Self::Int4,
        Self::Fp4,
    ];

    /// As the data file and the command spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::Fp4 => "fp4",
        }
    }

    /// Bits of a stored element; tf32 is stored as fp32.
    pub fn bits(self) -> u32 {
        match self {
            Self::Fp32 | Self::Tf32 => 32,
            Self::Fp16 | Self::Bf16 => 16,
            Self::Fp8 | Self::Int8 => 8,
            Self::Int4 | Self::Fp4 => 4,
        }
    }

    /// The unit of its peaks: `TFLOPS`, or `TOPS` for integers.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Int8 | Self::Int4 => "TOPS",
            _ => "TFLOPS",
        }
    }

    /// What a runtime computes in where the device has no units for this precision, best first.
    ///
    /// Never a type that holds less: fp32 has no fallback, and bf16 does not become fp16, whose
    /// range is smaller. Narrow weights are widened before the product.
    pub fn fallbacks(self) -> &'static [Self] {
        match self {
            Self::Fp32 => &[],
            Self::Tf32 | Self::Bf16 => &[Self::Fp32],
            // A device that states bf16 alone computes in it.
            Self::Fp16 => &[Self::Fp32, Self::Bf16],
            Self::Fp8 | Self::Int8 => &[Self::Fp16, Self::Bf16, Self::Fp32],
            // Four-bit weights are commonly unpacked to 16 bits; an integer-only device unpacks to int8.
            Self::Int4 => &[Self::Fp16, Self::Bf16, Self::Int8, Self::Fp32],
            Self::Fp4 => &[Self::Fp8, Self::Fp16, Self::Bf16, Self::Fp32],
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no precision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{word:?} is no precision; there are {}", names())]
pub struct UnknownPrecision {
    /// What was given.
    pub word: String,
    /// The nearest precision, where one is near.
    pub near: Option<Precision>,
}

fn names() -> String {
    Precision::ALL.map(Precision::name).join(", ")
}

impl FromStr for Precision {
    type Err = UnknownPrecision;

    /// Our own names in any case, and ONNX's: `float32`, `float16`, `bfloat16`.
    fn from_str(word: &str) -> Result<Self, UnknownPrecision> {
        let lower = word.to_ascii_lowercase();
        let known = Self::ALL.into_iter().find(|precision| precision.name() == lower);
        known.map_or_else(
            || match lower.as_str() {
                "float32" => Ok(Self::Fp32),
                "float16" => Ok(Self::Fp16),
                "bfloat16" => Ok(Self::Bf16),
                _ => {
                    let near = suggestions::nearest(&lower, Self::ALL.map(Self::name));
                    let near = near.and_then(|name| name.parse().ok());
                    Err(UnknownPrecision { word: suggestions::shortened(word), near })
                }
            },
            Ok,
        )
    }
}

/// The rate at which a device does the products of a precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Dense FLOP/s, or integer operations a second; a multiply-add counts as two.
    pub flops: f64,
    /// What the device computes in.
    pub precision_used: Precision,
    /// Why that, in words.
    pub why: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for precision in Precision::ALL {
            assert_eq!(precision.to_string().parse(), Ok(precision));
            assert_eq!(precision.name().to_uppercase().parse(), Ok(precision));
            let json = serde_json::to_string(&precision).unwrap();
            assert_eq!(
                json,
                format!("{precision:?}")
                    .to_lowercase()
                    .replace(precision.name(), &format!("\"{precision}\""))
            );
        }
        assert_eq!("bfloat16".parse(), Ok(Precision::Bf16));
        let error = "fp61".parse::<Precision>().unwrap_err();
        assert!(error.to_string().starts_with("\"fp61\" is no precision; there are fp32, tf32,"));
        assert!(error.near.is_some());
    }

    #[test]
    fn no_fallback_holds_less() {
        for precision in Precision::ALL {
            for fallback in precision.fallbacks() {
                assert!(fallback.bits() >= precision.bits() && *fallback != precision);
            }
        }
    }
}
