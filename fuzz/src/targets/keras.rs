//! Any bytes read as a model of Keras, and as arrays of NumPy.

use std::hint::black_box;

pub(crate) fn run(bytes: &[u8]) {
    for name in ["fuzz.h5", "fuzz.keras", "fuzz.npz"] {
        match calipers_formats::read(bytes.to_vec(), name) {
            Ok(model) => drop(black_box(model)),
            Err(error) => {
                black_box((error.to_string(), error.hint()));
            }
        }
    }
}
