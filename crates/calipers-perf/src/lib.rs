//! Where a model runs, and how fast.
//!
//! `kernels` finds the kernels that a runtime launches, with the fusions of `runtime`; `workload`
//! groups alike ones, `estimate` returns their time on a device, `activations` the memory that they
//! need. `profile` is the model at
//! any batch and length; `memory_fit`, `scaling`, `generation` and `requirements` evaluate it, and
//! [`answer`] fills the report's hardware section. `choices` tabulates times for the sizes that a
//! reader of the HTML report can choose.
#![forbid(unsafe_code)]

mod activations;
mod choices;
pub mod devices;
mod estimate;
mod generation;
mod kernels;
mod memory_fit;
mod node_times;
mod processor;
mod profile;
mod query;
mod requirements;
mod resolution;
mod roofline;
mod runtime;
mod scaling;
#[cfg(test)]
mod testing;
mod workload;

pub use choices::size_choices;
pub use devices::KernelKind;
pub use kernels::{Kernel, kernel_of_shape, of_pytorch as pytorch_kernels};
pub use node_times::node_times;
pub use processor::{
    CpuTiming, KernelMeasurement, KindTiming, ProcessorKernel, ProcessorKind, fit_cpu,
    processor_kernels,
};
pub use profile::{Batch, ExecutionPlan, ModelProfile};
pub use query::{HardwareQuery, WELL_KNOWN, answer};
