//! Markdown of GitHub's dialect: the card of a model, findings on their own, the index of many.
//!
//! Texts from a model are hostile: whatever Markdown or HTML would act on is escaped by [`plain`],
//! and names stand as [`code`].
//!
//! ```
//! use calipers_render::{CardOptions, to_markdown};
//!
//! let mut report = calipers_report::Report::default();
//! report.model.file = "tiny.onnx".to_owned();
//! let card = to_markdown(&report, &CardOptions::default());
//! assert!(card.starts_with("# tiny\n"));
//! ```
//!
//! A section of the card is a file in `sections/` and a line of [`SECTIONS`]. One that has nothing
//! to say writes nothing and leaves no heading.

mod card;
mod escape;
mod findings;
mod front_matter;
mod grid;
mod page;
mod sections;
mod table;
mod value;
mod words;

pub use card::{CardOptions, PictureLink, sections_to_markdown, to_markdown};
pub use escape::{attribute, code, plain, told};
pub use findings::{findings_to_markdown, rules_to_markdown};
pub use front_matter::front_matter;
pub(crate) use grid::{Align, Table};
pub use sections::{SECTIONS, Section};
pub use table::table;
