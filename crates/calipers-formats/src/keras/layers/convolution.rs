//! Products with kernels and matrices: dense layers and convolutions.

use calipers_ir::assembly::Setting;
use serde_json::Value;

use super::{FRAMEWORKS, KERAS, Mapped, Site};
use crate::keras::json::Config;
use crate::keras::variables::inner;

pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    match class {
        "Dense" => {
            dense(site, "");
            Ok(true)
        }
        "EinsumDense" => {
            einsum(site);
            Ok(true)
        }
        "Embedding" => {
            let table = site.weight("embeddings");
            let mut inputs = vec![table];
            inputs.extend(site.inputs.first());
            site.node.is("Gather").int("axis", 0);
            site.node.inputs = inputs;
            site.rank = site.input_rank().map(|rank| rank + 1);
            Ok(true)
        }
        "Conv1D" => plain(site, 1),
        "Conv2D" => plain(site, 2),
        "Conv3D" => plain(site, 3),
        "Conv1DTranspose" => transposed(site, 1),
        "Conv2DTranspose" => transposed(site, 2),
        "Conv3DTranspose" => transposed(site, 3),
        "DepthwiseConv1D" => depthwise(site, 1),
        "DepthwiseConv2D" => depthwise(site, 2),
        "SeparableConv1D" => separable(site, 1),
        "SeparableConv2D" => separable(site, 2),
        "TimeDistributed" => over_time(site),
        _ => Ok(false),
    }
}

/// A dense layer, whose weights may be those of a layer inside.
fn dense(site: &mut Site<'_, '_>, part: &str) {
    let weights = [site.weight_of(part, "kernel"), site.weight_of(part, "bias")];
    site.node.is_of(FRAMEWORKS, "Linear");
    site.operands(1, &weights);
    if part.is_empty() {
        site.keep_activation();
    }
    site.rank = site.input_rank();
}

fn einsum(site: &mut Site<'_, '_>) {
    let weights = [site.weight("kernel"), site.weight("bias")];
    let equation = site.config().text("equation").to_owned();
    site.node.is_of(KERAS, "EinsumDense").text("equation", &equation);
    site.operands(1, &weights);
    site.keep_activation();
    let output = equation.split("->").nth(1).map(|output| output.chars().count());
    site.rank = output.filter(|_| !equation.contains("..."));
}

/// Whether the channels come last, as they do unless the configuration says otherwise.
pub(super) fn has_channels_last(config: Config<'_>) -> bool {
    let stated = config.any(&["data_format", "dim_ordering"]).and_then(Value::as_str);
    !matches!(stated, Some("channels_first" | "th"))
}

/// Marks the first input and output as having their channels last, where they do.
pub(super) fn order_channels(site: &mut Site<'_, '_>, config_is_last: bool, space: usize) {
    if config_is_last && let Ok(rank) = u8::try_from(space + 2) {
        site.node.channels_last(rank);
    }
    site.rank = Some(space + 2);
}

/// A window's sizes, strides and padding.
pub(super) struct Window {
    pub(super) sizes: Vec<i64>,
    pub(super) strides: Vec<i64>,
    pub(super) dilations: Vec<i64>,
    padding: Padding,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    Valid,
    Same,
    Causal,
}

/// Sizes of kernels, by version.
const SIZES: &[&str] = &["kernel_size", "filter_length"];

impl Window {
    /// Reads the window of a layer; `None` for one that is not known.
    pub(super) fn read(config: Config<'_>, sizes: Option<Vec<i64>>, space: usize) -> Option<Self> {
        let ones = || vec![1; space];
        let padding = match config.any(&["padding", "border_mode"]).and_then(Value::as_str) {
            Some("same" | "SAME") => Padding::Same,
            Some("causal") => Padding::Causal,
            Some("valid" | "VALID") | None => Padding::Valid,
            Some(_) => return None,
        };
        let strides = config.ints(&["strides", "subsample", "subsample_length"], space);
        Some(Self {
            sizes: sizes?,
            strides: strides.unwrap_or_else(ones),
            dilations: config.ints(&["dilation_rate"], space).unwrap_or_else(ones),
            padding,
        })
    }

    /// The window as attributes.
    fn settings(&self) -> Vec<(&'static str, Setting)> {
        let mut settings = vec![
            ("kernel_shape", Setting::Ints(self.sizes.clone())),
            ("strides", Setting::Ints(self.strides.clone())),
        ];
        if self.dilations.iter().any(|dilation| *dilation != 1) {
            settings.push(("dilations", Setting::Ints(self.dilations.clone())));
        }
        match self.padding {
            Padding::Valid => {}
            Padding::Same => settings.push(("auto_pad", Setting::Text("SAME_UPPER".to_owned()))),
            Padding::Causal => {
                let reach = self.sizes.iter().zip(&self.dilations);
                let before =
                    reach.map(|(size, dilation)| size.saturating_sub(1).saturating_mul(*dilation));
                let mut pads: Vec<i64> = before.collect();
                pads.resize(self.sizes.len() * 2, 0);
                settings.push(("pads", Setting::Ints(pads)));
            }
        }
        settings
    }

