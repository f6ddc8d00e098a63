//! Writes every sample into a folder: `cargo run -p calipers-samples --example write -- DIR`.

use std::io::Write;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&folder)?;
    let mut out = std::io::stdout().lock();
    for sample in calipers_samples::SAMPLES {
        let path = folder.join(sample.name).with_extension("onnx");
        std::fs::write(&path, (sample.model)())?;
        writeln!(out, "{} ({} parameters)", path.display(), sample.parameters)?;
    }
    Ok(())
}
