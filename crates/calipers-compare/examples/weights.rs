//! Prints how the weights of two models differ, as JSON, and how fast they were read.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "an example")]

use std::path::Path;
use std::time::Instant;

use calipers_compare::weights::{Side, compare, sample_digests};
use calipers_compare::{Subject, align};

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b] = [0, 1].map(|at| {
        let path = Path::new(&paths[at]);
        let model = calipers_formats::open(path).unwrap();
        let files = calipers_formats::open_data(path, &model);
        (model, files)
    });
    let from = Instant::now();
    let digests = [&a, &b].map(|(model, files)| sample_digests(model, files));
    eprintln!("digests {:?}", from.elapsed());
    let from = Instant::now();
    let alignment = align(
        Subject { model: &a.0, digest: &|id| digests[0].get(&id).copied() },
        Subject { model: &b.0, digest: &|id| digests[1].get(&id).copied() },
    );
    eprintln!("alignment {:?}", from.elapsed());
    let from = Instant::now();
    let found = compare(
        Side { model: &a.0, files: &a.1 },
        Side { model: &b.0, files: &b.1 },
        &alignment,
        u64::MAX,
        &|_, _| {},
    );
    let seconds = from.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = found.changes.bytes as f64 / seconds / 1e9;
    eprintln!("weights {seconds:.3} s, {rate:.2} GB/s, {} differ", found.differing.len());
    println!("{}", serde_json::to_string_pretty(&found.changes).unwrap());
}
