//! Recurrent layers: rows of their own, since the kernels of all gates have two dimensions and the
//! batch comes first.

use calipers_ir::NameId;

use super::{KERAS, Mapped, Site};
use crate::keras::json::Config;
use crate::keras::variables::{cell, inner};

pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    let config = site.layer.config;
    match class {
        "LSTM" | "GRU" | "SimpleRNN" | "RNN" | "CuDNNLSTM" | "CuDNNGRU" => {
            let (class, cell) = cell(class, config);
            Ok(one_way(site, class, cell))
        }
        "Bidirectional" => Ok(both_ways(site)),
        "ConvLSTM1D" => convolutional(site, 1),
        "ConvLSTM2D" => convolutional(site, 2),
        "ConvLSTM3D" => convolutional(site, 3),
        _ => Ok(false),
    }
}

/// The row of a layer or a cell.
fn row(class: &str) -> Option<&'static str> {
    Some(match class {
        "LSTM" | "LSTMCell" | "CuDNNLSTM" => "LSTM",
        "GRU" | "GRUCell" | "CuDNNGRU" => "GRU",
        "SimpleRNN" | "SimpleRNNCell" => "SimpleRNN",
        _ => return None,
    })
}

/// The weights of a cell: kernel, recurrent kernel, bias.
fn weights(site: &Site<'_, '_>, part: &str) -> [NameId; 3] {
    ["kernel", "recurrent_kernel", "bias"].map(|name| site.weight_of(part, name))
}

/// Gives the node what it returns, and how wide its state is.
fn returns(site: &mut Site<'_, '_>, config: Config<'_>, cell: Config<'_>) -> Option<()> {
    let units = cell.int("units")?;
    let sequences = config.flag("return_sequences", false);
    let states = config.flag("return_state", false);
    site.node.int("units", units).int("return_sequences", i64::from(sequences));
    site.node.int("return_state", i64::from(states));
    site.rank = Some(if sequences { 3 } else { 2 });
    Some(())
}

/// The values behind the first: what the states are at first.
fn states(site: &Site<'_, '_>) -> Vec<NameId> {
    site.inputs.iter().skip(1).copied().collect()
}

fn one_way(site: &mut Site<'_, '_>, class: &str, cell: Config<'_>) -> bool {
    let config = site.layer.config;
    let Some(row) = row(class) else { return false };
    site.node.is_of(KERAS, row);
    if returns(site, config, cell).is_none() || config.flag("time_major", false) {
        return false;
    }
    let [kernel, recurrent, bias] = weights(site, "cell");
    let mut operands = vec![kernel, recurrent, bias, site.mask("mask")];
    operands.extend(states(site));
    site.operands(1, &operands);
    true
}

fn both_ways(site: &mut Site<'_, '_>) -> bool {
    let config = site.layer.config;
    let Some(inside) = inner(config) else { return false };
    let row = match row(inside.class) {
        Some("LSTM") => "BidirectionalLSTM",
        Some("GRU") => "BidirectionalGRU",
        Some("SimpleRNN") => "BidirectionalSimpleRNN",
        _ => return false,
    };
    site.node.is_of(KERAS, row);
    if returns(site, inside.config, inside.config).is_none() {
        return false;
    }
    let merge = match config.get("merge_mode").and_then(serde_json::Value::as_str) {
        Some("concat") => 1,
        Some("sum" | "mul" | "ave") => 2,
        _ => 0,
    };
    site.node.int("merge", merge);
    let [kernel, recurrent, bias] = weights(site, "forward_layer/cell");
    let backward = weights(site, "backward_layer/cell");
    let mut operands = vec![kernel, recurrent, bias, site.mask("mask")];
    operands.extend(backward);
    operands.extend(states(site));
    site.operands(1, &operands);
    true
}

fn convolutional(site: &mut Site<'_, '_>, space: usize) -> Mapped {
    use super::convolution::{Window, has_channels_last};

    let config = site.layer.config;
    let sizes = config.ints(&["kernel_size"], space);
    let Some(window) = Window::read(config, sizes, space) else { return Ok(false) };
    let Some(filters) = config.int("filters") else { return Ok(false) };
    let sequences = config.flag("return_sequences", false);
    let states = config.flag("return_state", false);
    if !has_channels_last(config) {
        return Ok(false);
    }
    let [kernel, recurrent, bias] = weights(site, "cell");
    site.node.is_of(KERAS, "ConvLSTM");
    window.give(site);
    site.node.int("units", filters).int("return_sequences", i64::from(sequences));
    site.node.int("return_state", i64::from(states));
    site.operands(1, &[kernel, recurrent, bias]);
    site.rank = Some(if sequences { space + 3 } else { space + 2 });
    Ok(true)
}
