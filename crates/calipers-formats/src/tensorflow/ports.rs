//! Outputs of operators that have several, by the names that functions use.

use super::node::Node;

/// Operators with outputs of several names. All others have one name for a single output or a list.
const NAMED: &[(&str, &[&str])] = &[
    ("BlockLSTM", &["i", "cs", "f", "o", "ci", "co", "h"]),
    ("BlockLSTMV2", &["i", "cs", "f", "o", "ci", "co", "h"]),
    ("BroadcastGradientArgs", &["r0", "r1"]),
    (
        "CombinedNonMaxSuppression",
        &["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"],
    ),
    (
        "CTCBeamSearchDecoder",
        &["decoded_indices", "decoded_values", "decoded_shape", "log_probability"],
    ),
    (
        "CTCGreedyDecoder",
        &["decoded_indices", "decoded_values", "decoded_shape", "log_probability"],
    ),
    ("CudnnRNN", &["output", "output_h", "output_c", "reserve_space"]),
    ("CudnnRNNV2", &["output", "output_h", "output_c", "reserve_space", "host_reserved"]),
    ("CudnnRNNV3", &["output", "output_h", "output_c", "reserve_space", "host_reserved"]),
    (
        "FusedBatchNorm",
        &["y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"],
    ),
    (
        "FusedBatchNormV2",
        &["y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"],
    ),
    (
        "FusedBatchNormV3",
        &[
            "y",
            "batch_mean",
            "batch_variance",
            "reserve_space_1",
            "reserve_space_2",
            "reserve_space_3",
        ],
    ),
    ("GRUBlockCell", &["r", "u", "c", "h"]),
    ("LSTMBlockCell", &["i", "cs", "f", "o", "ci", "co", "h"]),
    ("ListDiff", &["out", "idx"]),
    ("MaxPoolWithArgmax", &["output", "argmax"]),
    ("Merge", &["output", "value_index"]),
    ("NonMaxSuppressionV4", &["selected_indices", "valid_outputs"]),
    ("NonMaxSuppressionV5", &["selected_indices", "selected_scores", "valid_outputs"]),
    ("Qr", &["q", "r"]),
    ("QuantizeV2", &["output", "output_min", "output_max"]),
    ("QuantizedConv2D", &["output", "min_output", "max_output"]),
    ("QuantizedMatMul", &["out", "min_out", "max_out"]),
    ("SelfAdjointEigV2", &["e", "v"]),
    ("SoftmaxCrossEntropyWithLogits", &["loss", "backprop"]),
    (
        "SparseFillEmptyRows",
        &["output_indices", "output_values", "empty_row_indicator", "reverse_index_map"],
    ),
    ("SparseReshape", &["output_indices", "output_shape"]),
    ("SparseSoftmaxCrossEntropyWithLogits", &["loss", "backprop"]),
    ("StringSplit", &["indices", "values", "shape"]),
    ("StringSplitV2", &["indices", "values", "shape"]),
    ("Svd", &["s", "u", "v"]),
    ("Switch", &["output_false", "output_true"]),
    ("TensorArrayV3", &["handle", "flow"]),
    ("TensorListPopBack", &["output_handle", "tensor"]),
    ("TopK", &["values", "indices"]),
    ("TopKV2", &["values", "indices"]),
    ("Unique", &["y", "idx"]),
    ("UniqueV2", &["y", "idx"]),
    ("UniqueWithCounts", &["y", "idx", "count"]),
];

/// The number of the first output of a name; `None` where the operator is not known to have it.
pub(super) fn port(node: &Node<'_>, output: &str) -> Option<u32> {
    let names = NAMED.iter().find(|(op, _)| *op == node.op).map(|(_, names)| names);
    let place = names?.iter().position(|name| *name == output)?;
    u32::try_from(place).ok()
}
