//! The findings of models: `cargo run -p calipers-analyze --example findings -- [--weights] MODEL…`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

use calipers_analyze::{Bindings, Question, analyze_with, read_weights};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let weights = arguments.iter().any(|argument| argument == "--weights");
    arguments.retain(|argument| argument != "--weights");
    for path in arguments.iter().map(Path::new) {
        let model = calipers_formats::open(path)?;
        let read = |_| read_weights(&model, &calipers_formats::open_data(path, &model), &|_, _| {});
        let weights = Some(()).filter(|()| weights).map(read);
        let report =
            analyze_with(&model, &Bindings::default(), &Question::default(), weights.as_ref())?;
        for finding in &report.risks {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            println!("{name}\t{:?}\t{}\t{}", finding.severity, finding.id, finding.detail);
        }
    }
    Ok(())
}
