//! Parts of a tensor as NumPy writes them, `x[1:, ::2, None, 3]`: bounds for the first axes, and masks that
//! say what each entry is.
//!
//! TensorFlow, TensorFlow Lite, Core ML and OpenVINO have it:
//! <https://www.tensorflow.org/api_docs/python/tf/strided_slice>.

use calipers_sym::Expr;

use super::given::{data, dimension, list};
use super::slice::{Cut, FAR, cut, with_cut_elements};
use crate::context::{Fail, OpContext, Outcome};
use crate::fact::{Fact, TensorFact};

/// What becomes of an axis.
enum Kept {
    /// It is in the result.
    Axis(usize),
    /// One that is new, of size 1.
    New,
}

/// The masks of a call: bit `i` is for entry `i`.
struct Masks {
    begin: i64,
    end: i64,
    ellipsis: i64,
    new_axis: i64,
    shrink_axis: i64,
}

impl Masks {
    fn read(ctx: &OpContext<'_>) -> Self {
        Self {
            begin: ctx.int_or("begin_mask", 0),
            end: ctx.int_or("end_mask", 0),
            ellipsis: ctx.int_or("ellipsis_mask", 0),
            new_axis: ctx.int_or("new_axis_mask", 0),
            shrink_axis: ctx.int_or("shrink_axis_mask", 0),
        }
    }
}

fn has(mask: i64, entry: usize) -> bool {
    entry < 63 && mask >> entry & 1 == 1
}

