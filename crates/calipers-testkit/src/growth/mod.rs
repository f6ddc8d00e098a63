//! Families of graphs that grow with a number.
//!
//! Work and memory must grow in proportion to the file, whatever is in it. Each family makes one
//! thing large: nodes, inputs, free dimensions, names, nesting. The suite reads each at two sizes and
//! compares; `scripts/bench growth` does the same with the clock.

mod dims;
mod graphs;
mod names;
mod networks;
mod tensors;

use calipers_samples::ModelBuilder;

/// A family of graphs.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// What grows.
    pub name: &'static str,
    /// The model of a size.
    pub model: fn(usize) -> ModelBuilder,
}

/// Every family.
pub fn families() -> Vec<Family> {
    [dims::FAMILIES, graphs::FAMILIES, names::FAMILIES, networks::FAMILIES, tensors::FAMILIES]
        .concat()
}

/// A row of a table of families.
const fn family(name: &'static str, model: fn(usize) -> ModelBuilder) -> Family {
    Family { name, model }
}

/// Adds a chain of nodes of one operator and one input; returns the name of the last value.
fn chain(model: &mut ModelBuilder, op: &str, from: &str, count: usize) -> String {
    let mut last = from.to_owned();
    for i in 0..count {
        let next = format!("{from}_{i}");
        model.node(op, &[&last], &[&next], &[]);
        last = next;
    }
    last
}
