//! The index as a page of Markdown.

use calipers_report::ModelRow;

use super::{columns, heading};
use crate::markdown::{self, set_table};
use crate::table::{Column, Table, Value};
pub(super) use crate::text::address;

/// The page, ending in a newline: a table of models, and one of files that could not be read.
pub fn markdown(models: &[ModelRow]) -> String {
    let (read, unread) = (readable(models), unreadable(models));
    let mut page = format!("# Models\n\n{}\n", heading(models));
    if !read.is_empty() {
        page += &format!("\n{}\n", set_table(&read));
    }
    if !unread.is_empty() {
        page += &format!("\n## Unreadable files\n\n{}\n", set_table(&unread));
    }
    markdown::marked(page)
}

fn readable(models: &[ModelRow]) -> Table {
    let shown = columns(models);
    let mut headings = vec![Column::text("model", "model")];
    headings.extend(shown.iter().map(|(column, heading)| {
        let set = match column.figures {
            true => Column::figures(column.heading, ""),
            false => Column::text(column.heading, ""),
        };
        // The name of a device may come from a file.
        Column { title: Value::prose(heading), ..set }
    }));
    let mut table = Table::new("models", headings).without_empty_columns();
    for model in models.iter().map(|model| &model.figures).filter(|model| model.error.is_none()) {
        let mut row = vec![match &model.card {
            Some(card) => Value::Link { name: model.path.clone(), address: card.clone() },
            None => Value::name(&model.path),
        }];
        row.extend(shown.iter().map(|(column, _)| Value::Prose((column.text)(model))));
        table.row(row);
    }
    table
}

fn unreadable(models: &[ModelRow]) -> Table {
    let columns = vec![Column::text("file", "file"), Column::text("error", "reason")];
    let mut table = Table::new("unreadable", columns);
    for model in models.iter().map(|model| &model.figures) {
        if let Some(error) = &model.error {
            table.row(vec![Value::name(&model.path), Value::prose(error)]);
        }
    }
    table
}
