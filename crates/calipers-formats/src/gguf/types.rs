//! Types of tensors by the numbers that ggml gives them.

use calipers_ir::{BlockFormat, DType};

use BlockFormat as B;

/// The type of a number. Numbers that ggml gave up are of types that no file can have any more, but
/// for the interleaved ones: their blocks have the numbers and the size of those they were made from.
pub(super) fn dtype_of(number: u32) -> DType {
    DType::Block(match number {
        0 => return DType::Float32,
        1 => return DType::Float16,
        2 | 31..=33 => B::Q4_0,
        3 => B::Q4_1,
        6 => B::Q5_0,
        7 => B::Q5_1,
        8 => B::Q8_0,
        9 => B::Q8_1,
        10 => B::Q2K,
        11 => B::Q3K,
        12 => B::Q4K,
        13 => B::Q5K,
        14 => B::Q6K,
        15 => B::Q8K,
        16 => B::Iq2Xxs,
        17 => B::Iq2Xs,
        18 => B::Iq3Xxs,
        19 => B::Iq1S,
        20 | 36..=38 => B::Iq4Nl,
        21 => B::Iq3S,
        22 => B::Iq2S,
        23 => B::Iq4Xs,
        24 => return DType::Int8,
        25 => return DType::Int16,
        26 => return DType::Int32,
        27 => return DType::Int64,
        28 => return DType::Float64,
        29 => B::Iq1M,
        30 => return DType::Bfloat16,
        34 => B::Tq1_0,
        35 => B::Tq2_0,
        39 => B::Mxfp4,
        40 => B::Nvfp4,
        41 => B::Q1_0,
        _ => return DType::Unknown(i32::try_from(number).unwrap_or(i32::MAX)),
    })
}

/// How the weights of a file are quantized, by `general.file_type`: the name that llama.cpp has for
/// the mixture of types.
pub(super) fn file_type_name(number: i64) -> Option<&'static str> {
    Some(match number {
        0 => "F32",
        1 => "F16",
        2 => "Q4_0",
        3 => "Q4_1",
        7 => "Q8_0",
        8 => "Q5_0",
        9 => "Q5_1",
        10 => "Q2_K",
        11 => "Q3_K_S",
        12 => "Q3_K_M",
        13 => "Q3_K_L",
        14 => "Q4_K_S",
        15 => "Q4_K_M",
        16 => "Q5_K_S",
        17 => "Q5_K_M",
        18 => "Q6_K",
        19 => "IQ2_XXS",
        20 => "IQ2_XS",
        21 => "Q2_K_S",
        22 => "IQ3_XS",
        23 => "IQ3_XXS",
        24 => "IQ1_S",
        25 => "IQ4_NL",
        26 => "IQ3_S",
        27 => "IQ3_M",
        28 => "IQ2_S",
        29 => "IQ2_M",
        30 => "IQ4_XS",
        31 => "IQ1_M",
        32 => "BF16",
        36 => "TQ1_0",
        37 => "TQ2_0",
        38 => "MXFP4_MOE",
        39 => "NVFP4",
        40 => "Q1_0",
        _ => return None,
    })
}
