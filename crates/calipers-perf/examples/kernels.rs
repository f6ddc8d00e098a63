//! The kernels that PyTorch launches for a model at a bound input: `… --example kernels -- MODEL INPUT 1x3x224x224`. With
//! `--processor` first, those that ONNX Runtime runs on a processor. With `--shapes`, the kind and the depth of each line `OPERATOR,SHAPE` of the standard input.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

use calipers_arch::blocks;
use calipers_arch::network::Network;
use calipers_infer::{Bindings, infer};
use calipers_ir::Model;
use calipers_perf::{Kernel, kernel_of_shape, processor_kernels, pytorch_kernels};
use calipers_sym::Expr;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let on_processor = arguments.next_if_eq("--processor").is_some();
    let path = arguments.next().ok_or("give a model file or --shapes")?;
    if path == "--shapes" {
        return shapes();
    }
    let mut bindings = Bindings::default();
    while let (Some(name), Some(shape)) = (arguments.next(), arguments.next()) {
        let shape: Result<Vec<i64>, _> = shape.split('x').map(str::parse).collect();
        bindings.inputs.insert(name, shape?);
    }
    let model = calipers_formats::open(Path::new(&path))?;
    let typed = infer(&model, &bindings)?;
    let mut net = Network::build(&model, &typed);
    blocks::recognize(&mut net);
    if on_processor {
        print_processor(&model, &processor_kernels(&net));
    } else {
        print_kernels(&model, &pytorch_kernels(&net));
    }
    Ok(())
}

/// Prints a line per kernel: kind, multiply-accumulates, other operations, elements of activations
/// and of weights, products per result, results, sequential steps, and the node.
fn print_kernels(model: &Model, kernels: &[Kernel]) {
    let number = |expr: &Expr| expr.as_const().map_or(-1, |value| value);
    for kernel in kernels {
        println!(
            "{},{},{},{},{},{},{},{},{}",
            kernel.kind_at(i128::from(number(&kernel.rows))).id(),
            number(&kernel.work.macs),
            number(&kernel.work.other_flops),
            number(&kernel.activations),
            number(&kernel.weights),
            number(&kernel.depth),
            number(&kernel.results),
            number(&kernel.steps),
            model.node_label(kernel.node),
        );
    }
}

/// Prints a line per kernel of a processor: kind, multiply-accumulates, elements of activations, of
/// weights and written, rows, products per result, steps, how it is quantized, and the node.
fn print_processor(model: &Model, kernels: &[Kernel]) {
    let number = |expr: &Expr| expr.as_const().map_or(-1, |value| value);
    for kernel in kernels {
        let kind = kernel.processor.map(|kind| format!("{kind:?}")).unwrap_or_default();
        let quantized = match kernel.quantized {
            Some(it) if it.weights_only => "weights",
            Some(_) => "all",
            None => "none",
        };
        println!(
            "{kind},{},{},{},{},{},{},{},{quantized},{}",
            number(&kernel.work.macs),
            number(&kernel.activations),
            number(&kernel.weights),
            number(&kernel.results),
            number(&kernel.rows),
            number(&kernel.depth),
            number(&kernel.steps),
            model.node_label(kernel.node),
        );
    }
}

fn shapes() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lines() {
        let line = line?;
        let (operator, shape) = line.split_once(',').ok_or("give OPERATOR,SHAPE")?;
        let found = kernel_of_shape(operator, shape);
        let (kind, depth) = found.ok_or_else(|| format!("no kernel is known as {line}"))?;
        println!("{kind},{depth}");
    }
    Ok(())
}
