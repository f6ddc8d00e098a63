//! Transforms of signals, as a fast transform does them: 5·n·⌈log2 n⌉ operations for n samples,
//! whatever n is, real or complex. They are not contractions. The length must be a number.

use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, given, unknown};
use crate::context::{Fail, OpContext};
use crate::contrib::inputs::length;
use crate::fact::{Fact, product};

/// Operations of one transform.
fn transform(ctx: &OpContext<'_>, samples: &Expr) -> Result<Expr, Fail> {
    match samples.as_const() {
        Some(samples) if samples > 0 => {
            let steps = i64::from((samples - 1).checked_ilog2().map_or(0, |log| log + 1));
            Ok(Expr::from(samples) * steps * 5)
        }
        Some(_) => Ok(Expr::ZERO),
        None => unknown(format!("the transform length of {} is not a number", ctx.op)),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__DFT.html>
pub(crate) fn dft(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let signal = dims(ctx, ctx.optional(0))?;
    let axis = match ctx.version {
        ..20 => Some(ctx.int_or("axis", 1)),
        _ if !ctx.has(2) => Some(-2),
        _ => ctx.integer(2),
    };
    let Some(axis) = axis else { return unknown("the axis of the transform is not known") };
    let axis = ctx.axis(axis, signal.len())?;
    let back = ctx.int_or("onesided", 0) != 0 && ctx.int_or("inverse", 0) != 0;
    let samples = if ctx.has(1) {
        length(ctx, 1)
    } else if back {
        dims(ctx, outputs.first())?.get(axis).cloned()
    } else {
        signal.get(axis).cloned()
    };
    let Some(samples) = samples else { return unknown("the length of the transform is not known") };
    let last = signal.len().saturating_sub(1);
    let kept = signal.iter().enumerate().filter(|(place, _)| *place != axis && *place != last);
    let count = kept.fold(Expr::ONE, |count, (_, dim)| count * dim);
    Ok(Work::of_flops(count * transform(ctx, &samples)?))
}

/// <https://onnx.ai/onnx/operators/onnx__STFT.html>: a transform for each frame, perhaps weighted
/// by a window before.
pub(crate) fn stft(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let frames = product(dims(ctx, outputs.first())?.get(..2).unwrap_or_default());
    let samples = match (length(ctx, 3), ctx.optional(2)) {
        (Some(samples), _) => samples,
        (None, Some(window)) => elements(ctx, Some(window))?,
        (None, None) if ctx.has(3) => return unknown("the length of a frame is not known"),
        (None, None) => match dims(ctx, ctx.optional(0))?.get(1) {
            Some(samples) => samples.clone(),
            None => return unknown("the length of a frame is not known"),
        },
    };
    let window = &samples * given(ctx, &[2]);
    Ok(Work::of_flops(frames * (transform(ctx, &samples)? + window)))
}

/// `Rfft`: transforms of the last dimension.
pub(crate) fn rfft(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    rows(ctx, ctx.optional(0))
}

/// `Irfft`: transforms that give the last dimension.
pub(crate) fn irfft(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    rows(ctx, outputs.first())
}

fn rows(ctx: &OpContext<'_>, signal: Option<&Fact>) -> Cost {
    if ctx.int_or("signal_ndim", 1) != 1 {
        return unknown(format!("{} transforms several dimensions", ctx.op));
    }
    match dims(ctx, signal)?.split_last() {
        Some((samples, rows)) => Ok(Work::of_flops(product(rows) * transform(ctx, samples)?)),
        None => unknown(format!("{} transforms a scalar", ctx.op)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{cost, work};
    use crate::context::Fail;

    #[test]
    fn as_a_fast_transform_does() {
        // 5 · 512 · 9 = 23,040; 400 is between 256 and 512: 5 · 400 · 9 = 18,000.
        assert_eq!(work("", "DFT", &["float32[B, 512, 1]"], &[]).1, "23040*B");
        let stft = ["float32[B, 16000, 1]", "int64[]={160}", "float32[400]"];
        // (16,000 - 400) / 160 = 97.5, so 98 frames of 18,000 + 400 for the window.
        assert_eq!(work("", "STFT", &stft, &[]).1, "1803200*B");
        let open = cost("", "DFT", 20, &["float32[1, N, 1]"], &[]);
        assert!(matches!(open, Err(Fail::Unknown(_))));
        assert_eq!(work("com.microsoft", "Rfft", &["float32[B, 8]"], &[]).1, "120*B");
    }
}
