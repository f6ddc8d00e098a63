//! Where the model will run, and how fast.
//!
//! `kernels` finds what a framework launches, `estimate` says how long that takes on a device,
//! `activations` how much memory it needs meanwhile. `subject` holds the model at any batch and
//! length; `room`, `scaling`, `generation` and `requirements` each answer a question about it, and
//! `answer` puts the section together. `choices` tabulates times for the sizes that a reader of the
//! HTML report can choose.
#![forbid(unsafe_code)]

mod activations;
mod answer;
mod choices;
pub mod devices;
mod estimate;
mod generation;
mod kernels;
mod requirements;
mod resolution;
mod roofline;
mod room;
mod scaling;
mod subject;
#[cfg(test)]
mod testing;

pub use answer::{Question, WELL_KNOWN, answer};
pub use choices::size_choices;
pub use devices::KernelKind;
pub use kernels::{Kernel, kernel_of_shape};
pub use subject::{Batch, Running, Subject};
