//! Operators of ONNX Runtime that are alone.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::inputs::{dim, like, only, positive, ranked, shaped, unknown};
use super::pointwise::broadcast_pair;
use crate::context::{Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, MAX_ELEMENTS, TensorFact};

/// `ExpandDims`: a dimension of 1 at a place that is an input.
pub(super) fn expand_dims(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &mut OpContext<'_>| {
        let mut dims = ctx.dims(0)?.to_vec();
        match ctx.integer(1) {
            Some(axis) => {
                let axis = ctx.axis(axis, dims.len() + 1)?;
                dims.insert(axis, Expr::from(1));
                Ok(dims)
            }
            None => Ok(ctx.fresh_dims(dims.len() + 1, "the place of the new dimension")),
        }
    };
    let dims = dims(ctx);
    let fact = shaped(ctx.dtype(0), dims)?;
    Ok(vec![match (fact, ctx.value(0)) {
        (Fact::Tensor(tensor), Some(elements)) => {
            tensor.with_value(elements.iter().cloned()).into()
        }
        (fact, _) => fact,
    }])
}

/// `Range`: as the standard's, and the step may be left out.
pub(super) fn range(ctx: &mut OpContext<'_>) -> Outcome {
    let one = Elem::int(1);
    let single = |index: usize| match ctx.value(index) {
        Some([element]) => Some(element),
        _ => None,
    };
    let step = if ctx.has(2) { single(2) } else { Some(&one) };
    let (start, limit) = (single(0), single(1));
    let count = match (start, limit, step) {
        (Some(start), Some(limit), Some(step)) => steps(start, limit, step, ctx.dtype(0)),
        _ => None,
    };
    let dtype = ctx.dtype(0);
    let Some(count) = count else {
        let count = ctx.fresh("how many steps fit");
        return Ok(vec![Fact::tensor(dtype, [count])]);
    };
    let fact = TensorFact::new(dtype, [count.clone()]);
    let many = count.as_const().and_then(|count| usize::try_from(count).ok());
    let expr = |element: Option<&Elem>| element.and_then(Elem::as_expr).cloned();
    Ok(vec![match (many, expr(start), expr(step)) {
        (Some(many), Some(start), Some(step)) if many <= MAX_ELEMENTS => {
            let places = (0_i64..).take(many);
            fact.with_value(places.map(|at| Elem::Int(&start + &step * at))).into()
        }
        _ => fact.into(),
    }])
}

/// How many steps lead from a start to before a limit.
#[expect(clippy::cast_possible_truncation, reason = "single precision is rounded to")]
fn steps(start: &Elem, limit: &Elem, step: &Elem, dtype: DType) -> Option<Expr> {
    if let (Some(start), Some(limit), Some(step)) =
        (start.as_expr(), limit.as_expr(), step.as_i64())
    {
        let count = match step {
            0 => return None,
            1.. => (limit - start).ceil_div(&Expr::from(step)),
            _ => (start - limit).ceil_div(&Expr::from(step.checked_neg()?)),
        };
        return Some(Expr::max(&count, &Expr::from(0)));
    }
    let way = match dtype {
        DType::Float64 => limit.as_f64()? - start.as_f64()?,
        DType::Float32 => f64::from(limit.as_f64()? as f32 - start.as_f64()? as f32),
        _ => return None,
    };
    let count = (way / step.as_f64()?).ceil().max(0.0);
    Elem::float(count).as_expr().cloned()
}

/// `Unique`: what there is, where each element's like is, and how many there are of each.
pub(super) fn unique(ctx: &mut OpContext<'_>) -> Outcome {
    let input = ranked(ctx, 0, 1, "the number of elements")?;
    let count = ctx.fresh("how many different elements there are");
    Ok(vec![
        Fact::tensor(ctx.dtype(0), [count.clone()]),
        Fact::tensor(DType::Int64, input),
        Fact::tensor(DType::Int64, [count]),
    ])
}

/// `Tokenizer`: as many tokens for each text as the longest has.
pub(super) fn tokenizer(ctx: &mut OpContext<'_>) -> Outcome {
    let count = ctx.fresh("how many tokens the longest text has");
    let dims = ctx.dims(0).map(|dims| dims.iter().cloned().chain([count]).collect());
    only(DType::String, dims)
}

/// `Pad`: the pads are an input.
pub(super) fn pad(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &mut OpContext<'_>| {
        let dims = ctx.dims(0)?;
        let Some(pads) = ctx.exprs(1).filter(|pads| pads.len() == dims.len() * 2) else {
            return Ok(ctx.fresh_dims(dims.len(), "the pads"));
        };
        let (begins, ends) = pads.split_at(dims.len());
        let sums = dims.iter().zip(begins.iter().zip(ends)).map(|(dim, pads)| match pads {
            (Some(begin), Some(end)) => dim + *begin + *end,
            _ => ctx.fresh("the pads"),
        });
        Ok(sums.collect())
    };
    let dims = dims(ctx);
    only(ctx.dtype(0), dims)
}

