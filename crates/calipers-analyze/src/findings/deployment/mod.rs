//! What stands between the model and a runtime, or makes it slower there.

pub(super) mod external_data_missing;
pub(super) mod newer_ir;
