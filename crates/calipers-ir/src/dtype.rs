//! Data types of tensor elements.

use std::fmt;
use std::str::FromStr;

use crate::BlockFormat;

/// The element type of a tensor, numbered as in ONNX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DType {
    /// The file leaves the type open (ONNX: 0, `UNDEFINED`).
    #[default]
    Undefined,
    /// 32-bit float.
    Float32,
    /// 8-bit unsigned integer.
    Uint8,
    /// 8-bit integer.
    Int8,
    /// 16-bit unsigned integer.
    Uint16,
    /// 16-bit integer.
    Int16,
    /// 32-bit integer.
    Int32,
    /// 64-bit integer.
    Int64,
    /// Text of any length.
    String,
    /// Truth value, a byte each.
    Bool,
    /// 16-bit float, IEEE half.
    Float16,
    /// 64-bit float.
    Float64,
    /// 32-bit unsigned integer.
    Uint32,
    /// 64-bit unsigned integer.
    Uint64,
    /// Two 32-bit floats.
    Complex64,
    /// Two 64-bit floats.
    Complex128,
    /// 16-bit float with the range of 32.
    Bfloat16,
    /// 8-bit float, 4 exponent and 3 mantissa bits, finite.
    Float8E4M3Fn,
    /// The same, without negative zero.
    Float8E4M3Fnuz,
    /// 8-bit float, 5 exponent and 2 mantissa bits.
    Float8E5M2,
    /// The same, finite and without negative zero.
    Float8E5M2Fnuz,
    /// 4-bit unsigned integer, two in a byte.
    Uint4,
    /// 4-bit integer, two in a byte.
    Int4,
    /// 4-bit float, two in a byte.
    Float4E2M1,
    /// 8-bit power of two, a shared scale.
    Float8E8M0,
    /// 2-bit unsigned integer, four in a byte.
    Uint2,
    /// 2-bit integer, four in a byte.
    Int2,
    /// 6-bit float, 2 exponent and 3 mantissa bits.
    Float6E2M3,
    /// 6-bit float, 3 exponent and 2 mantissa bits.
    Float6E3M2,
    /// Numbers that share scales in blocks.
    Block(BlockFormat),
    /// A number that no release of the standard known here defines.
    Unknown(i32),
}

use DType::*;

/// Every type the standard defines: its ONNX number is its place.
const BY_NUMBER: [(DType, &str, Option<u32>); 29] = [
    (Undefined, "undefined", None),
    (Float32, "float32", Some(32)),
    (Uint8, "uint8", Some(8)),
    (Int8, "int8", Some(8)),
    (Uint16, "uint16", Some(16)),
    (Int16, "int16", Some(16)),
    (Int32, "int32", Some(32)),
    (Int64, "int64", Some(64)),
    (String, "string", None),
    (Bool, "bool", Some(8)),
    (Float16, "float16", Some(16)),
    (Float64, "float64", Some(64)),
    (Uint32, "uint32", Some(32)),
    (Uint64, "uint64", Some(64)),
    (Complex64, "complex64", Some(64)),
    (Complex128, "complex128", Some(128)),
    (Bfloat16, "bfloat16", Some(16)),
    (Float8E4M3Fn, "float8e4m3fn", Some(8)),
    (Float8E4M3Fnuz, "float8e4m3fnuz", Some(8)),
    (Float8E5M2, "float8e5m2", Some(8)),
    (Float8E5M2Fnuz, "float8e5m2fnuz", Some(8)),
    (Uint4, "uint4", Some(4)),
    (Int4, "int4", Some(4)),
    (Float4E2M1, "float4e2m1", Some(4)),
    (Float8E8M0, "float8e8m0", Some(8)),
    (Uint2, "uint2", Some(2)),
    (Int2, "int2", Some(2)),
    (Float6E2M3, "float6e2m3", Some(6)),
    (Float6E3M2, "float6e3m2", Some(6)),
];

impl DType {
    /// Returns the type with this ONNX number.
    pub fn from_onnx(number: i32) -> Self {
        usize::try_from(number)
            .ok()
            .and_then(|index| BY_NUMBER.get(index))
            .map_or(Unknown(number), |(dtype, ..)| *dtype)
    }

