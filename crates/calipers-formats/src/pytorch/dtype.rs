//! Types of elements, by PyTorch's and NumPy's names.

use calipers_ir::DType;

/// The type of a name of `torch`, such as `float32` or `qint8`.
pub(super) fn of_torch(name: &str) -> Option<DType> {
    Some(match name {
        "float32" | "float" => DType::Float32,
        "float64" | "double" => DType::Float64,
        "float16" | "half" => DType::Float16,
        "bfloat16" => DType::Bfloat16,
        "float8_e4m3fn" => DType::Float8E4M3Fn,
        "float8_e4m3fnuz" => DType::Float8E4M3Fnuz,
        "float8_e5m2" => DType::Float8E5M2,
        "float8_e5m2fnuz" => DType::Float8E5M2Fnuz,
        "float8_e8m0fnu" => DType::Float8E8M0,
        "float4_e2m1fn_x2" => DType::Float4E2M1,
        "uint8" | "quint8" | "bits8" => DType::Uint8,
        "int8" | "qint8" => DType::Int8,
        "uint16" | "bits16" => DType::Uint16,
        "int16" | "short" => DType::Int16,
        "uint32" => DType::Uint32,
        "int32" | "int" | "qint32" => DType::Int32,
        "uint64" => DType::Uint64,
        "int64" | "long" => DType::Int64,
        "quint4x2" => DType::Uint4,
        "quint2x4" => DType::Uint2,
        "bool" => DType::Bool,
        "complex64" | "cfloat" => DType::Complex64,
        "complex128" | "cdouble" => DType::Complex128,
        _ => return None,
    })
}

/// The type of the elements of a storage or a typed tensor class, such as `FloatStorage`.
pub(super) fn of_class(name: &str) -> Option<DType> {
    let kind = name.strip_suffix("Storage").or_else(|| name.strip_suffix("Tensor"))?;
    Some(match kind {
        "Float" => DType::Float32,
        "Double" => DType::Float64,
        "Half" => DType::Float16,
        "BFloat16" => DType::Bfloat16,
        "Byte" | "QUInt8" | "Untyped" => DType::Uint8,
        "Char" | "QInt8" => DType::Int8,
        "Short" => DType::Int16,
        "Int" | "QInt32" => DType::Int32,
        "Long" => DType::Int64,
        "Bool" => DType::Bool,
        "ComplexFloat" => DType::Complex64,
        "ComplexDouble" => DType::Complex128,
        "QUInt4x2" => DType::Uint4,
        "QUInt2x4" => DType::Uint2,
        _ => return None,
    })
}

/// The type of a code of NumPy, such as `f4`.
pub(super) fn of_numpy(code: &str) -> Option<DType> {
    Some(match code.trim_start_matches(['<', '=', '|', '>']) {
        "f4" => DType::Float32,
        "f8" => DType::Float64,
        "f2" => DType::Float16,
        "i1" => DType::Int8,
        "i2" => DType::Int16,
        "i4" => DType::Int32,
        "i8" => DType::Int64,
        "u1" => DType::Uint8,
        "u2" => DType::Uint16,
        "u4" => DType::Uint32,
        "u8" => DType::Uint64,
        "b1" => DType::Bool,
        "c8" => DType::Complex64,
        "c16" => DType::Complex128,
        _ => return None,
    })
}

/// The type of a number of `torch.export`'s schema.
pub(super) fn of_number(number: i64) -> DType {
    match number {
        1 => DType::Uint8,
        2 => DType::Int8,
        3 => DType::Int16,
        4 => DType::Int32,
        5 => DType::Int64,
        6 => DType::Float16,
        7 => DType::Float32,
        8 => DType::Float64,
        10 => DType::Complex64,
        11 => DType::Complex128,
        12 => DType::Bool,
        13 => DType::Bfloat16,
        28 => DType::Uint16,
        29 => DType::Float8E4M3Fn,
        30 => DType::Float8E5M2,
        31 => DType::Float8E4M3Fnuz,
        32 => DType::Float8E5M2Fnuz,
        33 => DType::Float8E8M0,
        34 => DType::Uint32,
        35 => DType::Uint64,
        _ => DType::Undefined,
    }
}
