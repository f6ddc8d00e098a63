//! Every finding of some models, a line each: `cargo run --example findings -- *.onnx`.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

fn main() {
    for path in std::env::args().skip(1) {
        match calipers_formats::open(path.as_ref()) {
            Ok(model) => {
                println!("{path}");
                for finding in calipers_analyze::analyze(&model).risks {
                    let severity = format!("{:?}", finding.severity).to_lowercase();
                    println!("  {severity:<7} {}: {}", finding.id, finding.detail);
                }
            }
            Err(error) => println!("{path}\n  {error}"),
        }
    }
}
