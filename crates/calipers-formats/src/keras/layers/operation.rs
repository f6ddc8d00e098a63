//! Operations in place of layers: functions of `keras.ops`, and of TensorFlow in older models.

use calipers_ir::{DType, NameId, TooLarge};
use serde_json::Value;

use super::{FRAMEWORKS, KERAS, Mapped, Site, activation};
use crate::keras::json::{Config, whole};
use crate::keras::network::Argument;

/// A class of `keras.ops`.
pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    apply(site, class)
}

/// A function of TensorFlow, by its name.
pub(super) fn map_function(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    if class != "TFOpLambda" {
        return Ok(false);
    }
    let function = site.layer.config.text("function");
    let last = function.rsplit('.').next().unwrap_or(function);
    let same = match last {
        "abs" => "Absolute",
        "add" | "__add__" | "add_v2" => "Add",
        "subtract" | "sub" => "Subtract",
        "multiply" | "mul" => "Multiply",
        "truediv" | "divide" => "Divide",
        "maximum" => "Maximum",
        "minimum" => "Minimum",
        "pow" => "Power",
        "exp" => "Exp",
        "log" => "Log",
        "sqrt" => "Sqrt",
        "rsqrt" => "Rsqrt",
        "square" => "Square",
        "negative" => "Negative",
        "sigmoid" => "Sigmoid",
        "tanh" => "Tanh",
        "relu" => "Relu",
        "relu6" => "Relu6",
        "softmax" => "Softmax",
        "reduce_mean" => "Mean",
        "reduce_sum" => "Sum",
        "reduce_max" => "Max",
        "reduce_min" => "Min",
        "reshape" => "Reshape",
        "expand_dims" => "ExpandDims",
        "squeeze" => "Squeeze",
        "concat" => "Concatenate",
        "stack" => "Stack",
        "transpose" => "Transpose",
        "matmul" => "Matmul",
        _ => return Ok(false),
    };
    apply(site, same)
}

/// Functions of one value, element by element.
fn unary(class: &str) -> Option<(&'static str, &'static str)> {
    Some(match class {
        "Absolute" | "Abs" => ("", "Abs"),
        "Negative" => ("", "Neg"),
        "Exp" => ("", "Exp"),
        "Log" => ("", "Log"),
        "Sqrt" => ("", "Sqrt"),
        "Sin" => ("", "Sin"),
        "Cos" => ("", "Cos"),
        "Tan" => ("", "Tan"),
        "Floor" => ("", "Floor"),
        "Ceil" => ("", "Ceil"),
        "Round" => ("", "Round"),
        "Sign" => ("", "Sign"),
        "Reciprocal" => ("", "Reciprocal"),
        "Erf" => ("", "Erf"),
        "LogicalNot" => ("", "Not"),
        "Isnan" => ("", "IsNaN"),
        "Rsqrt" => (FRAMEWORKS, "Rsqrt"),
        "Square" => (FRAMEWORKS, "Square"),
        "Expm1" => (FRAMEWORKS, "Expm1"),
        "Log1p" => (FRAMEWORKS, "Log1p"),
        _ => return None,
    })
}

/// Activations among the operations, by the names of the functions.
fn function(class: &str) -> Option<&'static str> {
    Some(match class {
        "Relu" => "relu",
        "Relu6" => "relu6",
        "Sigmoid" => "sigmoid",
        "Tanh" => "tanh",
        "Silu" => "silu",
        "Gelu" => "gelu",
        "Elu" => "elu",
        "Selu" => "selu",
        "Celu" => "celu",
        "Mish" => "mish",
        "Softplus" => "softplus",
        "Softsign" => "softsign",
        "HardSigmoid" => "hard_sigmoid",
        "HardSilu" => "hard_silu",
        "LeakyRelu" => "leaky_relu",
        "Identity" => "linear",
        _ => return None,
    })
}

/// Functions of two values that broadcast.
fn binary(class: &str) -> Option<(&'static str, &'static str)> {
    Some(match class {
        "Add" => ("", "Add"),
        "Subtract" => ("", "Sub"),
        "Multiply" => ("", "Mul"),
        "Divide" | "TrueDivide" => ("", "Div"),
        "Power" => ("", "Pow"),
        "Maximum" => ("", "Max"),
        "Minimum" => ("", "Min"),
        "Greater" => ("", "Greater"),
        "GreaterEqual" => ("", "GreaterOrEqual"),
        "Less" => ("", "Less"),
        "LessEqual" => ("", "LessOrEqual"),
        "Equal" => ("", "Equal"),
        "NotEqual" => (KERAS, "NotEqual"),
        "LogicalAnd" => ("", "And"),
        "LogicalOr" => ("", "Or"),
        "FloorDivide" => (FRAMEWORKS, "FloorDiv"),
        "Mod" => (FRAMEWORKS, "FloorMod"),
        "SquaredDifference" => (FRAMEWORKS, "SquaredDifference"),
        _ => return None,
    })
}

