//! Between tensors and sequences of their parts.

use calipers_sym::Expr;

use super::{MAX_ITEMS, any_of, differs, sequence, sequence_of};
use crate::context::{Fail, OpContext, Outcome};
use crate::fact::{Fact, SequenceFact, TensorFact};

/// A tensor cut along an axis: <https://onnx.ai/onnx/operators/onnx__SplitToSequence.html>.
pub(super) fn split(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::sequence_of(Fact::unranked(dtype, reason))]),
    };
    let axis = ctx.axis(ctx.int_or("axis", 0), dims.len())?;
    let dim = &dims[axis];
    let keep = ctx.has(1) || ctx.int_or("keepdims", 1) != 0;
    let part = |length: Expr| {
        let mut dims = dims.to_vec();
        if keep {
            dims[axis] = length;
        } else {
            dims.remove(axis);
        }
        Fact::tensor(dtype, dims)
    };
    let none = || Fact::unranked(dtype, "the sequence is empty");
    Ok(vec![match parts(ctx, dim)? {
        Parts::These(lengths) => sequence_of(lengths.into_iter().map(part).collect(), none),
        Parts::Each(length) => Fact::sequence_of(part(length)),
    }])
}

/// Lengths of the parts of an axis.
enum Parts {
    /// Each by itself.
    These(Vec<Expr>),
    /// Of all alike; their number is not known.
    Each(Expr),
}

fn parts(ctx: &mut OpContext<'_>, dim: &Expr) -> Result<Parts, Fail> {
    let Some(split) = ctx.optional(1) else { return equal_parts(dim, &Expr::from(1)) };
    let Some(shape) = split.as_tensor().and_then(TensorFact::dims) else {
        return Ok(Parts::Each(differs()));
    };
    let lengths = ctx.exprs(1);
    match shape {
        [] => match lengths.as_deref() {
            Some([Some(length)]) => equal_parts(dim, length),
            _ => Ok(Parts::Each(differs())),
        },
        [count] => {
            let count = count.as_const().and_then(|count| usize::try_from(count).ok());
            let Some(count) = count.filter(|count| *count <= MAX_ITEMS) else {
                return Ok(Parts::Each(differs()));
            };
            if count == 1 {
                return Ok(Parts::These(vec![dim.clone()]));
            }
            let lengths = lengths.unwrap_or_else(|| vec![None; count]);
            let known: Option<Vec<Expr>> = lengths.iter().map(|length| length.cloned()).collect();
            if let Some(known) = known {
                let sum: Expr = known.iter().sum();
                if sum.always_ne(dim) {
                    return Err(Fail::contradiction(format!(
                        "SplitToSequence cuts {sum} out of {dim}"
                    )));
                }
                return Ok(Parts::These(known));
            }
            let own = |length: Option<&Expr>| {
                length.cloned().unwrap_or_else(|| ctx.fresh("the lengths asked for"))
            };
            Ok(Parts::These(lengths.into_iter().map(own).collect()))
        }
        _ => Err(Fail::contradiction("SplitToSequence expects its lengths as a list")),
    }
}

/// Parts of one length; the last may be shorter.
fn equal_parts(dim: &Expr, length: &Expr) -> Result<Parts, Fail> {
    if length.upper_bound().is_some_and(|most| most <= 0) {
        return Err(Fail::contradiction(format!("SplitToSequence cuts parts of {length}")));
    }
    if dim == length {
        return Ok(Parts::These(vec![dim.clone()]));
    }
    if let (Some(whole), Some(step)) = (dim.as_const(), length.as_const())
        && let Ok(count) = usize::try_from(whole / step + i64::from(whole % step != 0))
        && count <= MAX_ITEMS
    {
        let mut left = whole;
        let lengths = (0..count).map(|_| {
            let part = left.min(step);
            left -= part;
            Expr::from(part)
        });
        return Ok(Parts::These(lengths.collect()));
    }
    let even = dim.modulo(length).as_const() == Some(0);
    Ok(Parts::Each(if even { length.clone() } else { differs() }))
}

