//! Prints the network of a model as patterns see it: `cargo run --release -p calipers-arch --example
//! outline -- MODEL`; with `--raw`, before any pattern ran.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

use calipers_arch::blocks;
use calipers_arch::network::Network;
use calipers_infer::{Bindings, infer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let raw = arguments.iter().any(|argument| argument == "--raw");
    arguments.retain(|argument| argument != "--raw");
    let path = arguments.first().ok_or("give a model file")?;
    let model = calipers_formats::open(Path::new(path))?;
    let typed = infer(&model, &Bindings::default())?;
    let mut net = Network::build(&model, &typed);
    if !raw {
        blocks::recognize(&mut net);
    }
    print!("{}", net.outline());
    Ok(())
}
