//! Any bytes as a file of an unknown format: it is named, or read as a model.

use std::hint::black_box;

use calipers_formats::sniff;
use calipers_render::text;

use crate::output::check_screen;

pub(crate) fn run(bytes: &[u8]) {
    let start = &bytes[..bytes.len().min(sniff::SNIFFED)];
    let foreign = sniff::foreign(start);
    match calipers_formats::read(bytes.to_vec(), "file.bin") {
        Ok(model) => {
            assert!(foreign.is_none(), "a file of another format is not read");
            black_box(model.main().nodes.len());
        }
        Err(error) => {
            check_screen(&text::whole(&error.to_string()), "the error");
            check_screen(&text::whole(&error.hint().unwrap_or_default()), "the hint");
        }
    }
}
