//! The dimensions of weights that a file does not have, by what the configuration states.

use super::json::Config;
use super::network::{Layer, Shape};
use super::variables::Variable;

/// The dimensions of a variable; `None` where they do not follow.
pub(super) fn dims(
    layer: &Layer<'_>,
    variable: &Variable,
    input: Option<&Shape>,
) -> Option<Vec<i64>> {
    let config = layer.config;
    let input = layer.built_for.as_ref().or(input)?;
    let last = || input.dims.last().copied().flatten();
    match layer.class {
        "Dense" => {
            let units = config.int("units").or(config.int("output_dim"))?;
            match variable.name {
                "kernel" => Some(vec![last()?, units]),
                "bias" => Some(vec![units]),
                _ => None,
            }
        }
        "Embedding" => match variable.name {
            "embeddings" => Some(vec![config.int("input_dim")?, config.int("output_dim")?]),
            _ => None,
        },
        "BatchNormalization" | "GroupNormalization" | "LayerNormalization" => {
            Some(vec![along_axis(config, input)?])
        }
        "LSTM" | "GRU" | "SimpleRNN" => {
            let units = config.int("units")?;
            let gates = match layer.class {
                "LSTM" => 4,
                "GRU" => 3,
                _ => 1,
            };
            let width = units.checked_mul(gates)?;
            match variable.name {
                "kernel" => Some(vec![last()?, width]),
                "recurrent_kernel" => Some(vec![units, width]),
                // One bias for each product, where the reset comes after it.
                _ if layer.class == "GRU" && config.flag("reset_after", true) => {
                    Some(vec![2, width])
                }
                _ => Some(vec![width]),
            }
        }
        class => convolution(class, config, variable.name, input),
    }
}

/// The one dimension that is normalized.
fn along_axis(config: Config<'_>, input: &Shape) -> Option<i64> {
    let axis = config.int("axis").unwrap_or(-1);
    let rank = i64::try_from(input.dims.len()).ok()?;
    let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
    input.dims.get(usize::try_from(axis).ok()?).copied().flatten()
}

/// Axes of space of a convolution.
fn convolution_space(class: &str) -> Option<usize> {
    let kind = class.strip_suffix("Transpose").unwrap_or(class);
    let space = match kind.get(kind.len().checked_sub(2)?..)? {
        "1D" => 1,
        "2D" => 2,
        "3D" => 3,
        _ => return None,
    };
    let kinds = ["Conv", "DepthwiseConv", "SeparableConv"];
    kinds.contains(&kind.get(..kind.len() - 2)?).then_some(space)
}

fn convolution(class: &str, config: Config<'_>, variable: &str, input: &Shape) -> Option<Vec<i64>> {
    let space = convolution_space(class)?;
    let is_first = config.text("data_format") == "channels_first";
    let place = if is_first { 1 } else { input.dims.len().checked_sub(1)? };
    let channels = input.dims.get(place).copied().flatten()?;
    let each = config.int("depth_multiplier").unwrap_or(1);
    let filters = config.int("filters");
    let mut dims = config.ints(&["kernel_size"], space)?;
    let is_by_channel = class.starts_with("Depthwise");
    let last = match variable {
        "bias" if is_by_channel => return Some(vec![channels.checked_mul(each)?]),
        "bias" => return Some(vec![filters?]),
        "pointwise_kernel" => {
            dims = vec![1; space];
            [channels.checked_mul(each)?, filters?]
        }
        "depthwise_kernel" => [channels, each],
        "kernel" if is_by_channel => [channels, each],
        "kernel" if class.ends_with("Transpose") => [filters?, channels],
        "kernel" => [channels.checked_div(config.int("groups").unwrap_or(1))?, filters?],
        _ => return None,
    };
    dims.extend(last);
    Some(dims)
}
