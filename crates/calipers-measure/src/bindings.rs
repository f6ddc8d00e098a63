//! Dimensions that the model leaves free, and what they were bound to.

use std::collections::BTreeMap;

use calipers_infer::{Bindings, free_names};
use calipers_ir::Model;
use calipers_report::{Binding, Free};

/// Every named dimension of the model's inputs with its size, or the word that it is free.
pub fn describe(model: &Model, bindings: &Bindings) -> BTreeMap<String, Binding> {
    let sizes = bindings.sizes(model);
    free_names(model)
        .into_iter()
        .map(|name| {
            let binding = match sizes.get(&name) {
                Some(size) => Binding::Size(*size),
                None => Binding::Free(Free::Symbolic),
            };
            (name, binding)
        })
        .collect()
}
