//! Renderings of one [`calipers_report::Report`]: peers over the same value, none of which
//! computes a figure.
//!
//! ```
//! use calipers_render::{Style, to_json, to_terminal};
//!
//! let report = calipers_report::Report::default();
//! assert!(to_json(&report).ends_with("}\n"));
//! assert!(to_terminal(&report, &Style::plain(80)).contains("Parameters"));
//! ```
//!
//! [`text`] makes words that came out of a model fit to print, [`units`] writes numbers the way
//! people read them; every rendering goes through both.
#![forbid(unsafe_code)]

pub mod csv;
pub mod graph;
pub mod index;
pub mod json;
pub mod markdown;
mod mermaid;
mod origin;
pub mod page;
pub mod picture;
pub mod sarif;
pub mod template;
pub mod terminal;
pub mod text;

pub use calipers_units as units;
pub use csv::{
    devices_to_csv, figures_to_csv, hardware_to_csv, layers_to_csv, scopes_to_csv, sweep_to_csv,
};
pub use graph::{graph_to_dot, graph_to_svg};
pub use index::{index_to_html, index_to_markdown};
pub use json::{
    device_to_json, devices_to_json, drawing_to_json, figures_to_jsonl, findings_to_json,
    graph_to_json, hardware_to_json, layers_to_json, rules_to_json, shapes_to_json, sweep_to_json,
    to_json,
};
pub use markdown::{
    CardOptions, PictureLink, findings_to_markdown, rules_to_markdown, sections_to_markdown,
    to_markdown,
};
pub use mermaid::mermaid;
pub use page::{graph_to_html, to_page};
pub use sarif::findings_to_sarif;
pub use template::{Template, TemplateError};
pub use terminal::{
    Style, device_to_terminal, devices_to_terminal, findings_to_terminal, hardware_to_terminal,
    layers_to_terminal, rule_list_to_terminal, rules_to_terminal, shapes_to_terminal,
    sweep_to_terminal, to_terminal,
};
