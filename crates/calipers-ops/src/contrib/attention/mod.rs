//! ONNX Runtime's attention: with its projections inside, on heads, and over caches.
//!
//! <https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md> describes each.
//! Shapes of caches are those of the kernels, which the text does not always give.

mod cached;
mod heads;
mod position;
mod projected;
mod recurrent;

pub(super) use cached::{group_query, paged, sparse};
pub(super) use heads::{decoder, decoder_masked, multi_head, packed_multi_head};
pub(super) use position::{
    gated_relative_position_bias, gemma_rotary, relative_position_bias, remove_padding,
    restore_padding,
};
pub(crate) use projected::q_attention;
pub(super) use projected::{attention, packed_attention};
pub(super) use recurrent::{
    causal_conv, linear_attention, linear_attention_gate, varlen_causal_conv,
};
