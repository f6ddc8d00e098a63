//! Sentences that all kinds of models share, one file per topic.

pub(super) mod assumptions;
pub(super) mod cache;
pub(super) mod cost;
pub(super) mod devices;
pub(super) mod findings;
pub(super) mod quantization;
pub(super) mod size;
pub(super) mod title;
