//! Any bytes read as ONNX in text form.

use std::hint::black_box;

pub(crate) fn run(bytes: &[u8]) {
    black_box(calipers_formats::read(bytes.to_vec(), "fuzz.onnxtxt").is_ok());
}
