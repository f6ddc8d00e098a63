//! Measures how long the library lookup takes: `cargo run --release -p calipers-arch --example lookup
//! [-- MODEL…]`.
//!
//! Without a model, it looks up networks of 10,000 weights whose layers many public networks have.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;
use std::time::{Duration, Instant};

use calipers_arch::network::Network;
use calipers_infer::{Bindings, infer};
use calipers_ir::Model;
use calipers_samples::{DataType, ModelBuilder, Tensor};

/// Weights of a network that is made up.
const WEIGHTS: usize = 10_000;

/// Lookups; the median counts.
const RUNS: usize = 51;

/// The layers of a Transformer, as many networks have them.
const TRANSFORMER: &[[i64; 2]] =
    &[[768, 768], [768, 768], [768, 768], [768, 768], [768, 3072], [3072, 768]];

/// Widths of convolutional networks, which share the most shapes with the library.
const CONVOLUTIONS: &[[i64; 2]] = &[
    [64, 64],
    [64, 256],
    [256, 64],
    [64, 128],
    [128, 512],
    [512, 128],
    [128, 256],
    [256, 1024],
    [1024, 256],
    [256, 512],
    [512, 2048],
    [2048, 512],
    [512, 64],
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        report(path, &calipers_formats::open(Path::new(path))?)?;
    }
    if paths.is_empty() {
        for (name, layers) in [("Transformer", TRANSFORMER), ("1x1 convolutions", CONVOLUTIONS)] {
            let model = calipers_formats::read(network(layers), "network.onnx")?;
            report(&format!("{WEIGHTS} weights, {name}"), &model)?;
        }
    }
    Ok(())
}

/// Looks a model up several times and prints the median.
fn report(name: &str, model: &Model) -> Result<(), Box<dyn std::error::Error>> {
    let typed = infer(model, &Bindings::default())?;
    let net = Network::build(model, &typed);
    let mut times: Vec<Duration> = Vec::new();
    let mut found = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        found = calipers_arch::references(&net).len();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    println!("{name}: {:.3} ms, {found} references", times[RUNS / 2].as_secs_f64() * 1e3);
    Ok(())
}

/// A file with products one behind the other. Its weights are in another file, which is not read.
fn network(layers: &[[i64; 2]]) -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    model.input("x0", DataType::F32, &["1", "16", &layers[0][0].to_string()]);
    for (at, dims) in (0..WEIGHTS).zip(layers.iter().cycle()) {
        let (weight, from, to) = (format!("w{at}"), format!("x{at}"), format!("x{}", at + 1));
        let tensor = Tensor::external(&weight, DataType::F32, dims, "weights.bin", None, None);
        model.initializer(&tensor);
        model.node("MatMul", &[&from, &weight], &[&to], &[]);
    }
    let last = layers[(WEIGHTS - 1) % layers.len()][1].to_string();
    model.output(&format!("x{WEIGHTS}"), DataType::F32, &["1", "16", &last]);
    model.build()
}
