//! Any bytes read as OpenVINO IR.

use std::hint::black_box;

pub(crate) fn run(bytes: &[u8]) {
    black_box(calipers_formats::read(bytes.to_vec(), "fuzz.xml").is_ok());
}
