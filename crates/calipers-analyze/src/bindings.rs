//! Dimensions that the model leaves free.

use std::collections::BTreeMap;

use calipers_ir::{Dim, Model};
use calipers_report::{Binding, Free};

/// The named dimensions of the model's inputs, none of them bound yet.
pub(crate) fn free_dimensions(model: &Model) -> BTreeMap<String, Binding> {
    let mut free = BTreeMap::new();
    for input in crate::graph::fed_inputs(model) {
        let Some(ty) = model.value(input).ty else { continue };
        let Some(tensor) = model.value_type(ty).tensor() else { continue };
        for dim in tensor.shape.iter().flatten() {
            if let Dim::Symbol(name) = dim {
                let name = model.name(*name).to_owned();
                free.insert(name, Binding::Free(Free::Symbolic));
            }
        }
    }
    free
}
