//! Using a model for what it is made for: texts, images, sounds and tensors in, answers out.
//!
//! Functions here prepare inputs and read outputs; they do not run anything. Everything that is
//! inferred about a model's inputs (size, layout, mean and standard deviation) is a value that the
//! caller can print and override.

pub mod audio;
pub mod detect;
pub mod generate;
pub mod image;
pub mod npy;
pub mod pipeline;
pub mod scores;
pub mod text;
