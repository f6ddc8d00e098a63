//! Operators of one element at a time.

use calipers_ir::DType;

use super::{ATEN, FRAMEWORKS, Mapped, Op, narrow};
use crate::pytorch::export::schema::Argument;

/// Operators of one operand that ONNX has.
const UNARY: &[(&str, &str)] = &[
    ("abs", "Abs"),
    ("acos", "Acos"),
    ("acosh", "Acosh"),
    ("asin", "Asin"),
    ("asinh", "Asinh"),
    ("atan", "Atan"),
    ("atanh", "Atanh"),
    ("bitwise_not", "BitwiseNot"),
    ("ceil", "Ceil"),
    ("cos", "Cos"),
    ("cosh", "Cosh"),
    ("erf", "Erf"),
    ("exp", "Exp"),
    ("floor", "Floor"),
    ("hardsigmoid", "HardSigmoid"),
    ("hardswish", "HardSwish"),
    ("isinf", "IsInf"),
    ("isnan", "IsNaN"),
    ("log", "Log"),
    ("logical_not", "Not"),
    ("mish", "Mish"),
    ("neg", "Neg"),
    ("reciprocal", "Reciprocal"),
    ("relu", "Relu"),
    ("round", "Round"),
    ("selu", "Selu"),
    ("sigmoid", "Sigmoid"),
    ("sign", "Sign"),
    ("silu", "Swish"),
    ("sin", "Sin"),
    ("sinh", "Sinh"),
    ("softsign", "Softsign"),
    ("sqrt", "Sqrt"),
    ("tan", "Tan"),
    ("tanh", "Tanh"),
];

/// Those that other frameworks have.
const SHARED: &[(&str, &str)] = &[
    ("expm1", "Expm1"),
    ("log1p", "Log1p"),
    ("relu6", "Relu6"),
    ("rsqrt", "Rsqrt"),
    ("square", "Square"),
];

/// Operators of two operands that ONNX has.
const BINARY: &[(&str, &str)] = &[
    ("_operator.add", "Add"),
    ("_operator.mul", "Mul"),
    ("_operator.sub", "Sub"),
    ("add", "Add"),
    ("bitwise_and", "BitwiseAnd"),
    ("bitwise_or", "BitwiseOr"),
    ("bitwise_xor", "BitwiseXor"),
    ("div", "Div"),
    ("divide", "Div"),
    ("eq", "Equal"),
    ("fmod", "Mod"),
    ("ge", "GreaterOrEqual"),
    ("gt", "Greater"),
    ("le", "LessOrEqual"),
    ("logical_and", "And"),
    ("logical_or", "Or"),
    ("logical_xor", "Xor"),
    ("lt", "Less"),
    ("maximum", "Max"),
    ("minimum", "Min"),
    ("mul", "Mul"),
    ("multiply", "Mul"),
    ("pow", "Pow"),
    ("rsub", "Sub"),
    ("sub", "Sub"),
    ("subtract", "Sub"),
    ("true_divide", "Div"),
];

/// Operators that neither ONNX nor other frameworks have, an operation for each element.
const OTHERS: &[&str] = &[
    "addcdiv",
    "addcmul",
    "atan2",
    "copysign",
    "digamma",
    "erfc",
    "erfinv",
    "exp2",
    "frac",
    "hypot",
    "isfinite",
    "lerp",
    "lgamma",
    "log10",
    "log2",
    "log_sigmoid",
    "logaddexp",
    "logit",
    "nan_to_num",
    "ne",
    "outer",
    "prelu",
    "sgn",
    "sinc",
    "threshold",
    "trunc",
    "xlogy",
];

/// Operators that pass their input on.
const SAME: &[&str] = &[
    "alias",
    "alpha_dropout",
    "clone",
    "contiguous",
    "detach",
    "detach_copy",
    "dropout",
    "feature_dropout",
    "lift",
    "lift_fresh",
    "lift_fresh_copy",
    "native_dropout",
    "requires_grad",
];