    /// Gives the node the window.
    pub(super) fn give(&self, site: &mut Site<'_, '_>) {
        site.node.attributes.extend(self.settings());
    }
}

/// The order that the row of `Conv` has for a kernel whose channels are last: `[…, in, out]`.
fn kernel_order(space: usize) -> Vec<u8> {
    let axis = |axis: usize| u8::try_from(axis).unwrap_or_default();
    [axis(space + 1), axis(space)].into_iter().chain((0..space).map(axis)).collect()
}

/// The sizes of a kernel: as stated, or as it is stored.
fn sizes(site: &Site<'_, '_>, config: Config<'_>, kernel: &str, space: usize) -> Option<Vec<i64>> {
    let stored = || {
        let placed = site.placed("", kernel)?;
        placed.dims.get(..space).map(<[i64]>::to_vec)
    };
    config.ints(SIZES, space).or_else(stored)
}

/// The activations that a fused convolution has names for.
fn fused(activation: &str) -> Option<&'static str> {
    Some(match activation {
        "relu" => "Relu",
        "sigmoid" => "Sigmoid",
        "tanh" => "Tanh",
        _ => return None,
    })
}

/// Gives a convolution its activation: that of the fused operator, or as a text.
fn convolve(site: &mut Site<'_, '_>) {
    let activation = site.config().function("activation").to_owned();
    match activation.as_str() {
        "" | "linear" => {
            site.node.is("Conv");
        }
        "relu6" => {
            site.node.is_of("com.microsoft", "FusedConv").text("activation", "Clip");
            site.node.with("activation_params", Setting::Floats(vec![0.0, 6.0]));
        }
        other => match fused(other) {
            Some(name) => {
                site.node.is_of("com.microsoft", "FusedConv").text("activation", name);
            }
            None => {
                site.node.is("Conv").text("activation", other);
            }
        },
    }
}

fn plain(site: &mut Site<'_, '_>, space: usize) -> Mapped {
    let config = site.layer.config;
    let Some(window) = Window::read(config, sizes(site, config, "kernel", space), space) else {
        return Ok(false);
    };
    let weights = [site.weight("kernel"), site.weight("bias")];
    convolve(site);
    window.give(site);
    site.node.int("group", config.int("groups").unwrap_or(1));
    site.node.input_order(1, &kernel_order(space));
    site.operands(1, &weights);
    order_channels(site, has_channels_last(config), space);
    Ok(true)
}

