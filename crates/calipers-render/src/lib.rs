//! Renderings of one `calipers_report::Report`: peers over the same value, none of which
//! computes a figure.
#![forbid(unsafe_code)]

pub mod json;
pub mod text;
pub mod units;

pub use json::to_json;
