//! Operators that work element by element.

use calipers_ir::TooLarge;
use calipers_ir::assembly::{Assembly, Call};

use super::{Found, own, shared};
use crate::openvino::graph::Site;
use crate::openvino::types::{dtype, number};

/// Operators that ONNX has under another name or the same, with the same inputs and no attributes
/// that matter to it.
const SAME: &[(&str, &str)] = &[
    ("Abs", "Abs"),
    ("Acos", "Acos"),
    ("Acosh", "Acosh"),
    ("Add", "Add"),
    ("Asin", "Asin"),
    ("Asinh", "Asinh"),
    ("Atan", "Atan"),
    ("Atanh", "Atanh"),
    ("BitwiseAnd", "BitwiseAnd"),
    ("BitwiseNot", "BitwiseNot"),
    ("BitwiseOr", "BitwiseOr"),
    ("BitwiseXor", "BitwiseXor"),
    ("Ceiling", "Ceil"),
    ("ConvertLike", "CastLike"),
    ("Cos", "Cos"),
    ("Cosh", "Cosh"),
    ("Divide", "Div"),
    ("Equal", "Equal"),
    ("Erf", "Erf"),
    ("Exp", "Exp"),
    ("Floor", "Floor"),
    ("Greater", "Greater"),
    ("GreaterEqual", "GreaterOrEqual"),
    ("HSwish", "HardSwish"),
    ("HardSigmoid", "HardSigmoid"),
    ("Identity", "Identity"),
    ("IsInf", "IsInf"),
    ("IsNaN", "IsNaN"),
    ("Less", "Less"),
    ("LessEqual", "LessOrEqual"),
    ("Log", "Log"),
    ("LogicalAnd", "And"),
    ("LogicalNot", "Not"),
    ("LogicalOr", "Or"),
    ("LogicalXor", "Xor"),
    ("Maximum", "Max"),
    ("Minimum", "Min"),
    ("Mish", "Mish"),
    ("Multiply", "Mul"),
    ("Negative", "Neg"),
    ("Power", "Pow"),
    ("ReLU", "Relu"),
    ("Round", "Round"),
    ("Select", "Where"),
    ("Selu", "Selu"),
    ("Sigmoid", "Sigmoid"),
    ("Sign", "Sign"),
    ("Sin", "Sin"),
    ("Sinh", "Sinh"),
    ("SoftPlus", "Softplus"),
    ("SoftSign", "Softsign"),
    ("Sqrt", "Sqrt"),
    ("Subtract", "Sub"),
    ("Swish", "Swish"),
    ("Tan", "Tan"),
    ("Tanh", "Tanh"),
];

pub(super) fn translate(site: Site<'_>, assembly: &mut Assembly<'_>, call: &mut Call) -> Found {
    let layer = site.layer;
    let kind = layer.kind.as_str();
    if let Some((_, op)) = SAME.iter().find(|(written, _)| *written == kind) {
        call.is(op);
        return Ok(true);
    }
    match kind {
        "BitwiseLeftShift" | "BitwiseRightShift" => {
            let direction = if kind == "BitwiseLeftShift" { "LEFT" } else { "RIGHT" };
            call.is("BitShift").text("direction", direction);
        }
        "Clamp" => clamp(site, assembly, call)?,
        "Convert" => {
            let target = number(dtype(layer.text("destination_type").unwrap_or_default()));
            call.is("Cast");
            if target != 0 {
                call.int("to", target);
            }
        }
        "Elu" => {
            call.is("Elu").float("alpha", layer.float("alpha").unwrap_or(1.0));
        }
        "FakeConvert" => own(call, "FakeConvert"),
        "FakeQuantize" => shared(call, "FakeQuantize"),
        "FloorMod" => shared(call, "FloorMod"),
        "Gelu" => {
            let tanh =
                layer.text("approximation_mode").is_some_and(|it| it.eq_ignore_ascii_case("tanh"));
            call.is("Gelu").text("approximate", if tanh { "tanh" } else { "none" });
        }
        "HSigmoid" => {
            // min(max(x + 3, 0), 6) / 6
            call.is("HardSigmoid").float("alpha", 1.0 / 6.0).float("beta", 0.5);
        }
        "IsFinite" => own(call, "IsFinite"),
        "LogSoftmax" => {
            call.is("LogSoftmax").int("axis", layer.int("axis").unwrap_or(1));
        }
        "Mod" => {
            call.is("Mod").int("fmod", 1);
        }
        "NotEqual" => own(call, "NotEqual"),
        "PReLU" => own(call, "PReLU"),
        "SoftMax" | "Softmax" => {
            call.is("Softmax").int("axis", layer.int("axis").unwrap_or(1));
        }
        "SquaredDifference" => shared(call, "SquaredDifference"),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Bounds are attributes here and inputs in ONNX.
fn clamp(site: Site<'_>, assembly: &mut Assembly<'_>, call: &mut Call) -> Result<(), TooLarge> {
    for bound in ["min", "max"] {
        let hint = format!("{bound} of layer {}", site.layer.id);
        let bound = assembly.float(&hint, site.layer.float(bound).unwrap_or(0.0))?;
        call.inputs.push(bound);
    }
    call.is("Clip");
    Ok(())
}
