//! What could do harm to whoever loads the model or looks at it.

pub(super) mod external_data_keys;
pub(super) mod external_data_overlap;
pub(super) mod external_data_range;
pub(super) mod external_data_refused;
pub(super) mod names_not_utf8;
pub(super) mod unknown_fields;

use calipers_ir::{Data, External, Model, Tensor};

/// Tensors that are kept in other files.
fn external_tensors(model: &Model) -> impl Iterator<Item = (&Tensor, &External)> {
    model.tensors().filter_map(|(_, tensor)| match &tensor.data {
        Data::External(external) => Some((tensor, &**external)),
        _ => None,
    })
}
