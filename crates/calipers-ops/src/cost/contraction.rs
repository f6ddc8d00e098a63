//! Convolutions and products of matrices, plain, quantized, fused and packed.
//!
//! A bias adds one operation per output element, not a MAC; so is whatever is fused behind.

use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, given, input, last, names, ranked, unknown};
use crate::context::{Fail, OpContext};
use crate::contrib::inputs::positive;
use crate::fact::{Fact, product};

/// Each output element sums over the channels of its group and the kernel: all dimensions of the
/// weights but the first. Whatever the layout, the weights have their kernels first.
fn convolution(ctx: &OpContext<'_>, outputs: &[Fact], weights: usize, others: i64) -> Cost {
    let output = elements(ctx, outputs.first())?;
    Ok(Work { macs: &output * summed(ctx, weights)?, other_flops: output * others })
}

/// Elements of one kernel.
fn summed(ctx: &OpContext<'_>, weights: usize) -> Result<Expr, Fail> {
    match dims(ctx, ctx.optional(weights))?.split_first() {
        Some((_, rest)) => Ok(product(rest)),
        None => unknown(format!("the weights of {} have no dimensions", ctx.op)),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__Conv.html>; `FusedConv` adds another tensor and a activation.
pub(crate) fn conv(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    convolution(ctx, outputs, 1, given(ctx, &[2, 3]) + i64::from(names(ctx, "activation")))
}

/// <https://onnx.ai/onnx/operators/onnx__ConvInteger.html>: sums that stay integers.
pub(crate) fn conv_integer(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    convolution(ctx, outputs, 1, 0)
}

/// <https://onnx.ai/onnx/operators/onnx__QLinearConv.html>: sums that are quantized again.
pub(crate) fn qlinear_conv(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    convolution(ctx, outputs, 3, 2 + given(ctx, &[8]))
}

/// <https://onnx.ai/onnx/operators/onnx__DeformConv.html>: every sample is interpolated among four,
/// once for all kernels of its group, and perhaps weighted.
pub(crate) fn deform_conv(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let work = convolution(ctx, outputs, 1, given(ctx, &[3]))?;
    let (image, places) = (dims(ctx, ctx.optional(0))?, dims(ctx, ctx.optional(2))?);
    let (Some(channels), Some((batch, rest))) = (image.get(1), places.split_first()) else {
        return unknown("the offsets of DeformConv have no dimensions");
    };
    // The offsets have their channels second, and the output's size behind.
    let places = batch * product(rest.get(1..).unwrap_or_default());
    let kernel = product(dims(ctx, ctx.optional(1))?.get(2..).unwrap_or_default());
    let samples = channels * places * kernel;
    Ok(Work { other_flops: work.other_flops + samples * (8 + given(ctx, &[4])), ..work })
}

/// A kernel is laid out for each input element.
fn transposed(ctx: &OpContext<'_>, outputs: &[Fact], weights: usize, others: i64) -> Cost {
    let macs = input(ctx, 0)? * summed(ctx, weights)?;
    let other_flops = match others {
        0 => Expr::ZERO,
        others => elements(ctx, outputs.first())? * others,
    };
    Ok(Work { macs, other_flops })
}

/// <https://onnx.ai/onnx/operators/onnx__ConvTranspose.html>: the loop is over the input.
pub(crate) fn conv_transpose(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    transposed(ctx, outputs, 1, given(ctx, &[2]))
}

/// `ConvTransposeWithDynamicPads`: the bias is behind the pads.
pub(crate) fn conv_transpose_dynamic(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    transposed(ctx, outputs, 1, given(ctx, &[3]))
}

/// `QLinearConvTranspose`.
pub(crate) fn qlinear_conv_transpose(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    transposed(ctx, outputs, 3, 2 + given(ctx, &[8]))
}

/// `CausalConvWithState`: a kernel for each channel.
pub(crate) fn causal_conv(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    convolution(ctx, outputs, 1, given(ctx, &[2]) + i64::from(names(ctx, "activation")))
}

/// `VarlenCausalConvWithState`: the same; the bias is fourth.
pub(crate) fn varlen_causal_conv(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    convolution(ctx, outputs, 1, given(ctx, &[3]) + i64::from(names(ctx, "activation")))
}

/// `WordConvEmbedding`: a kernel at each place of each word, a bias, a activation, and the largest.
pub(crate) fn word_conv(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let kernels = ranked(ctx, 1, 4)?;
    let (length, words) = match dims(ctx, ctx.optional(0))?.split_last() {
        Some((length, words)) => (length, product(words)),
        None => return unknown("WordConvEmbedding has no words"),
    };
    let places = words * (length - &kernels[2] + 1) * &kernels[0];
    let macs = &places * product(&kernels[1..]);
    Ok(Work { macs, other_flops: places * (2 + given(ctx, &[2])) })
}

/// This many products for each output element, and other operations.
fn matrix(ctx: &OpContext<'_>, outputs: &[Fact], inner: &Expr, others: i64) -> Cost {
    let output = elements(ctx, outputs.first())?;
    Ok(Work { macs: &output * inner, other_flops: output * others })
}

/// The dimension that a product sums over: the last of the left, or the last but one of the right.
fn inner<'a>(ctx: &OpContext<'a>, left: usize, right: usize) -> Result<&'a Expr, Fail> {
    last(ctx, left).or_else(|fail| {
        let right = dims(ctx, ctx.optional(right)).map_err(|_| fail.clone())?;
        right.get(right.len().saturating_sub(2)).ok_or(fail)
    })
}

