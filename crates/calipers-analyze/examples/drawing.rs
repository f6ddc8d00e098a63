//! What is drawn of a model: `cargo run -p calipers-analyze --example drawing -- MODEL`, the flow
//! between operators with `--flow`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

use calipers_report::{Block, Repeat};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let flow = arguments.iter().any(|argument| argument == "--flow");
    arguments.retain(|argument| argument != "--flow");
    let path = arguments.first().ok_or("give a model file")?;
    let model = calipers_formats::open(Path::new(path))?;
    let architecture = calipers_analyze::analyze(&model).architecture;
    if flow {
        print!("{}", architecture.flow);
        return Ok(());
    }
    print!("{}", architecture.diagram);
    architecture.repeats.iter().for_each(|repeat| print_repeat(repeat, 0));
    architecture.tree.iter().for_each(|block| print_block(block, 0));
    Ok(())
}

fn print_repeat(repeat: &Repeat, depth: usize) {
    let Repeat { name, times, nodes, differs, inside } = repeat;
    println!("{}{times} × {name} ({nodes} nodes) {differs:?}", "  ".repeat(depth));
    inside.iter().for_each(|repeat| print_repeat(repeat, depth + 1));
}

fn print_block(block: &Block, depth: usize) {
    let Block { name, times, nodes, facts, macs, parts, .. } = block;
    println!("{}| {times} × {name} ({nodes} nodes, {macs:?}) {facts:?}", "  ".repeat(depth));
    if depth < 1 {
        parts.iter().for_each(|block| print_block(block, depth + 1));
    }
}
