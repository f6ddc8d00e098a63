//! Operators on each element, and activations.

use calipers_ir::assembly::{Assembly, Call};

use super::super::operand::Op;
use super::super::tensor::onnx_number;
use super::{FRAMEWORKS, Mapped, with_activation};

/// Operators of the standard with the inputs as they are.
fn standard(name: &str) -> Option<&'static str> {
    Some(match name {
        "ADD" => "Add",
        "SUB" => "Sub",
        "MUL" => "Mul",
        "DIV" => "Div",
        "POW" => "Pow",
        "MAXIMUM" => "Max",
        "MINIMUM" => "Min",
        "ADD_N" => "Sum",
        "LESS" => "Less",
        "LESS_EQUAL" => "LessOrEqual",
        "GREATER" => "Greater",
        "GREATER_EQUAL" => "GreaterOrEqual",
        "EQUAL" => "Equal",
        "LOGICAL_AND" => "And",
        "LOGICAL_OR" => "Or",
        "LOGICAL_NOT" => "Not",
        "BITWISE_XOR" => "BitwiseXor",
        "RIGHT_SHIFT" => "BitShift",
        "SELECT" | "SELECT_V2" => "Where",
        "ABS" => "Abs",
        "CEIL" => "Ceil",
        "COS" => "Cos",
        "CUMSUM" => "CumSum",
        "ELU" => "Elu",
        "EXP" => "Exp",
        "FLOOR" => "Floor",
        "GELU" => "Gelu",
        "HARD_SWISH" => "HardSwish",
        "LEAKY_RELU" => "LeakyRelu",
        "LOG" => "Log",
        "LOG_SOFTMAX" => "LogSoftmax",
        "LOGISTIC" => "Sigmoid",
        "NEG" => "Neg",
        "PRELU" => "PRelu",
        "RELU" => "Relu",
        "RELU_0_TO_1" | "RELU_N1_TO_1" => "Clip",
        "ROUND" => "Round",
        "SIGN" => "Sign",
        "SIN" => "Sin",
        "SOFTMAX" => "Softmax",
        "SQRT" => "Sqrt",
        "TANH" => "Tanh",
        _ => return None,
    })
}

/// Maps an operator on each element.
pub(super) fn map(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    if let Some(name) = standard(op.name) {
        call.is(name);
    }
    match op.name {
        "FLOOR_DIV" => _ = call.is_of(FRAMEWORKS, "FloorDiv"),
        "FLOOR_MOD" => _ = call.is_of(FRAMEWORKS, "FloorMod"),
        "SQUARED_DIFFERENCE" => _ = call.is_of(FRAMEWORKS, "SquaredDifference"),
        "RELU6" => _ = call.is_of(FRAMEWORKS, "Relu6"),
        "RSQRT" => _ = call.is_of(FRAMEWORKS, "Rsqrt"),
        "SQUARE" => _ = call.is_of(FRAMEWORKS, "Square"),
        "RIGHT_SHIFT" => _ = call.text("direction", "RIGHT"),
        "ADD" | "SUB" | "MUL" | "DIV" => with_activation(op, call, 0)?,
        // A condition with one dimension chooses whole rows, and does not broadcast.
        "SELECT" if op.rank(0) == 1 && op.rank(1) > 1 => call.op = "",
        "GELU" if op.flag(0)? => _ = call.text("approximate", "tanh"),
        "LEAKY_RELU" => _ = call.float("alpha", op.f32(0, 0.0)?),
        "SOFTMAX" | "LOG_SOFTMAX" => {
            call.int("axis", -1);
            // What the exponents are multiplied with; the row has no such factor.
            let beta = op.f32(0, 1.0)?;
            if op.name == "SOFTMAX" && beta != 1.0 {
                call.float("beta", beta);
            }
        }
        "RELU_N1_TO_1" => {
            call.inputs.extend([assembly.float("min", -1.0)?, assembly.float("max", 1.0)?]);
        }
        "RELU_0_TO_1" => {
            call.inputs.extend([assembly.float("min", 0.0)?, assembly.float("max", 1.0)?]);
        }
        "CUMSUM" => {
            call.int("exclusive", i64::from(op.flag(0)?));
            call.int("reverse", i64::from(op.flag(1)?));
        }
        _ => {}
    }
    Ok(())
}

/// Maps an operator of StableHLO that is one on each element.
pub(super) fn stablehlo(op: &Op<'_, '_>, call: &mut Call) -> Mapped {
    let name = match op.name {
        "STABLEHLO_ABS" => "Abs",
        "STABLEHLO_ADD" => "Add",
        "STABLEHLO_AND" => "And",
        "STABLEHLO_CONCATENATE" => "Concat",
        "STABLEHLO_CONVERT" => "Cast",
        "STABLEHLO_COSINE" => "Cos",
        "STABLEHLO_DIVIDE" => "Div",
        "STABLEHLO_EXPONENTIAL" => "Exp",
        "STABLEHLO_FLOOR" => "Floor",
        "STABLEHLO_LOG" => "Log",
        "STABLEHLO_LOGISTIC" => "Sigmoid",
        "STABLEHLO_MAXIMUM" => "Max",
        "STABLEHLO_MINIMUM" => "Min",
        "STABLEHLO_MULTIPLY" => "Mul",
        "STABLEHLO_NEGATE" => "Neg",
        "STABLEHLO_OR" => "Or",
        "STABLEHLO_POWER" => "Pow",
        "STABLEHLO_RSQRT" => {
            call.is_of(FRAMEWORKS, "Rsqrt");
            return Ok(());
        }
        "STABLEHLO_SELECT" => "Where",
        "STABLEHLO_SUBTRACT" => "Sub",
        "STABLEHLO_TANH" => "Tanh",
        "STABLEHLO_TRANSPOSE" => "Transpose",
        _ => return Ok(()),
    };
    match name {
        "Concat" => {
            let axis = op.more_options.map_or(Ok(0), |options| options.i64(0, 0))?;
            call.is(name).int("axis", axis);
        }
        "Cast" => {
            let to = op.output(0).and_then(|output| onnx_number(output.dtype));
            let Some(to) = to else { return Ok(()) };
            call.is(name).int("to", to);
        }
        "Transpose" => {
            let Some(options) = op.more_options else { return Ok(()) };
            let order: Vec<i64> = options.vector(0, 8)?.i64s()?.collect();
            call.is(name).ints("perm", &order);
        }
        _ => _ = call.is(name),
    }
    Ok(())
}
