//! Prints the networks of the library that a model resembles: `cargo run --release -p calipers-arch
//! --example identify -- MODEL…`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

use calipers_arch::network::Network;
use calipers_infer::{Bindings, infer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let model = calipers_formats::open(Path::new(&path))?;
        let typed = infer(&model, &Bindings::default())?;
        let net = Network::build(&model, &typed);
        println!("{path}");
        for line in calipers_arch::resemblances(&net) {
            println!("  {line}");
        }
    }
    Ok(())
}
