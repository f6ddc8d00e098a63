//! Rules of operators that work element by element.

use calipers_ir::DType;

use super::arithmetic::{Binary, Transformed};
use super::compare::{Logic, Relation, bitwise_not, choose, shift};
use super::operands::{
    Pair, broadcast_all, broadcast_into, common_dtype, identical, one, operand, operands, pair,
};
use super::values::from_elements;
use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

/// Version at which `Max`, `Mean`, `Min` and `Sum` broadcast.
const VARIADIC_BROADCASTS: i64 = 8;

/// Unaries and activations, such as <https://onnx.ai/onnx/operators/onnx__Sigmoid.html>: type and
/// shape of the input, and elements that are not followed.
pub(crate) fn same(ctx: &mut OpContext<'_>) -> Outcome {
    let input = operand(ctx, 0)?;
    one(TensorFact { value: None, ..(*input).clone() })
}

/// Operators on one tensor whose elements are followed, such as
/// <https://onnx.ai/onnx/operators/onnx__Floor.html>.
pub(super) fn unary(ctx: &mut OpContext<'_>) -> Outcome {
    let op = match ctx.op {
        "Abs" => Transformed::Abs,
        "Ceil" => Transformed::Ceil,
        "Exp" => Transformed::Exp,
        "Floor" => Transformed::Floor,
        "Log" => Transformed::Log,
        "Neg" => Transformed::Neg,
        "Reciprocal" => Transformed::Reciprocal,
        "Relu" => Transformed::Relu,
        "Round" => Transformed::Round,
        "Sign" => Transformed::Sign,
        "Sqrt" => Transformed::Sqrt,
        _ => return same(ctx),
    };
    each(ctx, |dtype, elem| op.apply(dtype, elem))
}

fn each(ctx: &OpContext<'_>, make: impl Fn(DType, &Elem) -> Elem) -> Outcome {
    let input = operand(ctx, 0)?;
    let output = TensorFact { value: None, ..(*input).clone() };
    one(from_elements(output, &[&input], true, |elems| make(input.dtype, elems[0])))
}

/// `Not`: <https://onnx.ai/onnx/operators/onnx__Not.html>.
pub(super) fn not(ctx: &mut OpContext<'_>) -> Outcome {
    truths(ctx, |elem| elem.as_bool().map(|truth| !truth))
}

/// `IsNaN`: <https://onnx.ai/onnx/operators/onnx__IsNaN.html>. Sizes are numbers.
pub(super) fn is_nan(ctx: &mut OpContext<'_>) -> Outcome {
    truths(ctx, |elem| match elem {
        Elem::Float(value) => Some(value.is_nan()),
        Elem::Ratio { .. } => Some(false),
        Elem::Int(_) | Elem::Unknown => elem.as_expr().map(|_| false),
    })
}

/// `IsInf`: <https://onnx.ai/onnx/operators/onnx__IsInf.html>. Sizes are finite.
pub(super) fn is_inf(ctx: &mut OpContext<'_>) -> Outcome {
    let below = ctx.int_or("detect_negative", 1) != 0;
    let above = ctx.int_or("detect_positive", 1) != 0;
    truths(ctx, |elem| match elem {
        Elem::Float(value) if value.is_infinite() => Some(if *value < 0.0 { below } else { above }),
        Elem::Float(_) | Elem::Ratio { .. } => Some(false),
        Elem::Int(_) | Elem::Unknown => elem.as_expr().map(|_| false),
    })
}

fn truths(ctx: &OpContext<'_>, truth: impl Fn(&Elem) -> Option<bool>) -> Outcome {
    let input = operand(ctx, 0)?;
    let output = TensorFact { dtype: DType::Bool, shape: input.shape.clone(), value: None };
    one(from_elements(output, &[&input], true, |elems| {
        truth(elems[0]).map_or(Elem::Unknown, Elem::bool)
    }))
}

/// `BitwiseNot`: <https://onnx.ai/onnx/operators/onnx__BitwiseNot.html>.
pub(super) fn bitwise_not_rule(ctx: &mut OpContext<'_>) -> Outcome {
    each(ctx, bitwise_not)
}

