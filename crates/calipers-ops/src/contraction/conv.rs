//! Convolutions.

use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome};
use crate::fact::Fact;
use crate::known;
use crate::window::{Padding, Window};

/// Channels of the kernel at each place of its window:
/// <https://onnx.ai/onnx/operators/onnx__Conv.html>.
pub(super) fn plain(ctx: &mut OpContext<'_>) -> Outcome {
    convolution(ctx, 2, None)
}

/// As [`plain`], each sample moved by an offset; the offsets have the output's size:
/// <https://onnx.ai/onnx/operators/onnx__DeformConv.html>.
pub(super) fn deformed(ctx: &mut OpContext<'_>) -> Outcome {
    convolution(ctx, 3, Some(2))
}

fn convolution(ctx: &mut OpContext<'_>, bias: usize, offsets: Option<usize>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1, bias]);
    let Some(operands) = Operands::read(ctx)? else {
        return Ok(vec![known::unranked(ctx, 0, dtype)]);
    };
    operands.check_channels(ctx, 1)?;
    let window = Window::read(ctx, &operands.kernel)?;
    let places = match offsets {
        Some(offsets) => known::ranked(ctx, offsets, operands.kernel.len() + 2)?,
        None => None,
    };
    let biases = known::ranked(ctx, bias, 1)?.map(|dims| &dims[0]);
    let channels = known::agree(ctx, "channels", &[operands.weight(0), biases])?;
    let batch = operands.batch.or(places.map(|dims| &dims[0]));
    let mut dims = vec![
        known::or_fresh(ctx, batch.cloned(), "the batch convolved"),
        known::or_fresh(ctx, channels, "the kernel's channels"),
    ];
    for axis in 0..operands.kernel.len() {
        let size = match operands.spatial(axis) {
            Some(size) => window.convolved(ctx, axis, size)?,
            None => None,
        };
        let size = size.or_else(|| places.map(|dims| dims[axis + 2].clone()));
        dims.push(known::or_fresh(ctx, size, "the input convolved and its kernel"));
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// The inverse of a convolution's arithmetic: `stride * (input - 1) + output_padding + extent -
/// pads`, or the size that is asked for:
/// <https://onnx.ai/onnx/operators/onnx__ConvTranspose.html>.
pub(super) fn transposed(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1, 2]);
    let Some(operands) = Operands::read(ctx)? else {
        return Ok(vec![known::unranked(ctx, 0, dtype)]);
    };
    let group = groups(ctx)?;
    known::agree(ctx, "input channels", &[operands.channels, operands.weight(0)])?;
    let count = operands.kernel.len();
    let window = Window::read(ctx, &operands.kernel)?;
    let added = known::list_of(ctx, "output_padding", count, 0)?;
    let asked = match known::list(ctx, "output_shape")? {
        Some(_) => Some(known::list_of(ctx, "output_shape", count, 0)?),
        None => None,
    };
    let biases = known::ranked(ctx, 2, 1)?.map(|dims| &dims[0]);
    let channels = operands.weight(1).map(|each| each * group);
    let channels = known::agree(ctx, "channels", &[channels.as_ref(), biases])?;
    let mut dims = vec![
        known::or_fresh(ctx, operands.batch.cloned(), "the batch convolved"),
        known::or_fresh(ctx, channels, "the kernel's channels"),
    ];
    for (axis, added) in added.iter().enumerate() {
        let size = match &asked {
            Some(asked) => Some(Expr::from(asked[axis])),
            None => operands.spatial(axis).and_then(|size| grown(&window, axis, size, *added)),
        };
        if size.as_ref().and_then(Expr::as_const).is_some_and(|size| size < 0) {
            return Err(Fail::contradiction(format!("{} makes a negative dimension", ctx.op)));
        }
        dims.push(known::or_fresh(ctx, size, "the input convolved and its kernel"));
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// Size of an axis after a transposed convolution.
fn grown(window: &Window, axis: usize, input: &Expr, added: i64) -> Option<Expr> {
    let along = window.axis(axis);
    let reach = along.extent.as_ref().map(|extent| extent + added);
    if window.padding == Padding::Same {
        // A kernel that does not fill its stride would need padding below zero, and those who
        // run it part on that.
        let fills = reach.is_some_and(|reach| (reach - &along.stride).is_at_least(0));
        return fills.then(|| input * &along.stride);
    }
    Some((input - 1) * &along.stride + reach? - &along.before - &along.after)
}

/// A convolution of each channel with what came before it; the state is the last elements that the
/// next step needs: <https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html>.
pub(super) fn causal(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1, 2, 3]);
    let input = known::ranked(ctx, 0, 3)?;
    let kernel = known::ranked(ctx, 1, 3)?;
    let biases = known::ranked(ctx, 2, 1)?;
    let past = known::ranked(ctx, 3, 3)?;
    ctx.input(0)?;
    ctx.input(1)?;
    let of = |dims: Option<&'_ [Expr]>, axis: usize| dims.map(|dims| dims[axis].clone());
    let batch = known::agree(ctx, "the batch", &[of(input, 0).as_ref(), of(past, 0).as_ref()])?;
    let channels = known::agree(
        ctx,
        "channels",
        &[
            of(input, 1).as_ref(),
            of(kernel, 0).as_ref(),
            of(biases, 0).as_ref(),
            of(past, 1).as_ref(),
        ],
    )?;
    let kept = of(kernel, 2).map(|size| size - 1);
    let kept = known::agree(ctx, "the state", &[kept.as_ref(), of(past, 2).as_ref()])?;
    let batch = known::or_fresh(ctx, batch, "the batch convolved");
    let channels = known::or_fresh(ctx, channels, "the channels convolved");
    let length = known::or_fresh(ctx, of(input, 2), "the length convolved");
    let kept = known::or_fresh(ctx, kept, "the kernel's size");
    Ok(vec![
        Fact::tensor(dtype, [batch.clone(), channels.clone(), length]),
        Fact::tensor(dtype, [batch, channels, kept]),
    ])
}

