//! The network of a model as recognisers see it: `cargo run --release -p calipers-analyze --example
//! outline -- MODEL`, before recognition with `--raw`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

use calipers_analyze::{Bindings, infer, outline};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let raw = arguments.iter().any(|argument| argument == "--raw");
    arguments.retain(|argument| argument != "--raw");
    let path = arguments.first().ok_or("give a model file")?;
    let model = calipers_formats::open(Path::new(path))?;
    let typed = infer(&model, &Bindings::default())?;
    print!("{}", outline(&model, &typed, !raw));
    Ok(())
}
