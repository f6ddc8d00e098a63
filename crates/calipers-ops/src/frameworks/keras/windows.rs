//! Convolutions and pooling that ONNX has as several operators.

use calipers_sym::Expr;

use super::inner::ask_dims;
use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::contrib::inputs::only;
use crate::cost::{self, Work};
use crate::fact::{Fact, product};

/// A convolution by channel as ONNX has it: all kernels in the first dimension.
fn by_channel(ctx: &mut OpContext<'_>) -> Result<Vec<Expr>, Fail> {
    let (input, kernel) = (ctx.dims(0)?, ctx.dims(1)?);
    let [channels, each, window @ ..] = kernel else {
        return Err(Fail::contradiction(format!("the kernel of {} has no window", ctx.op)));
    };
    if let Some(given) = input.get(1)
        && given.always_ne(channels)
    {
        return Err(Fail::contradiction(format!(
            "{} has {given} channels and {channels} kernels",
            ctx.op
        )));
    }
    let flat = [channels * each, Expr::from(1)].into_iter().chain(window.iter().cloned());
    let flat = Fact::tensor(ctx.dtype(1), flat);
    let group = channels.as_const().map(|group| ("group", Attr::Int(group)));
    let Some(group) = group else {
        return Err(Fail::unknown(format!("the channels of {} are not known", ctx.op)));
    };
    let inputs = [ctx.optional(0).cloned(), Some(flat)];
    ask_dims(ctx, "Conv", &inputs, &[group])
}

/// `DepthwiseConv`: kernels for each channel, in two dimensions.
pub(super) fn depthwise(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = by_channel(ctx);
    only(ctx.dtype(0), dims)
}

/// Elements of the window of a kernel.
fn window(ctx: &OpContext<'_>, index: usize) -> Result<Expr, Fail> {
    Ok(product(ctx.dims(index)?.get(2..).unwrap_or_default()))
}

pub(super) fn depthwise_cost(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let output = cost::elements(ctx, outputs.first())?;
    let others = cost::given(ctx, &[2]) + i64::from(cost::names(ctx, "activation"));
    Ok(Work { macs: &output * window(ctx, 1)?, other_flops: output * others })
}

/// `SeparableConv`: a convolution by channel, then one of all channels at each place.
pub(super) fn separable(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = by_channel(ctx).and_then(|mut dims| {
        let filters = ctx.dims(2)?.first().cloned();
        let filters = filters.ok_or_else(|| Fail::unknown("the filters are not known"))?;
        match dims.get_mut(1) {
            Some(channels) => *channels = filters,
            None => return Err(Fail::unknown("the channels are not known")),
        }
        Ok(dims)
    });
    only(ctx.dtype(0), dims)
}

pub(super) fn separable_cost(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let output = cost::elements(ctx, outputs.first())?;
    let dims = cost::dims(ctx, outputs.first())?;
    let [channels, each, ..] = ctx.dims(1)? else {
        return cost::unknown("the kernel of SeparableConv is not known");
    };
    let between = channels * each;
    let places = match dims {
        [batch, _, space @ ..] => batch * product(space),
        _ => return cost::unknown("the output of SeparableConv is not known"),
    };
    let macs = places * &between * window(ctx, 1)? + &output * between;
    let others = cost::given(ctx, &[3]) + i64::from(cost::names(ctx, "activation"));
    Ok(Work { macs, other_flops: output * others })
}

/// A convolution or a pooling at every step: steps are examples to it.
pub(super) fn over_time(ctx: &mut OpContext<'_>) -> Outcome {
    let op = match ctx.op {
        "ConvOverTime" => "Conv",
        "MaxPoolOverTime" => "MaxPool",
        _ => "AveragePool",
    };
    let dims = joined(ctx).and_then(|(batch, steps, image)| {
        let inputs = [Some(image), ctx.optional(1).cloned()];
        let dims = ask_dims(ctx, op, &inputs, &[])?;
        Ok([batch, steps].into_iter().chain(dims.into_iter().skip(1)).collect())
    });
    only(ctx.dtype(0), dims)
}

/// Batch, steps, and the input with both as one dimension.
fn joined(ctx: &OpContext<'_>) -> Result<(Expr, Expr, Fact), Fail> {
    let [batch, steps, rest @ ..] = ctx.dims(0)? else {
        return Err(Fail::contradiction(format!("{} lacks steps", ctx.op)));
    };
    let dims = [batch * steps].into_iter().chain(rest.iter().cloned());
    Ok((batch.clone(), steps.clone(), Fact::tensor(ctx.dtype(0), dims)))
}

pub(super) fn pool_cost(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let output = cost::elements(ctx, outputs.first())?;
    let kernel = ctx.ints("kernel_shape").unwrap_or_default();
    let window = kernel.iter().fold(Expr::from(1), |size, each| size * *each);
    Ok(Work::of_flops(output * window))
}
