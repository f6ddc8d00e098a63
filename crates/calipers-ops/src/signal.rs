//! Signals: windows, Fourier transforms.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome};
use crate::cost;
use crate::elem::Elem;
use crate::fact::Fact;
use crate::row::Operator;
use crate::traits::{Class, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Signal,
    [
        Operator::onnx("BlackmanWindow", &[])
            .since(&[17])
            .infer(window)
            .costs(cost::per_output::<1>),
        Operator::onnx("DFT", &[]).since(&[17, 20]).infer(dft).costs(cost::signal::dft),
        Operator::onnx("HammingWindow", &[])
            .since(&[17])
            .infer(window)
            .costs(cost::per_output::<1>),
        Operator::onnx("HannWindow", &[]).since(&[17]).infer(window).costs(cost::per_output::<1>),
        Operator::onnx("MelWeightMatrix", &[])
            .since(&[17])
            .infer(mel_weight_matrix)
            .costs(cost::per_output::<1>),
        Operator::onnx("STFT", &[]).since(&[17]).infer(stft).costs(cost::signal::stft),
    ],
);

/// The only element of an input, if it is an integer >= 0.
fn scalar(ctx: &OpContext<'_>, index: usize) -> Result<Option<Expr>, Fail> {
    let number = match ctx.value(index) {
        Some([element]) => Elem::as_expr(element),
        _ => None,
    };
    match number {
        Some(number) if number.upper_bound().is_some_and(|most| most < 0) => {
            Err(Fail::contradiction(format!("{} has a length of {number}", ctx.op)))
        }
        number => Ok(number.cloned()),
    }
}

/// Frequencies of a real signal that are not mirror images of others.
fn one_side(length: &Expr) -> Expr {
    length.floor_div(&Expr::from(2)) + 1
}

/// As many numbers as asked for: <https://onnx.ai/onnx/operators/onnx__HannWindow.html>,
/// `onnx__HammingWindow`, `onnx__BlackmanWindow`.
fn window(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype_attribute("output_datatype").unwrap_or(DType::Float32);
    let length = match scalar(ctx, 0)? {
        Some(length) => length,
        None => ctx.fresh("the length asked for"),
    };
    Ok(vec![Fact::tensor(dtype, [length])])
}

/// Frequencies by mel bands: <https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html>.
fn mel_weight_matrix(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype_attribute("output_datatype").unwrap_or(DType::Float32);
    let bands = match scalar(ctx, 0)? {
        Some(bands) => bands,
        None => ctx.fresh("the bands asked for"),
    };
    let frequencies = match scalar(ctx, 1)? {
        Some(length) => one_side(&length),
        None => ctx.fresh("the frequencies of the transform"),
    };
    Ok(vec![Fact::tensor(dtype, [frequencies, bands])])
}

/// A transform along one axis: <https://onnx.ai/onnx/operators/onnx__DFT.html>.
fn dft(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(dtype, reason)]),
    };
    if dims.len() < 2 {
        return Err(Fail::contradiction("DFT has no axis next to that of the complex numbers"));
    }
    let one_sided = ctx.int_or("onesided", 0) != 0;
    let inverse = ctx.int_or("inverse", 0) != 0;
    let axis = match ctx.version {
        ..20 => Some(ctx.int_or("axis", 1)),
        _ if !ctx.has(2) => Some(-2),
        _ => ctx.integer(2),
    };
    let mut out = dims.to_vec();
    let last = dims.len() - 1;
    // What is real on one side is complex on the other; both sides of it are complex.
    out[last] = Expr::from(if one_sided && inverse { 1 } else { 2 });
    let Some(axis) = axis else {
        if ctx.has(1) || one_sided {
            for dim in &mut out[..last] {
                *dim = ctx.fresh("the axis of the transform");
            }
        }
        return Ok(vec![Fact::tensor(dtype, out)]);
    };
    let axis = ctx.axis(axis, dims.len())?;
    if axis == last {
        return Err(Fail::contradiction("DFT transforms the axis of the complex numbers"));
    }
    let length = match (ctx.has(1), one_sided && inverse) {
        (true, _) => scalar(ctx, 1)?,
        (false, true) => Some((&dims[axis] - 1) * 2),
        (false, false) => Some(dims[axis].clone()),
    };
    out[axis] = match length {
        Some(length) if one_sided && !inverse => one_side(&length),
        Some(length) => length,
        None => ctx.fresh("the length of the transform"),
    };
    Ok(vec![Fact::tensor(dtype, out)])
}

