//! Pictures of models and of strange reports: what stands in them, and that nothing overlaps, is
//! cut, or does what a name says.
#![cfg(feature = "png")]
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod layout;
mod models;
mod odd;
mod pixels;
mod small;
