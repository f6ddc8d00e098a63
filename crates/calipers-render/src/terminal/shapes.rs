//! Every value with its type and shape, a line each.
//!
//! ```text
//!   input_ids                    int64    [batch, sequence]
//!   /encoder/layer.0/Add_output  float32  [batch, sequence, 384]
//!   /NonZero_output              int64    [2, NonZero_0]
//!                                NonZero_0: how many elements are not zero
//! ```

use std::collections::BTreeMap;

use calipers_report::{Dimension, ShapeTable, ValueKind, ValueShape};

use super::Style;
use super::page::{Line, Page, Role};
use crate::text;

/// The table as lines of text, ending in a newline.
pub fn shapes_to_terminal(table: &ShapeTable, style: &Style) -> String {
    let mut page = Page::new(style);
    values(table.values.iter().map(|(name, value)| (name, value)), &mut page);
    for (place, inner) in &table.subgraphs {
        page.blank();
        page.line(Line::of(Role::Strong, text::name(place, page.charset)));
        values(inner.iter(), &mut page);
    }
    decided(&table.data_dependent, &mut page);
    page.finish()
}

fn values<'a>(rows: impl Iterator<Item = (&'a String, &'a ValueShape)> + Clone, page: &mut Page) {
    let set = page.charset;
    let most = page.full() * 2 / 5;
    let names = rows.clone().map(|(name, _)| text::width(&text::name(name, set)));
    let column = names.max().unwrap_or(0).min(most) + 2;
    let dtypes = rows.clone().map(|(_, value)| dtype(value).len()).max().unwrap_or(0);
    let shapes = column + dtypes + 2;
    for (name, value) in rows {
        let name = text::truncate(&text::name(name, set), most, set);
        let mut line = Line::of(Role::Plain, name);
        line.pad_to(column);
        line.push(Role::Quiet, dtype(value));
        line.pad_to(shapes);
        let shape = match &value.shape {
            Some(dims) => {
                let dims: Vec<_> = dims.iter().map(|dim| dimension(dim, page)).collect();
                Line::of(Role::Plain, format!("[{}]", dims.join(", ")))
            }
            None => Line::of(Role::Warning, "unknown"),
        };
        // A long shape goes on beneath its column.
        let mut pieces = shape.wrap(page.full().saturating_sub(shapes).max(8)).into_iter();
        line.append(pieces.next().unwrap_or_default());
        page.line(line);
        for piece in pieces {
            page.line(piece.indent(shapes));
        }
        if let Some(reason) = &value.reason {
            let reason = Line::of(Role::Quiet, text::prose(reason, set));
            for piece in reason.wrap(page.full().saturating_sub(column)) {
                page.line(piece.indent(column));
            }
        }
    }
}

pub(super) fn dtype(value: &ValueShape) -> String {
    let dtype = value.dtype.map_or("?".to_owned(), |dtype| dtype.to_string());
    match value.kind {
        None => dtype,
        Some(kind @ (ValueKind::Map | ValueKind::Opaque | ValueKind::Unknown)) => {
            kind.id().to_owned()
        }
        Some(kind) => format!("{}({dtype})", kind.id()),
    }
}

pub(super) fn dimension(dim: &Dimension, page: &Page) -> String {
    match dim {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(name) => text::name(name, page.charset),
        Dimension::Unknown => "?".to_owned(),
    }
}

/// Dimensions that the data decides, with what decides them.
pub(super) fn decided(dims: &BTreeMap<String, String>, page: &mut Page) {
    if dims.is_empty() {
        return;
    }
    page.blank();
    page.line(Line::of(Role::Strong, "Decided by the data"));
    for (name, why) in dims {
        let name = text::name(name, page.charset);
        let line = Line::of(Role::Plain, name)
            .and(Role::Quiet, "  ")
            .and(Role::Quiet, text::prose(why, page.charset));
        for piece in line.wrap(page.full()) {
            page.line(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use calipers_report::DType;

    use super::*;

    fn value(dtype: DType, dims: Vec<Dimension>) -> ValueShape {
        ValueShape { dtype: Some(dtype), shape: Some(dims), ..ValueShape::default() }
    }

    #[test]
    fn a_line_each_in_columns() {
        let symbol = |name: &str| Dimension::Symbol(name.into());
        let unknown = ValueShape {
            kind: Some(ValueKind::Unknown),
            reason: Some("Fancy is no operator that Calipers knows".into()),
            ..ValueShape::default()
        };
        let table = ShapeTable {
            values: vec![
                ("x".into(), value(DType::Float32, vec![symbol("batch"), Dimension::Size(3)])),
                ("long\u{1b}".into(), value(DType::Int64, vec![])),
                ("y".into(), unknown),
            ],
            ..ShapeTable::default()
        };
        let screen = shapes_to_terminal(&table, &Style::plain(80));
        assert_eq!(
            screen,
            "  x           float32  [batch, 3]\n  long\\u{1b}  int64    []\n  y           unknown  \
             unknown\n              Fancy is no operator that Calipers knows\n"
        );
    }
}