/// `StridedSlice`.
pub(crate) fn strided_slice(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let dims = match &data.shape {
        Ok(dims) => dims.to_vec(),
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let bounds = |input: usize| match list(ctx, "", input) {
        Some(Ok(entries)) => Ok(entries),
        Some(Err(reason)) => Err(Fail::Unknown(reason)),
        None => Err(Fail::contradiction(format!("{} lacks input {input}", ctx.op))),
    };
    let (begin, end) = (bounds(1)?, bounds(2)?);
    let steps = if ctx.has(3) { bounds(3)? } else { vec![Some(Expr::from(1)); begin.len()] };
    if begin.len() != end.len() || begin.len() != steps.len() {
        return Err(Fail::contradiction(format!("the bounds of {} differ in length", ctx.op)));
    }
    let masks = Masks::read(ctx);
    let new = (0..begin.len()).filter(|entry| has(masks.new_axis, *entry)).count();
    let mut cuts: Vec<Option<Cut>> = dims.iter().map(|_| None).collect();
    let (mut kept, mut axis) = (Vec::with_capacity(dims.len()), 0);
    for entry in 0..begin.len() {
        if has(masks.ellipsis, entry) {
            // It covers what the other entries leave.
            let others = begin.len() - entry - 1;
            let later = (entry + 1..begin.len()).filter(|at| has(masks.new_axis, *at)).count();
            let until = dims.len().saturating_sub(others - later);
            kept.extend((axis..until).map(Kept::Axis));
            axis = until.max(axis);
        } else if has(masks.new_axis, entry) {
            kept.push(Kept::New);
        } else {
            let Some(dim) = dims.get(axis) else {
                return Err(Fail::contradiction(format!(
                    "{} has {} bounds, and its input {} dimensions",
                    ctx.op,
                    begin.len() - new,
                    dims.len()
                )));
            };
            let shrinks = has(masks.shrink_axis, entry);
            if !shrinks {
                kept.push(Kept::Axis(axis));
            }
            let bound = |list: &[Option<Expr>]| list.get(entry).cloned().flatten();
            cuts[axis] = Some(match shrinks {
                true => single(dim, bound(&begin).as_ref()),
                false => {
                    let step = bound(&steps).as_ref().and_then(Expr::as_const);
                    if step == Some(0) {
                        return Err(Fail::contradiction(format!("{} steps by 0", ctx.op)));
                    }
                    let is_back = step.is_some_and(|step| step < 0);
                    let first = if is_back { dim - 1 } else { Expr::ZERO };
                    let last = Expr::from(if is_back { -FAR } else { FAR });
                    let begin = if has(masks.begin, entry) { Some(first) } else { bound(&begin) };
                    let end = if has(masks.end, entry) { Some(last) } else { bound(&end) };
                    cut(dim, begin.as_ref(), end.as_ref(), step)
                }
            });
            axis += 1;
        }
    }
    kept.extend((axis..dims.len()).map(Kept::Axis));
    let why = "the bounds that the slice is given";
    let mut taken = Vec::with_capacity(dims.len());
    for (dim, cut) in dims.iter().zip(&cuts) {
        taken.push(match cut {
            None => dim.clone(),
            Some(Cut { length: Some(length), .. }) => dimension(ctx, length.clone(), why)?,
            Some(Cut { length: None, .. }) => ctx.fresh(why),
        });
    }
    let result = kept.iter().map(|kept| match kept {
        Kept::Axis(axis) => taken[*axis].clone(),
        Kept::New => Expr::from(1),
    });
    let result: Vec<Expr> = result.collect();
    let sliced = with_cut_elements(&data, TensorFact::new(data.dtype, taken), &cuts);
    let fact = TensorFact::new(data.dtype, result);
    // Axes of size 1 come and go without moving an element.
    Ok(vec![match sliced.value {
        Some(elements) => fact.with_value(elements.iter().cloned()).into(),
        None => fact.into(),
    }])
}

/// One element of an axis.
fn single(dim: &Expr, at: Option<&Expr>) -> Cut {
    let first = at.and_then(Expr::as_const);
    let from_front = match (first, dim.as_const()) {
        (Some(first), _) if first >= 0 => Some(first),
        (Some(first), Some(size)) => first.checked_add(size),
        _ => None,
    };
    Cut { walk: from_front.map(|first| (first, 1)), length: Some(Expr::from(1)) }
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    fn sliced(inputs: &[&str], masks: &[(&'static str, i64)]) -> String {
        let masks: Vec<_> = masks.iter().map(|(name, mask)| (*name, int(*mask))).collect();
        reported(crate::FRAMEWORKS, "StridedSlice", inputs, &masks, 1).remove(0)
    }

    #[test]
    fn masks_say_what_entries_are() {
        let x = "float32[2, 3, 4, 5]";
        let bounds = |begin, end| [x, begin, end];
        // x[1:2, :2]
        assert_eq!(
            sliced(&bounds("int64[2]={1, 0}", "int64[2]={2, 2}"), &[]),
            "float32[1, 2, 4, 5]"
        );
        // x[:, 1:], by masks
        let open = bounds("int64[2]={7, 1}", "int64[2]={7, 7}");
        assert_eq!(sliced(&open, &[("begin_mask", 1), ("end_mask", 3)]), "float32[2, 2, 4, 5]");
        // x[0, ..., 1]
        let ends = bounds("int64[3]={0, 0, 1}", "int64[3]={1, 0, 2}");
        assert_eq!(
            sliced(&ends, &[("ellipsis_mask", 2), ("shrink_axis_mask", 5)]),
            "float32[3, 4]"
        );
        // x[:, None, ..., None]
        let new = bounds("int64[4]={0, 0, 0, 0}", "int64[4]={0, 0, 0, 0}");
        let masks =
            [("begin_mask", 1), ("end_mask", 1), ("new_axis_mask", 10), ("ellipsis_mask", 4)];
        assert_eq!(sliced(&new, &masks), "float32[2, 1, 3, 4, 5, 1]");
    }

    #[test]
    fn elements_of_shapes_are_followed() {
        // shape[1] and shape[::-1] of a shape of (batch, 28, 28, 3).
        let shape = "int64[4]={batch, 28, 28, 3}";
        let one = [shape, "int64[1]={0}", "int64[1]={1}", "int64[1]={1}"];
        let context = |inputs: &[&str], masks: &[(&'static str, i64)]| {
            let masks: Vec<_> = masks.iter().map(|(name, mask)| (*name, int(*mask))).collect();
            let facts = crate::contrib::testing::ask(
                crate::FRAMEWORKS,
                "StridedSlice",
                1,
                inputs,
                &masks,
                1,
            );
            let facts = facts.unwrap();
            let tensor = facts[0].as_tensor().unwrap().clone();
            let elements = tensor.value.unwrap();
            let texts = elements.iter().map(|it| it.as_expr().unwrap().to_string());
            (tensor.shape.unwrap().len(), texts.collect::<Vec<_>>())
        };
        assert_eq!(context(&one, &[("shrink_axis_mask", 1)]), (0, vec!["batch".to_owned()]));
        let back = [shape, "int64[1]={0}", "int64[1]={0}", "int64[1]={-1}"];
        let reversed = ["3", "28", "28", "batch"].map(str::to_owned).to_vec();
        assert_eq!(context(&back, &[("begin_mask", 1), ("end_mask", 1)]), (1, reversed));
    }
}
