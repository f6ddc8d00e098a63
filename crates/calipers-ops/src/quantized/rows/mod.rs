//! The rows of quantized operators, by family.

pub(crate) mod integer;
pub(crate) mod others;
pub(crate) mod packed;
pub(crate) mod qonnx;
