//! Graphs of networks against figures that follow from their sizes by hand.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod common;
mod decoders;
mod encoders;
mod families;
mod hostile;
mod parameters;
