//! A comparison of models for people: terminal, Markdown, HTML, SARIF.
//!
//! [`document`] is of two models, [`table_document`] of three and more; [`markdown()`] writes the
//! comment of a pull request, [`page`] the HTML page with both graphs.

mod comment;
mod figures;
mod graph;
mod many;
pub mod page;
mod sections;
mod weights;

pub use comment::{markdown, table_markdown};
pub use figures::{figure_rows, figures};
pub use many::table_document;
pub use sections::document;
pub(crate) use weights::small_number;
