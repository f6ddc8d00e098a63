//! Matrix products, convolutions and experts, with what is fused to them.

use super::super::layout;
use super::super::matmul;
use super::super::misc;
use super::super::pointwise;
use crate::InputRole::{Data, Scale, Setting, Table, Weight};
use crate::cost;
use crate::row::Operator;
use crate::traits::{Activation, Class, KernelClass, Lowering, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Contraction,
    [
        Operator::microsoft(
            "AttnLSTM",
            &[
                Data, Weight, Weight, Weight, Setting, Data, Data, Weight, Weight, Weight, Weight,
                Data, Setting, Weight,
            ],
        )
        .class(Class::Recurrent)
        .contracts(KernelClass::Recurrent, &[1])
        .infer(crate::quantized::attention_lstm)
        .costs(cost::recurrent::attention_lstm),
        Operator::microsoft("CDist", &[Data, Data])
            .class(Class::LinearAlgebra)
            .infer(matmul::cdist)
            .costs(cost::contraction::cdist),
        Operator::microsoft("ConvTransposeWithDynamicPads", &[Data, Weight, Setting, Weight])
            .raises_resolution()
            .contracts(KernelClass::Convolution, &[1])
            .lowers(Lowering::As("ConvTranspose", &[0, 1, 3]))
            .infer(layout::conv_transpose_dynamic)
            .costs(cost::contraction::conv_transpose_dynamic),
        Operator::microsoft("FusedConv", &[Data, Weight, Weight, Data])
            .contracts(KernelClass::Convolution, &[1])
            .lowers(Lowering::Convolution)
            .infer(layout::conv_first)
            .costs(cost::contraction::conv),
        Operator::microsoft("FusedGemm", &[Weight, Weight, Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .lowers(Lowering::Gemm)
            .infer(matmul::fused_gemm)
            .costs(cost::contraction::gemm),
        Operator::microsoft("FusedMatMul", &[Weight, Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .lowers(Lowering::As("MatMul", &[0, 1]))
            .infer(matmul::fused_matmul)
            .costs(cost::contraction::fused_matmul),
        Operator::microsoft("FusedMatMulActivation", &[Weight, Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .lowers(Lowering::As("MatMul", &[0, 1]))
            .infer(matmul::fused_matmul)
            .costs(cost::contraction::fused_matmul),
        Operator::microsoft("GemmFastGelu", &[Weight, Weight, Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .lowers(Lowering::MatMul {
                factors: [0, 1],
                bias: Some(2),
                activation: Some(Activation::Gelu),
            })
            .infer(matmul::matmul)
            .costs(cost::contraction::matmul_gelu),
        Operator::microsoft("GemmFloat8", &[Weight, Weight, Weight, Scale, Scale, Scale])
            .on_float8(KernelClass::Gemm, &[1, 0])
            .lowers(Lowering::As("Gemm", &[0, 1, 2]))
            .infer(matmul::gemm_float8)
            .costs(cost::contraction::gemm),
        Operator::microsoft("MoE", &[Data, Data, Weight, Weight, Weight, Weight, Weight, Weight])
            .contracts(KernelClass::Gemm, &[2])
            .infer(pointwise::same)
            .costs(cost::experts::experts),
        Operator::microsoft("NhwcConv", &[Data, Weight, Weight])
            .contracts(KernelClass::Convolution, &[1])
            .lowers(Lowering::As("Conv", &[0, 1, 2]))
            .infer(layout::conv_last)
            .costs(cost::contraction::conv),
        Operator::microsoft("NhwcFusedConv", &[Data, Weight, Weight, Data])
            .contracts(KernelClass::Convolution, &[1])
            .lowers(Lowering::Convolution)
            .infer(layout::conv_last)
            .costs(cost::contraction::conv),
        Operator::microsoft("SparseToDenseMatMul", &[Weight, Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .lowers(Lowering::As("MatMul", &[0, 1]))
            .infer(matmul::fused_matmul)
            .costs(cost::contraction::fused_matmul),
        Operator::microsoft("TransposeMatMul", &[Weight, Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .lowers(Lowering::As("MatMul", &[0, 1]))
            .infer(matmul::fused_matmul)
            .costs(cost::contraction::fused_matmul),
        Operator::microsoft("WordConvEmbedding", &[Data, Weight, Weight, Table])
            .contracts(KernelClass::Convolution, &[1])
            .infer(misc::word_conv_embedding)
            .costs(cost::contraction::word_conv),
    ],
);
