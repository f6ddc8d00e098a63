//! Activations, norms and other element-wise work, fused and legacy.

use super::super::pointwise;
use crate::InputRole::{Data, Setting, Table, Weight};
use crate::cost::{self, Traffic};
use crate::row::Operator;
use crate::traits::{Activation, Class, Lowering, Norm, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Elementwise,
    [
        Operator::onnx("Affine", &[Data]).infer(pointwise::same).costs(cost::per_output::<2>),
        Operator::onnx("ImageScaler", &[Data]).infer(pointwise::same).costs(cost::per_output::<2>),
        Operator::onnx("ParametricSoftplus", &[Data])
            .activates(Activation::Softplus)
            .unary(false)
            .infer(pointwise::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Scale", &[Data]).infer(pointwise::same).costs(cost::per_output::<1>),
        Operator::onnx("ScaledTanh", &[Data])
            .activates(Activation::Tanh)
            .infer(pointwise::same)
            .costs(cost::per_output::<1>),
        Operator::microsoft("BiasAdd", &[Data, Weight, Data])
            .lowers(Lowering::BiasAdd)
            .infer(pointwise::same)
            .costs(cost::pointwise::with_added::<0>),
        Operator::microsoft("BiasDropout", &[Data, Weight, Data, Setting, Setting])
            .in_place(false)
            .infer(pointwise::dropout)
            .costs(cost::pointwise::bias_dropout),
        Operator::microsoft("BiasGelu", &[Data, Weight])
            .activates(Activation::Gelu)
            .lowers(Lowering::BiasGelu)
            .unary(false)
            .infer(pointwise::same)
            .costs(cost::per_output::<2>),
        Operator::microsoft("BiasSoftmax", &[Data, Data])
            .class(Class::Softmax)
            .lowers(Lowering::BiasSoftmax)
            .infer(pointwise::same)
            .costs(cost::per_output::<6>),
        Operator::microsoft("BiasSplitGelu", &[Data, Weight])
            .in_place(false)
            .infer(pointwise::bias_split_gelu)
            .costs(cost::per_output::<4>),
        Operator::microsoft("BitmaskBiasDropout", &[Data, Weight, Data, Setting, Setting])
            .in_place(false)
            .infer(pointwise::bitmask_dropout)
            .costs(cost::pointwise::bias_dropout),
        Operator::microsoft("BitmaskDropout", &[Data, Setting, Setting])
            .in_place(false)
            .infer(pointwise::bitmask_dropout)
            .costs(cost::pointwise::bitmask_dropout),
        Operator::microsoft("BranchwiseRMSNorm", &[Data, Weight])
            .normalizes(Norm::Rms)
            .infer(pointwise::same)
            .costs(cost::per_output::<4>),
        Operator::microsoft("ComplexMul", &[Data, Data])
            .in_place(false)
            .infer(pointwise::complex_mul)
            .costs(cost::per_output::<3>),
        Operator::microsoft("ComplexMulConj", &[Data, Data])
            .in_place(false)
            .infer(pointwise::complex_mul)
            .costs(cost::per_output::<3>),
        Operator::microsoft(
            "EmbedLayerNormalization",
            &[Data, Data, Table, Table, Table, Weight, Weight, Data, Data],
        )
        .normalizes(Norm::Layer)
        .lowers(Lowering::Embeddings)
        .infer(pointwise::embed_layer_norm)
        .costs(cost::pointwise::embed_layer_norm)
        .moves(Traffic::Rows(&[2, 3, 4])),
        Operator::microsoft("FastGelu", &[Data, Weight])
            .activates(Activation::Gelu)
            .lowers(Lowering::BiasGelu)
            .unary(false)
            .infer(pointwise::same)
            .costs(cost::pointwise::with_added::<1>),
        Operator::microsoft("GatedAdd", &[Data, Data, Data])
            .infer(pointwise::same)
            .costs(cost::per_output::<2>),
        Operator::microsoft("GatedRMSNorm", &[Data, Weight, Data])
            .normalizes(Norm::Rms)
            .infer(pointwise::same)
            .costs(cost::per_output::<6>),
        Operator::microsoft("Gelu", &[Data])
            .activates(Activation::Gelu)
            .infer(pointwise::same)
            .costs(cost::per_output::<1>),
        Operator::microsoft("GroupNorm", &[Data, Weight, Weight])
            .normalizes(Norm::Group)
            .lowers(Lowering::As("GroupNormalization", &[0, 1, 2]))
            .infer(pointwise::same)
            .costs(cost::pointwise::group_norm),
        Operator::microsoft("QuickGelu", &[Data])
            .activates(Activation::Gelu)
            .infer(pointwise::same)
            .costs(cost::per_output::<1>),
        Operator::microsoft("SampleOp", &[Data]).infer(pointwise::same).costs(cost::free),
        Operator::microsoft("ScaledSiLU", &[Data, Weight])
            .activates(Activation::Silu)
            .unary(false)
            .infer(pointwise::same)
            .costs(cost::per_output::<2>),
        Operator::microsoft("SimplifiedLayerNormalization", &[Data, Weight])
            .normalizes(Norm::Rms)
            .lowers(Lowering::As("RMSNormalization", &[0, 1]))
            .infer(pointwise::simplified_layer_norm)
            .costs(cost::per_output::<4>),
        Operator::microsoft("SkipGroupNorm", &[Data, Weight, Weight, Data, Weight])
            .normalizes(Norm::Group)
            .lowers(Lowering::SkipNorm(Norm::Group))
            .infer(pointwise::same_twice)
            .costs(cost::pointwise::skip_group_norm),
        Operator::microsoft("SkipLayerNormalization", &[Data, Data, Weight, Weight, Weight])
            .normalizes(Norm::Layer)
            .lowers(Lowering::SkipNorm(Norm::Layer))
            .infer(pointwise::skip_layer_norm)
            .costs(cost::pointwise::skip_layer_norm),
        Operator::microsoft("SkipSimplifiedLayerNormalization", &[Data, Data, Weight, Weight])
            .normalizes(Norm::Rms)
            .lowers(Lowering::SkipNorm(Norm::Rms))
            .infer(pointwise::skip_layer_norm)
            .costs(cost::pointwise::skip_rms_norm),
    ],
);
