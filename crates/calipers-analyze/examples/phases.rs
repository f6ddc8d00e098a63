//! How long each phase takes on a model: reading, inferring shapes, inferring with costs, and the
//! whole report. `cargo run --release -p calipers-analyze --example phases -- MODEL`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;
use std::time::{Duration, Instant};

use calipers_analyze::{Bindings, analyze, infer, infer_shapes};

/// Runs of each phase; the median counts.
const RUNS: usize = 21;

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a model file")?;
    let path = Path::new(&path);
    let bindings = Bindings::default();
    let model = calipers_formats::open(path)?;
    infer(&model, &bindings)?;
    let read = median(|| drop(calipers_formats::open(path)));
    let shapes = median(|| drop(infer_shapes(&model, &bindings)));
    let costs = median(|| drop(infer(&model, &bindings)));
    let report = median(|| drop(analyze(&model)));
    println!("read            {read:>10.2?}");
    println!("infer shapes    {shapes:>10.2?}");
    println!("  with costs    {costs:>10.2?}");
    println!("whole report    {report:>10.2?}");
    let added = costs.as_secs_f64() / shapes.as_secs_f64() - 1.0;
    println!("costs add {:.0} % to inference (target: less than 33 %)", 100.0 * added);
    Ok(())
}
