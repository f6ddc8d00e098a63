//! Attention, and what surrounds it: rotary embedding, position biases, state space layers.

use super::super::attention;
use super::super::pointwise;
use crate::InputRole::{Data, Scale, Setting, Table, Weight};
use crate::cost::{self, Traffic};
use crate::row::Operator;
use crate::traits::{Class, KernelClass, Lowering, Movement, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Attention,
    [
        Operator::microsoft("Attention", &[Data, Weight, Weight, Data, Data, Weight, Setting])
            .contracts(KernelClass::Attention, &[1])
            .lowers(Lowering::ProjectedAttention { bias: Some(5) })
            .caches(&[(4, 1)])
            .infer(attention::attention)
            .costs(cost::projected::with_projection),
        Operator::microsoft("CausalConvWithState", &[Data, Weight, Weight, Data])
            .class(Class::Contraction)
            .contracts(KernelClass::Depthwise, &[1])
            .infer(attention::causal_conv)
            .costs(cost::contraction::causal_conv),
        Operator::microsoft(
            "DecoderAttention",
            &[Data, Data, Weight, Weight, Weight, Data, Data, Data],
        )
        .contracts(KernelClass::Attention, &[2])
        .caches(&[(6, 1), (7, 2)])
        .infer(attention::decoder)
        .costs(cost::projected::decoder),
        Operator::microsoft(
            "DecoderMaskedMultiHeadAttention",
            &[Data, Data, Data, Data, Weight, Data, Data, Setting, Setting, Setting, Weight],
        )
        .contracts(KernelClass::Attention, &[])
        .caches(&[(5, 1), (6, 2)])
        .infer(attention::decoder_masked)
        .costs(cost::attention::decoder_masked),
        Operator::microsoft(
            "DecoderMaskedSelfAttention",
            &[Data, Weight, Weight, Data, Data, Weight, Setting, Setting, Setting],
        )
        .contracts(KernelClass::Attention, &[1])
        .lowers(Lowering::ProjectedAttention { bias: Some(5) })
        .caches(&[(4, 1)])
        .infer(attention::attention)
        .costs(cost::projected::with_projection),
        Operator::microsoft(
            "GatedRelativePositionBias",
            &[Data, Weight, Data, Weight, Weight, Weight, Setting],
        )
        .class(Class::Contraction)
        .contracts(KernelClass::Gemm, &[3])
        .infer(attention::gated_relative_position_bias)
        .costs(cost::experts::gated_position),
        Operator::microsoft("GemmaRotaryEmbedding", &[Data, Data, Data, Data, Data])
            .class(Class::Rotary)
            .infer(attention::gemma_rotary)
            .costs(cost::pointwise::rotated_pair),
        Operator::microsoft(
            "GroupQueryAttention",
            &[
                Data, Data, Data, Data, Data, Setting, Setting, Data, Data, Setting, Data, Weight,
                Scale, Scale, Weight, Weight,
            ],
        )
        .contracts(KernelClass::Attention, &[])
        .caches(&[(3, 1), (4, 2)])
        .infer(attention::group_query)
        .costs(cost::attention::group_query),
        Operator::microsoft("LinearAttention", &[Data, Data, Data, Data, Data, Data])
            .contracts(KernelClass::Attention, &[])
            .infer(attention::linear_attention)
            .costs(cost::attention::linear),
        Operator::microsoft("LinearAttentionGate", &[Data, Weight, Weight, Data])
            .class(Class::Elementwise)
            .in_place(false)
            .infer(attention::linear_attention_gate)
            .costs(cost::pointwise::linear_attention_gate),
        Operator::microsoft(
            "LongformerAttention",
            &[Data, Weight, Weight, Data, Weight, Weight, Data],
        )
        .contracts(KernelClass::Attention, &[1])
        .infer(pointwise::same)
        .costs(cost::projected::longformer),
        Operator::microsoft("MRotaryEmbedding", &[Data, Setting, Data, Data])
            .class(Class::Rotary)
            .infer(pointwise::same)
            .costs(cost::per_output::<3>),
        Operator::microsoft(
            "MultiHeadAttention",
            &[Data, Data, Data, Weight, Data, Weight, Data, Data, Setting, Setting],
        )
        .contracts(KernelClass::Attention, &[])
        .caches(&[(6, 1), (7, 2)])
        .infer(attention::multi_head)
        .costs(cost::attention::multi_head),
        Operator::microsoft("PackedAttention", &[Data, Weight, Weight, Data, Data, Weight])
            .contracts(KernelClass::Attention, &[1])
            .lowers(Lowering::ProjectedAttention { bias: Some(5) })
            .infer(attention::packed_attention)
            .costs(cost::projected::packed_attention),
        Operator::microsoft(
            "PackedMultiHeadAttention",
            &[Data, Data, Data, Weight, Data, Data, Weight],
        )
        .contracts(KernelClass::Attention, &[])
        .infer(attention::packed_multi_head)
        .costs(cost::attention::packed_multi_head),
        Operator::microsoft(
            "PagedAttention",
            &[
                Data, Data, Data, Data, Data, Setting, Setting, Setting, Data, Data, Setting,
                Weight, Weight, Weight, Scale, Scale, Setting,
            ],
        )
        .contracts(KernelClass::Attention, &[])
        .infer(attention::paged)
        .costs(cost::attention::by_data),
        Operator::microsoft("RelativePositionBias", &[Table, Setting, Setting])
            .class(Class::Movement)
            .infer(attention::relative_position_bias)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::microsoft("RemovePadding", &[Data, Setting])
            .passes(Movement::Gather)
            .kernel(KernelClass::Elementwise)
            .infer(attention::remove_padding)
            .costs(cost::free),
        Operator::microsoft("RestorePadding", &[Data, Setting])
            .passes(Movement::Pad)
            .infer(attention::restore_padding)
            .costs(cost::free),
        Operator::microsoft("RotaryEmbedding", &[Data, Setting, Data, Data])
            .class(Class::Rotary)
            .infer(pointwise::same)
            .costs(cost::per_output::<3>),
        Operator::microsoft(
            "SparseAttention",
            &[Data, Data, Data, Data, Data, Setting, Setting, Setting, Setting, Data, Data],
        )
        .contracts(KernelClass::Attention, &[])
        .caches(&[(3, 1), (4, 2)])
        .infer(attention::sparse)
        .costs(cost::attention::by_data),
        Operator::microsoft(
            "SparsePagedAttention",
            &[
                Data, Data, Data, Data, Data, Setting, Setting, Setting, Setting, Setting, Setting,
                Data, Data, Setting, Data, Data, Weight, Weight, Weight, Scale, Scale, Setting,
            ],
        )
        .contracts(KernelClass::Attention, &[])
        .infer(attention::paged)
        .costs(cost::attention::by_data),
        Operator::microsoft(
            "VarlenCausalConvWithState",
            &[Data, Weight, Setting, Weight, Data, Setting],
        )
        .class(Class::Contraction)
        .contracts(KernelClass::Depthwise, &[1])
        .infer(attention::varlen_causal_conv)
        .costs(cost::contraction::varlen_causal_conv),
    ],
);
