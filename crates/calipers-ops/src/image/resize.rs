//! Resizing by scales or to sizes.

use calipers_sym::Expr;

use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

/// Resizes to what `scales` or `sizes` ask for: <https://onnx.ai/onnx/operators/onnx__Resize.html>.
pub(super) fn resize(ctx: &mut OpContext<'_>) -> Outcome {
    if ctx.version < 11 {
        return scaled_by_input(ctx, 1);
    }
    let dtype = ctx.dtype(0);
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        // Without axes there is a scale or size for each dimension.
        Err(reason) => match (ctx.ints("axes"), listed(ctx, 2).or_else(|| listed(ctx, 3))) {
            (None, Some(rank)) => {
                let sizes = ctx.exprs(3).unwrap_or_default();
                let plain = ctx.text_or("keep_aspect_ratio_policy", "segment") == "segment";
                let dims = (0..rank).map(|axis| match sizes.get(axis).copied().flatten() {
                    Some(size) if plain => size.clone(),
                    _ => ctx.fresh("the size of the image"),
                });
                return Ok(vec![Fact::tensor(dtype, dims.collect::<Vec<_>>())]);
            }
            _ => return Ok(vec![Fact::unranked(dtype, reason)]),
        },
    };
    let axes = axes(ctx, dims.len())?;
    // An empty list of scales represents none.
    let is_given = |index: usize| {
        ctx.has(index) && ctx.optional_tensor(index).and_then(TensorFact::constant_count) != Some(0)
    };
    let dims = match (is_given(2), is_given(3)) {
        (_, true) => sized(ctx, dims, axes.as_deref()),
        (true, false) => scaled(ctx, dims, axes.as_deref()),
        (false, false) => Err(Fail::contradiction("Resize has neither scales nor sizes")),
    };
    Ok(vec![Fact::tensor(dtype, dims?)])
}

/// Scales every dimension: <https://onnx.ai/onnx/operators/onnx__Upsample.html>.
pub(super) fn upsample(ctx: &mut OpContext<'_>) -> Outcome {
    if ctx.version >= 9 {
        return scaled_by_input(ctx, 1);
    }
    let dtype = ctx.dtype(0);
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(dtype, reason)]),
    };
    let scales: Option<Vec<f32>> = if ctx.version >= 7 {
        ctx.floats("scales").map(<[f32]>::to_vec)
    } else {
        match (ctx.attribute("height_scale"), ctx.attribute("width_scale")) {
            (Some(Attr::Float(height)), Some(Attr::Float(width))) => {
                Some(vec![1.0, 1.0, height, width])
            }
            _ => None,
        }
    };
    if let Some(scales) = &scales
        && scales.len() != dims.len()
    {
        return Err(uneven(ctx, scales.len(), dims.len()));
    }
    let mut resized = Vec::with_capacity(dims.len());
    for (axis, dim) in dims.iter().enumerate() {
        let scale = scales.as_ref().map(|scales| Elem::float(f64::from(scales[axis])));
        resized.push(scale.and_then(|scale| times(dim, &scale)).unwrap_or_else(|| open(ctx)));
    }
    Ok(vec![Fact::tensor(dtype, resized)])
}

/// All dimensions scaled by what is in an input.
fn scaled_by_input(ctx: &mut OpContext<'_>, index: usize) -> Outcome {
    let dtype = ctx.dtype(0);
    let dims = match (ctx.shape(0)?, listed(ctx, index)) {
        (Ok(dims), Some(count)) if count != dims.len() => {
            return Err(uneven(ctx, count, dims.len()));
        }
        (Ok(dims), _) => dims,
        (Err(_), Some(rank)) => {
            return Ok(vec![Fact::tensor(dtype, ctx.fresh_dims(rank, "the size of the image"))]);
        }
        (Err(reason), None) => return Ok(vec![Fact::unranked(dtype, reason)]),
    };
    let scales = ctx.value(index);
    let mut resized = Vec::with_capacity(dims.len());
    for (axis, dim) in dims.iter().enumerate() {
        let scale = scales.and_then(|scales| scales.get(axis));
        resized.push(scale.and_then(|scale| times(dim, scale)).unwrap_or_else(|| open(ctx)));
    }
    Ok(vec![Fact::tensor(dtype, resized)])
}

/// How many elements a list in an input has, if that is a number and not none.
fn listed(ctx: &OpContext<'_>, index: usize) -> Option<usize> {
    ctx.optional_tensor(index)?.constant_count().filter(|count| *count > 0)
}

fn open(ctx: &mut OpContext<'_>) -> Expr {
    ctx.fresh("the scales asked for")
}