fn apply(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    if let Some((domain, op)) = unary(class) {
        site.node.is_of(domain, op);
        site.operands(1, &[]);
        return Ok(true);
    }
    if let Some(function) = function(class) {
        return activation::apply(site, function);
    }
    if let Some((domain, op)) = binary(class) {
        return pair(site, domain, op);
    }
    match class {
        "Softmax" | "LogSoftmax" => {
            let axis = integers(site, 1, "axis").map_or(Some(-1), |axes| single(&axes));
            let Some(axis) = axis else { return Ok(false) };
            site.node.is(if class == "Softmax" { "Softmax" } else { "LogSoftmax" });
            site.node.int("axis", axis);
            site.operands(1, &[]);
            Ok(true)
        }
        "Mean" => reduce(site, "ReduceMean"),
        "Sum" => reduce(site, "ReduceSum"),
        "Max" | "Amax" => reduce(site, "ReduceMax"),
        "Min" | "Amin" => reduce(site, "ReduceMin"),
        "Prod" => reduce(site, "ReduceProd"),
        "Reshape" => {
            let sizes = integers(site, 1, "newshape").or_else(|| integers(site, 1, "shape"));
            // A size that is open is that of the batch where it comes first.
            with_integers(site, "Reshape", sizes, true)
        }
        "ExpandDims" => {
            let axes = integers(site, 1, "axis");
            with_integers(site, "Unsqueeze", axes, false)
        }
        "Squeeze" => {
            let axes = integers(site, 1, "axis");
            with_integers(site, "Squeeze", axes, false)
        }
        "Transpose" => {
            let order = integers(site, 1, "axes").or_else(|| integers(site, 1, "perm"));
            site.node.is("Transpose");
            if let Some(order) = order {
                site.node.ints("perm", &order);
            }
            site.operands(1, &[]);
            site.rank = site.input_rank();
            Ok(true)
        }
        "Concatenate" | "Stack" => {
            let default = if class == "Stack" { 0 } else { -1 };
            let axis = integers(site, 1, "axis").map_or(Some(default), |axes| single(&axes));
            let Some(axis) = axis else { return Ok(false) };
            match class {
                "Stack" => site.node.is_of(FRAMEWORKS, "Stack"),
                _ => site.node.is("Concat"),
            };
            site.node.int("axis", axis);
            site.operands(usize::MAX, &[]);
            let more = usize::from(class == "Stack");
            site.rank = site.input_rank().map(|rank| rank + more);
            Ok(true)
        }
        "Matmul" if site.inputs.len() == 2 => {
            site.is("MatMul");
            Ok(true)
        }
        "Einsum" => {
            let equation = site.layer.config.text("subscripts");
            if equation.is_empty() {
                return Ok(false);
            }
            site.node.is("Einsum").text("equation", equation);
            site.operands(usize::MAX, &[]);
            Ok(true)
        }
        "Where" if site.inputs.len() == 3 => {
            site.is("Where");
            Ok(true)
        }
        "GetItem" => slice(site),
        _ => Ok(false),
    }
}

fn single(numbers: &[i64]) -> Option<i64> {
    match numbers {
        [one] => Some(*one),
        _ => None,
    }
}

/// Whole numbers of a call: as it is given them, or as the operation was made with them.
fn integers(site: &Site<'_, '_>, place: usize, name: &str) -> Option<Vec<i64>> {
    let given = site.argument(place, name).and_then(Argument::whole_numbers);
    given.or_else(|| match Config(site.layer.config.0).get(name)? {
        // Open sizes are null, as in shapes.
        Value::Array(values) => {
            values.iter().map(|it| whole(it).or(it.is_null().then_some(-1))).collect()
        }
        value => Some(vec![whole(value)?]),
    })
}

/// Two operands; one may be a number.
fn pair(site: &mut Site<'_, '_>, domain: &'static str, op: &'static str) -> Mapped {
    let mut operands = Vec::new();
    for (place, names) in [["x1", "x"], ["x2", "y"]].into_iter().enumerate() {
        let argument = names.iter().find_map(|name| site.argument(place, name)).cloned();
        let Some(operand) = operand(site, argument.as_ref())? else { return Ok(false) };
        operands.push(operand);
    }
    site.node.is_of(domain, op);
    site.inputs = operands;
    site.operands(2, &[]);
    let ranks = site.shapes.iter().flatten().map(|shape| shape.dims.len());
    site.rank = ranks.max();
    Ok(true)
}

