//! Convolutions and products of matrices, plain, quantised, fused and packed.
//!
//! A bias is no MAC, it is an addition for each output element; so is whatever is fused behind.

use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, given, input, last, names, ranked, unknown};
use crate::call::{Call, Fail};
use crate::contrib::told::positive;
use crate::fact::{Fact, product};

/// Each output element sums over the channels of its group and the kernel: all dimensions of the
/// weights but the first. Whatever the layout, the weights have their kernels first.
fn convolution(call: &Call<'_>, outputs: &[Fact], weights: usize, others: i64) -> Cost {
    let output = elements(call, outputs.first())?;
    Ok(Work { macs: &output * summed(call, weights)?, other_flops: output * others })
}

/// Elements of one kernel.
fn summed(call: &Call<'_>, weights: usize) -> Result<Expr, Fail> {
    match dims(call, call.optional(weights))?.split_first() {
        Some((_, rest)) => Ok(product(rest)),
        None => unknown(format!("the weights of {} have no dimensions", call.op)),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__Conv.html>; `FusedConv` adds another tensor and a curve.
pub(crate) fn conv(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    convolution(call, outputs, 1, given(call, &[2, 3]) + i64::from(names(call, "activation")))
}

/// <https://onnx.ai/onnx/operators/onnx__ConvInteger.html>: sums that stay integers.
pub(crate) fn conv_integer(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    convolution(call, outputs, 1, 0)
}

/// <https://onnx.ai/onnx/operators/onnx__QLinearConv.html>: sums that are quantised again.
pub(crate) fn qlinear_conv(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    convolution(call, outputs, 3, 2 + given(call, &[8]))
}

/// <https://onnx.ai/onnx/operators/onnx__DeformConv.html>: every sample is interpolated among four,
/// once for all kernels of its group, and perhaps weighed.
pub(crate) fn deform_conv(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let work = convolution(call, outputs, 1, given(call, &[3]))?;
    let (image, places) = (dims(call, call.optional(0))?, dims(call, call.optional(2))?);
    let (Some(channels), Some((batch, rest))) = (image.get(1), places.split_first()) else {
        return unknown("the offsets of DeformConv have no dimensions");
    };
    // The offsets have their channels second, and the output's size behind.
    let places = batch * product(rest.get(1..).unwrap_or_default());
    let kernel = product(dims(call, call.optional(1))?.get(2..).unwrap_or_default());
    let samples = channels * places * kernel;
    Ok(Work { other_flops: work.other_flops + samples * (8 + given(call, &[4])), ..work })
}

/// A kernel is laid out for each input element.
fn transposed(call: &Call<'_>, outputs: &[Fact], weights: usize, others: i64) -> Cost {
    let macs = input(call, 0)? * summed(call, weights)?;
    let other_flops = match others {
        0 => Expr::ZERO,
        others => elements(call, outputs.first())? * others,
    };
    Ok(Work { macs, other_flops })
}

/// <https://onnx.ai/onnx/operators/onnx__ConvTranspose.html>: the loop is over the input.
pub(crate) fn conv_transpose(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    transposed(call, outputs, 1, given(call, &[2]))
}

/// `ConvTransposeWithDynamicPads`: the bias stands behind the pads.
pub(crate) fn conv_transpose_dynamic(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    transposed(call, outputs, 1, given(call, &[3]))
}

/// `QLinearConvTranspose`.
pub(crate) fn qlinear_conv_transpose(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    transposed(call, outputs, 3, 2 + given(call, &[8]))
}

/// `CausalConvWithState`: a kernel for each channel.
pub(crate) fn causal_conv(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    convolution(call, outputs, 1, given(call, &[2]) + i64::from(names(call, "activation")))
}

/// `VarlenCausalConvWithState`: the same; the bias stands fourth.
pub(crate) fn varlen_causal_conv(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    convolution(call, outputs, 1, given(call, &[3]) + i64::from(names(call, "activation")))
}

/// `WordConvEmbedding`: a kernel at each place of each word, a bias, a curve, and the largest.
pub(crate) fn word_conv(call: &Call<'_>, _: &[Fact]) -> Cost {
    let kernels = ranked(call, 1, 4)?;
    let (length, words) = match dims(call, call.optional(0))?.split_last() {
        Some((length, words)) => (length, product(words)),
        None => return unknown("WordConvEmbedding has no words"),
    };
    let places = words * (length - &kernels[2] + 1) * &kernels[0];
    let macs = &places * product(&kernels[1..]);
    Ok(Work { macs, other_flops: places * (2 + given(call, &[2])) })
}

/// So many products for each output element, and other operations.
fn matrix(call: &Call<'_>, outputs: &[Fact], inner: &Expr, others: i64) -> Cost {
    let output = elements(call, outputs.first())?;
    Ok(Work { macs: &output * inner, other_flops: output * others })
}

/// The dimension that a product sums over: the last of the left, or the last but one of the right.
fn inner<'a>(call: &Call<'a>, left: usize, right: usize) -> Result<&'a Expr, Fail> {
    last(call, left).or_else(|fail| {
        let right = dims(call, call.optional(right)).map_err(|_| fail.clone())?;
        right.get(right.len().saturating_sub(2)).ok_or(fail)
    })
}

