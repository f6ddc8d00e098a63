//! Sentences that kinds of models share, one file to a subject.

pub(super) mod assumptions;
pub(super) mod cache;
pub(super) mod cost;
pub(super) mod findings;
pub(super) mod place;
pub(super) mod ports;
pub(super) mod quantization;
pub(super) mod size;
pub(super) mod title;
