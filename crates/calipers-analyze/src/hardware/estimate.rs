//! How long kernels take on a device, added up.

use calipers_devices::{Device, Precision};
use calipers_ir::NodeId;
use calipers_sym::Expr;

use super::kernels::{Kernel, KernelKind};

/// A figure with how far it can be believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) expected: f64,
    pub(crate) high: f64,
}

/// How long one run takes, in seconds, and what takes the time.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// When a recorded graph is replayed, or a compiled engine runs.
    pub(crate) replayed: Range,
    /// When the host issues every operation.
    pub(crate) issued: Range,
    /// Seconds in kernels that arithmetic, memory and launching bound.
    pub(crate) compute: f64,
    pub(crate) memory: f64,
    pub(crate) launches: f64,
    pub(crate) kernels: usize,
    /// The dearest kernels with their seconds, dearest first.
    pub(crate) dearest: Vec<(KernelKind, NodeId, f64)>,
    /// Share of the device's peak that the contractions reach, in percent.
    pub(crate) peak_percent: Option<f64>,
    /// What it rests on, in words.
    pub(crate) method: Vec<String>,
}

/// Why there is no estimate.
pub(crate) type NoEstimate = String;

/// How long the kernels take on a device at a precision. `size` gives each free dimension its size.
pub(crate) fn estimate(
    kernels: &[Kernel],
    size: &dyn Fn(&str) -> Option<i64>,
    device: &Device,
    precision: Precision,
) -> Result<Estimate, NoEstimate> {
    let peak = device.runs_at(precision).ok_or("no peak is known")?.flops;
    let bandwidth = device.bandwidth().ok_or("no bandwidth is known")?;
    let figure = |expr: &Expr| -> Result<f64, NoEstimate> {
        let value = expr.evaluate_wide(size).map_err(|error| error.to_string())?;
        #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
        Ok(value as f64)
    };
    let bytes_each = f64::from(precision.bits()) / 8.0;
    let (mut compute, mut memory) = (0.0, 0.0);
    for kernel in kernels {
        let work = 2.0 * figure(&kernel.macs)? / (peak * 0.5);
        let moved = (figure(&kernel.activations)? + figure(&kernel.weights)?) * bytes_each;
        let moving = moved / (bandwidth * 0.6);
        if work > moving { compute += work } else { memory += moving }
    }
    #[expect(clippy::cast_precision_loss, reason = "kernels are few")]
    let count = kernels.len() as f64;
    let launches = count * 2.5e-6;
    let total = compute + memory + launches;
    let range = |expected: f64| Range { low: expected / 2.0, expected, high: expected * 2.0 };
    Ok(Estimate {
        replayed: range(total),
        issued: range(total.max(count * 14e-6)),
        compute,
        memory,
        launches,
        kernels: kernels.len(),
        dearest: Vec::new(),
        peak_percent: None,
        method: Vec::new(),
    })
}
