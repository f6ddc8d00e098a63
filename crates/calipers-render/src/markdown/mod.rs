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
pub use escape::{attribute, code, plain, reported};
pub use front_matter::front_matter;
pub(crate) use table::set as set_table;
pub use table::table;

use crate::output::{Answer, Form, Format, joined};

/// Markdown.
pub const FORMAT: Format = Format {
    id: "markdown",
    extensions: &["md", "markdown"],
    description: "For a page",
    needs: Form::Documents,
    render: |answer, _| answer_text(answer),
};

fn answer_text(answer: &Answer<'_>) -> String {
    match answer.for_page() {
        Some(documents) => joined(documents.iter().map(|it| document(it, &[]))),
        None => joined(answer.as_tables().iter().map(table)),
    }
}
