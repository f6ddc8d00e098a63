//! Writes every sample model to a folder: `cargo run -p calipers-samples --example write -- FOLDER`.
#![allow(clippy::print_stderr, reason = "it explains its arguments")]

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: write FOLDER");
        std::process::exit(2);
    };
    std::fs::create_dir_all(&folder)?;
    for sample in calipers_samples::SAMPLES {
        std::fs::write(folder.join(format!("{}.onnx", sample.name)), (sample.model)())?;
    }
    Ok(())
}
