//! Sizes of free dimensions and inputs, as several commands take them and as they are written.

use calipers::Bindings;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};

use super::Cli;

#[derive(Args, Debug)]
pub(super) struct BindArgs {
    /// Size of a symbolic dimension; repeat for several
    #[arg(long = "dim", value_name = "NAME=N", value_parser = parse_dim)]
    dims: Vec<(String, i64)>,

    /// Shape of an input, e.g. NAME=1x3x224x224 or NAME=scalar; repeat for several
    #[arg(long = "input", value_name = "NAME=SHAPE", value_parser = parse_input)]
    inputs: Vec<(String, Vec<i64>)>,
}

impl BindArgs {
    pub(super) fn is_given(&self) -> bool {
        !self.dims.is_empty() || !self.inputs.is_empty()
    }

    /// The bindings; a name that is given twice must be given the same.
    pub(super) fn resolve(self) -> Result<Bindings, clap::Error> {
        let twice = |name: &str| {
            let message = format!("{name:?} is given twice with different sizes");
            Cli::command().error(ErrorKind::ArgumentConflict, message)
        };
        let mut bindings = Bindings::default();
        for (name, size) in self.dims {
            if bindings.dims.insert(name.clone(), size).is_some_and(|first| first != size) {
                return Err(twice(&name));
            }
        }
        for (name, shape) in self.inputs {
            let first = bindings.inputs.insert(name.clone(), shape.clone());
            if first.is_some_and(|first| first != shape) {
                return Err(twice(&name));
            }
        }
        Ok(bindings)
    }
}

fn parse_dim(text: &str) -> Result<(String, i64), String> {
    let (name, size) = text.rsplit_once('=').ok_or("write NAME=N, e.g. batch=8")?;
    Ok((name.to_owned(), parse_size(size)?))
}

fn parse_input(text: &str) -> Result<(String, Vec<i64>), String> {
    let (name, shape) = text.rsplit_once('=').ok_or("write NAME=1x3x224x224")?;
    if shape.contains(',') {
        return Err(format!(
            "separate dimensions with `x`: write {name}={}",
            shape.replace(',', "x")
        ));
    }
    Ok((name.to_owned(), parse_shape(shape)?))
}

/// One name with several sizes, as a sweep takes them.
pub(super) fn parse_dims(text: &str) -> Result<(String, Vec<i64>), String> {
    let (name, sizes) = text.rsplit_once('=').ok_or("write NAME=128,256")?;
    Ok((name.to_owned(), sizes.split(',').map(parse_size).collect::<Result<_, _>>()?))
}

/// One name with several shapes, as a sweep takes them.
pub(super) fn parse_inputs(text: &str) -> Result<(String, Vec<Vec<i64>>), String> {
    let (name, shapes) = text.rsplit_once('=').ok_or("write NAME=1x3x320x320")?;
    Ok((name.to_owned(), shapes.split(',').map(parse_shape).collect::<Result<_, _>>()?))
}

fn parse_shape(text: &str) -> Result<Vec<i64>, String> {
    match text {
        "scalar" => Ok(Vec::new()),
        shape => shape.split('x').map(parse_size).collect(),
    }
}

fn parse_size(text: &str) -> Result<i64, String> {
    match text.parse() {
        Ok(size) if size >= 0 => Ok(size),
        _ => Err(format!("{text:?}: a dimension must be an integer >= 0")),
    }
}

/// An integer of at least 1.
pub(super) fn parse_positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number >= 1 => Ok(number),
        _ => Err("must be an integer >= 1".to_owned()),
    }
}

/// A depth: an integer of at least 0.
pub(super) fn parse_depth(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "must be an integer >= 0".to_owned())
}
