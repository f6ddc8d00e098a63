//! Sizes of free dimensions and inputs, as several commands take them and as they are written.

use std::collections::BTreeMap;

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

    /// Elements of an integer input that shapes are computed from, e.g. NAME=4 or NAME=1,2,3;
    /// repeat for several
    #[arg(long = "value", value_name = "NAME=V,…", value_parser = parse_values)]
    values: Vec<(String, Vec<i64>)>,
}

impl BindArgs {
    pub(super) fn is_given(&self) -> bool {
        !self.dims.is_empty() || !self.inputs.is_empty() || !self.values.is_empty()
    }

    /// The bindings; a name that is given twice must be given the same.
    pub(super) fn resolve(self) -> Result<Bindings, clap::Error> {
        let values = joined_values(self.values)?;
        let mut bindings = Bindings { values, ..Bindings::default() };
        for (name, size) in self.dims {
            if bindings.dims.insert(name.clone(), size).is_some_and(|first| first != size) {
                return Err(twice(&name, "sizes"));
            }
        }
        for (name, shape) in self.inputs {
            let first = bindings.inputs.insert(name.clone(), shape.clone());
            if first.is_some_and(|first| first != shape) {
                return Err(twice(&name, "sizes"));
            }
        }
        Ok(bindings)
    }
}

fn twice(name: &str, what: &str) -> clap::Error {
    let message = format!("{name:?} is given twice with different {what}");
    Cli::command().error(ErrorKind::ArgumentConflict, message)
}

/// Values by the names of inputs; a name that is given twice must be given the same.
pub(super) fn joined_values(
    given: Vec<(String, Vec<i64>)>,
) -> Result<BTreeMap<String, Vec<i64>>, clap::Error> {
    let mut values = BTreeMap::new();
    for (name, list) in given {
        let first = values.insert(name.clone(), list.clone());
        if first.is_some_and(|first| first != list) {
            return Err(twice(&name, "values"));
        }
    }
    Ok(values)
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

/// One name with the elements of an integer input.
pub(super) fn parse_values(text: &str) -> Result<(String, Vec<i64>), String> {
    let (name, values) = text.rsplit_once('=').ok_or("write NAME=4 or NAME=1,2,3")?;
    let value = |text: &str| match text {
        "true" => Ok(1),
        "false" => Ok(0),
        number => number.parse().map_err(|_| format!("{number:?}: a value must be an integer")),
    };
    Ok((name.to_owned(), values.split(',').map(value).collect::<Result<_, _>>()?))
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