/// A sequence put together along an axis, new or not.
///
/// <https://onnx.ai/onnx/operators/onnx__ConcatFromSequence.html>
pub(super) fn concat(ctx: &mut OpContext<'_>) -> Outcome {
    let sequence = sequence(ctx, 0)?;
    let axis =
        ctx.int("axis").ok_or_else(|| Fail::contradiction("ConcatFromSequence lacks an axis"))?;
    let stack = ctx.int_or("new_axis", 0) != 0;
    let element = sequence.element.as_tensor();
    let Some(element) = element else {
        return Err(Fail::unknown("what the sequence holds is not known"));
    };
    let Some(mut dims) = shared_shape(ctx, sequence)? else {
        let reason = element.shape.as_ref().err().cloned();
        let reason = reason.unwrap_or_else(|| "the sequence is empty".into());
        return Ok(vec![Fact::unranked(element.dtype, reason)]);
    };
    let items = sequence.items.as_deref();
    if stack {
        let axis = ctx.axis(axis, dims.len() + 1)?;
        let count = items.and_then(|items| i64::try_from(items.len()).ok());
        let count = count.map_or_else(|| ctx.fresh("the length of the sequence"), Expr::from);
        dims.insert(axis, count);
    } else {
        let axis = ctx.axis(axis, dims.len())?;
        let total = items.and_then(|items| {
            let along = |item: &Fact| item.as_tensor()?.dims()?.get(axis).cloned();
            items.iter().map(along).sum::<Option<Expr>>()
        });
        dims[axis] = total.unwrap_or_else(|| ctx.fresh("the lengths of all elements together"));
    }
    Ok(vec![Fact::tensor(element.dtype, dims)])
}

/// Dimensions of elements that go together: where they must be the same, what says most of them.
fn shared_shape(
    ctx: &mut OpContext<'_>,
    sequence: &SequenceFact,
) -> Result<Option<Vec<Expr>>, Fail> {
    let Some(items) = &sequence.items else {
        let any = any_of(ctx, &sequence.element);
        return Ok(any.as_tensor().and_then(TensorFact::dims).map(<[Expr]>::to_vec));
    };
    let mut shapes = items.iter().filter_map(|item| item.as_tensor()?.dims());
    let Some(first) = shapes.next() else { return Ok(None) };
    let mut dims = first.to_vec();
    for shape in shapes {
        if shape.len() != dims.len() {
            return Err(Fail::contradiction(format!(
                "{} has elements of {} and {} dimensions",
                ctx.op,
                dims.len(),
                shape.len()
            )));
        }
        for (dim, other) in dims.iter_mut().zip(shape) {
            if dim.as_const().is_none() && other.as_const().is_some() {
                *dim = other.clone();
            }
        }
    }
    Ok(Some(dims))
}

#[cfg(test)]
mod tests {
    use calipers_ir::DType;

    use super::*;
    use crate::reduction::testing::{Try, dims, ints, shape, tensor};

    fn shapes(fact: &Fact) -> String {
        let Fact::Sequence(sequence) = fact else { return String::new() };
        match &sequence.items {
            Some(items) => items.iter().map(shape).collect::<Vec<_>>().join(", "),
            None => format!("each {}", shape(&sequence.element)),
        }
    }

    #[test]
    fn parts_of_one_length() {
        let by = |text: &str, length: i64| {
            let length = tensor(DType::Int64, &[], &[length]);
            shapes(&Try::new("SplitToSequence", 11).input(dims(text)).input(length).one(split))
        };
        assert_eq!(by("5 a", 2), "2 a, 2 a, 1 a");
        assert_eq!(by("6 a", 3), "3 a, 3 a");
        assert_eq!(by("0 a", 3), "");
    }

    #[test]
    fn parts_of_one_may_lose_their_axis() {
        let ctx = || Try::new("SplitToSequence", 24).input(dims("n 2")).int("axis", 1);
        assert_eq!(shapes(&ctx().one(split)), "n 1, n 1");
        assert_eq!(shapes(&ctx().int("keepdims", 0).one(split)), "n, n");
        let ctx = Try::new("SplitToSequence", 24).input(dims("n 2")).int("keepdims", 0);
        assert_eq!(shapes(&ctx.one(split)), "each 2");
    }

    #[test]
    fn parts_of_given_lengths() {
        let ctx = |lengths: &[i64]| {
            Try::new("SplitToSequence", 11).input(dims("n")).input(ints(lengths)).run(split)
        };
        assert_eq!(shapes(&ctx(&[1, 4]).unwrap()[0]), "1, 4");
        let ctx = Try::new("SplitToSequence", 11).input(dims("6")).input(ints(&[1, 4]));
        assert!(ctx.run(split).is_err());
    }

    #[test]
    fn parts_go_together_again() {
        let parts = Try::new("SplitToSequence", 11)
            .input(dims("5 a"))
            .input(tensor(DType::Int64, &[], &[2]))
            .one(split);
        let whole = Try::new("ConcatFromSequence", 11).input(parts).int("axis", -2).one(concat);
        assert_eq!(shape(&whole), "5 a");
        let rows = Try::new("SplitToSequence", 11).input(dims("3 a")).int("keepdims", 0).one(split);
        let ctx = Try::new("ConcatFromSequence", 11).input(rows).int("axis", -1).int("new_axis", 1);
        assert_eq!(shape(&ctx.one(concat)), "a 3");
    }
}
