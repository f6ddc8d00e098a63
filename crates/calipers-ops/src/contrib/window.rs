//! Sizes under sliding windows: convolutions and pools, plain, transposed and channels-last.

use calipers_sym::Expr;

use super::inputs::list;
use crate::context::{Fail, OpContext};

/// Where the channels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Batch, channels, then space.
    First,
    /// Batch, space, then channels.
    Last,
}

impl Layout {
    /// As the attribute `channels_last` says.
    pub(crate) fn from_context(ctx: &OpContext<'_>) -> Self {
        if ctx.int_or("channels_last", 0) == 0 { Self::First } else { Self::Last }
    }

    /// The same dimensions with the channels second.
    pub(crate) fn channels_first(self, dims: &[Expr]) -> Vec<Expr> {
        let mut dims = dims.to_vec();
        if self == Self::Last && dims.len() > 2 {
            dims[1..].rotate_right(1);
        }
        dims
    }

    /// Dimensions with the channels second, in this layout.
    pub(crate) fn restored(self, mut dims: Vec<Expr>) -> Vec<Expr> {
        if self == Self::Last && dims.len() > 2 {
            dims[1..].rotate_left(1);
        }
        dims
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Padding {
    Given,
    Same,
    None,
}

/// A window for each axis of space.
#[derive(Debug)]
pub(crate) struct Windows {
    strides: Vec<i64>,
    dilations: Vec<i64>,
    begins: Vec<i64>,
    ends: Vec<i64>,
    padding: Padding,
    ceil: bool,
}

impl Windows {
    /// As the attributes say.
    pub(crate) fn from_context(ctx: &OpContext<'_>, axes: usize) -> Result<Self, Fail> {
        let strides = list(ctx, "strides", axes, 1)?;
        let dilations = list(ctx, "dilations", axes, 1)?;
        let pads = list(ctx, "pads", axes.saturating_mul(2), 0)?;
        if strides.iter().chain(&dilations).any(|step| *step < 1) {
            return Err(Fail::contradiction(format!("{} has a step below 1", ctx.op)));
        }
        let padding = match ctx.text_or("auto_pad", "NOTSET") {
            "NOTSET" | "" => Padding::Given,
            "SAME_UPPER" | "SAME_LOWER" => Padding::Same,
            "VALID" => Padding::None,
            other => {
                return Err(Fail::contradiction(format!("{} has \"auto_pad\" {other:?}", ctx.op)));
            }
        };
        let (begins, ends) = (pads[..axes].to_vec(), pads[axes..].to_vec());
        let ceil = ctx.int_or("ceil_mode", 0) != 0;
        Ok(Self { strides, dilations, begins, ends, padding, ceil })
    }

    /// The same windows with other pads.
    pub(crate) fn padded(mut self, pads: &[i64]) -> Option<Self> {
        let axes = self.strides.len();
        if pads.len() != axes * 2 {
            return None;
        }
        self.begins = pads[..axes].to_vec();
        self.ends = pads[axes..].to_vec();
        Some(self)
    }

    /// What a kernel covers, with its gaps.
    fn extent(&self, axis: usize, kernel: &Expr) -> Expr {
        (kernel - 1) * self.dilations[axis] + 1
    }

    /// How many windows fit along an axis.
    pub(crate) fn count(&self, axis: usize, size: &Expr, kernel: &Expr) -> Expr {
        let stride = Expr::from(self.strides[axis]);
        let extent = self.extent(axis, kernel);
        let group = match self.padding {
            Padding::Same => return size.ceil_div(&stride),
            Padding::None => size - extent,
            Padding::Given => size + self.begins[axis] + self.ends[axis] - extent,
        };
        if !self.ceil {
            return group.floor_div(&stride) + 1;
        }
        // The last window starts inside the input, or its padding before it.
        let begin = if self.padding == Padding::Given { self.begins[axis] } else { 0 };
        let starts = (size + begin).ceil_div(&stride);
        Expr::min(&(group.ceil_div(&stride) + 1), &starts)
    }

    /// Size along an axis that this many windows cover, as a transposed convolution makes it.
    pub(crate) fn span(&self, axis: usize, size: &Expr, kernel: &Expr, extra: i64) -> Expr {
        let stride = self.strides[axis];
        match self.padding {
            Padding::Same => size * stride,
            Padding::None => (size - 1) * stride + self.extent(axis, kernel) + extra,
            Padding::Given => {
                (size - 1) * stride + self.extent(axis, kernel) + extra
                    - self.begins[axis]
                    - self.ends[axis]
            }
        }
    }
}

/// Axes of space in an input with batch and channels.
fn axes_of(ctx: &OpContext<'_>, dims: &[Expr]) -> Result<usize, Fail> {
    match dims.len().checked_sub(2) {
        Some(axes) if axes > 0 => Ok(axes),
        _ => Err(Fail::contradiction(format!(
            "{} has an input of {} dimensions, and no space to slide in",
            ctx.op,
            dims.len()
        ))),
    }
}

/// Sizes of the kernel: as the attribute says, or as the weights are.
fn kernel(ctx: &OpContext<'_>, axes: usize, weights: Option<&[Expr]>) -> Result<Vec<Expr>, Fail> {
    if let Some(sizes) = ctx.ints("kernel_shape")
        && !sizes.is_empty()
    {
        if sizes.len() != axes || sizes.iter().any(|size| *size < 1) {
            return Err(Fail::contradiction(format!(
                "{} has a kernel of {sizes:?} for {axes} axes",
                ctx.op
            )));
        }
        return Ok(sizes.iter().map(|size| Expr::from(*size)).collect());
    }
    match weights {
        Some(weights) => Ok(weights[2..].to_vec()),
        None => Err(Fail::unknown("the size of the kernel is not known")),
    }
}

/// Refuses sizes below zero: no window fits.
fn fitting(ctx: &OpContext<'_>, dims: Vec<Expr>) -> Result<Vec<Expr>, Fail> {
    match dims.iter().find(|dim| dim.as_const().is_some_and(|size| size < 0)) {
        Some(_) => {
            Err(Fail::contradiction(format!("the kernel of {} is larger than its input", ctx.op)))
        }
        None => Ok(dims),
    }
}

/// Dimensions of weights that must have as many as the data.
fn weights<'a>(ctx: &OpContext<'a>, index: usize, rank: usize) -> Result<Option<&'a [Expr]>, Fail> {
    match ctx.dims_of_rank(index, rank) {
        Ok(dims) => Ok(Some(dims)),
        Err(Fail::Unknown(_)) => Ok(None),
        Err(contradiction) => Err(contradiction),
    }
}

