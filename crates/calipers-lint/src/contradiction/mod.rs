//! What the file says in one place and denies in another.

pub(super) mod declared_type_wrong;
pub(super) mod domain_not_imported;
pub(super) mod duplicate_name;
pub(super) mod duplicate_node_name;
pub(super) mod graph_cycle;
pub(super) mod no_opset;
pub(super) mod no_outputs;
pub(super) mod nodes_out_of_order;
pub(super) mod shapes_contradict;
pub(super) mod tensor_data;
pub(super) mod tensor_size;
pub(super) mod tensor_type;
pub(super) mod undefined_input;
pub(super) mod undefined_output;
pub(super) mod unused_opset;
