//! Reductions over axes.

mod arg;
#[cfg(test)]
pub(crate) mod testing;
mod values;

use std::sync::Arc;

use calipers_ir::DType;
use calipers_sym::Expr;
use values::Kind;

use crate::InputRole::{Moved, Setting};
use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::cost;
use crate::fact::{Fact, TensorFact};
use crate::row::Operator;
use crate::traits::{Class, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Reduction,
    [
        Operator::onnx("ArgMax", &[])
            .decides()
            .has_integer_kernel()
            .since(&[1, 11, 12, 13])
            .infer(arg::arg_extremum)
            .costs(cost::per_input::<1>),
        Operator::onnx("ArgMin", &[])
            .decides()
            .has_integer_kernel()
            .since(&[1, 11, 12, 13])
            .infer(arg::arg_extremum)
            .costs(cost::per_input::<1>),
        Operator::onnx("Det", &[])
            .class(Class::LinearAlgebra)
            .since(&[11, 22])
            .infer(det)
            .costs(cost::pointwise::determinant),
        Operator::onnx("ReduceL1", &[])
            .since(&[1, 11, 13, 18])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<2>),
        Operator::onnx("ReduceL2", &[Moved, Setting])
            .since(&[1, 11, 13, 18])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<2>),
        Operator::onnx("ReduceLogSum", &[])
            .since(&[1, 11, 13, 18, 28])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<1>),
        Operator::onnx("ReduceLogSumExp", &[])
            .since(&[1, 11, 13, 18, 28])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<2>),
        Operator::onnx("ReduceMax", &[Moved, Setting])
            .since(&[1, 11, 12, 13, 18, 20])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<1>),
        Operator::onnx("ReduceMean", &[Moved, Setting])
            .has_integer_kernel()
            .since(&[1, 11, 13, 18])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<1>),
        Operator::onnx("ReduceMin", &[])
            .since(&[1, 11, 12, 13, 18, 20])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<1>),
        Operator::onnx("ReduceProd", &[])
            .since(&[1, 11, 13, 18])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<1>),
        Operator::onnx("ReduceSum", &[Moved, Setting])
            .since(&[1, 11, 13])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<1>),
        Operator::onnx("ReduceSumSquare", &[Moved, Setting])
            .since(&[1, 11, 13, 18])
            .infer(reduce)
            .costs(cost::pointwise::reduce::<2>),
    ],
);

/// What a call says of the axes to reduce.
enum Axes {
    /// All there are.
    All,
    /// These, as the file writes them; perhaps none.
    These(Vec<i64>),
    /// This many, and nobody knows which.
    Some(usize),
    /// Nothing.
    Unknown,
}

impl Axes {
    fn from_context(ctx: &OpContext<'_>) -> Self {
        let since = if ctx.op == "ReduceSum" { 13 } else { 18 };
        if ctx.version < since {
            return match ctx.attribute("axes") {
                None => Self::All,
                Some(Attr::Ints([])) => Self::All,
                Some(Attr::Ints(axes)) => Self::These(axes.to_vec()),
                Some(_) => Self::Unknown,
            };
        }
        let none = || match ctx.int_or("noop_with_empty_axes", 0) {
            0 => Self::All,
            _ => Self::These(Vec::new()),
        };
        if !ctx.has(1) {
            return none();
        }
        match ctx.optional_tensor(1).and_then(TensorFact::constant_count) {
            Some(0) => none(),
            Some(count) => ctx.integers(1).map_or(Self::Some(count), Self::These),
            None => Self::Unknown,
        }
    }
}

/// Makes reduced axes 1 or drops them, and follows small contents.
///
/// <https://onnx.ai/onnx/operators/onnx__ReduceSum.html>; its siblings. Some take axes as
/// an input from version 18 on, differ only in the arithmetic.
fn reduce(ctx: &mut OpContext<'_>) -> Outcome {
    let data = ctx.tensor(0)?;
    let dtype = data.dtype;
    let keep = ctx.int_or("keepdims", 1) != 0;
    let axes = Axes::from_context(ctx);
    let dims = match &data.shape {
        Ok(dims) => dims,
        // The number of dimensions does not matter when none is left.
        Err(_) if matches!(axes, Axes::All) && !keep => return Ok(vec![Fact::tensor(dtype, [])]),
        Err(reason) => return Ok(vec![Fact::unranked(dtype, Arc::clone(reason))]),
    };
    let reduced: Vec<bool> = match axes {
        Axes::All => vec![true; dims.len()],
        Axes::Some(count) if count == dims.len() => vec![true; dims.len()],
        Axes::These(axes) => marked(ctx, &axes, dims.len())?,
        Axes::Some(count) if !keep => {
            let left = dims.len().checked_sub(count).ok_or_else(|| {
                let rank = dims.len();
                Fail::contradiction(format!("{} reduces {count} axes of {rank}", ctx.op))
            })?;
            let left = ctx.fresh_dims(left, "which axes are reduced");
            return Ok(vec![Fact::tensor(dtype, left)]);
        }
        Axes::Unknown if !keep && !dims.is_empty() => {
            return Ok(vec![Fact::unranked(dtype, "the axes to reduce are not known")]);
        }
        Axes::Some(_) | Axes::Unknown => {
            let dims: Vec<Expr> = dims
                .iter()
                .map(|dim| match dim.as_const() {
                    Some(1) => dim.clone(),
                    _ => ctx.fresh("which axes are reduced"),
                })
                .collect();
            return Ok(vec![Fact::tensor(dtype, dims)]);
        }
    };
    let fact = TensorFact::new(dtype, left_over(dims, &reduced, keep));
    let value = data.value.as_deref().zip(data.constant_dims());
    Ok(vec![Fact::Tensor(match (value, Kind::new(ctx.op)) {
        (Some((elements, sizes)), Some(kind)) => {
            fact.with_value(values::reduce(kind, dtype, elements, &sizes, &reduced))
        }
        _ => fact,
    })])
}

