//! What prevents or slows down deployment on a runtime.

pub(super) mod batch_norm_not_folded;
pub(super) mod casts_back_and_forth;
pub(super) mod constants_not_folded;
pub(super) mod control_flow;
pub(super) mod data_dependent_shapes;
pub(super) mod dead_nodes;
pub(super) mod deprecated_operators;
pub(super) mod dynamic_dimensions;
pub(super) mod external_data_missing;
pub(super) mod half_softmax;
pub(super) mod int64_inputs;
pub(super) mod layout_churn;
pub(super) mod model_over_2gb;
pub(super) mod newer_ir;
pub(super) mod no_runtime_yet;
pub(super) mod operators_not_in_opset;
pub(super) mod operators_of_vendors;
pub(super) mod operators_unknown;
pub(super) mod runtime_versions;
pub(super) mod shapes_not_folded;
pub(super) mod types_of_targets;
pub(super) mod unused_initializers;
pub(super) mod weights_as_inputs;
