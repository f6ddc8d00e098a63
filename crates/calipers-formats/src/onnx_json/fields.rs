//! The fields of the messages of ONNX: their names, numbers and kinds.
//!
//! From `onnx.proto` of ONNX 1.23; names there are in snake case.

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Int,
    Uint,
    Float,
    Double,
    Text,
    Bytes,
    /// A number that may be written by its name.
    Enum(&'static [(&'static str, i64)]),
    /// Messages hold each other, so the fields are found when they are asked for.
    Message(&'static &'static [Field]),
}

/// A field: its name, number and kind. Any of them may be repeated.
pub(super) type Field = (&'static str, u32, Kind);

use Kind::{Bytes, Double, Enum, Float, Int, Message, Text, Uint};

const ATTRIBUTE_TYPES: &[(&str, i64)] = &[
    ("UNDEFINED", 0),
    ("FLOAT", 1),
    ("INT", 2),
    ("STRING", 3),
    ("TENSOR", 4),
    ("GRAPH", 5),
    ("FLOATS", 6),
    ("INTS", 7),
    ("STRINGS", 8),
    ("TENSORS", 9),
    ("GRAPHS", 10),
    ("SPARSE_TENSOR", 11),
    ("SPARSE_TENSORS", 12),
    ("TYPE_PROTO", 13),
    ("TYPE_PROTOS", 14),
];

const LOCATIONS: &[(&str, i64)] = &[("DEFAULT", 0), ("EXTERNAL", 1)];

/// `ModelProto`.
pub(super) static MODEL: &[Field] = &[
    ("ir_version", 1, Int),
    ("producer_name", 2, Text),
    ("producer_version", 3, Text),
    ("domain", 4, Text),
    ("model_version", 5, Int),
    ("doc_string", 6, Text),
    ("graph", 7, Message(&GRAPH)),
    ("opset_import", 8, Message(&OPSET)),
    ("metadata_props", 14, Message(&ENTRY)),
    ("training_info", 20, Message(&TRAINING)),
    ("functions", 25, Message(&FUNCTION)),
    ("configuration", 26, Message(&CONFIGURATION)),
];

static OPSET: &[Field] = &[("domain", 1, Text), ("version", 2, Int)];

static ENTRY: &[Field] = &[("key", 1, Text), ("value", 2, Text)];

static GRAPH: &[Field] = &[
    ("node", 1, Message(&NODE)),
    ("name", 2, Text),
    ("initializer", 5, Message(&TENSOR)),
    ("doc_string", 10, Text),
    ("input", 11, Message(&VALUE)),
    ("output", 12, Message(&VALUE)),
    ("value_info", 13, Message(&VALUE)),
    ("quantization_annotation", 14, Message(&ANNOTATION)),
    ("sparse_initializer", 15, Message(&SPARSE)),
    ("metadata_props", 16, Message(&ENTRY)),
];

static NODE: &[Field] = &[
    ("input", 1, Text),
    ("output", 2, Text),
    ("name", 3, Text),
    ("op_type", 4, Text),
    ("attribute", 5, Message(&ATTRIBUTE)),
    ("doc_string", 6, Text),
    ("domain", 7, Text),
    ("overload", 8, Text),
    ("metadata_props", 9, Message(&ENTRY)),
    ("device_configurations", 10, Message(&PLACEMENT)),
];

static ATTRIBUTE: &[Field] = &[
    ("name", 1, Text),
    ("f", 2, Float),
    ("i", 3, Int),
    ("s", 4, Bytes),
    ("t", 5, Message(&TENSOR)),
    ("g", 6, Message(&GRAPH)),
    ("floats", 7, Float),
    ("ints", 8, Int),
    ("strings", 9, Bytes),
    ("tensors", 10, Message(&TENSOR)),
    ("graphs", 11, Message(&GRAPH)),
    ("doc_string", 13, Text),
    ("tp", 14, Message(&TYPE)),
    ("type_protos", 15, Message(&TYPE)),
    ("type", 20, Enum(ATTRIBUTE_TYPES)),
    ("ref_attr_name", 21, Text),
    ("sparse_tensor", 22, Message(&SPARSE)),
    ("sparse_tensors", 23, Message(&SPARSE)),
];

static TENSOR: &[Field] = &[
    ("dims", 1, Int),
    ("data_type", 2, Int),
    ("segment", 3, Message(&SEGMENT)),
    ("float_data", 4, Float),
    ("int32_data", 5, Int),
    ("string_data", 6, Bytes),
    ("int64_data", 7, Int),
    ("name", 8, Text),
    ("raw_data", 9, Bytes),
    ("double_data", 10, Double),
    ("uint64_data", 11, Uint),
    ("doc_string", 12, Text),
    ("external_data", 13, Message(&ENTRY)),
    ("data_location", 14, Enum(LOCATIONS)),
    ("metadata_props", 16, Message(&ENTRY)),
];

static SEGMENT: &[Field] = &[("begin", 1, Int), ("end", 2, Int)];

static SPARSE: &[Field] =
    &[("values", 1, Message(&TENSOR)), ("indices", 2, Message(&TENSOR)), ("dims", 3, Int)];

static VALUE: &[Field] = &[
    ("name", 1, Text),
    ("type", 2, Message(&TYPE)),
    ("doc_string", 3, Text),
    ("metadata_props", 4, Message(&ENTRY)),
];

static TYPE: &[Field] = &[
    ("tensor_type", 1, Message(&TENSOR_TYPE)),
    ("sequence_type", 4, Message(&WRAPPED)),
    ("map_type", 5, Message(&MAP)),
    ("denotation", 6, Text),
    ("opaque_type", 7, Message(&OPAQUE)),
    ("sparse_tensor_type", 8, Message(&TENSOR_TYPE)),
    ("optional_type", 9, Message(&WRAPPED)),
];

static TENSOR_TYPE: &[Field] = &[("elem_type", 1, Int), ("shape", 2, Message(&SHAPE))];

static WRAPPED: &[Field] = &[("elem_type", 1, Message(&TYPE))];

static MAP: &[Field] = &[("key_type", 1, Int), ("value_type", 2, Message(&TYPE))];

static OPAQUE: &[Field] = &[("domain", 1, Text), ("name", 2, Text)];

static SHAPE: &[Field] = &[("dim", 1, Message(&DIMENSION))];

static DIMENSION: &[Field] =
    &[("dim_value", 1, Int), ("dim_param", 2, Text), ("denotation", 3, Text)];

static FUNCTION: &[Field] = &[
    ("name", 1, Text),
    ("input", 4, Text),
    ("output", 5, Text),
    ("attribute", 6, Text),
    ("node", 7, Message(&NODE)),
    ("doc_string", 8, Text),
    ("opset_import", 9, Message(&OPSET)),
    ("domain", 10, Text),
    ("attribute_proto", 11, Message(&ATTRIBUTE)),
    ("value_info", 12, Message(&VALUE)),
    ("overload", 13, Text),
    ("metadata_props", 14, Message(&ENTRY)),
];

static TRAINING: &[Field] = &[
    ("initialization", 1, Message(&GRAPH)),
    ("algorithm", 2, Message(&GRAPH)),
    ("initialization_binding", 3, Message(&ENTRY)),
    ("update_binding", 4, Message(&ENTRY)),
];

static ANNOTATION: &[Field] =
    &[("tensor_name", 1, Text), ("quant_parameter_tensor_names", 2, Message(&ENTRY))];

static CONFIGURATION: &[Field] = &[("name", 1, Text), ("num_devices", 2, Int), ("device", 3, Text)];

static PLACEMENT: &[Field] = &[("configuration_id", 1, Text), ("pipeline_stage", 3, Int)];

/// Whether a key of JSON is the name of a field: in camel case, or as the schema has it.
pub(super) fn is_named(name: &str, key: &str) -> bool {
    if name == key {
        return true;
    }
    let mut camel = key.chars();
    let mut upper = false;
    for character in name.chars() {
        if character == '_' {
            upper = true;
            continue;
        }
        let wanted = if upper { character.to_ascii_uppercase() } else { character };
        upper = false;
        if camel.next() != Some(wanted) {
            return false;
        }
    }
    camel.next().is_none()
}