/// <https://onnx.ai/onnx/operators/onnx__MatMul.html>, `onnx__MatMulInteger`.
pub(crate) fn matmul(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    matrix(ctx, outputs, inner(ctx, 0, 1)?, 0)
}

/// `Linear`: a product and a bias; what is summed over is the first dimension of the weights.
pub(crate) fn linear(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let depth = &ranked(ctx, 1, 2)?[0];
    matrix(ctx, outputs, depth, given(ctx, &[2]))
}

/// `GemmFastGelu`: a product, a bias and a activation.
pub(crate) fn matmul_gelu(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    matrix(ctx, outputs, inner(ctx, 0, 1)?, 1 + given(ctx, &[2]))
}

/// <https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html>: sums that are quantized again.
pub(crate) fn qlinear_matmul(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    matrix(ctx, outputs, inner(ctx, 0, 3)?, 2)
}

/// `QOrderedMatMul`: the same, with a bias and another tensor added.
pub(crate) fn ordered_matmul(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    matrix(ctx, outputs, inner(ctx, 0, 2)?, 2 + given(ctx, &[5, 6]))
}

/// `MatMulIntegerToFloat`: sums times their scale, and a bias.
pub(crate) fn matmul_to_float(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    matrix(ctx, outputs, inner(ctx, 0, 1)?, 1 + given(ctx, &[6]))
}

/// `DynamicQuantizeMatMul`: the same, with the left side quantized first.
pub(crate) fn dynamic_matmul(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let work = matrix(ctx, outputs, inner(ctx, 0, 1)?, 1 + given(ctx, &[4]))?;
    Ok(Work { other_flops: work.other_flops + input(ctx, 0)? * 4, ..work })
}

/// `FusedMatMul` and its like: the left side may be turned on the way, perhaps a activation behind.
pub(crate) fn fused_matmul(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    if matches!(ctx.optional(0), Some(Fact::SparseTensor(_))) {
        return unknown(format!("how many elements the left side of {} has is not known", ctx.op));
    }
    let left = dims(ctx, ctx.optional(0))?;
    let flag = |name| ctx.int_or(name, 0) != 0;
    let inner = match left {
        [first, .., _] if flag("transA") && flag("transBatchA") && left.len() > 2 => first,
        [.., inner, _] if flag("transA") => inner,
        [.., inner] => inner,
        [] => return unknown(format!("{} multiplies a scalar", ctx.op)),
    };
    matrix(ctx, outputs, inner, i64::from(names(ctx, "activation")))
}

