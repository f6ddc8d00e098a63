//! Operators on elements, one by one or in pairs.

use super::{FRAMEWORKS, Mapped, Op, Stop, need};
use crate::tensorflow::message::{dtype, onnx_number};
use crate::tensorflow::operand::Known;

/// Operators that take the same inputs as a row, and have no attributes that matter to it: name,
/// domain, row. The output has the shape of the first input where `true`.
const SAME: &[(&str, &str, &str, bool)] = &[
    ("Abs", "", "Abs", true),
    ("Acos", "", "Acos", true),
    ("Acosh", "", "Acosh", true),
    ("Add", "", "Add", false),
    ("AddN", "", "Sum", true),
    ("AddV2", "", "Add", false),
    ("Asin", "", "Asin", true),
    ("Asinh", "", "Asinh", true),
    ("Atan", "", "Atan", true),
    ("Atanh", "", "Atanh", true),
    ("BitwiseAnd", "", "BitwiseAnd", false),
    ("BitwiseOr", "", "BitwiseOr", false),
    ("BitwiseXor", "", "BitwiseXor", false),
    ("Ceil", "", "Ceil", true),
    ("ClipByValue", "", "Clip", true),
    ("Cos", "", "Cos", true),
    ("Cosh", "", "Cosh", true),
    ("Div", "", "Div", false),
    ("DivNoNan", FRAMEWORKS, "DivNoNan", false),
    ("Equal", "", "Equal", false),
    ("Erf", "", "Erf", true),
    ("Exp", "", "Exp", true),
    ("Expm1", FRAMEWORKS, "Expm1", true),
    ("Floor", "", "Floor", true),
    ("FloorDiv", FRAMEWORKS, "FloorDiv", false),
    ("FloorMod", FRAMEWORKS, "FloorMod", false),
    ("Greater", "", "Greater", false),
    ("GreaterEqual", "", "GreaterOrEqual", false),
    ("Inv", "", "Reciprocal", true),
    ("Invert", "", "BitwiseNot", true),
    ("IsInf", "", "IsInf", true),
    ("IsNan", "", "IsNaN", true),
    ("Less", "", "Less", false),
    ("LessEqual", "", "LessOrEqual", false),
    ("Log", "", "Log", true),
    ("Log1p", FRAMEWORKS, "Log1p", true),
    ("LogicalAnd", "", "And", false),
    ("LogicalNot", "", "Not", true),
    ("LogicalOr", "", "Or", false),
    ("Maximum", "", "Max", false),
    ("Minimum", "", "Min", false),
    ("Mod", FRAMEWORKS, "FloorMod", false),
    ("Mul", "", "Mul", false),
    ("MulNoNan", "", "Mul", false),
    ("Neg", "", "Neg", true),
    ("Pow", "", "Pow", false),
    ("RealDiv", "", "Div", false),
    ("Reciprocal", "", "Reciprocal", true),
    ("Relu", "", "Relu", true),
    ("Relu6", FRAMEWORKS, "Relu6", true),
    ("Rint", FRAMEWORKS, "Rint", true),
    ("Round", "", "Round", true),
    ("Rsqrt", FRAMEWORKS, "Rsqrt", true),
    ("SelectV2", "", "Where", false),
    ("Selu", "", "Selu", true),
    ("Sigmoid", "", "Sigmoid", true),
    ("Sign", "", "Sign", true),
    ("Sin", "", "Sin", true),
    ("Sinh", "", "Sinh", true),
    ("Softplus", "", "Softplus", true),
    ("Softsign", "", "Softsign", true),
    ("Sqrt", "", "Sqrt", true),
    ("Square", FRAMEWORKS, "Square", true),
    ("SquaredDifference", FRAMEWORKS, "SquaredDifference", false),
    ("Sub", "", "Sub", false),
    ("Tan", "", "Tan", true),
    ("Tanh", "", "Tanh", true),
    ("TruncateDiv", "", "Div", false),
];

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    if let Ok(place) = SAME.binary_search_by_key(&op.node.op, |(name, ..)| name) {
        let (_, domain, row, is_shaped_like) = SAME[place];
        op.call.is_of(domain, row);
        if is_shaped_like {
            op.shaped_like(0);
        }
        return Ok(());
    }
    match op.node.op {
        "Identity"
        | "StopGradient"
        | "Snapshot"
        | "PreventGradient"
        | "CheckNumerics"
        | "CheckNumericsV2"
        | "DeepCopy"
        | "EnsureShape"
        | "PlaceholderWithDefault"
        | "_Retval" => {
            op.call.is("Identity");
            op.keep(1);
            let known = op.input(0)?.known.clone();
            // A placeholder may be fed something else.
            let is_fixed = op.node.op != "PlaceholderWithDefault";
            op.produced = is_fixed.then_some(known);
        }
        "Elu" => {
            op.call.is("Elu");
            op.shaped_like(0);
        }
        "LeakyRelu" => {
            let alpha = op.node.float("alpha").unwrap_or(0.2);
            op.call.is("LeakyRelu").float("alpha", alpha);
            op.shaped_like(0);
        }
        "TruncateMod" => {
            op.call.is("Mod").int("fmod", 1);
        }
        "LeftShift" | "RightShift" => {
            let direction = if op.node.op == "LeftShift" { "LEFT" } else { "RIGHT" };
            op.call.is("BitShift").text("direction", direction);
        }
        // The comparison costs as much either way.
        "NotEqual" => {
            op.call.is("Equal");
        }
        "Select" => select(op)?,
        "Cast" => {
            let to = op.node.type_number("DstT").map(dtype);
            let to = need(to.and_then(onnx_number))?;
            op.call.is("Cast").int("to", to);
            let known = op.input(0)?.known.clone();
            op.produced = Some(Known { integers: known.integers, dims: known.dims });
        }
        "BiasAdd" | "BiasAddV1" => bias(op),
        "FakeQuantWithMinMaxArgs"
        | "FakeQuantWithMinMaxVars"
        | "FakeQuantWithMinMaxVarsPerChannel"
        | "QuantizeAndDequantize"
        | "QuantizeAndDequantizeV2"
        | "QuantizeAndDequantizeV3"
        | "QuantizeAndDequantizeV4" => {
            op.frameworks("FakeQuantize");
            op.shaped_like(0);
        }
        "ZerosLike" | "OnesLike" | "Atan2" | "Xdivy" | "Xlogy" | "Xlog1py" | "Erfc"
        | "IsFinite" | "Lgamma" | "Digamma" | "Erfinv" | "Ndtri" => {
            let name = row(op.node.op);
            op.tensorflow(need(name)?);
            if !matches!(op.node.op, "Atan2" | "Xdivy" | "Xlogy" | "Xlog1py") {
                op.shaped_like(0);
            }
        }
        _ => return Err(Stop::Unmapped),
    }
    Ok(())
}

