//! Operators that compute: elementwise, activations, reductions, products, normalizations.

use super::lower::{FRAMEWORKS, MICROSOFT, OWN};
use super::scope::Scope;
use crate::error::Trace;

/// Operators with one counterpart: their arguments are its inputs.
const SAME: &[(&str, &str, &str, &[&str])] = &[
    ("abs", "", "Abs", &["x"]),
    ("acos", "", "Acos", &["x"]),
    ("asin", "", "Asin", &["x"]),
    ("atan", "", "Atan", &["x"]),
    ("atanh", "", "Atanh", &["x"]),
    ("ceil", "", "Ceil", &["x"]),
    ("cos", "", "Cos", &["x"]),
    ("cosh", "", "Cosh", &["x"]),
    ("erf", "", "Erf", &["x"]),
    ("exp", "", "Exp", &["x"]),
    ("exp2", OWN, "Exp2", &["x"]),
    ("floor", "", "Floor", &["x"]),
    ("inverse", "", "Reciprocal", &["x"]),
    ("log", "", "Log", &["x"]),
    ("logical_not", "", "Not", &["x"]),
    ("round", "", "Round", &["x"]),
    ("rsqrt", FRAMEWORKS, "Rsqrt", &["x"]),
    ("sign", "", "Sign", &["x"]),
    ("sin", "", "Sin", &["x"]),
    ("sinh", "", "Sinh", &["x"]),
    ("sqrt", "", "Sqrt", &["x"]),
    ("square", FRAMEWORKS, "Square", &["x"]),
    ("tan", "", "Tan", &["x"]),
    ("tanh", "", "Tanh", &["x"]),
    ("threshold", "", "Max", &["x", "alpha"]),
    ("clip", "", "Clip", &["x", "alpha", "beta"]),
    ("relu", "", "Relu", &["x"]),
    ("relu6", FRAMEWORKS, "Relu6", &["x"]),
    ("sigmoid", "", "Sigmoid", &["x"]),
    ("silu", "", "Swish", &["x"]),
    ("softplus", "", "Softplus", &["x"]),
    ("softplus_parametric", OWN, "ParametricSoftplus", &["x", "alpha", "beta"]),
    ("softsign", "", "Softsign", &["x"]),
    ("prelu", OWN, "PRelu", &["x", "alpha"]),
    ("clamped_relu", OWN, "ClampedRelu", &["x"]),
    ("linear_activation", OWN, "LinearActivation", &["x"]),
    ("scaled_tanh", OWN, "ScaledTanh", &["x"]),
    ("add", "", "Add", &["x", "y"]),
    ("sub", "", "Sub", &["x", "y"]),
    ("mul", "", "Mul", &["x", "y"]),
    ("real_div", "", "Div", &["x", "y"]),
    ("floor_div", FRAMEWORKS, "FloorDiv", &["x", "y"]),
    ("mod", FRAMEWORKS, "FloorMod", &["x", "y"]),
    ("pow", "", "Pow", &["x", "y"]),
    ("maximum", "", "Max", &["x", "y"]),
    ("minimum", "", "Min", &["x", "y"]),
    ("equal", "", "Equal", &["x", "y"]),
    ("not_equal", OWN, "NotEqual", &["x", "y"]),
    ("greater", "", "Greater", &["x", "y"]),
    ("greater_equal", "", "GreaterOrEqual", &["x", "y"]),
    ("less", "", "Less", &["x", "y"]),
    ("less_equal", "", "LessOrEqual", &["x", "y"]),
    ("logical_and", "", "And", &["x", "y"]),
    ("logical_or", "", "Or", &["x", "y"]),
    ("logical_xor", "", "Xor", &["x", "y"]),
    ("select", "", "Where", &["cond", "a", "b"]),
    ("identity", "", "Identity", &["x"]),
    // A state is read as a tensor, and written by naming the tensor that replaces it.
    ("read_state", "", "Identity", &["input"]),
    ("coreml_update_state", "", "Identity", &["value"]),
    ("l2_norm", OWN, "L2Norm", &["x"]),
];

