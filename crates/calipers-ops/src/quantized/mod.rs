//! Quantized operators: weights with their scales and zero points.

mod linear;
mod lstm;
mod packed;
mod product;
mod qlinear;
pub(crate) mod rows;

pub(crate) use linear::{dequantize_bfp, dequantize_linear};
pub(crate) use lstm::attention_lstm;
