//! Inputs of element-wise operators: what they are, what they broadcast to.

use std::ops::Deref;
use std::sync::Arc;

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::fact::{Fact, Reason, Shape, TensorFact};

/// Version of the standard at which two operands broadcast as in NumPy.
const NUMPY: i64 = 7;

/// A tensor input; an unknown one is a tensor without a known type or shape.
pub(super) enum Operand<'a> {
    Known(&'a TensorFact),
    Made(TensorFact),
}

impl Deref for Operand<'_> {
    type Target = TensorFact;

    fn deref(&self) -> &TensorFact {
        match self {
            Self::Known(tensor) => tensor,
            Self::Made(tensor) => tensor,
        }
    }
}

/// The input of that place, which must be given.
pub(super) fn operand<'a>(ctx: &OpContext<'a>, index: usize) -> Result<Operand<'a>, Fail> {
    if let Fact::Unknown(reason) = ctx.input(index)? {
        let shape = Err(Arc::clone(reason));
        return Ok(Operand::Made(TensorFact { dtype: DType::Undefined, shape, value: None }));
    }
    ctx.tensor(index).map(Operand::Known)
}

/// All inputs; there must be one.
pub(super) fn operands<'a>(ctx: &OpContext<'a>) -> Result<Vec<Operand<'a>>, Fail> {
    (0..ctx.input_count().max(1)).map(|index| operand(ctx, index)).collect()
}

/// The only output; when nothing is known of it, why.
pub(super) fn one(output: TensorFact) -> Outcome {
    match output.shape {
        Err(reason) if output.dtype == DType::Undefined => Err(Fail::Unknown(reason)),
        _ => Ok(vec![Fact::Tensor(output)]),
    }
}

/// The type that operands share; `Undefined` when none says.
pub(super) fn common_dtype(op: &str, operands: &[&TensorFact]) -> Result<DType, Fail> {
    let mut known = operands.iter().map(|tensor| tensor.dtype).filter(|t| *t != DType::Undefined);
    let Some(first) = known.next() else { return Ok(DType::Undefined) };
    match known.find(|dtype| *dtype != first) {
        Some(other) => {
            Err(Fail::contradiction(format!("{op} has inputs of type {first} and {other}")))
        }
        None => Ok(first),
    }
}

/// The shape that operands broadcast to, or why it is not known.
pub(super) fn broadcast_all(
    op: &str,
    operands: &[&TensorFact],
) -> Result<Result<Shape, Reason>, Fail> {
    let mut dims: Vec<Expr> = Vec::new();
    for operand in operands {
        match &operand.shape {
            Ok(shape) => dims = broadcast(op, &dims, shape)?,
            Err(reason) => return Ok(Err(Arc::clone(reason))),
        }
    }
    Ok(Ok(dims.into()))
}

/// The shape of operands that must all have the same.
pub(super) fn identical(op: &str, operands: &[&TensorFact]) -> Result<Result<Shape, Reason>, Fail> {
    let mut shapes = operands.iter().filter_map(|operand| operand.dims());
    let Some(first) = shapes.next() else {
        return Ok(match operands.first() {
            Some(operand) => operand.shape.clone(),
            None => Err("it has no inputs".into()),
        });
    };
    let mut dims = first.to_vec();
    for shape in shapes {
        if shape.len() != dims.len() {
            return Err(Fail::contradiction(format!(
                "{op} takes tensors of {} and {} dimensions where all must be alike",
                dims.len(),
                shape.len()
            )));
        }
        for (dim, other) in dims.iter_mut().zip(shape) {
            *dim = same_dim(op, dim, other)?;
        }
    }
    Ok(Ok(dims.into()))
}

/// A dimension that two expressions give: a number if one of them is.
fn same_dim(op: &str, dim: &Expr, other: &Expr) -> Result<Expr, Fail> {
    if dim.always_ne(other) {
        return Err(Fail::contradiction(format!("{op} needs {dim} and {other} to be the same")));
    }
    Ok(if other.is_const() { other.clone() } else { dim.clone() })
}

/// Two operands, the second aligned to the first as the version demands, and the output's shape.
pub(super) struct Pair<'a> {
    pub(super) left: Operand<'a>,
    pub(super) right: Operand<'a>,
    pub(super) shape: Result<Shape, Reason>,
}

/// The first two inputs.
pub(super) fn pair<'a>(ctx: &OpContext<'a>) -> Result<Pair<'a>, Fail> {
    let (left, right) = (operand(ctx, 0)?, operand(ctx, 1)?);
    if ctx.version >= NUMPY {
        let shape = broadcast_all(ctx.op, &[&left, &right])?;
        return Ok(Pair { left, right, shape });
    }
    if ctx.int_or("broadcast", 0) == 0 {
        let shape = identical(ctx.op, &[&left, &right])?;
        return Ok(Pair { left, right, shape });
    }
    let right = match (left.dims(), right.dims()) {
        (Some(into), Some(_)) => Operand::Made(aligned(ctx, into, &right)?),
        _ => right,
    };
    let shape = left.shape.clone();
    Ok(Pair { left, right, shape })
}

/// The second operand of versions before 7 with ones appended, so that it broadcasts as in NumPy.
/// It is at `axis` of the first, or at its end; a single element is everywhere.
fn aligned(ctx: &OpContext<'_>, into: &[Expr], right: &TensorFact) -> Result<TensorFact, Fail> {
    let dims = right.dims().unwrap_or_default();
    let reshaped = |dims: Vec<Expr>| TensorFact { shape: Ok(dims.into()), ..right.clone() };
    if right.constant_count() == Some(1) {
        return Ok(reshaped(Vec::new()));
    }
    let too_many = || {
        Fail::contradiction(format!(
            "{} cannot broadcast {} dimensions into {}",
            ctx.op,
            dims.len(),
            into.len()
        ))
    };
    let start = match ctx.int("axis") {
        Some(axis) => ctx.axis(axis, into.len())?,
        None => into.len().checked_sub(dims.len()).ok_or_else(too_many)?,
    };
    let after = into.len().checked_sub(start + dims.len()).ok_or_else(too_many)?;
    for (dim, other) in into[start..].iter().zip(dims) {
        if other.as_const() != Some(1) {
            same_dim(ctx.op, dim, other)?;
        }
    }
    Ok(reshaped(dims.iter().cloned().chain(std::iter::repeat_n(Expr::from(1), after)).collect()))
}

/// The shape of the first operand, into which the second must broadcast.
pub(super) fn broadcast_into(
    op: &str,
    into: &TensorFact,
    other: &TensorFact,
) -> Result<Result<Shape, Reason>, Fail> {
    let (Some(dims), Some(others)) = (into.dims(), other.dims()) else {
        return Ok(into.shape.clone());
    };
    let Some(missing) = dims.len().checked_sub(others.len()) else {
        return Err(Fail::contradiction(format!(
            "{op} cannot broadcast {} dimensions into {}",
            others.len(),
            dims.len()
        )));
    };
    let mut dims = dims.to_vec();
    for (dim, other) in dims[missing..].iter_mut().zip(others) {
        match other.as_const() {
            Some(1) => {}
            Some(_) => *dim = same_dim(op, dim, other)?,
            None => {}
        }
    }
    Ok(Ok(dims.into()))
}
