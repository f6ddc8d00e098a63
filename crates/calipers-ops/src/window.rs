//! Windows that slide over an input: kernel, stride, dilation and padding along each axis.

use std::cmp::Ordering;

use calipers_sym::Expr;

use crate::context::{Fail, OpContext};
use crate::known;

/// Who decides the padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// The attribute `pads`, or none.
    Explicit,
    /// As much as makes the output as long as the input over the stride.
    Same,
    /// There is none.
    Valid,
}

/// A window along every spatial axis.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) padding: Padding,
    axes: Vec<Axis>,
}

/// A window along one axis.
#[derive(Debug)]
pub(crate) struct Axis {
    /// Elements from the first that the window sees to the last; `None` when not known.
    pub(crate) extent: Option<Expr>,
    pub(crate) stride: Expr,
    pub(crate) dilated: bool,
    pub(crate) before: Expr,
    pub(crate) after: Expr,
}

impl Window {
    /// Reads the attributes for a kernel of these sizes.
    pub(crate) fn read(ctx: &OpContext<'_>, kernel: &[Option<Expr>]) -> Result<Self, Fail> {
        let count = kernel.len();
        let strides = positive(ctx, "strides", count)?;
        let dilations = positive(ctx, "dilations", count)?;
        let padding = match ctx.text_or("auto_pad", "NOTSET") {
            "NOTSET" => Padding::Explicit,
            "SAME_UPPER" | "SAME_LOWER" => Padding::Same,
            "VALID" => Padding::Valid,
            other => {
                return Err(Fail::contradiction(format!("{} has auto_pad {other:?}", ctx.op)));
            }
        };
        // Other padding is instead of what `pads` says.
        let pads = match padding {
            Padding::Explicit => known::list_of(ctx, "pads", count.saturating_mul(2), 0)?,
            Padding::Same | Padding::Valid => vec![0; count.saturating_mul(2)],
        };
        let axes = kernel.iter().enumerate().map(|(axis, size)| Axis {
            extent: size.as_ref().map(|size| (size - 1) * dilations[axis] + 1),
            stride: Expr::from(strides[axis]),
            dilated: dilations[axis] > 1,
            before: Expr::from(pads[axis]),
            after: Expr::from(pads[count + axis]),
        });
        Ok(Self { padding, axes: axes.collect() })
    }

    /// The window along an axis.
    pub(crate) fn axis(&self, axis: usize) -> &Axis {
        &self.axes[axis]
    }

    /// How many places a convolution's window takes along an axis.
    pub(crate) fn convolved(
        &self,
        ctx: &OpContext<'_>,
        axis: usize,
        input: &Expr,
    ) -> Result<Option<Expr>, Fail> {
        let window = &self.axes[axis];
        if self.padding == Padding::Same {
            return Ok(Some(input.ceil_div(&window.stride)));
        }
        let Some(group) = window.group(input) else { return Ok(None) };
        if group.upper_bound().is_some_and(|most| most < 0) {
            return Err(too_large(ctx, window, input));
        }
        Ok(Some(group.floor_div(&window.stride) + 1))
    }

    /// How many places a pooling window takes along an axis; `None` also where the text and what
    /// runs it part.
    pub(crate) fn pooled(
        &self,
        ctx: &OpContext<'_>,
        axis: usize,
        input: &Expr,
        ceil: bool,
    ) -> Result<Option<Expr>, Fail> {
        let window = &self.axes[axis];
        if self.padding == Padding::Same {
            // ONNX Runtime leaves the dilation out when it pads, and gets fewer places.
            return Ok((!window.dilated).then(|| input.ceil_div(&window.stride)));
        }
        let Some(group) = window.group(input) else { return Ok(None) };
        let down = group.floor_div(&window.stride) + 1;
        let places = if ceil {
            let up = window.rounded_up(&group, input);
            // Without padding the text rounds down even so; ONNX Runtime rounds up.
            if self.padding == Padding::Valid && up != down {
                return Ok(None);
            }
            up
        } else {
            down
        };
        // With a window larger than the input, runtimes divide toward zero: one place, until the
        // window is larger by a whole stride.
        let places = match group.as_const() {
            Some(left) if left < 0 => group.trunc_div(&window.stride) + 1,
            _ => places,
        };
        match group.as_const() {
            Some(_) if places.as_const().is_some_and(|places| places > 0) => Ok(Some(places)),
            Some(_) if (&group + &window.stride * 2).as_const().is_some_and(|left| left <= 0) => {
                Err(too_large(ctx, window, input))
            }
            Some(_) => Ok(None),
            None => Ok(Some(places)),
        }
    }
}

impl Axis {
    /// How far the window can move.
    fn group(&self, input: &Expr) -> Option<Expr> {
        let extent = self.extent.as_ref()?;
        Some(input + &self.before + &self.after - extent)
    }

    /// Places when the last window may reach beyond the input, though not start beyond it. Texts
    /// before operator set 22 leave the second half out; what runs them keeps to it all the same.
    fn rounded_up(&self, group: &Expr, input: &Expr) -> Expr {
        let by_reach = group.ceil_div(&self.stride) + 1;
        let by_start = (input + &self.before).ceil_div(&self.stride);
        let Some(extent) = &self.extent else { return Expr::min(&by_reach, &by_start) };
        // Both are quotients by the stride, of `group + stride` and of `group + extent - after`.
        match (&self.after + &self.stride).compare(extent) {
            Some(Ordering::Less | Ordering::Equal) => by_reach,
            Some(Ordering::Greater) => by_start,
            None => Expr::min(&by_reach, &by_start),
        }
    }
}

fn too_large(ctx: &OpContext<'_>, window: &Axis, input: &Expr) -> Fail {
    let extent = window.extent.as_ref().map_or_else(String::new, ToString::to_string);
    Fail::contradiction(format!(
        "the window of {} spans {extent} elements, and its input has {input} padded by {} and {}",
        ctx.op, window.before, window.after
    ))
}

/// A list of positive numbers, ones when it is left out.
fn positive(ctx: &OpContext<'_>, name: &str, count: usize) -> Result<Vec<i64>, Fail> {
    let values = known::list_of(ctx, name, count, 1)?;
    match values.iter().find(|value| **value < 1) {
        Some(value) => Err(Fail::contradiction(format!("{} has {value} in {name}", ctx.op))),
        None => Ok(values),
    }
}
