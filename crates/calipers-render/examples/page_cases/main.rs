//! Random cases with the program's answers, for the test that the page's scripts give the same ones:
//! `cargo run -p calipers-render --example page_cases -- FOLDER`.
//!
//! Leaves two files in the folder: `cases.jsonl`, a case on each line, which `tests/page/parity.test.mjs` reads; and
//! `sample.ts`, the data of a page as a typed constant, which the compiler of TypeScript holds against
//! `src/page/assets/types.d.ts`. The cases are the same on every run.
#![allow(clippy::unwrap_used, reason = "a tool of the tests may stop where it fails")]

mod formulas;
mod graphs;
mod numbers;
mod random;

use std::fs;
use std::io::Read as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use calipers::{Model, Options};
use calipers_render::page;
use random::Random;
use serde_json::Value;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    fs::create_dir_all(&folder).unwrap();
    let mut random = Random::new(2026);
    let mut lines = formulas::cases(&mut random);
    lines.extend(numbers::cases(&mut random));
    lines.extend(graphs::cases(&mut random));
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("cases.jsonl"), lines).unwrap();

    let model = Model::read(calipers_samples::encoder(), "encoder").unwrap();
    let (report, view) = model.explore(&Options::new()).unwrap();
    let data = page_data(&page::html(&report, &view));
    fs::write(folder.join("sample.ts"), format!("const sample: PageData = {data};\n")).unwrap();
}

/// The data that a page holds.
pub(crate) fn page_data(page: &str) -> Value {
    let element = page.split("id=\"data\"").nth(1).unwrap();
    let (attributes, rest) = element.split_once('>').unwrap();
    let text = rest.split("</script>").next().unwrap();
    if !attributes.contains("deflate") {
        return serde_json::from_str(text).unwrap();
    }
    let packed = BASE64_STANDARD.decode(text).unwrap();
    let mut json = String::new();
    flate2::read::DeflateDecoder::new(&packed[..]).read_to_string(&mut json).unwrap();
    serde_json::from_str(&json).unwrap()
}