    fn row(self) -> Option<&'static (DType, &'static str, Option<u32>)> {
        BY_NUMBER.iter().find(|(dtype, ..)| *dtype == self)
    }

    /// Bits of one element; `None` for texts, for blocks, whose elements share some, and for types this reader does not know.
    pub fn bits(self) -> Option<u32> {
        self.row().and_then(|(.., bits)| *bits)
    }

    /// Bytes that `elements` take, packed as the standard packs them; `None` when the size of an
    /// element is not known or the sum does not fit 64 bits.
    pub fn bytes(self, elements: u64) -> Option<u64> {
        if let Block(format) = self {
            return format.bytes(elements);
        }
        let bits = u128::from(elements) * u128::from(self.bits()?);
        u64::try_from(bits.div_ceil(8)).ok()
    }

    /// The signed integer of the same width; every other type as it is.
    #[must_use]
    pub fn signed(self) -> Self {
        match self {
            Uint2 => Int2,
            Uint4 => Int4,
            Uint8 => Int8,
            Uint16 => Int16,
            Uint32 => Int32,
            Uint64 => Int64,
            other => other,
        }
    }

    /// Whether it is a real floating-point type, of any width.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Block(_)
                | Float32
                | Float16
                | Float64
                | Bfloat16
                | Float8E4M3Fn
                | Float8E4M3Fnuz
                | Float8E5M2
                | Float8E5M2Fnuz
                | Float8E8M0
                | Float6E2M3
                | Float6E3M2
                | Float4E2M1
        )
    }

    /// Whether it is an integer of at most eight bits, as quantized weights are.
    pub fn is_narrow_integer(self) -> bool {
        matches!(self, Uint8 | Int8 | Uint4 | Int4 | Uint2 | Int2)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.row()) {
            (_, Some((_, name, _))) => f.write_str(name),
            (Block(format), _) => f.write_str(format.name()),
            (Unknown(number), None) => write!(f, "unknown({number})"),
            (_, None) => f.write_str("unknown"),
        }
    }
}

/// A text that is not the name of a data type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDType(pub std::string::String);

impl fmt::Display for UnknownDType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown data type {:?}", self.0)
    }
}

impl std::error::Error for UnknownDType {}

impl FromStr for DType {
    type Err = UnknownDType;

    /// Parses a name as `Display` writes it.
    fn from_str(name: &str) -> Result<Self, UnknownDType> {
        let number = || name.strip_prefix("unknown(")?.strip_suffix(')')?.parse().ok();
        let known = BY_NUMBER.iter().find(|(_, known, _)| *known == name);
        let block = || BlockFormat::ALL.iter().find(|format| format.name() == name);
        let dtype = known
            .map(|(dtype, ..)| *dtype)
            .or_else(|| block().copied().map(Block))
            .or_else(|| number().map(Unknown));
        dtype.ok_or_else(|| UnknownDType(name.to_owned()))
    }
}

#[cfg(feature = "serde")]
mod serialized {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::DType;

    impl Serialize for DType {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }

    impl<'de> Deserialize<'de> for DType {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            Cow::<'de, str>::deserialize(from)?.parse().map_err(serde::de::Error::custom)
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for DType {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DType".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A data type: `float32`, `int64`, `bfloat16` and so on; \
                            `unknown(N)` for a number that names none.",
            "type": "string",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_place() {
        for (number, (dtype, ..)) in BY_NUMBER.iter().enumerate() {
            assert_eq!(DType::from_onnx(i32::try_from(number).unwrap()), *dtype);
        }
        assert_eq!(DType::from_onnx(250), Unknown(250));
        assert_eq!(DType::from_onnx(-1), Unknown(-1));
        assert_eq!(Unknown(250).to_string(), "unknown(250)");
    }

    #[test]
    fn names_are_parsed_back() {
        let known = BY_NUMBER.iter().map(|(dtype, ..)| *dtype);
        for dtype in known.chain([Unknown(250), Unknown(-1), Block(BlockFormat::Q4K)]) {
            assert_eq!(dtype.to_string().parse(), Ok(dtype));
        }
        assert_eq!("float".parse::<DType>(), Err(UnknownDType("float".to_owned())));
    }

    #[test]
    fn narrow_types_pack() {
        assert_eq!(Int4.bytes(5), Some(3)); // five halves of a byte
        assert_eq!(Uint2.bytes(5), Some(2)); // five quarters
        assert_eq!(Bool.bytes(5), Some(5));
        assert_eq!(Complex128.bytes(2), Some(32));
        assert_eq!(String.bytes(5), None);
        assert_eq!(Float64.bytes(u64::MAX), None);
    }
}
