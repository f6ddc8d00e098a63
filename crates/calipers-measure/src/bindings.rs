//! Names that can be bound, and what they were bound to.

use std::collections::BTreeMap;

use calipers_infer::Bindings;
use calipers_ir::Model;
use calipers_report::{Binding, Free};

/// Every named dimension of the model's inputs, and every element of an integer input from which
/// shapes are computed, with its size or value, or the word that it is free.
pub fn describe(model: &Model, bindings: &Bindings) -> BTreeMap<String, Binding> {
    let names = bindings.names(model).into_iter();
    names
        .map(|(name, size)| (name, size.map_or(Binding::Free(Free::Symbolic), Binding::Size)))
        .collect()
}
