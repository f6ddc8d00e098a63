//! ONNX Runtime's own operators: fused layers, attention, searches, other layouts.
//!
//! Exporters and the runtime's optimizer write them. They are described at
//! <https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md>; the operators of
//! the blocked and channels-last domains are internal and described nowhere.

mod attention;
mod generate;
pub(crate) mod inputs;
mod layout;
mod legacy;
pub(crate) mod matmul;
pub(crate) mod misc;
pub(crate) mod pointwise;
pub(crate) mod rows;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod window;

pub(crate) use attention::q_attention;