/// `Add`, `Sub`, `Mul`, `Div`, `Mod`: <https://onnx.ai/onnx/operators/onnx__Add.html>. Before
/// version 7, the first input's shape.
pub(super) fn arithmetic(ctx: &mut OpContext<'_>) -> Outcome {
    let op = match ctx.op {
        "Add" => Binary::Add,
        "Sub" => Binary::Sub,
        "Mul" => Binary::Mul,
        "Div" => Binary::Div,
        "Mod" if ctx.int_or("fmod", 0) != 0 => Binary::Fmod,
        "Mod" => Binary::Mod,
        op => return Err(Fail::unknown(format!("{op} is not an arithmetic operator"))),
    };
    let Pair { left, right, shape } = pair(ctx)?;
    let dtype = common_dtype(ctx.op, &[&left, &right])?;
    let output = TensorFact { dtype, shape, value: None };
    let all = !op.may_ignore_unknown(dtype);
    one(from_elements(output, &[&left, &right], all, |elems| op.apply(dtype, elems[0], elems[1])))
}

/// `Pow`: <https://onnx.ai/onnx/operators/onnx__Pow.html>. The base's type; from version 12 the
/// exponent may be of another.
pub(super) fn pow(ctx: &mut OpContext<'_>) -> Outcome {
    const ANY_EXPONENT: i64 = 12;
    let Pair { left, right, shape } = pair(ctx)?;
    let dtype = match left.dtype {
        _ if ctx.version < ANY_EXPONENT => common_dtype(ctx.op, &[&left, &right])?,
        dtype => dtype,
    };
    let output = TensorFact { dtype, shape, value: None };
    one(from_elements(output, &[&left, &right], true, |elems| {
        Binary::Pow.apply(dtype, elems[0], elems[1])
    }))
}

/// `Equal`, `Less` and their like: <https://onnx.ai/onnx/operators/onnx__Equal.html>. Truth values.
pub(super) fn comparison(ctx: &mut OpContext<'_>) -> Outcome {
    let relation = match ctx.op {
        "Equal" => Relation::Equal,
        "Greater" => Relation::Greater,
        "GreaterOrEqual" => Relation::GreaterOrEqual,
        "Less" => Relation::Less,
        "LessOrEqual" => Relation::LessOrEqual,
        op => return Err(Fail::unknown(format!("{op} is not a comparison"))),
    };
    let Pair { left, right, shape } = pair(ctx)?;
    common_dtype(ctx.op, &[&left, &right])?;
    let output = TensorFact { dtype: DType::Bool, shape, value: None };
    one(from_elements(output, &[&left, &right], true, |elems| relation.apply(elems[0], elems[1])))
}

/// `And`, `Or`, `Xor`, and the same bit by bit: <https://onnx.ai/onnx/operators/onnx__And.html>,
/// <https://onnx.ai/onnx/operators/onnx__BitwiseAnd.html>.
pub(super) fn logic(ctx: &mut OpContext<'_>) -> Outcome {
    let (logic, bitwise) = match ctx.op {
        "And" => (Logic::And, false),
        "Or" => (Logic::Or, false),
        "Xor" => (Logic::Xor, false),
        "BitwiseAnd" => (Logic::And, true),
        "BitwiseOr" => (Logic::Or, true),
        "BitwiseXor" => (Logic::Xor, true),
        op => return Err(Fail::unknown(format!("{op} is not a logical operator"))),
    };
    let Pair { left, right, shape } = pair(ctx)?;
    let common = common_dtype(ctx.op, &[&left, &right])?;
    let dtype = if bitwise { common } else { DType::Bool };
    let output = TensorFact { dtype, shape, value: None };
    one(from_elements(output, &[&left, &right], logic == Logic::Xor, |elems| match bitwise {
        true => logic.bitwise(dtype, elems[0], elems[1]),
        false => logic.apply(elems[0], elems[1]),
    }))
}

