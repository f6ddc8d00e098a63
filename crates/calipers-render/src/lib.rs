//! Renderings of one [`calipers_report::Report`]: peers over the same value. None
//! computes a figure.
//!
//! ```
//! use calipers_render::{Style, json, terminal};
//!
//! let report = calipers_report::Report::default();
//! assert!(json::to_string(&report).ends_with("}\n"));
//! assert!(terminal::report(&report, &Style::plain(80)).contains("Parameters"));
//! ```
//!
//! A table is defined once, in [`tables`], as a [`table::Table`] of typed cells; [`terminal`],
//! [`csv`], [`jsonl`], [`markdown`] and [`html`] write any of them. A section of a report is built
//! once, in [`sections`], as a [`document::Section`]; [`terminal`], [`markdown`] and [`html`] write any
//! of those.
//! [`json`] writes any part of the report. [`output`] is the table of formats.
//!
//! [`text`] makes words that came out of a model fit to print, [`units`] writes numbers the way
//! people read them; every rendering goes through both.
#![forbid(unsafe_code)]

pub mod chart;
pub mod comparison;
pub mod csv;
pub mod document;
pub mod graph;
pub mod html;
pub mod index;
pub mod json;
pub mod jsonl;
pub mod markdown;
mod mermaid;
mod metadata;
mod origin;
pub mod output;
pub mod page;
mod repeats;
pub mod sarif;
pub mod sections;
pub mod table;
pub mod tables;
pub mod template;
pub mod terminal;
pub mod text;
mod value;

pub use calipers_report::units;
pub use mermaid::mermaid;
pub use metadata::license;
pub use sections::{CardOptions, ChartLink};
pub use template::{Template, TemplateError};
pub use terminal::Style;
pub use value::{Fit, Operation, Span, Spans};
