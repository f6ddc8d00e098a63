//! How long a model takes, and how much its activations are:
//! `… --example predict -- DEVICE PRECISION MODEL INPUT 1x3x224x224`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::path::Path;

use calipers_analyze::{Bindings, predict};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().ok_or(format!("give {what}"));
    let device = calipers_devices::find(&next("a device")?)?;
    let precision = next("a precision")?.parse()?;
    let model = calipers_formats::open(Path::new(&next("a model file")?))?;
    let mut bindings = Bindings::default();
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        if let Ok(size) = value.parse() {
            bindings.dims.insert(name, size);
        } else {
            let shape: Result<Vec<i64>, _> = value.split('x').map(str::parse).collect();
            bindings.inputs.insert(name, shape?);
        }
    }
    println!("{:#?}", predict(&model, &bindings, device, precision)?);
    Ok(())
}
