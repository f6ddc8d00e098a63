//! Reading files: every field of ONNX, damaged and malicious bytes, and what reading costs.

mod attributes;
mod common;
mod contents;
mod coreml;
mod costs;
mod decode;
mod depth;
mod fields;
mod gguf;
mod keras;
mod merging;
mod mutations;
mod onnx_json;
mod onnx_text;
mod opening;
mod openvino;
mod ort;
mod packed;
mod places;
mod pytorch;
mod safetensors;
mod tensorflow;
mod tensors;
mod tflite;
mod types;
