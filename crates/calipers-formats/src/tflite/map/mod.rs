//! Operators of TensorFlow Lite as those of the table that compute the same.
//!
//! What has no counterpart keeps its name, under the domain of the format.

mod movement;
mod pointwise;
mod quantized;
mod reduction;
mod window;

use calipers_ir::NameId;
use calipers_ir::assembly::{Assembly, Call};

use super::operand::Op;
use crate::error::Trace;

/// What a mapping says: nothing where it left the operator as it is.
type Mapped = Result<(), Trace>;

/// The domain of operators that several frameworks have.
const FRAMEWORKS: &str = "frameworks";

/// The domain of operators of ONNX Runtime.
const MICROSOFT: &str = "com.microsoft";

/// Says what operator computes the same, with its inputs in the order that it has them.
pub(super) fn map(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    if op.is_custom {
        return window::custom(op, call);
    }
    match op.name {
        "ADD" | "SUB" | "MUL" | "DIV" | "FLOOR_DIV" | "FLOOR_MOD" | "SQUARED_DIFFERENCE"
        | "POW" | "MAXIMUM" | "MINIMUM" | "ADD_N" | "LESS" | "LESS_EQUAL" | "GREATER"
        | "GREATER_EQUAL" | "EQUAL" | "LOGICAL_AND" | "LOGICAL_OR" | "LOGICAL_NOT"
        | "BITWISE_XOR" | "RIGHT_SHIFT" | "SELECT" | "SELECT_V2" | "ABS" | "CEIL" | "COS"
        | "ELU" | "EXP" | "FLOOR" | "GELU" | "HARD_SWISH" | "LEAKY_RELU" | "LOG"
        | "LOG_SOFTMAX" | "LOGISTIC" | "NEG" | "PRELU" | "RELU" | "RELU6" | "RELU_0_TO_1"
        | "RELU_N1_TO_1" | "ROUND" | "RSQRT" | "SIGN" | "SIN" | "SOFTMAX" | "SQRT" | "SQUARE"
        | "TANH" | "CUMSUM" => pointwise::map(op, call, assembly),
        "CONV_2D"
        | "DEPTHWISE_CONV_2D"
        | "TRANSPOSE_CONV"
        | "CONV_3D"
        | "CONV_3D_TRANSPOSE"
        | "AVERAGE_POOL_2D"
        | "MAX_POOL_2D"
        | "FULLY_CONNECTED"
        | "BATCH_MATMUL"
        | "LOCAL_RESPONSE_NORMALIZATION"
        | "L2_NORMALIZATION" => window::map(op, call),
        "MEAN" | "SUM" | "REDUCE_PROD" | "REDUCE_MAX" | "REDUCE_MIN" | "REDUCE_ANY"
        | "REDUCE_ALL" | "ARG_MAX" | "ARG_MIN" | "TOPK_V2" | "UNIQUE" | "WHERE" => {
            reduction::map(op, call, assembly)
        }
        "QUANTIZE" | "DEQUANTIZE" | "CAST" | "FAKE_QUANT" => quantized::map(op, call, assembly),
        name if name.starts_with("STABLEHLO_") => pointwise::stablehlo(op, call),
        _ => movement::map(op, call, assembly),
    }
}

/// The inputs at these places, and then what is left of them: settings that an attribute has, whose
/// edges stay in the graph.
fn with_settings(call: &mut Call, first: Vec<NameId>, settings: &[usize], none: NameId) {
    let settings: Vec<NameId> = settings.iter().map(|place| call.input(*place, none)).collect();
    call.inputs = first;
    call.inputs.extend(settings);
}

/// The activation at the end of an operator, by its number in `ActivationFunctionType`.
fn activation(number: i8) -> Option<&'static str> {
    match number {
        1 => Some("Relu"),
        2 => Some("ReluN1To1"),
        3 => Some("Relu6"),
        4 => Some("Tanh"),
        5 => Some("SignBit"),
        _ => None,
    }
}

/// States the activation at the end of an operator whose row has none.
fn with_activation(op: &Op<'_, '_>, call: &mut Call, field: u16) -> Mapped {
    if let Some(name) = activation(op.i8(field, 0)?) {
        call.text("activation", name);
    }
    Ok(())
}
