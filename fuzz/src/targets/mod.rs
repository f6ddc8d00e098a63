//! The targets, a file each.

mod claims;
mod coreml;
mod devices;
mod expressions;
mod gates;
mod gguf;
mod inference;
mod keras;
mod onnx;
mod onnx_json;
mod onnx_text;
mod openvino;
mod ort;
mod pytorch;
mod ranges;
mod report;
mod safetensors;
mod sniff;
mod templates;
mod tensorflow;
mod tflite;
mod wire;

/// A function that must accept any bytes.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Whether its inputs are ONNX files, which are mutated by structure.
    pub(crate) reads_models: bool,
    pub(crate) run: fn(&[u8]),
}

/// Every target, by name.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "claims", reads_models: false, run: claims::run },
    Target { name: "coreml", reads_models: false, run: coreml::run },
    Target { name: "devices", reads_models: false, run: devices::run },
    Target { name: "expressions", reads_models: false, run: expressions::run },
    Target { name: "gates", reads_models: false, run: gates::run },
    Target { name: "gguf", reads_models: false, run: gguf::run },
    Target { name: "inference", reads_models: true, run: inference::run },
    Target { name: "keras", reads_models: false, run: keras::run },
    Target { name: "onnx", reads_models: true, run: onnx::run },
    Target { name: "onnx_json", reads_models: false, run: onnx_json::run },
    Target { name: "onnx_text", reads_models: false, run: onnx_text::run },
    Target { name: "openvino", reads_models: false, run: openvino::run },
    Target { name: "ort", reads_models: false, run: ort::run },
    Target { name: "pytorch", reads_models: false, run: pytorch::run },
    Target { name: "ranges", reads_models: true, run: ranges::run },
    Target { name: "report", reads_models: true, run: report::run },
    Target { name: "safetensors", reads_models: false, run: safetensors::run },
    Target { name: "sniff", reads_models: false, run: sniff::run },
    Target { name: "templates", reads_models: false, run: templates::run },
    Target { name: "tensorflow", reads_models: false, run: tensorflow::run },
    Target { name: "tflite", reads_models: false, run: tflite::run },
    Target { name: "wire", reads_models: true, run: wire::run },
];