/// `CropAndResize`: a crop for each box, all of one size.
pub(super) fn crop_and_resize(ctx: &mut OpContext<'_>) -> Outcome {
    let image = ranked(ctx, 0, 4, "the image")?;
    let boxes = dim(ctx, 1, 0).or_else(|| dim(ctx, 2, 0));
    let boxes = boxes.unwrap_or_else(|| ctx.fresh("the number of boxes"));
    let sizes = ctx.exprs(3);
    let mut size = |axis: usize| {
        let reported = sizes.as_ref().and_then(|sizes| sizes.get(axis).copied().flatten());
        reported.cloned().unwrap_or_else(|| ctx.fresh("the size of a crop"))
    };
    let (height, width) = (size(0), size(1));
    Ok(vec![Fact::tensor(ctx.dtype(0), [boxes, image[1].clone(), height, width])])
}

/// `DynamicTimeWarping`: the steps of the cheapest path.
pub(super) fn dynamic_time_warping(ctx: &mut OpContext<'_>) -> Outcome {
    let steps = ctx.fresh("the length of the cheapest path");
    Ok(vec![Fact::tensor(DType::Int32, [Expr::from(2), steps])])
}

/// `UnfoldTensor`: the slices of a dimension, each in a new last one.
pub(super) fn unfold(ctx: &mut OpContext<'_>) -> Outcome {
    let size = positive(ctx, "size")?;
    let step = ctx.int_or("step", 1);
    if step < 1 {
        return Err(Fail::contradiction(format!("UnfoldTensor has a step of {step}")));
    }
    let dims = |ctx: &OpContext<'_>| {
        let mut dims = ctx.dims(0)?.to_vec();
        let axis = ctx.axis(ctx.int_or("dim", -1), dims.len())?;
        if dims[axis].as_const().is_some_and(|dim| dim < size) {
            return Err(Fail::contradiction("UnfoldTensor has slices larger than its input"));
        }
        dims[axis] = (&dims[axis] - size).floor_div(&Expr::from(step)) + 1;
        dims.push(size.into());
        Ok(dims)
    };
    only(ctx.dtype(0), dims(ctx))
}

/// `NGramRepeatBlock`: scores, some of them struck out.
pub(super) fn ngram_repeat(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![like(ctx, 1, ctx.dtype(1))?])
}

/// `MurmurHash3`: a hash for each element.
pub(super) fn murmur_hash(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = if ctx.int_or("positive", 1) != 0 { DType::Uint32 } else { DType::Int32 };
    Ok(vec![like(ctx, 0, dtype)?])
}

/// `MulInteger`: products of integers, wide enough for them.
pub(crate) fn mul_integer(ctx: &mut OpContext<'_>) -> Outcome {
    only(DType::Int32, broadcast_pair(ctx, 0, 2))
}

/// `Rfft`: half of the frequencies, each with two numbers.
pub(super) fn rfft(ctx: &mut OpContext<'_>) -> Outcome {
    let one = ctx.int_or("signal_ndim", 1) == 1 && ctx.int_or("onesided", 1) != 0;
    let dims = |ctx: &OpContext<'_>| {
        let mut dims = ctx.dims(0)?.to_vec();
        let Some(last) = dims.last_mut().filter(|_| one) else {
            return unknown("only the one-sided transform of one dimension is understood");
        };
        *last = last.floor_div(&Expr::from(2)) + 1;
        dims.push(Expr::from(2));
        Ok(dims)
    };
    only(ctx.dtype(0), dims(ctx))
}

/// `Irfft`: the inverse.
pub(super) fn irfft(ctx: &mut OpContext<'_>) -> Outcome {
    let one = ctx.int_or("signal_ndim", 1) == 1 && ctx.int_or("onesided", 1) != 0;
    let dims = |ctx: &OpContext<'_>| match ctx.dims(0)? {
        [rest @ .., frequencies, _] if one => {
            let length = (frequencies - 1) * 2;
            Ok(rest.iter().cloned().chain([length]).collect())
        }
        _ => unknown("only the one-sided transform of one dimension is understood"),
    };
    only(ctx.dtype(0), dims(ctx))
}

/// `WordConvEmbedding`: a vector for each word, from its characters.
pub(super) fn word_conv_embedding(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &mut OpContext<'_>| {
        let mut dims = ctx.dims(0)?.to_vec();
        let width = dim(ctx, 1, 0).unwrap_or_else(|| ctx.fresh("the number of kernels"));
        match dims.last_mut() {
            Some(last) => *last = width,
            None => return Err(Fail::contradiction("WordConvEmbedding has no characters")),
        }
        Ok(dims)
    };
    let dims = dims(ctx);
    only(ctx.dtype(1), dims)
}

/// `BifurcationDetector`: the tokens that two sequences share, and where they part.
pub(super) fn bifurcation(ctx: &mut OpContext<'_>) -> Outcome {
    let count = ctx.fresh("how many tokens are shared");
    Ok(vec![Fact::tensor(ctx.dtype(0), [count]), Fact::tensor(ctx.dtype(0), [])])
}

