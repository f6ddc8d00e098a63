//! Processors: the kernels that ONNX Runtime runs on one, and how long each takes on a number of
//! threads.

mod fit;
mod layout;
mod operators;
mod quantizers;
mod shape_nodes;
mod timing;

pub use fit::{KernelMeasurement, fit_cpu};
pub use operators::kernels as processor_kernels;
pub(crate) use timing::ProcessorClock;
pub use timing::{CpuTiming, KindTiming, ProcessorKernel, ProcessorKind};

#[cfg(test)]
mod tests;

use calipers_report::Precision;

use crate::kernels::Quantized;
use crate::workload::Load;

/// The sizes of a kernel on a processor. It computes in 32-bit floats, or in 8-bit integers. Cold
/// weights come from memory in every run.
pub(crate) fn on_processor(
    load: &Load,
    weight_bytes: f64,
    precision: Precision,
    are_weights_cold: bool,
) -> Option<ProcessorKernel> {
    let kind = load.processor?;
    let bytes = match load.quantized {
        Some(Quantized { weights_only: false, .. }) => load.activations + weight_bytes,
        Some(_) => 4.0 * load.activations + weight_bytes,
        None => 4.0 * (load.activations + load.weights),
    };
    // 16-bit floats are widened before a kernel and narrowed after it.
    let casts = if precision.bits() == 16 { load.activations } else { 0.0 };
    let elements = match kind {
        ProcessorKind::Reduce => load.activations,
        _ => load.results,
    };
    let macs = load.flops / 2.0;
    let (rows, depth, steps) = (load.rows, load.depth.max(1.0), load.steps);
    let cold_bytes = match load.quantized {
        _ if !are_weights_cold => 0.0,
        Some(_) => weight_bytes,
        None => 4.0 * load.weights,
    };
    let bytes = bytes + 6.0 * casts;
    Some(ProcessorKernel { kind, macs, elements, bytes, cold_bytes, rows, depth, steps })
}
