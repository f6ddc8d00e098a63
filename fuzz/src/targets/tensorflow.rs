//! Any bytes read as a SavedModel or as a graph of TensorFlow.

use std::hint::black_box;

pub(crate) fn run(bytes: &[u8]) {
    for name in ["saved_model.pb", "frozen.pb"] {
        match calipers_formats::read(bytes.to_vec(), name) {
            Ok(model) => _ = black_box(model.main().nodes.len()),
            Err(error) => _ = black_box((error.to_string(), error.hint())),
        }
    }
}
