//! Schemes of quantization.

use std::borrow::Cow;
use std::str::FromStr;

use crate::UnknownId;
use crate::names::names;

/// How numbers are held in few bits. In JSON it is its [`id`](Self::id), such as `qdq-int8`.
///
/// `bits` are those of a weight as the file states them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// Nothing is quantized.
    #[default]
    None,
    /// The data is quantized as it is computed: `dynamic-int8`.
    Dynamic {
        /// Bits of a weight.
        bits: i64,
    },
    /// Floats of few bits: `float8`.
    Float {
        /// Bits of a number.
        bits: i64,
    },
    /// More than one scheme, none of them prevalent: `mixed`.
    Mixed,
    /// Weights and data come out of `DequantizeLinear`: `qdq-int8`.
    Qdq {
        /// Bits of a weight.
        bits: i64,
    },
    /// Operators on integers with stored scales: `qoperator-int8`.
    QOperator {
        /// Bits of a weight.
        bits: i64,
    },
    /// Only the weights are held in few bits: `weight-only-int4`.
    WeightOnly {
        /// Bits of a weight.
        bits: i64,
    },
}

/// Ids before their number of bits.
const DYNAMIC: &str = "dynamic-int";
const FLOAT: &str = "float";
const QDQ: &str = "qdq-int";
const QOPERATOR: &str = "qoperator-int";
const WEIGHT_ONLY: &str = "weight-only-int";

impl Scheme {
    /// Returns whether anything is quantized.
    pub fn is_quantized(self) -> bool {
        self != Self::None
    }

    /// Returns the bits of a weight, where one number holds for all.
    pub fn bits(self) -> Option<i64> {
        match self {
            Self::None | Self::Mixed => None,
            Self::Dynamic { bits }
            | Self::Float { bits }
            | Self::Qdq { bits }
            | Self::QOperator { bits }
            | Self::WeightOnly { bits } => Some(bits),
        }
    }

    /// Returns the id, as JSON has it.
    pub fn id(self) -> Cow<'static, str> {
        let (form, bits) = match self {
            Self::None => return "none".into(),
            Self::Mixed => return "mixed".into(),
            Self::Dynamic { bits } => (DYNAMIC, bits),
            Self::Float { bits } => (FLOAT, bits),
            Self::Qdq { bits } => (QDQ, bits),
            Self::QOperator { bits } => (QOPERATOR, bits),
            Self::WeightOnly { bits } => (WEIGHT_ONLY, bits),
        };
        format!("{form}{bits}").into()
    }

    /// Returns the scheme as people write it: `QDQ int8`, `weight-only int4`.
    pub fn label(self) -> Cow<'static, str> {
        match self {
            Self::None => "none".into(),
            Self::Mixed => "mixed".into(),
            Self::Dynamic { bits } => format!("dynamic int{bits}").into(),
            Self::Float { bits } => format!("float{bits}").into(),
            Self::Qdq { bits } => format!("QDQ int{bits}").into(),
            Self::QOperator { bits } => format!("QOperator int{bits}").into(),
            Self::WeightOnly { bits } => format!("weight-only int{bits}").into(),
        }
    }

    /// Returns the adjective of a model with this scheme; `None` for one that is not quantized.
    pub fn display_name(self) -> Option<&'static str> {
        Some(match self {
            Self::None => return None,
            Self::Dynamic { bits: 8 } => "dynamically quantized",
            Self::Float { bits: 8 } => "float8",
            Self::Mixed => "partly quantized",
            Self::Qdq { bits: 8 } | Self::QOperator { bits: 8 } => "int8-quantized",
            Self::WeightOnly { bits: 4 } => "4-bit",
            Self::WeightOnly { bits: 8 } => "8-bit",
            _ => "quantized",
        })
    }
}

impl FromStr for Scheme {
    type Err = UnknownId;

    /// Parses an id.
    fn from_str(text: &str) -> Result<Self, UnknownId> {
        let bits = |form: &str| text.strip_prefix(form).and_then(|bits| bits.parse::<i64>().ok());
        match text {
            "none" => return Ok(Self::None),
            "mixed" => return Ok(Self::Mixed),
            _ => {}
        }
        if let Some(bits) = bits(DYNAMIC) {
            Ok(Self::Dynamic { bits })
        } else if let Some(bits) = bits(FLOAT) {
            Ok(Self::Float { bits })
        } else if let Some(bits) = bits(QDQ) {
            Ok(Self::Qdq { bits })
        } else if let Some(bits) = bits(QOPERATOR) {
            Ok(Self::QOperator { bits })
        } else if let Some(bits) = bits(WEIGHT_ONLY) {
            Ok(Self::WeightOnly { bits })
        } else {
            Err(UnknownId { set: "Scheme", text: text.to_owned() })
        }
    }
}

impl serde::Serialize for Scheme {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.id())
    }
}

impl<'de> serde::Deserialize<'de> for Scheme {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Scheme {
    fn schema_name() -> Cow<'static, str> {
        "Scheme".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "How numbers are held in few bits, with the bits of a weight.",
            "type": "string",
            "pattern": "^(none|mixed|(dynamic-int|float|qdq-int|qoperator-int|weight-only-int)-?[0-9]+)$",
        })
    }
}

names! {
    /// What shares a scale.
    pub enum Granularity {
        Mixed = "mixed" => "mixed",
        PerBlock = "per-block" => "per-block",
        PerChannel = "per-channel" => "per-channel",
        PerTensor = "per-tensor" => "per-tensor",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_round_trip() {
        for id in [
            "none",
            "mixed",
            "dynamic-int8",
            "float4",
            "qdq-int16",
            "qoperator-int8",
            "weight-only-int4",
            "weight-only-int-1",
        ] {
            let scheme: Scheme = id.parse().unwrap();
            assert_eq!(scheme.id(), id);
            let json = serde_json::to_string(&scheme).unwrap();
            assert_eq!(json, format!("{id:?}"));
            assert_eq!(serde_json::from_str::<Scheme>(&json).unwrap(), scheme);
        }
        for text in ["", "qdq", "qdq-int", "int8", "float"] {
            assert!(text.parse::<Scheme>().is_err(), "{text}");
        }
    }
}