/// `TorchEmbedding`: a row of the table for each index.
pub(super) fn torch_embedding(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &mut OpContext<'_>| {
        let mut dims = ctx.dims(1)?.to_vec();
        dims.push(dim(ctx, 0, 1).unwrap_or_else(|| ctx.fresh("the width of the table")));
        Ok(dims)
    };
    let dims = dims(ctx);
    only(ctx.dtype(0), dims)
}

/// `GatherND`: as the standard's, before it had a batch.
pub(super) fn gather_nd(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let (data, indices) = (ctx.dims(0)?, ctx.dims(1)?);
        let Some((depth, outer)) = indices.split_last() else {
            return Err(Fail::contradiction("GatherND has a scalar for its indices"));
        };
        let Some(depth) = depth.as_const().and_then(|depth| usize::try_from(depth).ok()) else {
            return unknown("how deep GatherND goes is not known");
        };
        match data.get(depth..) {
            Some(rest) => Ok(outer.iter().chain(rest).cloned().collect()),
            None => Err(Fail::contradiction("GatherND goes deeper than its input")),
        }
    };
    only(ctx.dtype(0), dims(ctx))
}

/// `IsAllFinite`: one truth value.
pub(super) fn is_all_finite(_: &mut OpContext<'_>) -> Outcome {
    Ok(vec![Fact::tensor(DType::Bool, [])])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{ask, elements, int, reported};
    use crate::elem::Elem;

    fn one(op: &str, inputs: &[&str]) -> String {
        reported("com.microsoft", op, inputs, &[], 1).remove(0)
    }

    #[test]
    fn new_dimensions() {
        assert_eq!(one("ExpandDims", &["float32[3, N]", "int32[1]={1}"]), "float32[3, 1, N]");
        assert_eq!(one("ExpandDims", &["float32[3, N]", "int32[]={-1}"]), "float32[3, N, 1]");
    }

    #[test]
    fn steps() {
        assert_eq!(one("Range", &["int64[]={0}", "int64[]={7}", "int64[]={2}"]), "int64[4]");
        assert_eq!(one("Range", &["int64[]={0}", "int64[]={S}"]), "int64[S]");
        let facts = ask(
            "com.microsoft",
            "Range",
            1,
            &["int64[]={5}", "int64[]={1}", "int64[]={-2}"],
            &[],
            1,
        );
        assert_eq!(elements(&facts.unwrap()[0]).unwrap()[..], [Elem::int(5), Elem::int(3)]);
    }

    #[test]
    fn slices_of_a_dimension() {
        // (7 - 3) / 2 + 1 = 3.
        let attributes = [("dim", int(1)), ("size", int(3)), ("step", int(2))];
        assert_eq!(
            reported("com.microsoft", "UnfoldTensor", &["float32[2, 7, 3]"], &attributes, 1),
            ["float32[2, 3, 3, 3]"]
        );
    }

    #[test]
    fn frequencies() {
        assert_eq!(one("Rfft", &["float32[B, 512]"]), "float32[B, 257, 2]");
        assert_eq!(one("Irfft", &["float32[B, 257, 2]"]), "float32[B, 512]");
    }

    #[test]
    fn crops_and_pads() {
        assert_eq!(
            one(
                "CropAndResize",
                &["float32[1, 3, H, W]", "float32[R, 4]", "int32[R]", "int32[2]={14, 7}"]
            ),
            "float32[R, 3, 14, 7]"
        );
        assert_eq!(one("Pad", &["float32[2, N]", "int64[4]={0, 1, 3, 1}"]), "float32[5, N + 2]");
        let dynamic = ["float32[1, 2, 4, 4]", "float32[2, 3, 3, 3]", "int64[4]={1, 1, 1, 1}"];
        assert_eq!(one("ConvTransposeWithDynamicPads", &dynamic), "float32[1, 3, 4, 4]");
    }

    #[test]
    fn products_of_matrices() {
        let fused = |inputs: &[&str], flags: &[&'static str]| {
            let flags: Vec<_> = flags.iter().map(|name| (*name, int(1))).collect();
            reported("com.microsoft", "FusedMatMul", inputs, &flags, 1).remove(0)
        };
        assert_eq!(
            fused(&["float32[B, 4, 5]", "float32[B, 6, 5]"], &["transB"]),
            "float32[B, 4, 6]"
        );
        let batch = ["float32[4, B, H, 5]", "float32[B, H, 5, 7]"];
        assert_eq!(fused(&batch, &["transBatchA"]), "float32[B, H, 4, 7]");
        let both = ["float32[5, B, H, 4]", "float32[B, H, 5, 7]"];
        assert_eq!(fused(&both, &["transBatchA", "transA"]), "float32[B, H, 4, 7]");
        assert_eq!(fused(&["float32[5]", "float32[5, 4]"], &["transA"]), "float32[4]");
    }

    #[test]
    fn lookups() {
        assert_eq!(one("TorchEmbedding", &["float32[100, 8]", "int64[B, S]"]), "float32[B, S, 8]");
        assert_eq!(one("GatherND", &["float32[2, 3, 4]", "int64[K, 2]"]), "float32[K, 4]");
        assert_eq!(one("CDist", &["float32[N, 4]", "float32[M, 4]"]), "float32[N, M]");
    }
}
