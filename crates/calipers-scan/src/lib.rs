//! Datasets of many models: a row for each model, layer, tensor, finding and value.
//!
//! ```no_run
//! use calipers_scan::{LocalFile, ScanOptions, scan};
//!
//! let files = vec![LocalFile::new("models/resnet50.onnx".into())];
//! let summary = scan(files, "dataset".as_ref(), &ScanOptions::default(), &|_| {})?;
//! println!("{} models, {} unreadable", summary.done, summary.failed);
//! # Ok::<(), calipers_scan::Error>(())
//! ```
//!
//! A dataset is a folder with a folder for each table. What was scanned is in the manifest, so that a scan can be
//! interrupted at any time and goes on where it was: see [`scan`].
#![forbid(unsafe_code)]

mod cells;
mod dataset;
mod digest;
mod error;
mod journal;
pub mod panics;
mod parquet;
mod part;
mod place;
mod read;
mod registry;
mod rows;
mod scanning;
mod signature;
mod table;
mod writer;

pub use calipers_report::{FindingRow, LayerRow, ShapeRow, TensorRow};
pub use dataset::Format;
pub use digest::architecture_digest;
pub use error::Error;
pub use place::{LocalFile, Opened, Place, Renamed, redacted_path};
pub use read::read_models;
pub use registry::registry;
pub use rows::{Rows, rows, unread};
pub use scanning::{Progress, ScanOptions, Summary, scan};
pub use table::{Column, ColumnKind, Table, columns_markdown, record_batch};