/// An operand: a value, or a number of the type that the values have.
fn operand(
    site: &mut Site<'_, '_>,
    argument: Option<&Argument>,
) -> Result<Option<NameId>, TooLarge> {
    if let Some(value) = site.value_of(argument) {
        return Ok(Some(value));
    }
    let Some(Argument::Number(number)) = argument else { return Ok(None) };
    let dtype = site.shapes.iter().flatten().map(|shape| shape.dtype).next();
    match (dtype, argument.and_then(Argument::whole_number)) {
        (Some(DType::Int64), Some(whole)) => site.assembly.integer("number", whole).map(Some),
        (Some(DType::Int32), Some(whole)) => {
            let Ok(whole) = i32::try_from(whole) else { return Ok(None) };
            let name = site.assembly.new_name("number");
            let data = calipers_ir::Data::Inline(whole.to_le_bytes().into());
            site.assembly.add_stored(name, DType::Int32, &[], data)?;
            Ok(Some(name))
        }
        (None | Some(DType::Float32 | DType::Undefined), _) => {
            #[expect(clippy::cast_possible_truncation, reason = "values are single precision")]
            let number = *number as f32;
            site.assembly.float("number", number).map(Some)
        }
        _ => Ok(None),
    }
}

fn reduce(site: &mut Site<'_, '_>, op: &'static str) -> Mapped {
    let axes = integers(site, 1, "axis");
    let keeps = match site.argument(2, "keepdims") {
        Some(Argument::Number(keeps)) => *keeps != 0.0,
        _ => site.layer.config.flag("keepdims", false),
    };
    site.node.is(op).int("keepdims", i64::from(keeps));
    let rank = site.input_rank();
    let count = axes.as_ref().map(Vec::len);
    let operands = match axes {
        Some(axes) => vec![site.assembly.integers("axes", &axes)?],
        None => Vec::new(),
    };
    site.operands(1, &operands);
    site.rank = match (keeps, count) {
        (true, _) => rank,
        (false, None) => Some(0),
        (false, Some(count)) => rank.and_then(|rank| rank.checked_sub(count)),
    };
    Ok(true)
}

/// An operator that takes whole numbers as its second input.
fn with_integers(
    site: &mut Site<'_, '_>,
    op: &'static str,
    numbers: Option<Vec<i64>>,
    is_shape: bool,
) -> Mapped {
    let Some(mut numbers) = numbers else { return Ok(false) };
    let rank = site.input_rank();
    if is_shape {
        let open = numbers.iter().filter(|size| **size < 0).count();
        if open > 1
            && let Some(first) = numbers.first_mut().filter(|first| **first < 0)
        {
            *first = 0;
        }
        site.rank = Some(numbers.len());
    } else {
        let count = numbers.len();
        site.rank = match op {
            "Unsqueeze" => rank.map(|rank| rank + count),
            _ => rank.and_then(|rank| rank.checked_sub(count)),
        };
    }
    let numbers = site.assembly.integers("sizes", &numbers)?;
    site.node.is(op);
    site.operands(1, &[numbers]);
    Ok(true)
}

/// A part of a value by slices and indices.
fn slice(site: &mut Site<'_, '_>) -> Mapped {
    let Some(key) = site.argument(1, "key").cloned() else { return Ok(false) };
    let parts = match key {
        Argument::List(parts) => parts,
        one => vec![one],
    };
    let (mut begins, mut ends, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    let (mut begin_mask, mut end_mask, mut ellipsis, mut shrink, mut new) = (0, 0, 0, 0, 0);
    for (place, part) in parts.iter().enumerate() {
        let bit = 1_i64.checked_shl(u32::try_from(place).unwrap_or(u32::MAX)).unwrap_or(0);
        let (mut begin, mut end, mut stride) = (0, 0, 1);
        match part {
            Argument::Slice([start, stop, step]) => {
                begin = start.unwrap_or(0);
                end = stop.unwrap_or(0);
                stride = step.unwrap_or(1);
                begin_mask |= if start.is_none() { bit } else { 0 };
                end_mask |= if stop.is_none() { bit } else { 0 };
            }
            Argument::Number(_) => {
                let Some(index) = part.whole_number() else { return Ok(false) };
                begin = index;
                end = index.saturating_add(1);
                shrink |= bit;
            }
            Argument::None => new |= bit,
            Argument::Text(text) if text == "..." => ellipsis |= bit,
            _ => return Ok(false),
        }
        begins.push(begin);
        ends.push(end);
        strides.push(stride);
    }
    let operands = [
        site.assembly.integers("begin", &begins)?,
        site.assembly.integers("end", &ends)?,
        site.assembly.integers("strides", &strides)?,
    ];
    site.node.is_of(FRAMEWORKS, "StridedSlice");
    site.node.int("begin_mask", begin_mask).int("end_mask", end_mask);
    site.node.int("ellipsis_mask", ellipsis).int("shrink_axis_mask", shrink);
    site.node.int("new_axis_mask", new);
    site.operands(1, &operands);
    Ok(true)
}
