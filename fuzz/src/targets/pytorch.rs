//! Any bytes read as a pickle, by itself and in an archive.

use std::hint::black_box;

pub(crate) fn run(bytes: &[u8]) {
    for name in ["fuzz.pkl", "fuzz.pt", "fuzz.pt2"] {
        match calipers_formats::read(bytes.to_vec(), name) {
            Ok(model) => drop(model),
            Err(error) => {
                black_box((error.to_string(), error.hint()));
            }
        }
    }
}
