//! Contractions that multiply integers.

use super::super::lstm;
use super::super::product;
use super::super::qlinear;
use crate::InputRole::{Data, Scale, Weight};
use crate::NHWC;
use crate::contrib::matmul;
use crate::contrib::pointwise;
use crate::cost;
use crate::row::Operator;
use crate::traits::{Class, KernelClass, Lowering, family, quantized_at};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Contraction,
    [
        Operator::onnx("ConvInteger", &[Data, Weight, Scale, Scale])
            .on_integers(KernelClass::Convolution, &[1], None, Some(3))
            .lowers(Lowering::As("Conv", &[0, 1]))
            .since(&[10])
            .infer(product::conv_integer)
            .costs(cost::contraction::conv_integer),
        Operator::onnx("MatMulInteger", &[Weight, Weight, Scale, Scale])
            .on_integers(KernelClass::Gemm, &[1], None, Some(3))
            .lowers(Lowering::As("MatMul", &[0, 1]))
            .since(&[10])
            .infer(product::matmul_integer)
            .costs(cost::contraction::matmul),
        Operator::onnx(
            "QLinearConv",
            &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
        )
        .on_integers(KernelClass::Convolution, &[3], Some(4), Some(5))
        .lowers(Lowering::As("Conv", &[0, 3, 8]))
        .scales(&[quantized_at(0), quantized_at(3)])
        .since(&[10])
        .infer(product::qlinear_conv)
        .costs(cost::contraction::qlinear_conv),
        Operator::onnx(
            "QLinearMatMul",
            &[Weight, Scale, Scale, Weight, Scale, Scale, Scale, Scale],
        )
        .on_integers(KernelClass::Gemm, &[3], Some(4), Some(5))
        .lowers(Lowering::As("MatMul", &[0, 3]))
        .scales(&[quantized_at(0), quantized_at(3)])
        .since(&[10, 21])
        .infer(product::qlinear_matmul)
        .costs(cost::contraction::qlinear_matmul),
        Operator::microsoft("ConvInteger", &[Data, Weight, Scale, Scale])
            .on_integers(KernelClass::Convolution, &[1], None, Some(3))
            .lowers(Lowering::As("Conv", &[0, 1]))
            .infer(product::conv_integer)
            .costs(cost::contraction::conv_integer),
        Operator::microsoft(
            "DynamicQuantizeLSTM",
            &[Data, Weight, Weight, Weight, Data, Data, Data, Weight, Scale, Scale, Scale, Scale],
        )
        .class(Class::Recurrent)
        .on_integers(KernelClass::Recurrent, &[1], Some(8), Some(9))
        .dynamically()
        .lowers(Lowering::As("LSTM", &[0, 1, 2, 3, 4, 5, 6, 7]))
        .infer(lstm::dynamic_quantize_lstm)
        .costs(cost::recurrent::quantized_lstm),
        Operator::microsoft("DynamicQuantizeMatMul", &[Data, Weight, Scale, Scale, Weight])
            .on_integers(KernelClass::Gemm, &[1], Some(2), Some(3))
            .dynamically()
            .lowers(Lowering::MatMul { factors: [0, 1], bias: Some(4), activation: None })
            .infer(matmul::matmul)
            .costs(cost::contraction::dynamic_matmul),
        Operator::microsoft("MatMulInteger16", &[Weight, Weight])
            .on_integers(KernelClass::Gemm, &[1], None, None)
            .lowers(Lowering::As("MatMul", &[0, 1]))
            .infer(product::matmul_integer)
            .costs(cost::contraction::matmul),
        Operator::microsoft(
            "MatMulIntegerToFloat",
            &[Weight, Weight, Scale, Scale, Scale, Scale, Weight],
        )
        .on_integers(KernelClass::Gemm, &[1], Some(3), Some(5))
        .lowers(Lowering::MatMul { factors: [0, 1], bias: Some(6), activation: None })
        .infer(product::matmul_integer_to_float)
        .costs(cost::contraction::matmul_to_float),
        Operator::microsoft(
            "QAttention",
            &[Data, Weight, Weight, Scale, Scale, Data, Scale, Scale, Data],
        )
        .class(Class::Attention)
        .on_integers(KernelClass::Attention, &[1], Some(4), Some(7))
        .lowers(Lowering::ProjectedAttention { bias: None })
        .infer(crate::contrib::q_attention)
        .costs(cost::projected::q_attention),
        Operator::microsoft(
            "QGemm",
            &[Weight, Scale, Scale, Weight, Scale, Scale, Weight, Scale, Scale],
        )
        .on_integers(KernelClass::Gemm, &[3], Some(4), Some(5))
        .lowers(Lowering::As("Gemm", &[0, 3, 6]))
        .scales(&[quantized_at(0), quantized_at(3)])
        .infer(product::qgemm)
        .costs(cost::contraction::qgemm),
        Operator::microsoft(
            "QLinearConv",
            &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
        )
        .on_integers(KernelClass::Convolution, &[3], Some(4), Some(5))
        .lowers(Lowering::As("Conv", &[0, 3, 8]))
        .scales(&[quantized_at(0), quantized_at(3)])
        .infer(product::qlinear_conv)
        .costs(cost::contraction::qlinear_conv),
        Operator::microsoft(
            "QLinearConvTranspose",
            &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
        )
        .on_integers(KernelClass::Convolution, &[3], Some(4), Some(5))
        .lowers(Lowering::As("ConvTranspose", &[0, 3, 8]))
        .raises_resolution()
        .scales(&[quantized_at(0), quantized_at(3)])
        .infer(product::qlinear_conv_transpose)
        .costs(cost::contraction::qlinear_conv_transpose),
        Operator::microsoft(
            "QOrderedAttention",
            &[
                Data, Scale, Scale, Scale, Scale, Weight, Weight, Weight, Scale, Scale, Scale,
                Weight, Weight, Weight, Scale, Scale, Scale, Data, Data, Data,
            ],
        )
        .class(Class::Attention)
        .on_integers(KernelClass::Attention, &[5, 6, 7], Some(8), None)
        .infer(qlinear::ordered_attention)
        .costs(cost::projected::ordered),
        Operator::microsoft(
            "QOrderedLongformerAttention",
            &[
                Data, Scale, Weight, Scale, Weight, Scale, Scale, Data, Weight, Scale, Weight,
                Scale, Data, Scale,
            ],
        )
        .class(Class::Attention)
        .on_integers(KernelClass::Attention, &[2], Some(3), None)
        .lowers(Lowering::As("LongformerAttention", &[0, 2, 4, 7, 8, 10, 12]))
        .infer(pointwise::same)
        .costs(cost::projected::ordered_longformer),
        Operator::microsoft(
            "QOrderedMatMul",
            &[Data, Scale, Weight, Scale, Scale, Weight, Data, Scale],
        )
        .on_integers(KernelClass::Gemm, &[2], Some(3), None)
        .lowers(Lowering::MatMul { factors: [0, 2], bias: Some(5), activation: None })
        .infer(product::ordered_matmul)
        .costs(cost::contraction::ordered_matmul),
        Operator::new(
            NHWC,
            "QLinearConv",
            &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
        )
        .on_integers(KernelClass::Convolution, &[3], Some(4), Some(5))
        .lowers(Lowering::As("Conv", &[0, 3, 8]))
        .scales(&[quantized_at(0), quantized_at(3)])
        .infer(product::qlinear_conv_last)
        .costs(cost::contraction::qlinear_conv),
        Operator::new(
            NHWC,
            "QLinearConvTranspose",
            &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
        )
        .on_integers(KernelClass::Convolution, &[3], Some(4), Some(5))
        .lowers(Lowering::As("ConvTranspose", &[0, 3, 8]))
        .raises_resolution()
        .scales(&[quantized_at(0), quantized_at(3)])
        .infer(product::qlinear_conv_transpose_last)
        .costs(cost::contraction::qlinear_conv_transpose),
    ],
);
