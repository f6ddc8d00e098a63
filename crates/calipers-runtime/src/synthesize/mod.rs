//! Weights and inputs that are made up, so that a model can run without its own.
//!
//! Random numbers come from a fixed seed: the same model gets the same weights and inputs on every
//! machine.

mod inputs;
mod random;
mod weights;

pub use inputs::inputs;
pub use weights::weights;
