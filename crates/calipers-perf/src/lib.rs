//! Where the model will run, and how fast.
//!
//! `kernels` finds what a framework launches, `estimate` says how long that takes on a device,
//! `activations` how much memory it needs meanwhile. `profile` holds the model at any batch and
//! length; `memory_fit`, `scaling`, `generation` and `requirements` each answer a query about it, and
//! `answer` puts the section together. `choices` tabulates times for the sizes that a reader of the
//! HTML report can choose.
#![forbid(unsafe_code)]

mod activations;
mod choices;
pub mod devices;
mod estimate;
mod generation;
mod kernels;
mod memory_fit;
mod profile;
mod query;
mod requirements;
mod resolution;
mod roofline;
mod scaling;
#[cfg(test)]
mod testing;

pub use choices::size_choices;
pub use devices::KernelKind;
pub use kernels::{Kernel, kernel_of_shape};
pub use profile::{Batch, ExecutionPlan, ModelProfile};
pub use query::{HardwareQuery, WELL_KNOWN, answer};