/// Which of this many axes are meant.
fn marked(ctx: &OpContext<'_>, axes: &[i64], rank: usize) -> Result<Vec<bool>, Fail> {
    let mut marked = vec![false; rank];
    for axis in axes {
        marked[ctx.axis(*axis, rank)?] = true;
    }
    Ok(marked)
}

/// Dimensions after a reduction.
fn left_over(dims: &[Expr], reduced: &[bool], keep: bool) -> Vec<Expr> {
    dims.iter()
        .zip(reduced)
        .filter(|(_, reduced)| keep || !**reduced)
        .map(|(dim, reduced)| if *reduced { Expr::from(1) } else { dim.clone() })
        .collect()
}

/// A number for each square matrix: <https://onnx.ai/onnx/operators/onnx__Det.html>.
fn det(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype: DType = ctx.dtype(0);
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(dtype, reason)]),
    };
    let [batch @ .., rows, columns] = dims else {
        return Err(Fail::contradiction("Det expects a matrix"));
    };
    if rows.always_ne(columns) {
        return Err(Fail::contradiction(format!("Det has matrices of {rows} by {columns}")));
    }
    Ok(vec![Fact::tensor(dtype, batch.iter().cloned())])
}

#[cfg(test)]
mod tests {
    use super::testing::{Try, dims, ints, shape};
    use super::*;

    #[test]
    fn axes_move_from_attribute_to_input() {
        let data = dims("a 3 b");
        let old = Try::new("ReduceMax", 13).input(data.clone()).ints("axes", &[-1]);
        assert_eq!(shape(&old.one(reduce)), "a 3 1");
        let new =
            Try::new("ReduceMax", 18).input(data.clone()).input(ints(&[0, 2])).int("keepdims", 0);
        assert_eq!(shape(&new.one(reduce)), "3");
        // ReduceSum went ahead of its siblings.
        let sum = Try::new("ReduceSum", 13).input(data).input(ints(&[1])).int("keepdims", 0);
        assert_eq!(shape(&sum.one(reduce)), "a b");
    }

    #[test]
    fn no_axes_are_all_axes_or_none() {
        let all = Try::new("ReduceSum", 13).input(dims("a 3"));
        assert_eq!(shape(&all.one(reduce)), "1 1");
        let none = Try::new("ReduceSum", 13).input(dims("a 3")).int("noop_with_empty_axes", 1);
        assert_eq!(shape(&none.one(reduce)), "a 3");
        let empty = Try::new("ReduceSum", 13)
            .input(dims("a 3"))
            .input(ints(&[]))
            .int("noop_with_empty_axes", 1);
        assert_eq!(shape(&empty.one(reduce)), "a 3");
    }

    #[test]
    fn axes_that_are_not_known_leave_what_they_can() {
        let axes = Fact::tensor(DType::Int64, [Expr::from(1)]);
        let kept = Try::new("ReduceSum", 13).input(dims("4 1")).input(axes.clone());
        assert_eq!(shape(&kept.one(reduce)), "f1 1");
        let dropped = Try::new("ReduceSum", 13).input(dims("4 1")).input(axes).int("keepdims", 0);
        assert_eq!(shape(&dropped.one(reduce)), "f1");
    }

    #[test]
    fn an_axis_beyond_the_last_cannot_be() {
        let ctx = Try::new("ReduceSum", 11).input(dims("4 1")).ints("axes", &[2]);
        assert!(matches!(ctx.run(reduce), Err(Fail::Contradiction(_))));
    }

    #[test]
    fn matrices_become_numbers() {
        assert_eq!(shape(&Try::new("Det", 22).input(dims("n 3 3")).one(det)), "n");
        assert!(Try::new("Det", 22).input(dims("2 3")).run(det).is_err());
    }
}