/// <https://onnx.ai/onnx/operators/onnx__MatMul.html>, `onnx__MatMulInteger`.
pub(crate) fn matmul(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    matrix(call, outputs, inner(call, 0, 1)?, 0)
}

/// `GemmFastGelu`: a product, a bias and a curve.
pub(crate) fn matmul_gelu(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    matrix(call, outputs, inner(call, 0, 1)?, 1 + given(call, &[2]))
}

/// <https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html>: sums that are quantised again.
pub(crate) fn qlinear_matmul(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    matrix(call, outputs, inner(call, 0, 3)?, 2)
}

/// `QOrderedMatMul`: the same, with a bias and another tensor added.
pub(crate) fn ordered_matmul(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    matrix(call, outputs, inner(call, 0, 2)?, 2 + given(call, &[5, 6]))
}

/// `MatMulIntegerToFloat`: sums times their scale, and a bias.
pub(crate) fn matmul_to_float(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    matrix(call, outputs, inner(call, 0, 1)?, 1 + given(call, &[6]))
}

/// `DynamicQuantizeMatMul`: the same, with the left side quantised first.
pub(crate) fn dynamic_matmul(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let work = matrix(call, outputs, inner(call, 0, 1)?, 1 + given(call, &[4]))?;
    Ok(Work { other_flops: work.other_flops + input(call, 0)? * 4, ..work })
}

/// `FusedMatMul` and its like: the left side may be turned on the way, perhaps a curve behind.
pub(crate) fn fused_matmul(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    if matches!(call.optional(0), Some(Fact::SparseTensor(_))) {
        return unknown(format!("how many elements the left side of {} has is not known", call.op));
    }
    let left = dims(call, call.optional(0))?;
    let flag = |name| call.int_or(name, 0) != 0;
    let inner = match left {
        [first, .., _] if flag("transA") && flag("transBatchA") && left.len() > 2 => first,
        [.., inner, _] if flag("transA") => inner,
        [.., inner] => inner,
        [] => return unknown(format!("{} multiplies a scalar", call.op)),
    };
    matrix(call, outputs, inner, i64::from(names(call, "activation")))
}

/// The dimension that a `Gemm` sums over.
fn gemm_inner<'a>(call: &Call<'a>, left: usize, right: usize) -> Result<&'a Expr, Fail> {
    let side = |index: usize, name: &str, column: usize| {
        let axis = if call.int_or(name, 0) != 0 { 1 - column } else { column };
        ranked(call, index, 2).map(|dims| &dims[axis])
    };
    side(left, "transA", 1).or_else(|fail| side(right, "transB", 0).map_err(|_| fail))
}

/// <https://onnx.ai/onnx/operators/onnx__Gemm.html>: `alpha` and `beta` go into the operands.
/// `FusedGemm` has a curve behind.
pub(crate) fn gemm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let others = given(call, &[2]) + i64::from(names(call, "activation"));
    matrix(call, outputs, gemm_inner(call, 0, 1)?, others)
}

/// `QGemm`: sums that become numbers, or are quantised again.
pub(crate) fn qgemm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    matrix(call, outputs, gemm_inner(call, 0, 3)?, 1 + given(call, &[6, 8]))
}

/// `MatMulNBits`: what is summed over stands in an attribute.
pub(crate) fn matmul_nbits(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    matrix(call, outputs, &positive(call, "K")?.into(), given(call, &[5]))
}

/// `MatMulBnb4`: the same; the weights may be the other way round.
pub(crate) fn matmul_bnb4(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let inner = if call.int_or("transB", 1) != 0 { "K" } else { "N" };
    matrix(call, outputs, &positive(call, inner)?.into(), 0)
}

/// `MatMulFpQ4` and products with quantised rows: what is summed over is the input's last dimension.
pub(crate) fn matmul_packed(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let bias = match call.op {
        "MatMulBlockQuantizedFp4Weight" => given(call, &[5]),
        "MatMulBlockQuantizedFp8Weight" => given(call, &[4]),
        _ => 0,
    };
    matrix(call, outputs, last(call, 0)?, bias)
}

