//! Fused attention and embeddings.

use crate::Slot::{Data, Table, Weight};
use crate::row::Operator;

/// Rows of the family. Caches, masks and rotation tables are data: nothing in them is learned.
pub(crate) const ROWS: &[Operator] = &[
    Operator::microsoft("Attention", &[Data, Weight, Weight, Data, Data, Weight, Data]),
    Operator::microsoft("DecoderAttention", &[Data, Data, Weight, Weight, Weight]),
    Operator::microsoft(
        "EmbedLayerNormalization",
        &[Data, Data, Table, Table, Table, Weight, Weight],
    ),
    Operator::microsoft("GatedRelativePositionBias", &[Data, Weight, Data, Weight, Weight]),
    Operator::microsoft("LongformerAttention", &[Data, Weight, Weight, Data, Weight, Weight]),
    Operator::microsoft("MultiHeadAttention", &[Data, Data, Data, Weight, Data, Weight]),
    Operator::microsoft("PackedAttention", &[Data, Weight, Weight, Data, Data, Weight]),
    Operator::microsoft(
        "PackedMultiHeadAttention",
        &[Data, Data, Data, Weight, Data, Data, Weight],
    ),
    Operator::microsoft("RelativePositionBias", &[Table]),
];
