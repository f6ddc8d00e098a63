//! Fused attention and embeddings.

use crate::Slot::{Setting, Table, Weight};
use crate::row::Operator;

/// Rows of the family. Caches, masks and rotation tables are settings: nothing in them is learned.
pub(crate) const ROWS: &[Operator] = &[
    Operator::microsoft("Attention", &[Setting, Weight, Weight, Setting, Setting, Weight, Setting]),
    Operator::microsoft("DecoderAttention", &[Setting, Setting, Weight, Weight, Weight]),
    Operator::microsoft(
        "EmbedLayerNormalization",
        &[Setting, Setting, Table, Table, Table, Weight, Weight],
    ),
    Operator::microsoft("GatedRelativePositionBias", &[Setting, Weight, Setting, Weight, Weight]),
    Operator::microsoft("LongformerAttention", &[Setting, Weight, Weight, Setting, Weight, Weight]),
    Operator::microsoft(
        "MultiHeadAttention",
        &[Setting, Setting, Setting, Weight, Setting, Weight],
    ),
    Operator::microsoft("PackedAttention", &[Setting, Weight, Weight, Setting, Setting, Weight]),
    Operator::microsoft(
        "PackedMultiHeadAttention",
        &[Setting, Setting, Setting, Weight, Setting, Setting, Weight],
    ),
    Operator::microsoft("RelativePositionBias", &[Table]),
];
