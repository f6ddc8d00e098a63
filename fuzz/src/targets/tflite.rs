//! Any bytes read as a TensorFlow Lite model.

use std::hint::black_box;

pub(crate) fn run(bytes: &[u8]) {
    // Only files with the identifier come to this reader.
    let mut file = bytes.to_vec();
    if let Some(start) = file.get_mut(..8) {
        start[2..4].fill(0);
        start[4..].copy_from_slice(b"TFL3");
    }
    match calipers_formats::read(file, "fuzz.tflite") {
        Ok(model) => drop(model),
        Err(error) => {
            black_box((error.to_string(), error.hint()));
        }
    }
}
