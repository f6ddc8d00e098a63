//! Executes models: with ONNX Runtime, which the user has, or with rten, which is built in.
//!
//! [`open`] makes a [`Session`] of a model; [`Session::run`] takes and returns [`Tensor`]s. No file
//! is executed or fetched, and files are opened only inside the model's folder.

#![cfg_attr(
    not(any(feature = "onnxruntime", feature = "rten")),
    allow(
        dead_code,
        unused_variables,
        reason = "without a runtime, opening a session is an error"
    )
)]

#[cfg(feature = "apply")]
pub mod apply;
mod available;
pub mod bench;
mod error;
#[cfg(feature = "onnxruntime")]
mod library;
mod session;
mod source;
pub mod synthesize;
mod tensor;
pub mod verify;

pub use error::Error;
pub use session::{
    Engine, Observed, Output, Provider, Read, Session, SessionOptions, open, version,
};
pub use source::{DataFiles, Exposed, ModelSource};
pub use tensor::{Elements, Tensor};
