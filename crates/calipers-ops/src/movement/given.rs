//! What a call gives of lists that shapes depend on, and dimensions that are computed from them.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Attr, Fail, OpContext};
use crate::elem::Elem;
use crate::fact::{Fact, Reason, TensorFact};

/// More dimensions than this are not followed: no model has them, and a file whose every node has
/// twice the dimensions of the last would take all memory.
pub(crate) const MAX_RANK: usize = 1024;

/// Why a shape with more dimensions is not reported.
pub(crate) const TOO_MANY: &str = "it has more dimensions than are followed";

/// Longest list that is followed: a pair of numbers for each dimension.
const MAX_LENGTH: usize = 2 * MAX_RANK;

/// Elements of a list, `None` where one cannot be determined.
pub(crate) type Entries = Vec<Option<Expr>>;

/// A list that newer versions of an operator take as an input and older ones as an attribute.
/// `None` when it is not given, an error when not even its length is known.
pub(crate) fn list(
    ctx: &OpContext<'_>,
    name: &str,
    input: usize,
) -> Option<Result<Entries, Reason>> {
    if let Some(fact) = ctx.optional(input) {
        return Some(entries(ctx, fact));
    }
    let long = || format!("{name:?} of {} is too long to be read", ctx.op).into();
    match ctx.attribute(name)? {
        Attr::Ints(values) if values.len() <= MAX_LENGTH => {
            Some(Ok(values.iter().map(|n| Some(Expr::from(*n))).collect()))
        }
        Attr::Int(value) => Some(Ok(vec![Some(Expr::from(value))])),
        _ => Some(Err(long())),
    }
}

fn entries(ctx: &OpContext<'_>, fact: &Fact) -> Result<Entries, Reason> {
    let tensor = match fact {
        Fact::Tensor(tensor) => tensor,
        Fact::Unknown(reason) => return Err(reason.clone()),
        other => return Err(format!("{} is given {other} for a list", ctx.op).into()),
    };
    if let Some(value) = tensor.value.as_ref().filter(|value| value.len() <= MAX_LENGTH) {
        return Ok(value.iter().map(|element| element.as_expr().cloned()).collect());
    }
    match (tensor.constant_count(), &tensor.shape) {
        (Some(count), _) if count <= MAX_LENGTH => Ok(vec![None; count]),
        (_, Err(reason)) => Err(reason.clone()),
        _ => {
            Err(format!("the length of a list that {} takes is not known or too long", ctx.op)
                .into())
        }
    }
}

/// The entries as numbers, when they all are.
pub(crate) fn numbers(entries: &[Option<Expr>]) -> Option<Vec<i64>> {
    entries.iter().map(|entry| entry.as_ref().and_then(Expr::as_const)).collect()
}

/// Axes of a tensor from the front, each once; `None` when they cannot be determined.
pub(crate) fn axes(
    ctx: &OpContext<'_>,
    entries: &[Option<Expr>],
    rank: usize,
) -> Result<Option<Vec<usize>>, Fail> {
    let Some(axes) = numbers(entries) else { return Ok(None) };
    let mut seen = vec![false; rank];
    let mut normal = Vec::with_capacity(axes.len());
    for axis in axes {
        let place = ctx.axis(axis, rank)?;
        if std::mem::replace(&mut seen[place], true) {
            return Err(Fail::contradiction(format!("{} names axis {axis} twice", ctx.op)));
        }
        normal.push(place);
    }
    Ok(Some(normal))
}

/// For each axis of a tensor, whether it is one of these.
pub(crate) fn mask(axes: &[usize], rank: usize) -> Vec<bool> {
    let mut mask = vec![false; rank];
    for axis in axes {
        if let Some(named) = mask.get_mut(*axis) {
            *named = true;
        }
    }
    mask
}

/// What is known of a tensor input, also when that is nothing.
pub(crate) fn data(ctx: &OpContext<'_>, input: usize) -> Result<TensorFact, Fail> {
    match ctx.tensor(input) {
        Ok(tensor) => Ok(tensor.clone()),
        Err(Fail::Unknown(reason)) => {
            Ok(TensorFact { dtype: DType::Undefined, shape: Err(reason), value: None })
        }
        Err(contradiction) => Err(contradiction),
    }
}

/// The same type with a shape of this many dimensions, none of them known.
pub(crate) fn open(ctx: &mut OpContext<'_>, dtype: DType, rank: usize, why: &str) -> TensorFact {
    TensorFact::new(dtype, ctx.fresh_dims(rank, why))
}

/// A dimension that was computed: fresh where the algebra gave up, and never negative.
pub(crate) fn dimension(ctx: &mut OpContext<'_>, size: Expr, why: &str) -> Result<Expr, Fail> {
    match size.as_const() {
        Some(number) if number < 0 => {
            Err(Fail::contradiction(format!("{} would make a dimension of {number}", ctx.op)))
        }
        None if size.is_undefined() => Ok(ctx.fresh(why)),
        _ => Ok(size),
    }
}

/// Whether an element is other than zero, when that can be determined.
pub(crate) fn is_true(element: &Elem) -> Option<bool> {
    element.as_bool().or_else(|| {
        let expr = element.as_expr()?;
        let never_zero = expr.is_at_least(1) || expr.upper_bound().is_some_and(|most| most < 0);
        never_zero.then_some(true)
    })
}

/// A length as an expression.
pub(crate) fn size(length: usize) -> Expr {
    i64::try_from(length).map_or_else(|_| Expr::undefined("a length beyond 64 bits"), Expr::from)
}

/// An element that is a whole number, if the algebra can represent it.
pub(crate) fn element(value: Expr) -> Elem {
    if value.is_undefined() { Elem::Unknown } else { Elem::Int(value) }
}