fn listed(list: &[(&str, &'static str)], base: &str) -> Option<&'static str> {
    list.iter().find(|(name, _)| *name == base).map(|(_, op)| *op)
}

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    if let Some(found) = listed(UNARY, op.base) {
        op.call.is(found);
        if op.base == "bitwise_not" && op.dtype("self") == Some(DType::Bool) {
            op.call.is("Not");
        }
        if op.base == "logical_not" && op.dtype("self") != Some(DType::Bool) {
            // ONNX negates truth values alone.
            op.call.is_of(ATEN, "elementwise");
        }
        if op.base == "hardsigmoid" {
            op.call.float("alpha", 1.0 / 6.0);
        }
        op.keep_outputs(1);
        return Ok(());
    }
    if let Some(found) = listed(SHARED, op.base) {
        op.call.is_of(FRAMEWORKS, found);
        return Ok(());
    }
    if SAME.contains(&op.base) {
        op.call.is("Identity");
        op.call.inputs.truncate(1);
        op.keep_outputs(1);
        return Ok(());
    }
    if OTHERS.contains(&op.base) {
        op.call.is_of(ATEN, "elementwise");
        op.keep_outputs(1);
        return Ok(());
    }
    if let Some(found) = listed(BINARY, op.base) {
        return binary(op, found);
    }
    match op.base {
        "_prelu_kernel" => _ = op.call.is("PRelu"),
        "gelu" => {
            let approximate = op.text("approximate").unwrap_or("none").to_owned();
            op.call.is("Gelu").text("approximate", &approximate);
        }
        "elu" | "celu" => {
            let alpha = narrow(op.float_or("alpha", 1.0));
            let name = if op.base == "elu" { "Elu" } else { "Celu" };
            op.call.is(name).float("alpha", alpha);
        }
        "leaky_relu" => {
            let alpha = narrow(op.float_or("negative_slope", 0.01));
            op.call.is("LeakyRelu").float("alpha", alpha);
        }
        "softplus" => _ = op.call.is("Softplus"),
        "hardshrink" | "softshrink" => {
            let lambda = narrow(op.float_or("lambd", 0.5));
            op.call.is("Shrink").float("lambd", lambda);
        }
        "glu" => _ = op.call.is_of(ATEN, "glu"),
        "clamp" | "clip" | "clamp_min" | "clamp_max" | "hardtanh" => return clip(op),
        "remainder" => return two(op, FRAMEWORKS, "FloorMod"),
        "floor_divide" | "_operator.floordiv" => return two(op, FRAMEWORKS, "FloorDiv"),
        "where" => return choose(op, ["condition", "self", "other"]),
        "masked_fill" => return choose(op, ["mask", "value", "self"]),
        "_to_copy" | "to" | "type_as" | "_to_dtype" => cast(op),
        _ => {}
    }
    Ok(())
}

fn binary(op: &mut Op<'_, '_, '_>, found: &'static str) -> Mapped {
    if op.text("rounding_mode") == Some("floor") {
        return two(op, FRAMEWORKS, "FloorDiv");
    }
    let is_bool = op.dtype("self") == Some(DType::Bool);
    let found = match (found, is_bool) {
        ("BitwiseAnd", true) => "And",
        ("BitwiseOr", true) => "Or",
        ("BitwiseXor", true) => "Xor",
        // ONNX takes truth values for these alone, and none for arithmetic.
        ("And" | "Or" | "Xor", false) => return two(op, ATEN, "elementwise"),
        ("Add" | "Mul" | "Sub" | "Max" | "Min" | "Pow", true) => {
            return two(op, ATEN, "elementwise");
        }
        (found, _) => found,
    };
    if found == "Mod" {
        op.call.int("fmod", 1);
    }
    two(op, "", found)
}

/// Takes the first two arguments as operands. Numbers take the type of the tensor next to them.
fn two(op: &mut Op<'_, '_, '_>, domain: &'static str, found: &'static str) -> Mapped {
    let (Some(left), Some(right)) = (op.at(0), op.at(1)) else { return Ok(()) };
    let type_of = |op: &Op<'_, '_, '_>, argument: &Argument| match argument {
        Argument::Tensor(name) => op.dtype_of(name),
        Argument::Symbol(_) => Some(DType::Int64),
        _ => None,
    };
    let types = (type_of(op, left), type_of(op, right));
    let dtype = types.0.or(types.1).unwrap_or(DType::Int64);
    let (left, right) = (op.operand(left, dtype)?, op.operand(right, dtype)?);
    let (Some(left), Some(right)) = (left, right) else { return Ok(()) };
    op.call.inputs = match op.base {
        "rsub" => vec![right, left],
        _ => vec![left, right],
    };
    // Operands of two types are first brought to one, which the rows of ONNX leave to a node of its
    // own.
    let mixed = matches!(types, (Some(one), Some(other)) if one != other);
    match mixed && domain.is_empty() {
        true => op.call.is_of(ATEN, "elementwise"),
        false => op.call.is_of(domain, found),
    };
    Ok(())
}

/// Bounds; either may be left out.
fn clip(op: &mut Op<'_, '_, '_>) -> Mapped {
    let dtype = op.dtype("self").unwrap_or(DType::Float32);
    let (low, high) = match op.base {
        "hardtanh" => ("min_val", "max_val"),
        _ => ("min", "max"),
    };
    let default = |argument: &'static str| match (op.base, argument) {
        ("hardtanh", "min_val") => Some(-1.0),
        ("hardtanh", "max_val") => Some(1.0),
        _ => None,
    };
    let defaults = [default(low), default(high)];
    let mut inputs = vec![op.tensor("self")];
    for (name, default) in [low, high].into_iter().zip(defaults) {
        let bound = match (op.argument(name), default) {
            (Some(bound), _) => op.operand(bound, dtype)?,
            (None, Some(default)) => Some(op.scalar(default, dtype)?),
            (None, None) => None,
        };
        inputs.push(bound.unwrap_or(op.assembly.none()));
    }
    op.call.inputs = inputs;
    op.trim();
    op.call.is("Clip");
    if op.overload == "Tensor" {
        // Bounds of several elements.
        op.call.is_of(ATEN, "elementwise");
    }
    Ok(())
}

/// A choice between two operands.
fn choose(op: &mut Op<'_, '_, '_>, names: [&str; 3]) -> Mapped {
    let dtype = op.output_dtype().unwrap_or(DType::Float32);
    let mut inputs = Vec::new();
    for name in names {
        let Some(argument) = op.argument(name) else { return Ok(()) };
        let Some(operand) = op.operand(argument, dtype)? else { return Ok(()) };
        inputs.push(operand);
    }
    let differ = names[1..].iter().any(|name| op.dtype(name).is_some_and(|one| one != dtype));
    op.call.inputs = inputs;
    match differ {
        true => op.call.is_of(ATEN, "elementwise"),
        false => op.call.is("Where"),
    };
    Ok(())
}

/// A conversion; where the type stays, only the place changes.
fn cast(op: &mut Op<'_, '_, '_>) {
    let (from, to) = (op.dtype("self"), op.output_dtype());
    op.call.inputs.truncate(1);
    match to.and_then(onnx_number) {
        Some(number) if from != to => _ = op.call.is("Cast").int("to", number),
        _ => _ = op.call.is("Identity"),
    }
}

/// The number that ONNX has for a type.
pub(super) fn onnx_number(dtype: DType) -> Option<i64> {
    (1..=16).find(|number| DType::from_onnx(*number) == dtype).map(i64::from)
}
