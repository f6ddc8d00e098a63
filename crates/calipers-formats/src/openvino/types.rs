//! Element types, as ports and constants write them.

use calipers_ir::DType;

/// The type of this name: ports write `FP32`, constants and inputs `f32`.
pub(super) fn dtype(name: &str) -> DType {
    match name.to_ascii_lowercase().as_str() {
        "fp64" | "f64" => DType::Float64,
        "fp32" | "f32" => DType::Float32,
        "fp16" | "f16" => DType::Float16,
        "bf16" => DType::Bfloat16,
        "f8e4m3" => DType::Float8E4M3Fn,
        "f8e5m2" => DType::Float8E5M2,
        "f8e8m0" => DType::Float8E8M0,
        "f4e2m1" => DType::Float4E2M1,
        "i64" => DType::Int64,
        "i32" => DType::Int32,
        "i16" => DType::Int16,
        "i8" => DType::Int8,
        "i4" => DType::Int4,
        "i2" => DType::Int2,
        "u64" => DType::Uint64,
        "u32" => DType::Uint32,
        "u16" => DType::Uint16,
        "u8" => DType::Uint8,
        "u4" => DType::Uint4,
        "u2" => DType::Uint2,
        "boolean" | "bool" => DType::Bool,
        "string" => DType::String,
        _ => DType::Undefined,
    }
}

/// The number of a type in ONNX, for the operators that have it as an attribute.
pub(super) fn number(dtype: DType) -> i64 {
    let numbers = 0..=28;
    numbers.into_iter().find(|number| DType::from_onnx(*number) == dtype).map_or(0, i64::from)
}