/// Rows of TensorFlow by their names.
fn row(op: &str) -> Option<&'static str> {
    const ROWS: &[&str] = &[
        "ZerosLike",
        "OnesLike",
        "Atan2",
        "Xdivy",
        "Xlogy",
        "Xlog1py",
        "Erfc",
        "IsFinite",
        "Lgamma",
        "Digamma",
        "Erfinv",
        "Ndtri",
    ];
    ROWS.iter().find(|row| **row == op).copied()
}

/// A condition with one element for each row, or with all dimensions.
fn select(op: &mut Op<'_, '_, '_>) -> Mapped {
    let (condition, chosen) = (op.input(0)?.rank(), op.input(1)?.rank());
    if condition == Some(1) && chosen.is_some_and(|rank| rank > 1) {
        return Err(Stop::Unmapped);
    }
    op.call.is("Where");
    Ok(())
}

/// A number for each channel, which is added everywhere.
fn bias(op: &mut Op<'_, '_, '_>) {
    op.call.is("Add");
    op.shaped_like(0);
    if op.is_channels_last() {
        return;
    }
    // The channels are second, and are broadcast as the last dimension is.
    let rank = op.rank(4);
    let order: Vec<u8> = std::iter::once(0).chain(2..rank).chain([1]).collect();
    op.call.input_order(0, &order).output_order(0, &order);
}
