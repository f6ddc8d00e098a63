//! The kernels of a model at a bound input: `… --example kernels -- MODEL INPUT 1x3x224x224`. With
//! `--shapes`, the kind and the depth of each line `OPERATOR,SHAPE` of the standard input.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

use calipers_analyze::{Bindings, kernel_lines, kernel_of_shape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
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
    for line in kernel_lines(&model, &bindings)? {
        println!("{line}");
    }
    Ok(())
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