fn uneven(ctx: &OpContext<'_>, given: usize, rank: usize) -> Fail {
    Fail::contradiction(format!("{} has {given} scales or sizes for {rank} dimensions", ctx.op))
}

/// The axes that scales and sizes are for, from the front; `None` when there are too many to hold.
fn axes(ctx: &OpContext<'_>, rank: usize) -> Result<Option<Vec<usize>>, Fail> {
    match ctx.attribute("axes") {
        Some(Attr::Ints(axes)) if ctx.version >= 18 && !axes.is_empty() => {
            axes.iter().map(|axis| ctx.axis(*axis, rank)).collect::<Result<_, _>>().map(Some)
        }
        Some(Attr::Long(_)) => Ok(None),
        _ => Ok(Some((0..rank).collect())),
    }
}

/// Dimensions times scales, rounded down.
fn scaled(
    ctx: &mut OpContext<'_>,
    dims: &[Expr],
    axes: Option<&[usize]>,
) -> Result<Vec<Expr>, Fail> {
    let Some(axes) = axes else { return Ok(ctx.fresh_dims(dims.len(), "its axes")) };
    if let Some(count) = listed(ctx, 2)
        && count != axes.len()
    {
        return Err(uneven(ctx, count, axes.len()));
    }
    let scales = ctx.value(2);
    let cropped =
        ctx.text_or("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
    let mut resized = dims.to_vec();
    for (place, axis) in axes.iter().enumerate() {
        let size = scales
            .and_then(|scales| scales.get(place))
            .and_then(|scale| times(&dims[*axis], scale))
            // The standard scales the region, and runtimes the whole: only where that is the same
            // can it be reported.
            .filter(|_| !cropped || is_whole(ctx, place, axes.len()));
        resized[*axis] = size.unwrap_or_else(|| open(ctx));
    }
    Ok(resized)
}

/// Whether the region to crop spans an axis from 0 to 1.
fn is_whole(ctx: &OpContext<'_>, place: usize, axes: usize) -> bool {
    if ctx.optional_tensor(1).and_then(TensorFact::constant_count) == Some(0) {
        return true;
    }
    let bound = |index: usize| ctx.value(1)?.get(index)?.as_f64();
    matches!((bound(place), bound(place + axes)), (Some(0.0), Some(1.0)))
}

/// The sizes asked for, perhaps with the proportions kept.
fn sized(
    ctx: &mut OpContext<'_>,
    dims: &[Expr],
    axes: Option<&[usize]>,
) -> Result<Vec<Expr>, Fail> {
    let Some(axes) = axes else { return Ok(ctx.fresh_dims(dims.len(), "its axes")) };
    if let Some(count) = listed(ctx, 3)
        && count != axes.len()
    {
        return Err(uneven(ctx, count, axes.len()));
    }
    let sizes = ctx.exprs(3).unwrap_or_else(|| vec![None; axes.len()]);
    let policy = if ctx.version >= 18 {
        ctx.text_or("keep_aspect_ratio_policy", "segment")
    } else {
        "segment"
    };
    let mut resized = dims.to_vec();
    if policy == "segment" || axes.len() == 1 {
        for (axis, size) in axes.iter().zip(&sizes) {
            resized[*axis] = size.cloned().unwrap_or_else(|| ctx.fresh("the sizes asked for"));
        }
        return Ok(resized);
    }
    let numbers = |exprs: &mut dyn Iterator<Item = Option<&Expr>>| -> Option<Vec<i64>> {
        exprs.map(|expr| expr?.as_const()).collect()
    };
    let asked = numbers(&mut sizes.iter().copied());
    let have = numbers(&mut axes.iter().map(|axis| dims.get(*axis)));
    let proportional = match (asked, have, policy) {
        (Some(asked), Some(have), "not_larger" | "not_smaller") => {
            proportional(&asked, &have, policy == "not_larger")
        }
        _ => None,
    };
    for (place, axis) in axes.iter().enumerate() {
        let size = proportional.as_ref().and_then(|sizes| sizes[place]);
        resized[*axis] = match size {
            Some(size) => Expr::from(size),
            None => ctx.fresh("the sizes asked for, in proportion"),
        };
    }
    Ok(resized)
}

/// Sizes in the proportions of `have`, within or around `asked`. One is `None` where rounding in
/// single precision, as runtimes do, and exactly, as the standard says, do not agree.
fn proportional(asked: &[i64], have: &[i64], within: bool) -> Option<Vec<Option<i64>>> {
    if asked.iter().chain(have).any(|size| !(1..1 << 24).contains(size)) {
        return None;
    }
    // Ratios are compared across: a/b < c/d when a*d < c*b, which cannot overflow here.
    let ratios = asked.iter().copied().zip(have.iter().copied());
    let (asked, of) = ratios.reduce(|best, next| {
        let less = next.0 * best.1 < best.0 * next.1;
        if less == within { next } else { best }
    })?;
    #[expect(clippy::cast_precision_loss, reason = "below 2^24, where float32 is exact")]
    let single = asked as f32 / of as f32;
    Some(
        have.iter()
            .map(|size| {
                let exact = (2 * size * asked + of) / (2 * of);
                #[expect(clippy::cast_precision_loss, reason = "as above")]
                let rounded = whole((single * *size as f32).round());
                (rounded == Some(exact)).then_some(exact)
            })
            .collect(),
    )
}

/// A dimension times a scale, rounded down as single precision does it.
fn times(dim: &Expr, scale: &Elem) -> Option<Expr> {
    match (dim.as_const(), scale.as_f64()) {
        (Some(dim), Some(scale)) => {
            if scale <= 0.0 || scale.is_nan() {
                return None;
            }
            #[expect(clippy::cast_precision_loss, reason = "runtimes round here too")]
            #[expect(clippy::cast_possible_truncation, reason = "scales are single precision")]
            let product = dim as f32 * scale as f32;
            whole(product.floor()).map(Expr::from)
        }
        (None, Some(scale)) => times_dyadic(dim, scale),
        (_, None) => match scale {
            Elem::Int(scale) if !scale.is_undefined() => Some(dim * scale),
            _ => None,
        },
    }
}

/// A symbolic dimension times a constant, where single precision gives the exact product of every
/// size that an image has: few bits above a power of two.
fn times_dyadic(dim: &Expr, scale: f64) -> Option<Expr> {
    const MAX_NUMERATOR: f64 = 256.0;
    let (mut numerator, mut denominator) = (scale, 1_i64);
    while numerator.fract() != 0.0 {
        if denominator >= 1 << 16 {
            return None;
        }
        (numerator, denominator) = (numerator * 2.0, denominator * 2);
    }
    if !(1.0..=MAX_NUMERATOR).contains(&numerator) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and at most 256")]
    let numerator = numerator as i64;
    Some((dim * numerator).floor_div(&Expr::from(denominator)))
}

/// A whole number of single precision.
fn whole(value: f32) -> Option<i64> {
    const LIMIT: f32 = 9.0e18;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within the limit")]
    (0.0..LIMIT).contains(&value).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::super::super::reduction::testing::{Try, dims, floats, ints, shape};
    use super::*;

    #[test]
    fn scales_round_down_in_single_precision() {
        let by = |scales: &[f32; 3]| {
            let ctx = Try::new("Resize", 13).input(dims("n 10 h")).without();
            shape(&ctx.input(floats(&[3], scales)).one(resize))
        };
        assert_eq!(by(&[1.0, 0.6, 2.0]), "n 6 2*h"); // 0.6f32 * 10 rounds to 6
        assert_eq!(by(&[1.0, 0.55, 0.5]), "n 5 floor(h/2)");
        assert_eq!(by(&[1.0, 2.5, 0.3]), "n 25 f1");
    }

    #[test]
    fn the_first_version_takes_scales_second() {
        let ctx = Try::new("Resize", 10).input(dims("1 4")).input(floats(&[2], &[1.0, 1.5]));
        assert_eq!(shape(&ctx.one(resize)), "1 6");
        let ctx =
            Try::new("Upsample", 7).input(dims("1 4")).with("scales", Attr::Floats(&[1.0, 1.9]));
        assert_eq!(shape(&ctx.one(upsample)), "1 7");
    }

    #[test]
    fn sizes_keep_proportions_when_asked() {
        let to = |policy: &'static str, sizes: &[i64]| {
            let ctx = Try::new("Resize", 19).input(dims("1 3 480 640")).without().without();
            let ctx = ctx.input(ints(sizes)).ints("axes", &[2, -1]);
            shape(&ctx.text("keep_aspect_ratio_policy", policy).one(resize))
        };
        assert_eq!(to("segment", &[100, 100]), "1 3 100 100");
        assert_eq!(to("not_larger", &[100, 100]), "1 3 75 100"); // 100/640 of 480
        assert_eq!(to("not_smaller", &[100, 100]), "1 3 100 133"); // 100/480 of 640 is 133.3
        assert_eq!(to("not_larger", &[2, 3]), "1 3 2 3"); // 2/480 of 640 is 2.67
    }

    #[test]
    fn an_empty_list_of_scales_is_none() {
        let ctx = Try::new("Resize", 11).input(dims("n 4")).without().input(floats(&[0], &[]));
        assert_eq!(shape(&ctx.input(ints(&[2, 9])).one(resize)), "2 9");
    }
}
