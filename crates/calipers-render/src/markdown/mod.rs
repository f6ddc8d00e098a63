//! Markdown of GitHub's dialect: tables and documents, such as the card of a model.
//!
//! Texts from a model are hostile: whatever Markdown or HTML would act on is escaped by [`plain`],
//! and names are written as [`code`].

mod document;
mod escape;
mod front_matter;
mod table;
mod value;

pub use document::{card, document, section};
pub use escape::{attribute, code, plain, told};
pub use front_matter::front_matter;
pub(crate) use table::set as set_table;
pub use table::table;