/// `BitShift`: <https://onnx.ai/onnx/operators/onnx__BitShift.html>. From version 28 on also what
/// is moved out of the number is defined.
pub(super) fn bit_shift(ctx: &mut OpContext<'_>) -> Outcome {
    const DEFINED: i64 = 28;
    let up = match ctx.text_or("direction", "") {
        "LEFT" => Some(true),
        "RIGHT" => Some(false),
        _ => None,
    };
    let Pair { left, right, shape } = pair(ctx)?;
    let dtype = common_dtype(ctx.op, &[&left, &right])?;
    let output = TensorFact { dtype, shape, value: None };
    let defined = ctx.version >= DEFINED;
    one(from_elements(output, &[&left, &right], true, |elems| match up {
        Some(up) => shift(dtype, up, defined, elems[0], elems[1]),
        None => Elem::Unknown,
    }))
}

/// `Max`, `Mean`, `Min`, `Sum` of any number of tensors:
/// <https://onnx.ai/onnx/operators/onnx__Max.html>. Before version 8 all have the same shape.
pub(super) fn variadic(ctx: &mut OpContext<'_>) -> Outcome {
    let inputs = operands(ctx)?;
    let inputs: Vec<&TensorFact> = inputs.iter().map(|input| &**input).collect();
    let dtype = common_dtype(ctx.op, &inputs)?;
    let shape = if ctx.version < VARIADIC_BROADCASTS {
        identical(ctx.op, &inputs)?
    } else {
        broadcast_all(ctx.op, &inputs)?
    };
    let output = TensorFact { dtype, shape, value: None };
    let op = match ctx.op {
        "Max" => Binary::Max,
        "Min" => Binary::Min,
        // Of more than two, runtimes keep digits between the steps that the type has not.
        "Sum" if inputs.len() <= 2 || dtype != DType::Float16 && dtype != DType::Bfloat16 => {
            Binary::Add
        }
        // Some divide and some multiply by the inverse: the last digit of a mean is open.
        _ => return one(output),
    };
    one(from_elements(output, &inputs, true, |elems| {
        let Some((first, others)) = elems.split_first() else { return Elem::Unknown };
        others.iter().fold((*first).clone(), |all, elem| op.apply(dtype, &all, elem))
    }))
}

/// `Clip`: <https://onnx.ai/onnx/operators/onnx__Clip.html>. Bounds are attributes before version
/// 11, inputs from then on.
pub(super) fn clip(ctx: &mut OpContext<'_>) -> Outcome {
    const BOUNDS_ARE_INPUTS: i64 = 11;
    let input = operand(ctx, 0)?;
    let bound = |index: usize, name: &str| {
        if ctx.version < BOUNDS_ARE_INPUTS {
            // Left out, it is the type's own limit.
            return match ctx.attribute(name) {
                Some(Attr::Float(bound)) => Some(Elem::float(bound.into())),
                _ => None,
            };
        }
        ctx.has(index).then(|| match ctx.value(index) {
            Some([bound]) => bound.clone(),
            _ => Elem::Unknown,
        })
    };
    let (least, most) = (bound(1, "min"), bound(2, "max"));
    let mut dtype = input.dtype;
    if ctx.version >= BOUNDS_ARE_INPUTS && dtype == DType::Undefined {
        dtype = [1, 2].map(|at| ctx.dtype(at)).into_iter().max().unwrap_or(dtype);
    }
    let output = TensorFact { dtype, shape: input.shape.clone(), value: None };
    one(from_elements(output, &[&input], true, |elems| {
        let mut elem = elems[0].clone();
        if let Some(least) = &least {
            elem = Binary::Max.apply(dtype, &elem, least);
        }
        if let Some(most) = &most {
            elem = Binary::Min.apply(dtype, &elem, most);
        }
        elem
    }))
}