fn transposed(site: &mut Site<'_, '_>, space: usize) -> Mapped {
    let config = site.layer.config;
    let Some(window) = Window::read(config, sizes(site, config, "kernel", space), space) else {
        return Ok(false);
    };
    let stated = config.ints(&["output_padding"], space);
    let (mut before, mut after, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for (axis, size) in window.sizes.iter().enumerate() {
        let stride = window.strides.get(axis).copied().unwrap_or(1);
        let dilation = window.dilations.get(axis).copied().unwrap_or(1);
        let extent = size.saturating_sub(1).saturating_mul(dilation).saturating_add(1);
        // Without a stated padding the output is the input by the stride, and at least that.
        let surplus = extent.saturating_sub(stride);
        let (padding, more) = match (window.padding, stated.as_ref()) {
            (Padding::Same, None) => (surplus.max(0), surplus.min(0).saturating_neg()),
            (_, None) => (0, surplus.min(0).saturating_neg()),
            (Padding::Same, Some(stated)) => (size / 2 * 2, stated.get(axis).copied().unwrap_or(0)),
            (_, Some(stated)) => (0, stated.get(axis).copied().unwrap_or(0)),
        };
        before.push(padding / 2);
        after.push(padding - padding / 2);
        added.push(more);
    }
    before.extend(after);
    let weights = [site.weight("kernel"), site.weight("bias")];
    site.node.is("ConvTranspose").ints("strides", &window.strides).ints("pads", &before);
    site.node.ints("kernel_shape", &window.sizes).ints("dilations", &window.dilations);
    site.node.ints("output_padding", &added);
    site.node.input_order(1, &kernel_order(space));
    site.operands(1, &weights);
    site.keep_activation();
    order_channels(site, has_channels_last(config), space);
    Ok(true)
}

/// A kernel for each channel: the row of `Conv` has those of several per channel in one dimension,
/// and Keras in two.
fn depthwise(site: &mut Site<'_, '_>, space: usize) -> Mapped {
    let config = site.layer.config;
    let Some(window) = Window::read(config, sizes(site, config, "kernel", space), space) else {
        return Ok(false);
    };
    let weights = [site.weight("kernel"), site.weight("bias")];
    let channels = site.placed("", "kernel").and_then(|kernel| kernel.dims.get(space).copied());
    match (config.int("depth_multiplier").unwrap_or(1), channels) {
        (1, Some(channels)) => {
            convolve(site);
            site.node.int("group", channels);
        }
        _ => {
            site.node.is_of(KERAS, "DepthwiseConv");
            site.keep_activation();
        }
    }
    window.give(site);
    site.node.input_order(1, &kernel_order_by_channel(space));
    site.operands(1, &weights);
    order_channels(site, has_channels_last(config), space);
    Ok(true)
}

/// The order that a kernel for each channel is expected in: `[…, in, per channel]` as it is stored.
fn kernel_order_by_channel(space: usize) -> Vec<u8> {
    let mut order = kernel_order(space);
    order.swap(0, 1);
    order
}

fn separable(site: &mut Site<'_, '_>, space: usize) -> Mapped {
    let config = site.layer.config;
    let stated = sizes(site, config, "depthwise_kernel", space);
    let Some(window) = Window::read(config, stated, space) else { return Ok(false) };
    let weights = ["depthwise_kernel", "pointwise_kernel", "bias"].map(|name| site.weight(name));
    site.node.is_of(KERAS, "SeparableConv");
    window.give(site);
    site.node.input_order(1, &kernel_order_by_channel(space));
    site.node.input_order(2, &kernel_order(space));
    site.operands(1, &weights);
    site.keep_activation();
    order_channels(site, has_channels_last(config), space);
    Ok(true)
}

/// A layer at every step: what works on the last dimension alone does not notice the step.
fn over_time(site: &mut Site<'_, '_>) -> Mapped {
    let Some(inside) = inner(site.layer.config) else { return Ok(false) };
    match inside.class {
        "Dense" => {
            dense(site, "layer");
            Ok(true)
        }
        "Activation" => {
            let function = inside.config.function("activation");
            super::activation::apply(site, function)
        }
        "Dropout" | "ReLU" | "LeakyReLU" | "ELU" => {
            site.is(match inside.class {
                "Dropout" => "Identity",
                "LeakyReLU" => "LeakyRelu",
                "ELU" => "Elu",
                _ if inside.config.get("max_value").is_some() => return Ok(false),
                _ => "Relu",
            });
            Ok(true)
        }
        "Flatten" => {
            // The step counts once, and what it holds is one row.
            let shape = site.assembly.integers("shape", &[0, 0, -1])?;
            site.node.is("Reshape");
            site.operands(1, &[shape]);
            site.rank = Some(3);
            Ok(true)
        }
        "Conv1D"
        | "Conv2D"
        | "MaxPooling2D"
        | "AveragePooling2D"
        | "MaxPooling1D"
        | "AveragePooling1D"
        | "GlobalAveragePooling2D"
        | "GlobalMaxPooling2D"
        | "GlobalAveragePooling1D"
        | "GlobalMaxPooling1D" => {
            let space = if inside.class.ends_with("1D") { 1 } else { 2 };
            window_over_time(site, inside.class, inside.config, space)
        }
        _ => Ok(false),
    }
}

fn window_over_time(
    site: &mut Site<'_, '_>,
    class: &str,
    config: Config<'_>,
    space: usize,
) -> Mapped {
    let is_global = class.starts_with("Global");
    let is_convolution = class.starts_with("Conv");
    if is_global {
        let first = if has_channels_last(config) { 2 } else { 3 };
        let axes: Vec<i64> = (first..).take(space).collect();
        let axes = site.assembly.integers("axes", &axes)?;
        let keeps = config.flag("keepdims", false);
        let op = if class.contains("Max") { "ReduceMax" } else { "ReduceMean" };
        site.node.is(op).int("keepdims", i64::from(keeps));
        site.operands(1, &[axes]);
        site.rank = Some(if keeps { space + 3 } else { 3 });
        return Ok(true);
    }
    let names: &[&str] = if is_convolution { SIZES } else { &["pool_size", "pool_length"] };
    let stated = config.ints(names, space);
    let Some(mut window) = Window::read(config, stated, space) else { return Ok(false) };
    if !is_convolution && config.any(&["strides"]).is_none() {
        window.strides.clone_from(&window.sizes);
    }
    let weights = [site.weight_of("layer", "kernel"), site.weight_of("layer", "bias")];
    site.node.is_of(
        KERAS,
        match class.get(..3) {
            Some("Con") => "ConvOverTime",
            Some("Max") => "MaxPoolOverTime",
            _ => "AveragePoolOverTime",
        },
    );
    window.give(site);
    if is_convolution {
        site.node.int("group", config.int("groups").unwrap_or(1));
        site.node.input_order(1, &kernel_order(space));
    }
    site.operands(1, &weights);
    if has_channels_last(config) {
        let last = u8::try_from(space + 2).unwrap_or_default();
        let order: Vec<u8> = [0, 1, last].into_iter().chain(2..last).collect();
        site.node.input_order(0, &order).output_order(0, &order);
    }
    site.rank = Some(space + 3);
    Ok(true)
}