/// A skip added to the input, and its root-mean-square norm, before packed products.
fn prepared(call: &Call<'_>) -> Result<Expr, Fail> {
    let count = given(call, &[1]) + 4 * given(call, &[2]);
    if count == 0 { Ok(Expr::ZERO) } else { Ok(input(call, 0)? * count) }
}

/// `MatMulNBitsMlp`: two products, a curve on one, and their product.
pub(crate) fn matmul_nbits_mlp(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let inner = Expr::from(positive(call, "K")?) * 2;
    let work = matrix(call, outputs, &inner, 2 + given(call, &[5, 8]))?;
    Ok(Work { other_flops: work.other_flops + prepared(call)?, ..work })
}

/// `MatMulNBitsQkv`: three products of one input.
pub(crate) fn matmul_nbits_qkv(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let inner = Expr::from(positive(call, "K")?);
    let mut work = Work::of_flops(prepared(call)?);
    for (output, bias) in [5, 8, 11].into_iter().enumerate() {
        let output = elements(call, outputs.get(output))?;
        work.macs += &output * &inner;
        work.other_flops += output * given(call, &[bias]);
    }
    Ok(work)
}

/// `CDist`: a difference, a square and a sum for each element of each pair of rows; perhaps a root.
pub(crate) fn cdist(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let root = i64::from(call.text_or("metric", "sqeuclidean") == "euclidean");
    let pairs = elements(call, outputs.first())?;
    Ok(Work::of_flops(&pairs * last(call, 0)? * 3 + pairs * root))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both, cost, macs, work};
    use crate::call::Fail;
    use crate::contrib::testing::{int, ints, text};

    const MS: &str = "com.microsoft";

    #[test]
    fn convolutions() {
        // 32 · 112 · 112 = 401,408 outputs; each sums 3 · 3 · 3 = 27 products.
        let stem = ["float32[N, 3, 224, 224]", "float32[32, 3, 3, 3]", "float32[32]"];
        let halved = [("strides", ints(&[2, 2])), ("pads", ints(&[1, 1, 1, 1]))];
        assert_eq!(work("", "Conv", &stem, &halved), both("10838016*N", "401408*N"));
        // By channel: 8 · 4 · 4 = 128 outputs, 9 products each; two samples.
        let depthwise = ["float32[2, 8, 6, 6]", "float32[8, 1, 3, 3]"];
        assert_eq!(macs("", "Conv", &depthwise, &[("group", int(8))]), "2304");
        // In one dimension: 2 · 4 · 8 = 64 outputs, 3 · 3 = 9 products.
        assert_eq!(macs("", "Conv", &["float32[2, 3, 10]", "float32[4, 3, 3]"], &[]), "576");
        // In three: 2 · 2 · 2 · 2 = 16 outputs, 1 · 8 products.
        let cube = ["float32[1, 1, 3, 3, 3]", "float32[2, 1, 2, 2, 2]"];
        assert_eq!(macs("", "Conv", &cube, &[]), "128");
    }

    #[test]
    fn convolutions_of_other_kinds() {
        // (6 - 3 + 1)² · 4 = 64 outputs by 2 · 9 = 18 products, in every layout and type.
        let wanted = "1152";
        let plain = ["float32[1, 2, 6, 6]", "float32[4, 2, 3, 3]"];
        let last = ["float32[1, 6, 6, 2]", "float32[4, 2, 3, 3]"];
        let bytes = ["uint8[1, 2, 6, 6]", "int8[4, 2, 3, 3]"];
        assert_eq!(macs(crate::NCHWC, "Conv", &plain, &[]), wanted);
        assert_eq!(macs(MS, "NhwcConv", &last, &[]), wanted);
        assert_eq!(work("", "ConvInteger", &bytes, &[]), both(wanted, "0"));
        let (number, zero) = ("float32[]", "uint8[]");
        let scaled = [bytes[0], number, zero, bytes[1], number, "int8[]", number, zero];
        assert_eq!(work("", "QLinearConv", &scaled, &[]), both(wanted, "128"));
        // A bias, a sum and a curve: 3 for each of 64.
        let fused = [plain[0], plain[1], "float32[4]", "float32[1, 4, 4, 4]"];
        let curve = [("activation", text("Relu"))];
        assert_eq!(work(MS, "FusedConv", &fused, &curve), both(wanted, "192"));
        // 2 · 16 · 9 = 288 samples among four, with a product and a sum each.
        let moved = [plain[0], plain[1], "float32[1, 18, 4, 4]"];
        assert_eq!(work("", "DeformConv", &moved, &[]), both(wanted, "2304"));
    }

    #[test]
    fn a_transposed_convolution_loops_over_its_input() {
        // 2 · 5 · 5 = 50 inputs by 4 · 9 = 36; the output is 4 · 11 · 11 = 484.
        let inputs = ["float32[1, 2, 5, 5]", "float32[2, 4, 3, 3]", "float32[4]"];
        let twice = [("strides", ints(&[2, 2]))];
        assert_eq!(work("", "ConvTranspose", &inputs, &twice), both("1800", "484"));
    }

    #[test]
    fn causal_convolutions_are_by_channel() {
        let inputs = ["float16[B, 64, L]", "float16[64, 1, 4]", "float16[64]"];
        let curve = [("activation", text("silu"))];
        let wanted = both("256*B*L", "128*B*L");
        let work = cost("", "CausalConvWithState", 27, &inputs, &curve).unwrap();
        assert_eq!((work.macs.to_string(), work.other_flops.to_string()), wanted);
    }

    #[test]
    fn products_of_matrices() {
        let matmul = |left, right| macs("", "MatMul", &[left, right], &[]);
        // 4 · 6 outputs of 5 products, for each pair of the broadcast batch of 3 · 2.
        assert_eq!(matmul("float32[3, 1, 4, 5]", "float32[2, 5, 6]"), "720");
        assert_eq!(matmul("float32[5]", "float32[5, 6]"), "30");
        assert_eq!(matmul("float32[4, 5]", "float32[5]"), "20");
        assert_eq!(matmul("float32[5]", "float32[5]"), "5");
        assert_eq!(matmul("float32[B, S, 768]", "float32[768, 3072]"), "2359296*B*S");
        // 8 · 2048 · 1000 however the operands lie; a bias for each of 8,000.
        let turned = ["float32[8, 2048]", "float32[1000, 2048]", "float32[1000]"];
        assert_eq!(work("", "Gemm", &turned, &[("transB", int(1))]), both("16384000", "8000"));
        let both_turned = ["float32[2048, 8]", "float32[1000, 2048]"];
        let flags = [("transA", int(1)), ("transB", int(1))];
        assert_eq!(work("", "Gemm", &both_turned, &flags), both("16384000", "0"));
        let open = cost("", "MatMul", 13, &["float32[…]", "float32[5, 6]"], &[]);
        assert!(matches!(open, Err(Fail::Unknown(_))));
    }

    #[test]
    fn quantised_and_fused_products() {
        // B · 4 · 2 outputs of 3 products.
        let (number, zero) = ("float32[]", "uint8[]");
        let bytes = ["uint8[B, 4, 3]", "int8[3, 2]"];
        assert_eq!(work("", "MatMulInteger", &bytes, &[]), both("24*B", "0"));
        let scaled = [bytes[0], number, zero, bytes[1], number, "int8[]", number, zero];
        assert_eq!(work("", "QLinearMatMul", &scaled, &[]), both("24*B", "16*B"));
        let gemm = ["uint8[N, 3]", number, zero, "int8[5, 3]", number, "int8[]", "int32[5]"];
        assert_eq!(work(MS, "QGemm", &gemm, &[("transB", int(1))]), both("15*N", "10*N"));
        let to_float = [bytes[0], bytes[1], number, number];
        assert_eq!(work(MS, "MatMulIntegerToFloat", &to_float, &[]), both("24*B", "8*B"));
        let dynamic = ["float32[B, 4, 3]", bytes[1], number];
        assert_eq!(work(MS, "DynamicQuantizeMatMul", &dynamic, &[]), both("24*B", "56*B"));
        let fused = |inputs: &[&str], flags: &[&'static str]| {
            let flags: Vec<_> = flags.iter().map(|name| (*name, int(1))).collect();
            macs(MS, "FusedMatMul", inputs, &flags)
        };
        // Always 4 by 5 by 7 for each of B · H.
        let batch = ["float32[4, B, H, 5]", "float32[B, H, 5, 7]"];
        assert_eq!(fused(&batch, &["transBatchA"]), "140*B*H");
        let turned = ["float32[5, B, H, 4]", "float32[B, H, 5, 7]"];
        assert_eq!(fused(&turned, &["transBatchA", "transA"]), "140*B*H");
        let turned = ["float32[B, H, 5, 4]", "float32[B, H, 5, 7]"];
        assert_eq!(fused(&turned, &["transA"]), "140*B*H");
    }

    #[test]
    fn packed_weights() {
        // S tokens by 64 · 192 = 12,288.
        let inputs = ["float16[1, S, 64]", "uint8[192, 2, 16]", "float16[384]"];
        let sizes = [("N", int(192)), ("K", int(64)), ("bits", int(4)), ("block_size", int(32))];
        assert_eq!(work(MS, "MatMulNBits", &inputs, &sizes), both("12288*S", "0"));
        let inputs = ["float16[1, S, 64]", "uint8[6144]", "float16[192]"];
        assert_eq!(macs(MS, "MatMulBnb4", &inputs, &sizes), "12288*S");
    }
}
