//! Reads every element of stored tensors: what they are like, and which are the same.
//!
//! [`scan`] goes over tensors where they are, in pieces, on every core, and lets each piece go
//! when it is read: memory does not follow the size of the model. [`digest`] identifies equal tensors.
//!
//! ```
//! use calipers_ir::{DType, Source, Span};
//! use calipers_weights::{Channels, Item, scan};
//!
//! let bytes: Vec<u8> = [1.0_f32, 3.0, f32::NAN].iter().flat_map(|x| x.to_le_bytes()).collect();
//! let source = Source::new(bytes);
//! let span = Span { start: 0, end: 12 };
//! let item = Item { dtype: DType::Float32, elements: 3, source: &source, span, channels: Channels::None };
//! let seen = &scan(&[item], &|_| {})[0].stats;
//! assert_eq!((seen.nan, seen.mean, seen.max), (1, 2.0, 3.0));
//! ```
//!
//! Sums are made in an order that the code fixes and not the machine: the same bytes give the same
//! figures on every processor.
#![deny(unsafe_code)]

mod bytes;
mod channels;
mod cores;
mod dequantize;
mod difference;
mod elements;
mod kernel;
mod locate;
mod scan;
mod stats;
mod vectors;
mod walk;

pub use channels::Channels;
pub use cores::on_every_core;
pub use dequantize::{Parameter, Quantization};
pub use difference::Difference;
pub use elements::{Elements, is_number};
pub use locate::{Location, MAX_UNPACKED, locate};
pub use scan::{Item, Scanned, digest, digest_bytes, scan, scan_bytes};
pub use stats::Stats;
pub use walk::{Axis, Stream, TensorPair, differences, in_order};
