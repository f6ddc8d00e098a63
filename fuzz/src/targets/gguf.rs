//! Any bytes read as a GGUF file; then elements of its tensors are asked for.

use std::hint::black_box;

/// Elements of a tensor that are decoded at most.
const SMALL: u64 = 64;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(model) = calipers_formats::read(bytes.to_vec(), "file.gguf") else { return };
    for (id, tensor) in model.tensors() {
        black_box(tensor.bytes());
        black_box((model.packed(id, SMALL).is_ok(), model.floats(id, SMALL).is_ok()));
    }
}
