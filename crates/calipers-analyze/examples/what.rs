//! What models are, a few lines each: `cargo run --release -p calipers-analyze --example what --
//! MODEL…`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let model = calipers_formats::open(Path::new(&path))?;
        let report = calipers_analyze::analyze(&model);
        let (what, task, few) = (&report.architecture, &report.task, &report.quantization);
        println!("{path}");
        println!("  {:?} {:?} {:?} {:?}", what.kind, what.style, what.family, what.confidence);
        println!("    {}", what.words);
        for line in &what.evidence {
            println!("    - {line}");
        }
        println!("  {}", serde_json::to_string(&what.facts)?);
        println!("  {} {:?} classes {:?}", task.kind.id(), task.confidence, task.classes);
        for line in &task.evidence {
            println!("    - {line}");
        }
        println!(
            "  {}: {} of {} contractions, {:?} % of weights, {:?} bits, block {:?}, {:?}, symmetric {:?}",
            few.scheme.id(),
            few.contractions_quantized,
            few.contractions,
            few.weights_percent,
            few.bits,
            few.block,
            few.granularity,
            few.symmetric
        );
        for line in &few.evidence {
            println!("    - {line}");
        }
    }
    Ok(())
}
