//! One model at bound sizes on one device: what measurements are compared with.

use calipers_devices::{Device, Precision};
use calipers_ir::Model;

use super::activations::Activations;
use super::estimate::{Range, estimate};
use super::kernels;
use crate::blocks;
use crate::infer::Bindings;
use crate::net::Net;

/// A time and how far it can be believed, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Milliseconds {
    /// It may be as little.
    pub low: f64,
    /// What to reckon with.
    pub expected: f64,
    /// It may be as much.
    pub high: f64,
}

impl From<Range> for Milliseconds {
    fn from(range: Range) -> Self {
        let Range { low, expected, high } = range;
        Self { low: low * 1e3, expected: expected * 1e3, high: high * 1e3 }
    }
}

/// What one run takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// When a recorded graph is replayed, or a compiled engine runs.
    pub replayed: Milliseconds,
    /// When the host issues every operation.
    pub issued: Milliseconds,
    /// Of the expected replay, what arithmetic, memory and launching bound, in milliseconds.
    pub bounds: [f64; 3],
    /// The dearest kernels: kind, node, milliseconds.
    pub dearest: Vec<(&'static str, String, f64)>,
    /// Share of the device's peak that the contractions reach, in percent.
    pub peak_percent: Option<f64>,
    /// Share of the device's bandwidth that is reached, in percent; above 100 where caches serve.
    pub bandwidth_percent: Option<f64>,
    /// Milliseconds to read the weights once at the device's full bandwidth.
    pub weights_once: f64,
    /// Kernels that are launched.
    pub kernels: usize,
    /// Whether the constants are another device's, or nobody's.
    pub is_carried: bool,
    /// Low and high are about the expected time divided and multiplied by this.
    pub factor: f64,
    /// Activations at their peak, with the workspace of the kernel that runs then, without inputs.
    pub peak_activation_bytes: u64,
    /// What it rests on, in words.
    pub method: Vec<String>,
}

/// What one run of a model takes on a device. Every dimension that matters has to be bound.
pub fn predict(
    model: &Model,
    bindings: &Bindings,
    device: &Device,
    precision: Precision,
) -> Result<Prediction, String> {
    let typed = crate::infer(model, bindings).map_err(|error| error.to_string())?;
    let mut net = Net::build(model, &typed);
    blocks::recognise(&mut net);
    let size = |_: &str| None;
    let estimate = estimate(&kernels::find(&net), &size, device, precision)?;
    let peak = Activations::of(&net).peak(&size, precision)?;
    let dearest = estimate
        .dearest()
        .map(|kernel| (kernel.kind.name(), model.node_label(kernel.node), kernel.seconds * 1e3));
    Ok(Prediction {
        replayed: estimate.replayed.into(),
        issued: estimate.issued.into(),
        bounds: [estimate.compute, estimate.memory, estimate.launches].map(|bound| bound * 1e3),
        dearest: dearest.collect(),
        peak_percent: estimate.peak_percent,
        bandwidth_percent: estimate.bandwidth_percent,
        weights_once: estimate.weights_once * 1e3,
        kernels: estimate.kernels,
        is_carried: estimate.is_carried,
        factor: estimate.factor,
        peak_activation_bytes: peak.activations.saturating_add(peak.workspace),
        method: estimate.method,
    })
}
