//! Sizes under sliding windows: convolutions and pools, plain, transposed and channels-last.

use calipers_sym::Expr;

use super::told::list;
use crate::call::{Call, Fail};

/// Where the channels stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Batch, channels, then space.
    First,
    /// Batch, space, then channels.
    Last,
}

impl Layout {
    /// As the attribute `channels_last` says.
    pub(crate) fn of(call: &Call<'_>) -> Self {
        if call.int_or("channels_last", 0) == 0 { Self::First } else { Self::Last }
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
    pub(crate) fn of(call: &Call<'_>, axes: usize) -> Result<Self, Fail> {
        let strides = list(call, "strides", axes, 1)?;
        let dilations = list(call, "dilations", axes, 1)?;
        let pads = list(call, "pads", axes.saturating_mul(2), 0)?;
        if strides.iter().chain(&dilations).any(|step| *step < 1) {
            return Err(Fail::contradiction(format!("{} has a step below 1", call.op)));
        }
        let padding = match call.text_or("auto_pad", "NOTSET") {
            "NOTSET" | "" => Padding::Given,
            "SAME_UPPER" | "SAME_LOWER" => Padding::Same,
            "VALID" => Padding::None,
            other => {
                return Err(Fail::contradiction(format!("{} has \"auto_pad\" {other:?}", call.op)));
            }
        };
        let (begins, ends) = (pads[..axes].to_vec(), pads[axes..].to_vec());
        let ceil = call.int_or("ceil_mode", 0) != 0;
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
        let room = match self.padding {
            Padding::Same => return size.ceil_div(&stride),
            Padding::None => size - extent,
            Padding::Given => size + self.begins[axis] + self.ends[axis] - extent,
        };
        if !self.ceil {
            return room.floor_div(&stride) + 1;
        }
        // The last window starts inside the input, or its padding before it.
        let begin = if self.padding == Padding::Given { self.begins[axis] } else { 0 };
        let starts = (size + begin).ceil_div(&stride);
        Expr::min(&(room.ceil_div(&stride) + 1), &starts)
    }

    /// Size along an axis that so many windows cover, as a transposed convolution makes it.
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
fn axes_of(call: &Call<'_>, dims: &[Expr]) -> Result<usize, Fail> {
    match dims.len().checked_sub(2) {
        Some(axes) if axes > 0 => Ok(axes),
        _ => Err(Fail::contradiction(format!(
            "{} has an input of {} dimensions, and no space to slide in",
            call.op,
            dims.len()
        ))),
    }
}

/// Sizes of the kernel: as the attribute says, or as the weights are.
fn kernel(call: &Call<'_>, axes: usize, weights: Option<&[Expr]>) -> Result<Vec<Expr>, Fail> {
    if let Some(sizes) = call.ints("kernel_shape")
        && !sizes.is_empty()
    {
        if sizes.len() != axes || sizes.iter().any(|size| *size < 1) {
            return Err(Fail::contradiction(format!(
                "{} has a kernel of {sizes:?} for {axes} axes",
                call.op
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
fn fitting(call: &Call<'_>, dims: Vec<Expr>) -> Result<Vec<Expr>, Fail> {
    match dims.iter().find(|dim| dim.as_const().is_some_and(|size| size < 0)) {
        Some(_) => {
            Err(Fail::contradiction(format!("the kernel of {} is larger than its input", call.op)))
        }
        None => Ok(dims),
    }
}

/// Dimensions of weights that must have as many as the data.
fn weights<'a>(call: &Call<'a>, index: usize, rank: usize) -> Result<Option<&'a [Expr]>, Fail> {
    match call.dims_of_rank(index, rank) {
        Ok(dims) => Ok(Some(dims)),
        Err(Fail::Unknown(_)) => Ok(None),
        Err(contradiction) => Err(contradiction),
    }
}

/// Dimensions that a convolution gives.
pub(crate) fn conv(
    call: &mut Call<'_>,
    data: usize,
    weight: usize,
    layout: Layout,
) -> Result<Vec<Expr>, Fail> {
    let given = call.dims(data)?;
    let dims = layout.channels_first(given);
    let axes = axes_of(call, &dims)?;
    let weights = weights(call, weight, dims.len())?;
    let windows = Windows::of(call, axes)?;
    let channels = match weights {
        Some(weights) => weights[0].clone(),
        None => call.fresh("the number of kernels"),
    };
    let mut output = vec![dims[0].clone(), channels];
    match kernel(call, axes, weights) {
        Ok(kernel) => {
            output
                .extend((0..axes).map(|axis| windows.count(axis, &dims[axis + 2], &kernel[axis])));
        }
        Err(Fail::Unknown(_)) => output.extend(call.fresh_dims(axes, "the size of the kernel")),
        Err(contradiction) => return Err(contradiction),
    }
    Ok(layout.restored(fitting(call, output)?))
}

/// Dimensions that a transposed convolution gives. Its pads are the attribute, or an input.
pub(crate) fn conv_transpose(
    call: &mut Call<'_>,
    data: usize,
    weight: usize,
    pads: Option<usize>,
    layout: Layout,
) -> Result<Vec<Expr>, Fail> {
    let given = call.dims(data)?;
    let dims = layout.channels_first(given);
    let axes = axes_of(call, &dims)?;
    let weights = weights(call, weight, dims.len())?;
    let group = call.int_or("group", 1);
    let channels = match weights {
        Some(weights) => &weights[1] * group,
        None => call.fresh("the number of kernels"),
    };
    let mut output = vec![dims[0].clone(), channels];
    if let Some(shape) = call.ints("output_shape").filter(|shape| !shape.is_empty()) {
        // Some writers give the batch and the channels too.
        let Some(shape) = shape.len().checked_sub(axes).and_then(|skip| shape.get(skip..)) else {
            return Err(Fail::contradiction(format!(
                "{} has too short an \"output_shape\"",
                call.op
            )));
        };
        output.extend(shape.iter().map(|size| Expr::from(*size)));
        return Ok(layout.restored(fitting(call, output)?));
    }
    let extra = list(call, "output_padding", axes, 0)?;
    let windows = Windows::of(call, axes)?;
    let windows = match pads.filter(|index| call.has(*index)) {
        None => Some(windows),
        Some(index) => call.integers(index).and_then(|pads| windows.padded(&pads)),
    };
    match (windows, kernel(call, axes, weights)) {
        (_, Err(fail @ Fail::Contradiction(_))) => return Err(fail),
        (Some(windows), Ok(kernel)) => output.extend(
            (0..axes).map(|axis| windows.span(axis, &dims[axis + 2], &kernel[axis], extra[axis])),
        ),
        _ => output.extend(call.fresh_dims(axes, "the kernel and the pads")),
    }
    Ok(layout.restored(fitting(call, output)?))
}

/// Dimensions that a pool gives.
pub(crate) fn pool(call: &Call<'_>, layout: Layout) -> Result<Vec<Expr>, Fail> {
    let dims = layout.channels_first(call.dims(0)?);
    let axes = axes_of(call, &dims)?;
    let Ok(kernel) = kernel(call, axes, None) else {
        return Err(Fail::contradiction(format!("{} lacks a kernel for {axes} axes", call.op)));
    };
    let windows = Windows::of(call, axes)?;
    let mut output = dims[..2].to_vec();
    output.extend((0..axes).map(|axis| windows.count(axis, &dims[axis + 2], &kernel[axis])));
    Ok(layout.restored(fitting(call, output)?))
}

/// Dimensions that a pool over all of space gives.
pub(crate) fn global_pool(call: &Call<'_>, layout: Layout) -> Result<Vec<Expr>, Fail> {
    let dims = layout.channels_first(call.dims(0)?);
    let axes = axes_of(call, &dims)?;
    let mut output = dims[..2].to_vec();
    output.resize(axes + 2, Expr::from(1));
    Ok(layout.restored(output))
}
