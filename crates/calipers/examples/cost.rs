//! Prints what a model costs at a batch size:
//! `cargo run -p calipers --example cost -- tests/fixtures/zoo/resnet50.onnx 8`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use calipers::{Model, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: cost MODEL [BATCH]")?;
    let batch = arguments.next().map_or(Ok(1), |batch| batch.parse())?;

    let report = Model::open(path)?.analyze(&Options::new().batch(batch))?;
    let known = |figure: Option<u64>| figure.map_or("unknown".to_owned(), |it| it.to_string());
    println!("parameters       {}", known(report.parameters.total));
    println!("MACs             {}", known(report.cost.macs));
    println!("bytes moved      {}", known(report.cost.bytes_moved));
    println!("peak activations {} bytes", known(report.memory.peak_activation_bytes));
    for unknown in &report.unknown {
        println!("{} is unknown: {}", unknown.what, unknown.reason);
    }
    Ok(())
}