/// `Where`: <https://onnx.ai/onnx/operators/onnx__Where.html>. Three inputs broadcast together; the
/// elements of the second or the third.
pub(super) fn where_rule(ctx: &mut OpContext<'_>) -> Outcome {
    let (condition, yes, no) = (operand(ctx, 0)?, operand(ctx, 1)?, operand(ctx, 2)?);
    let dtype = common_dtype(ctx.op, &[&yes, &no])?;
    let shape = broadcast_all(ctx.op, &[&condition, &yes, &no])?;
    let output = TensorFact { dtype, shape, value: None };
    one(from_elements(output, &[&condition, &yes, &no], false, |elems| {
        choose(elems[0], elems[1], elems[2])
    }))
}

/// `PRelu`: <https://onnx.ai/onnx/operators/onnx__PRelu.html>. The input's shape, into which the
/// slope broadcasts.
pub(super) fn prelu(ctx: &mut OpContext<'_>) -> Outcome {
    const BROADCASTS: i64 = 7;
    let (input, slope) = (operand(ctx, 0)?, operand(ctx, 1)?);
    let dtype = common_dtype(ctx.op, &[&input, &slope])?;
    let shape = if ctx.version < BROADCASTS {
        input.shape.clone()
    } else {
        broadcast_into(ctx.op, &input, &slope)?
    };
    one(TensorFact { dtype, shape, value: None })
}

/// `SwiGLU`: <https://onnx.ai/onnx/operators/onnx__SwiGLU.html>. Two tensors of one shape.
pub(super) fn swiglu(ctx: &mut OpContext<'_>) -> Outcome {
    let (gate, linear) = (operand(ctx, 0)?, operand(ctx, 1)?);
    let dtype = common_dtype(ctx.op, &[&gate, &linear])?;
    let shape = identical(ctx.op, &[&gate, &linear])?;
    one(TensorFact { dtype, shape, value: None })
}

/// `Softmax`, `LogSoftmax`, `Hardmax`: <https://onnx.ai/onnx/operators/onnx__Softmax.html>. The
/// input's shape, which must have the axis.
pub(super) fn softmax(ctx: &mut OpContext<'_>) -> Outcome {
    const AXIS_IS_CHECKED: i64 = 11;
    const AXIS_IS_LAST: i64 = 13;
    let axis = ctx.int_or("axis", if ctx.version < AXIS_IS_LAST { 1 } else { -1 });
    let input = operand(ctx, 0)?;
    // A scalar is taken as its own axis by some runtimes.
    if let Some(rank) = input.rank().filter(|rank| *rank > 0)
        && ctx.version >= AXIS_IS_CHECKED
    {
        ctx.axis(axis, rank)?;
    }
    same(ctx)
}

/// `Dropout`: <https://onnx.ai/onnx/operators/onnx__Dropout.html>. The input, and a mask of its
/// shape: truth values from version 10 on, the input's type before.
pub(super) fn dropout(ctx: &mut OpContext<'_>) -> Outcome {
    const MASK_IS_BOOL: i64 = 10;
    const TRAINING_IS_AN_INPUT: i64 = 12;
    let input = operand(ctx, 0)?;
    let trains = if ctx.version < TRAINING_IS_AN_INPUT {
        // Versions 1 and 6 drop unless reported that they test.
        ctx.version < 7 && ctx.int_or("is_test", 0) == 0
    } else {
        ctx.has(2) && ctx.integer(2) != Some(0)
    };
    let dtype = if ctx.version < MASK_IS_BOOL { input.dtype } else { DType::Bool };
    let mask = TensorFact { dtype, shape: input.shape.clone(), value: None };
    let value = input.value.clone().filter(|_| !trains);
    Ok(vec![Fact::Tensor(TensorFact { value, ..(*input).clone() }), Fact::Tensor(mask)])
}

/// `Bernoulli`: <https://onnx.ai/onnx/operators/onnx__Bernoulli.html>. The input's shape, in the
/// type that is asked for or its own.
pub(super) fn bernoulli(ctx: &mut OpContext<'_>) -> Outcome {
    let input = operand(ctx, 0)?;
    let dtype = ctx.dtype_attribute("dtype").unwrap_or(input.dtype);
    one(TensorFact { dtype, shape: input.shape.clone(), value: None })
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
