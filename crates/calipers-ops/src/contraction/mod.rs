//! Sums of products: convolution and matrix product.

mod conv;
mod einsum;
mod matrix;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use matrix::product;

use crate::InputRole::{Data, Weight};
use crate::cost;
use crate::row::Operator;
use crate::traits::{Class, KernelClass, Lowering, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Contraction,
    [
        Operator::onnx("CausalConvWithState", &[Data, Weight, Weight, Data])
            .contracts(KernelClass::Depthwise, &[1])
            .since(&[27])
            .infer(conv::causal)
            .costs(cost::contraction::causal_conv),
        Operator::onnx("Conv", &[Data, Weight, Weight])
            .contracts(KernelClass::Convolution, &[1])
            .lowers(Lowering::Convolution)
            .has_integer_kernel()
            .since(&[1, 11, 22])
            .infer(conv::plain)
            .costs(cost::contraction::conv),
        Operator::onnx("ConvTranspose", &[Data, Weight, Weight])
            .raises_resolution()
            .contracts(KernelClass::Convolution, &[1])
            .has_integer_kernel()
            .since(&[1, 11, 22])
            .infer(conv::transposed)
            .costs(cost::contraction::conv_transpose),
        Operator::onnx("DeformConv", &[Data, Weight, Data, Weight, Data])
            .convolves()
            .contracts(KernelClass::Gemm, &[1])
            .since(&[19, 22])
            .infer(conv::deformed)
            .costs(cost::contraction::deform_conv),
        Operator::onnx("Einsum", &[Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .variadic()
            .since(&[12, 28])
            .infer(einsum::einsum)
            .costs(cost::einsum::einsum),
        Operator::onnx("Gemm", &[Weight, Weight, Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .has_integer_kernel()
            .since(&[1, 6, 7, 9, 11, 13])
            .infer(matrix::gemm)
            .costs(cost::contraction::gemm),
        Operator::onnx("MatMul", &[Weight, Weight])
            .contracts(KernelClass::Gemm, &[1, 0])
            .has_integer_kernel()
            .since(&[1, 9, 13])
            .infer(matrix::matmul)
            .costs(cost::contraction::matmul),
    ],
);
