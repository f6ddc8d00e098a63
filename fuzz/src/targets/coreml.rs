//! Any bytes read as a Core ML model.

use std::hint::black_box;

pub(crate) fn run(bytes: &[u8]) {
    match calipers_formats::read(bytes.to_vec(), "fuzz.mlmodel") {
        Ok(model) => drop(black_box(model)),
        Err(error) => {
            black_box((error.to_string(), error.hint()));
        }
    }
}