/// The dimension that a `Gemm` sums over.
fn gemm_inner<'a>(ctx: &OpContext<'a>, left: usize, right: usize) -> Result<&'a Expr, Fail> {
    let side = |index: usize, name: &str, column: usize| {
        let axis = if ctx.int_or(name, 0) != 0 { 1 - column } else { column };
        ranked(ctx, index, 2).map(|dims| &dims[axis])
    };
    side(left, "transA", 1).or_else(|fail| side(right, "transB", 0).map_err(|_| fail))
}

/// <https://onnx.ai/onnx/operators/onnx__Gemm.html>: `alpha` and `beta` go into the operands.
/// `FusedGemm` has a activation behind.
pub(crate) fn gemm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let others = given(ctx, &[2]) + i64::from(names(ctx, "activation"));
    matrix(ctx, outputs, gemm_inner(ctx, 0, 1)?, others)
}

/// `QGemm`: sums that become numbers, or are quantized again.
pub(crate) fn qgemm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    matrix(ctx, outputs, gemm_inner(ctx, 0, 3)?, 1 + given(ctx, &[6, 8]))
}

/// `MatMulNBits`: what is summed over is in an attribute.
pub(crate) fn matmul_nbits(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    matrix(ctx, outputs, &positive(ctx, "K")?.into(), given(ctx, &[5]))
}

/// `MatMulBnb4`: the same; the weights may be the other way round.
pub(crate) fn matmul_bnb4(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let inner = if ctx.int_or("transB", 1) != 0 { "K" } else { "N" };
    matrix(ctx, outputs, &positive(ctx, inner)?.into(), 0)
}

/// `MatMulFpQ4` and products with quantized rows: what is summed over is the input's last dimension.
pub(crate) fn matmul_packed(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let bias = match ctx.op {
        "MatMulBlockQuantizedFp4Weight" => given(ctx, &[5]),
        "MatMulBlockQuantizedFp8Weight" => given(ctx, &[4]),
        _ => 0,
    };
    matrix(ctx, outputs, last(ctx, 0)?, bias)
}

/// A skip added to the input, and its root-mean-square norm, before packed products.
fn prepared(ctx: &OpContext<'_>) -> Result<Expr, Fail> {
    let count = given(ctx, &[1]) + 4 * given(ctx, &[2]);
    if count == 0 { Ok(Expr::ZERO) } else { Ok(input(ctx, 0)? * count) }
}

/// `MatMulNBitsMlp`: two products, a activation on one, and their product.
pub(crate) fn matmul_nbits_mlp(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let inner = Expr::from(positive(ctx, "K")?) * 2;
    let work = matrix(ctx, outputs, &inner, 2 + given(ctx, &[5, 8]))?;
    Ok(Work { other_flops: work.other_flops + prepared(ctx)?, ..work })
}

/// `MatMulNBitsQkv`: three products of one input.
pub(crate) fn matmul_nbits_qkv(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let inner = Expr::from(positive(ctx, "K")?);
    let mut work = Work::of_flops(prepared(ctx)?);
    for (output, bias) in [5, 8, 11].into_iter().enumerate() {
        let output = elements(ctx, outputs.get(output))?;
        work.macs += &output * &inner;
        work.other_flops += output * given(ctx, &[bias]);
    }
    Ok(work)
}

/// `CDist`: a difference, a square and a sum for each element of each pair of rows; perhaps a root.
pub(crate) fn cdist(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let root = i64::from(ctx.text_or("metric", "sqeuclidean") == "euclidean");
    let pairs = elements(ctx, outputs.first())?;
    Ok(Work::of_flops(&pairs * last(ctx, 0)? * 3 + pairs * root))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both, cost, macs, work};
    use crate::context::Fail;
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
        // A bias, a sum and a activation: 3 for each of 64.
        let fused = [plain[0], plain[1], "float32[4]", "float32[1, 4, 4, 4]"];
        let activation = [("activation", text("Relu"))];
        assert_eq!(work(MS, "FusedConv", &fused, &activation), both(wanted, "192"));
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
        let activation = [("activation", text("silu"))];
        let wanted = both("256*B*L", "128*B*L");
        let work = cost("", "CausalConvWithState", 27, &inputs, &activation).unwrap();
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
    fn quantized_and_fused_products() {
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
