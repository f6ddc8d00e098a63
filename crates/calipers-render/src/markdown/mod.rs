//! Markdown of GitHub's dialect: tables, the card of a model, findings on their own.
//!
//! Texts from a model are hostile: whatever Markdown or HTML would act on is escaped by [`plain`],
//! and names are written as [`code`].

mod document;
mod escape;
mod findings;
mod front_matter;
mod table;
mod value;

pub use document::{card, document, section};
pub use escape::{attribute, code, plain, told};
pub use findings::{findings, rules};
pub use front_matter::front_matter;
pub(crate) use table::set as set_table;
pub use table::table;