/// Dimensions that a convolution gives.
pub(crate) fn conv(
    ctx: &mut OpContext<'_>,
    data: usize,
    weight: usize,
    layout: Layout,
) -> Result<Vec<Expr>, Fail> {
    let given = ctx.dims(data)?;
    let dims = layout.channels_first(given);
    let axes = axes_of(ctx, &dims)?;
    let weights = weights(ctx, weight, dims.len())?;
    let windows = Windows::from_context(ctx, axes)?;
    let channels = match weights {
        Some(weights) => weights[0].clone(),
        None => ctx.fresh("the number of kernels"),
    };
    let mut output = vec![dims[0].clone(), channels];
    match kernel(ctx, axes, weights) {
        Ok(kernel) => {
            output
                .extend((0..axes).map(|axis| windows.count(axis, &dims[axis + 2], &kernel[axis])));
        }
        Err(Fail::Unknown(_)) => output.extend(ctx.fresh_dims(axes, "the size of the kernel")),
        Err(contradiction) => return Err(contradiction),
    }
    Ok(layout.restored(fitting(ctx, output)?))
}

/// Dimensions that a transposed convolution gives. Its pads are the attribute, or an input.
pub(crate) fn conv_transpose(
    ctx: &mut OpContext<'_>,
    data: usize,
    weight: usize,
    pads: Option<usize>,
    layout: Layout,
) -> Result<Vec<Expr>, Fail> {
    let given = ctx.dims(data)?;
    let dims = layout.channels_first(given);
    let axes = axes_of(ctx, &dims)?;
    let weights = weights(ctx, weight, dims.len())?;
    let group = ctx.int_or("group", 1);
    let channels = match weights {
        Some(weights) => &weights[1] * group,
        None => ctx.fresh("the number of kernels"),
    };
    let mut output = vec![dims[0].clone(), channels];
    if let Some(shape) = ctx.ints("output_shape").filter(|shape| !shape.is_empty()) {
        // Some writers give the batch and the channels too.
        let Some(shape) = shape.len().checked_sub(axes).and_then(|skip| shape.get(skip..)) else {
            return Err(Fail::contradiction(format!(
                "{} has too short an \"output_shape\"",
                ctx.op
            )));
        };
        output.extend(shape.iter().map(|size| Expr::from(*size)));
        return Ok(layout.restored(fitting(ctx, output)?));
    }
    let extra = list(ctx, "output_padding", axes, 0)?;
    let windows = Windows::from_context(ctx, axes)?;
    let windows = match pads.filter(|index| ctx.has(*index)) {
        None => Some(windows),
        Some(index) => ctx.integers(index).and_then(|pads| windows.padded(&pads)),
    };
    match (windows, kernel(ctx, axes, weights)) {
        (_, Err(fail @ Fail::Contradiction(_))) => return Err(fail),
        (Some(windows), Ok(kernel)) => output.extend(
            (0..axes).map(|axis| windows.span(axis, &dims[axis + 2], &kernel[axis], extra[axis])),
        ),
        _ => output.extend(ctx.fresh_dims(axes, "the kernel and the pads")),
    }
    Ok(layout.restored(fitting(ctx, output)?))
}

/// Dimensions that a pool gives.
pub(crate) fn pool(ctx: &OpContext<'_>, layout: Layout) -> Result<Vec<Expr>, Fail> {
    let dims = layout.channels_first(ctx.dims(0)?);
    let axes = axes_of(ctx, &dims)?;
    let Ok(kernel) = kernel(ctx, axes, None) else {
        return Err(Fail::contradiction(format!("{} lacks a kernel for {axes} axes", ctx.op)));
    };
    let windows = Windows::from_context(ctx, axes)?;
    let mut output = dims[..2].to_vec();
    output.extend((0..axes).map(|axis| windows.count(axis, &dims[axis + 2], &kernel[axis])));
    Ok(layout.restored(fitting(ctx, output)?))
}

/// Dimensions that a pool over all of space gives.
pub(crate) fn global_pool(ctx: &OpContext<'_>, layout: Layout) -> Result<Vec<Expr>, Fail> {
    let dims = layout.channels_first(ctx.dims(0)?);
    let axes = axes_of(ctx, &dims)?;
    let mut output = dims[..2].to_vec();
    output.resize(axes + 2, Expr::from(1));
    Ok(layout.restored(output))
}
