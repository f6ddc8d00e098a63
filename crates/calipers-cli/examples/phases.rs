//! How long each phase takes on a model: reading, inferring shapes, inferring with costs, and the
//! whole report. `cargo run --release -p calipers-cli --example phases -- MODEL`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;
use std::time::{Duration, Instant};

use calipers::{Model, Options};
use calipers_arch::blocks;
use calipers_arch::network::Network;
use calipers_infer::{Bindings, infer, infer_shapes};

/// Rounds; the fastest of each phase counts, since whatever else the machine does only adds.
const ROUNDS: usize = 41;

fn time<T>(fastest: &mut Duration, run: impl FnOnce() -> T) {
    let start = Instant::now();
    let result = run();
    *fastest = start.elapsed().min(*fastest);
    drop(result);
}

/// Builds the network and runs every pattern; returns the number of blocks that are left.
fn recognize(model: &calipers_ir::Model, typed: &calipers_infer::Typed) -> usize {
    let mut net = Network::build(model, typed);
    blocks::recognize(&mut net);
    net.units().count()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a model file")?;
    let path = Path::new(&path);
    let bindings = Bindings::default();
    let opened = Model::open(path)?;
    let model = opened.ir();
    let typed = infer(model, &bindings)?;
    let [mut read, mut shapes, mut costs, mut blocks, mut report] = [Duration::MAX; 5];
    // In turn, so that a slow moment of the machine meets them all.
    for _ in 0..ROUNDS {
        time(&mut read, || Model::open(path));
        time(&mut shapes, || infer_shapes(model, &bindings));
        time(&mut costs, || infer(model, &bindings));
        time(&mut blocks, || recognize(model, &typed));
        time(&mut report, || opened.analyze(&Options::new()));
    }
    println!("read            {read:>10.2?}");
    println!("infer shapes    {shapes:>10.2?}");
    println!("  with costs    {costs:>10.2?}");
    println!("recognition     {blocks:>10.2?}");
    println!("whole report    {report:>10.2?}");
    let added = costs.as_secs_f64() / shapes.as_secs_f64() - 1.0;
    println!("costs add {:.0} % to inference (target: less than 33 %)", 100.0 * added);
    Ok(())
}
