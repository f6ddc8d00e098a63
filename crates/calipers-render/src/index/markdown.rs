//! The index as a page of Markdown.

use calipers_report::KeyFigures;

use super::{COLUMNS, device, heading};
use crate::markdown::{code, set_table};
use crate::table::{Column, Table, Value};
pub(super) use crate::text::address;

/// The page, ending in a newline: a table of models, and one of files that could not be read.
pub fn markdown(models: &[KeyFigures]) -> String {
    let (read, unread) = (readable(models), unreadable(models));
    let mut page = format!("# Models\n\n{}\n", heading(models));
    if !read.is_empty() {
        page += &format!("\n{}\n", set_table(&read));
    }
    if let Some(device) = device(models) {
        page += &format!("\nLatency is the expected time of one run on {}.\n", code(device));
    }
    if !unread.is_empty() {
        page += &format!("\n## Could not be read\n\n{}\n", set_table(&unread));
    }
    page
}

fn readable(models: &[KeyFigures]) -> Table {
    let mut columns = vec![Column::text("model", "model")];
    columns.extend(COLUMNS.iter().map(|column| match column.figures {
        true => Column::figures(column.heading, &column.title(models)),
        false => Column::text(column.heading, &column.title(models)),
    }));
    let mut table = Table::new("models", columns).without_empty_columns();
    for model in models.iter().filter(|model| model.error.is_none()) {
        let mut row = vec![match &model.card {
            Some(card) => Value::Link { name: model.path.clone(), address: card.clone() },
            None => Value::name(&model.path),
        }];
        row.extend(COLUMNS.iter().map(|column| Value::Prose((column.text)(model))));
        table.row(row);
    }
    table
}

fn unreadable(models: &[KeyFigures]) -> Table {
    let columns =
        vec![Column::text("file", "file"), Column::text("error", "why it could not be read")];
    let mut table = Table::new("unreadable", columns);
    for model in models {
        if let Some(error) = &model.error {
            table.row(vec![Value::name(&model.path), Value::prose(error)]);
        }
    }
    table
}