/// Activations with one number: their name, the operator, its attribute, and what it is otherwise.
const WITH_ALPHA: &[(&str, &str, &str, f32)] = &[
    ("elu", "Elu", "alpha", 1.0),
    ("leaky_relu", "LeakyRelu", "alpha", 0.01),
    ("thresholded_relu", "ThresholdedRelu", "alpha", 1.0),
];

/// Reductions, which all take axes.
const REDUCTIONS: &[(&str, &str)] = &[
    ("reduce_l1_norm", "ReduceL1"),
    ("reduce_l2_norm", "ReduceL2"),
    ("reduce_log_sum", "ReduceLogSum"),
    ("reduce_log_sum_exp", "ReduceLogSumExp"),
    ("reduce_max", "ReduceMax"),
    ("reduce_mean", "ReduceMean"),
    ("reduce_min", "ReduceMin"),
    ("reduce_prod", "ReduceProd"),
    ("reduce_sum", "ReduceSum"),
    ("reduce_sum_square", "ReduceSumSquare"),
];

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let kind = scope.operation.kind.as_str();
    if let Some((_, domain, op, arguments)) = SAME.iter().find(|row| row.0 == kind) {
        scope.call.is_of(domain, op);
        scope.take(arguments)?;
        return Ok(());
    }
    if let Some((_, op, attribute, otherwise)) = WITH_ALPHA.iter().find(|row| row.0 == kind) {
        let alpha = scope.number("alpha").unwrap_or(*otherwise);
        scope.call.is(op).float(attribute, alpha);
        scope.take(&["x"])?;
        return Ok(());
    }
    if let Some((_, op)) = REDUCTIONS.iter().find(|row| row.0 == kind) {
        return reduction(scope, op);
    }
    match kind {
        "cast" => cast(scope),
        "gelu" => gelu(scope),
        "sigmoid_hard" => {
            let numbers = [("alpha", 0.2), ("beta", 0.5)];
            scope.take(&["x"])?.call.is("HardSigmoid");
            for (name, otherwise) in numbers {
                let value = scope.number(name).unwrap_or(otherwise);
                scope.call.float(name, value);
            }
            Ok(())
        }
        "softmax" => {
            let axis = scope.int("axis").unwrap_or(-1);
            scope.take(&["x"])?.call.is("Softmax").int("axis", axis);
            Ok(())
        }
        "reduce_argmax" => arg(scope, "ArgMax"),
        "reduce_argmin" => arg(scope, "ArgMin"),
        "cumsum" => cumsum(scope),
        "linear" => {
            let scope = scope.take(&["x", "weight", "bias"])?;
            scope.call.is_of(FRAMEWORKS, "Linear").input_order(1, &[1, 0]);
            Ok(())
        }
        "matmul" => matmul(scope),
        "einsum" => {
            let Some(equation) = scope.text("equation") else { return Ok(()) };
            scope.call.inputs = scope.values("values")?;
            scope.call.is("Einsum").text("equation", &equation);
            Ok(())
        }
        "scaled_dot_product_attention" => attention(scope),
        "batch_norm" => {
            let epsilon = scope.number("epsilon").unwrap_or(1e-5);
            scope.call.is("BatchNormalization").float("epsilon", epsilon);
            scope.take(&["x", "gamma", "beta", "mean", "variance"])?;
            Ok(())
        }
        "instance_norm" => {
            let epsilon = scope.number("epsilon").unwrap_or(1e-5);
            scope.call.is("InstanceNormalization").float("epsilon", epsilon);
            scope.take(&["x", "gamma", "beta"])?;
            Ok(())
        }
        "layer_norm" => layer_norm(scope),
        "local_response_norm" => {
            let size = scope.int("size").unwrap_or(1);
            scope.take(&["x"])?.call.is("LRN").int("size", size);
            for (argument, attribute, otherwise) in
                [("alpha", "alpha", 1e-4), ("beta", "beta", 0.75), ("k", "bias", 1.0)]
            {
                let value = scope.number(argument).unwrap_or(otherwise);
                scope.call.float(attribute, value);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The number that ONNX has for a type of elements, by the name that programs have for it.
pub(super) fn type_number(name: &str) -> Option<i64> {
    Some(match name {
        "fp32" => 1,
        "uint8" => 2,
        "int8" => 3,
        "uint16" => 4,
        "int16" => 5,
        "int32" => 6,
        "int64" => 7,
        "string" => 8,
        "bool" => 9,
        "fp16" => 10,
        "fp64" => 11,
        "uint32" => 12,
        "uint64" => 13,
        _ => return None,
    })
}

fn cast(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let to = scope.text("dtype").and_then(|name| type_number(&name));
    let Some(to) = to else { return Ok(()) };
    scope.take(&["x"])?.call.is("Cast").int("to", to);
    Ok(())
}

fn gelu(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let mode = scope.text("mode").unwrap_or_default();
    scope.take(&["x"])?;
    match mode.as_str() {
        "SIGMOID_APPROXIMATION" => {
            scope.call.is_of(MICROSOFT, "QuickGelu").float("alpha", 1.702);
        }
        "TANH_APPROXIMATION" => {
            scope.call.is("Gelu").text("approximate", "tanh");
        }
        _ => {
            scope.call.is("Gelu").text("approximate", "none");
        }
    }
    Ok(())
}

fn reduction(scope: &mut Scope<'_, '_, '_>, op: &'static str) -> Result<(), Trace> {
    let keeps = i64::from(scope.flag("keep_dims"));
    scope.call.is(op).int("keepdims", keeps);
    scope.take(&["x"])?;
    if let Some(axes) = scope.ints("axes") {
        scope.take_integers("axes", &axes)?;
    }
    Ok(())
}

fn arg(scope: &mut Scope<'_, '_, '_>, op: &'static str) -> Result<(), Trace> {
    let axis = scope.int("axis").unwrap_or(-1);
    let keeps = i64::from(scope.flag("keep_dims"));
    scope.take(&["x"])?.call.is(op).int("axis", axis).int("keepdims", keeps);
    Ok(())
}

fn cumsum(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let exclusive = i64::from(scope.flag("exclusive"));
    let reverse = i64::from(scope.flag("reverse"));
    let axis = scope.int("axis").unwrap_or(0);
    scope.take(&["x"])?.call.is("CumSum").int("exclusive", exclusive).int("reverse", reverse);
    let axis = scope.assembly().integer("axis", axis)?;
    scope.call.inputs.push(axis);
    Ok(())
}

fn matmul(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let [left, right] = ["transpose_x", "transpose_y"].map(|name| i64::from(scope.flag(name)));
    scope.take(&["x", "y"])?;
    if left + right == 0 {
        scope.call.is("MatMul");
    } else {
        scope.call.is_of(MICROSOFT, "FusedMatMul").int("transA", left).int("transB", right);
    }
    Ok(())
}

/// Without heads in a dimension of its own there is one.
fn attention(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    match scope.rank("query") {
        Some(3) => {
            scope.call.is("Attention").int("q_num_heads", 1).int("kv_num_heads", 1);
        }
        Some(4) => {
            scope.call.is("Attention");
        }
        _ => return Ok(()),
    }
    scope.take(&["query", "key", "value", "attn_mask"])?;
    Ok(())
}

/// Axes that are normalized together come last in the row; where they do not, the dimensions are
/// put in that order.
fn layer_norm(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let Some(rank) = scope.rank("x").filter(|rank| *rank < 256) else { return Ok(()) };
    let axes = scope.ints("axes").unwrap_or_else(|| vec![-1]);
    let axes: Option<Vec<usize>> = axes.iter().map(|axis| scope.axis(*axis, "x")).collect();
    let Some(axes) = axes.filter(|axes| !axes.is_empty()) else { return Ok(()) };
    let others = (0..rank).filter(|axis| !axes.contains(axis));
    let order: Vec<usize> = others.chain(axes.iter().copied()).collect();
    let order: Vec<u8> = order.iter().filter_map(|axis| u8::try_from(*axis).ok()).collect();
    let is_plain = order.iter().enumerate().all(|(place, axis)| usize::from(*axis) == place);
    let Ok(from_end) = i64::try_from(axes.len()) else { return Ok(()) };
    let epsilon = scope.number("epsilon").unwrap_or(1e-5);
    scope.take(&["x", "gamma", "beta"])?;
    scope.call.is("LayerNormalization").int("axis", -from_end).float("epsilon", epsilon);
    if !is_plain {
        scope.call.input_order(0, &order).output_order(0, &order);
    }
    Ok(())
}