/// Transforms of frames of a signal: <https://onnx.ai/onnx/operators/onnx__STFT.html>.
fn stft(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let signal = ctx.shape(0)?.ok();
    if signal.is_some_and(|dims| !(2..=3).contains(&dims.len())) {
        return Err(Fail::contradiction("STFT expects a batch of signals"));
    }
    let length = signal.map(|dims| dims[1].clone());
    let window = ctx.has(2).then(|| ctx.shape(2)).transpose()?.and_then(Result::ok);
    let window = window.and_then(|dims| dims.first());
    let frame = match (ctx.has(2), ctx.has(3)) {
        (false, false) => length.clone(),
        (true, false) => window.cloned(),
        (_, true) => scalar(ctx, 3)?.or_else(|| window.cloned()),
    };
    let step = scalar(ctx, 1)?.filter(|step| step.is_at_least(1));
    let frames = match (&length, &frame, step) {
        (Some(length), Some(frame), _)
            if (length - frame).upper_bound().is_some_and(|most| most < 0) =>
        {
            return Err(Fail::contradiction(format!(
                "STFT cuts frames of {frame} out of {length}"
            )));
        }
        (Some(length), Some(frame), Some(step)) => Some((length - frame).floor_div(&step) + 1),
        _ => None,
    };
    let complex =
        signal.is_some_and(|dims| dims.get(2).is_some_and(|dim| dim.as_const() == Some(2)));
    let bins = match (frame, ctx.int_or("onesided", 1) != 0) {
        (Some(frame), true) if !complex => Some(one_side(&frame)),
        (Some(frame), false) => Some(frame),
        _ => None,
    };
    let batch = signal.map(|dims| dims[0].clone());
    let batch = batch.unwrap_or_else(|| ctx.fresh("the batch"));
    let frames = frames.unwrap_or_else(|| ctx.fresh("the frames of the signal"));
    let bins = bins.unwrap_or_else(|| ctx.fresh("the length of a frame"));
    Ok(vec![Fact::tensor(dtype, [batch, frames, bins, Expr::from(2)])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduction::testing::{Try, dims, shape, tensor};

    fn number(value: i64) -> Fact {
        tensor(DType::Int64, &[], &[value])
    }

    #[test]
    fn transforms_of_both_ways_and_sides() {
        let ctx = |text: &str| Try::new("DFT", 20).input(dims(text));
        assert_eq!(shape(&ctx("n 10 1").one(dft)), "n 10 2");
        assert_eq!(shape(&ctx("n 10 1").int("onesided", 1).one(dft)), "n 6 2");
        let back = ctx("n 6 2").int("onesided", 1).int("inverse", 1);
        assert_eq!(shape(&back.one(dft)), "n 10 1");
        let padded = ctx("n 10 4 1").input(number(16)).input(number(-3)).int("onesided", 1);
        assert_eq!(shape(&padded.one(dft)), "n 9 4 2");
        assert_eq!(
            shape(&Try::new("DFT", 17).input(dims("n 10 4 1")).int("onesided", 1).one(dft)),
            "n 6 4 2"
        );
    }

    #[test]
    fn frames_of_a_signal_are_one_sided_unless_reported() {
        let ctx = || Try::new("STFT", 17).input(dims("1 128 1")).input(number(8)).input(dims("16"));
        assert_eq!(shape(&ctx().one(stft)), "1 15 9 2"); // (128 - 16) / 8 + 1
        assert_eq!(shape(&ctx().int("onesided", 0).one(stft)), "1 15 16 2");
    }

    #[test]
    fn windows_are_as_long_as_asked() {
        let ctx = Try::new("HannWindow", 17).input(number(10)).int("output_datatype", 11);
        let fact = ctx.one(window);
        assert_eq!(
            (shape(&fact).as_str(), fact.as_tensor().unwrap().dtype),
            ("10", DType::Float64)
        );
        let ctx = Try::new("MelWeightMatrix", 17).input(number(8)).input(number(16));
        assert_eq!(shape(&ctx.one(mel_weight_matrix)), "9 8");
    }
}