fn groups(ctx: &OpContext<'_>) -> Result<i64, Fail> {
    match ctx.int_or("group", 1) {
        group if group < 1 => Err(Fail::contradiction(format!("{} has {group} groups", ctx.op))),
        group => Ok(group),
    }
}

/// What is known of an input and its kernel.
struct Operands<'a> {
    batch: Option<&'a Expr>,
    channels: Option<&'a Expr>,
    input: Option<&'a [Expr]>,
    weights: Option<&'a [Expr]>,
    kernel: Vec<Option<Expr>>,
}

impl<'a> Operands<'a> {
    /// Reads inputs 0 and 1; `None` when nothing gives the number of dimensions.
    fn read(ctx: &OpContext<'a>) -> Result<Option<Self>, Fail> {
        let input = known::dims(ctx, 0)?;
        let weights = known::dims(ctx, 1)?;
        let given = known::list(ctx, "kernel_shape")?;
        let rank = match (input, weights, given) {
            (Some(dims), ..) | (None, Some(dims), _) => dims.len(),
            (None, None, Some(sizes)) => sizes.len() + 2,
            (None, None, None) => return Ok(None),
        };
        if rank < 3 {
            return Err(Fail::contradiction(format!("{} has an input of rank {rank}", ctx.op)));
        }
        let weights = known::ranked(ctx, 1, rank)?;
        if given.is_some_and(|sizes| sizes.len() + 2 != rank) {
            return Err(Fail::contradiction(format!(
                "the kernel_shape of {} does not fit its input of rank {rank}",
                ctx.op
            )));
        }
        let kernel = (2..rank).map(|axis| {
            let given = given.map(|sizes| Expr::from(sizes[axis - 2]));
            known::agree(ctx, "the kernel", &[given.as_ref(), weights.map(|dims| &dims[axis])])
        });
        let kernel = kernel.collect::<Result<Vec<_>, _>>()?;
        if kernel.iter().flatten().any(|size| size.as_const().is_some_and(|size| size < 1)) {
            return Err(Fail::contradiction(format!("{} has an empty kernel", ctx.op)));
        }
        Ok(Some(Self {
            batch: input.map(|dims| &dims[0]),
            channels: input.map(|dims| &dims[1]),
            input,
            weights,
            kernel,
        }))
    }

    /// A dimension of the weights.
    fn weight(&self, axis: usize) -> Option<&'a Expr> {
        self.weights.map(|dims| &dims[axis])
    }

    /// A spatial dimension of the input.
    fn spatial(&self, axis: usize) -> Option<&'a Expr> {
        self.input.map(|dims| &dims[axis + 2])
    }

    /// Whether the input has as many channels as all groups of the kernel together.
    fn check_channels(&self, ctx: &OpContext<'_>, axis: usize) -> Result<(), Fail> {
        let group = groups(ctx)?;
        let wanted = self.weight(axis).map(|each| each * group);
        known::agree(ctx, "input channels", &[self.channels, wanted.as_ref()]).map(|_| ())
    }
}
