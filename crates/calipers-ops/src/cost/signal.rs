//! Transforms of signals, as a fast transform does them: 5·n·⌈log2 n⌉ operations for n samples,
//! whatever n is, real or complex. They are no contraction. The length must be a number.

use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, given, unknown};
use crate::call::{Call, Fail};
use crate::contrib::told::length;
use crate::fact::{Fact, product};

/// Operations of one transform.
fn transform(call: &Call<'_>, samples: &Expr) -> Result<Expr, Fail> {
    match samples.as_const() {
        Some(samples) if samples > 0 => {
            let steps = i64::from((samples - 1).checked_ilog2().map_or(0, |log| log + 1));
            Ok(Expr::from(samples) * steps * 5)
        }
        Some(_) => Ok(Expr::ZERO),
        None => unknown(format!("the length of the transform of {} is no number", call.op)),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__DFT.html>
pub(crate) fn dft(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let signal = dims(call, call.optional(0))?;
    let axis = match call.version {
        ..20 => Some(call.int_or("axis", 1)),
        _ if !call.has(2) => Some(-2),
        _ => call.integer(2),
    };
    let Some(axis) = axis else { return unknown("the axis of the transform is not known") };
    let axis = call.axis(axis, signal.len())?;
    let back = call.int_or("onesided", 0) != 0 && call.int_or("inverse", 0) != 0;
    let samples = if call.has(1) {
        length(call, 1)
    } else if back {
        dims(call, outputs.first())?.get(axis).cloned()
    } else {
        signal.get(axis).cloned()
    };
    let Some(samples) = samples else { return unknown("the length of the transform is not known") };
    let last = signal.len().saturating_sub(1);
    let kept = signal.iter().enumerate().filter(|(place, _)| *place != axis && *place != last);
    let count = kept.fold(Expr::ONE, |count, (_, dim)| count * dim);
    Ok(Work::of_flops(count * transform(call, &samples)?))
}

/// <https://onnx.ai/onnx/operators/onnx__STFT.html>: a transform for each frame, perhaps weighed
/// by a window before.
pub(crate) fn stft(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let frames = product(dims(call, outputs.first())?.get(..2).unwrap_or_default());
    let samples = match (length(call, 3), call.optional(2)) {
        (Some(samples), _) => samples,
        (None, Some(window)) => elements(call, Some(window))?,
        (None, None) if call.has(3) => return unknown("the length of a frame is not known"),
        (None, None) => match dims(call, call.optional(0))?.get(1) {
            Some(samples) => samples.clone(),
            None => return unknown("the length of a frame is not known"),
        },
    };
    let window = &samples * given(call, &[2]);
    Ok(Work::of_flops(frames * (transform(call, &samples)? + window)))
}

/// `Rfft`: transforms of the last dimension.
pub(crate) fn rfft(call: &Call<'_>, _: &[Fact]) -> Cost {
    rows(call, call.optional(0))
}

/// `Irfft`: transforms that give the last dimension.
pub(crate) fn irfft(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    rows(call, outputs.first())
}

fn rows(call: &Call<'_>, signal: Option<&Fact>) -> Cost {
    if call.int_or("signal_ndim", 1) != 1 {
        return unknown(format!("{} transforms several dimensions", call.op));
    }
    match dims(call, signal)?.split_last() {
        Some((samples, rows)) => Ok(Work::of_flops(product(rows) * transform(call, samples)?)),
        None => unknown(format!("{} transforms a scalar", call.op)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{cost, work};
    use crate::call::Fail;

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
