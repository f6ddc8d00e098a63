//! The index as a page of Markdown.

use calipers_report::KeyFigures;

use super::{COLUMNS, device, heading};
use crate::markdown::{Align, Table, code, plain};

/// The page, ending in a newline: a table of models, and one of files that could not be read.
pub fn index_to_markdown(models: &[KeyFigures]) -> String {
    let mut columns = vec![("Model", Align::Left)];
    columns.extend(
        COLUMNS.iter().map(|column| {
            (column.heading, if column.figures { Align::Right } else { Align::Left })
        }),
    );
    let mut read = Table::new(&columns);
    let mut unread =
        Table::new(&[("File", Align::Left), ("Why it could not be read", Align::Left)]);
    for model in models {
        if let Some(error) = &model.error {
            unread.row(vec![code(&model.path), plain(error)]);
            continue;
        }
        // A link's target holds nothing but letters of ours; the name is code inside the brackets.
        let name = match &model.card {
            Some(card) => format!("[{}]({})", code(&model.path), address(card)),
            None => code(&model.path),
        };
        let mut cells = vec![name];
        cells.extend(COLUMNS.iter().map(|column| plain(&(column.text)(model))));
        read.row(cells);
    }
    let mut page = format!("# Models\n\n{}\n", heading(models));
    if !read.is_empty() {
        page += &format!("\n{}\n", read.without_empty_columns().set());
    }
    if let Some(device) = device(models) {
        page += &format!("\nLatency is the expected time of one run on {}.\n", code(device));
    }
    if !unread.is_empty() {
        page += &format!("\n## Could not be read\n\n{}\n", unread.set());
    }
    page
}

/// A relative address; whatever could end it or mean something else is written in hexadecimal.
pub(super) fn address(path: &str) -> String {
    let mut safe = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                safe.push(char::from(byte));
            }
            byte => safe += &format!("%{byte:02X}"),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_cannot_be_left() {
        assert_eq!(address("a b/(c)\"<é.md"), "a%20b/%28c%29%22%3C%C3%A9.md");
        assert_eq!(address("javascript:x"), "javascript%3Ax");
    }
}
