//! Figures side by side, as a table.

use calipers_report::{
    ComparisonTable, Difference, Direction, FigureChange, FigureRow, Measure, Quantity, Range,
};

use crate::table::{Cell, Column, Table, Tone, Value};
use crate::units;
use crate::value::Spans;

/// Every figure of two models.
pub fn figures(figures: &[FigureChange], labels: (&str, &str)) -> Table {
    let mut table = Table::new(
        "figures",
        vec![
            Column::data("name"),
            label_column(),
            Column { title: Value::Name(labels.0.to_owned()), ..Column::figures("a", "A") }
                .short("A"),
            Column { title: Value::Name(labels.1.to_owned()), ..Column::figures("b", "B") }
                .short("B"),
            Column::figures("delta", "change"),
            Column::figures("percent", "percent").short("").zero(crate::table::Zero::Shown),
        ],
    );
    for figure in figures {
        let tone = tone(figure);
        table.cells(vec![
            Value::text(&figure.name).into(),
            Value::text(&figure.label).into(),
            Cell::from(quantity(figure.a.as_ref(), figure.measure, figure.range_a)),
            Cell::from(quantity(figure.b.as_ref(), figure.measure, figure.range_b)),
            Cell::toned(change(figure), tone),
            Cell::toned(Value::optional(figure.percent, percent), tone),
        ]);
        let mut remarks: Vec<String> = Vec::new();
        if figure.within_error && figure.percent.is_some_and(|percent| percent.abs() >= 0.05) {
            remarks.push("within the estimate's error".to_owned());
        }
        remarks.extend(figure.note.clone());
        if !remarks.is_empty() {
            table.note_row(Spans::toned(Tone::Quiet, Value::quoted(remarks.join("; "))));
        }
    }
    table
}

/// Names of figures, which are never cut.
fn label_column() -> Column {
    Column { in_data: false, ..Column::text("figure", "figure").limits(40, 40) }
}

/// How a change looks: better and worse are not the same for every figure.
fn tone(figure: &FigureChange) -> Tone {
    match figure.direction {
        _ if figure.within_error => Tone::Quiet,
        Some(Direction::Better) => Tone::Accent,
        Some(Direction::Worse) => Tone::Warning,
        _ => Tone::Plain,
    }
}

/// A value with its unit.
pub(super) fn quantity(value: Option<&Quantity>, measure: Measure, range: Option<Range>) -> Value {
    let Some(value) = value else { return Value::Missing(None) };
    match (value, measure) {
        (Quantity::Words(words), _) => Value::text(words),
        (Quantity::Integer(value), Measure::Bytes) => Value::Bytes(*value),
        (Quantity::Integer(value), Measure::Operations) => Value::Magnitude(*value),
        (Quantity::Integer(value), _) => Value::Integer(*value),
        (Quantity::Number(_), Measure::Milliseconds) if range.is_some() => {
            Value::optional(range, Value::Range)
        }
        (Quantity::Number(value), Measure::Milliseconds) => Value::Milliseconds(*value),
        (Quantity::Number(value), Measure::Percent) => Value::Percent(*value),
        (Quantity::Number(value), _) => Value::Text(metric(*value)),
    }
}

/// A metric as it was given, with at most six decimals.
fn metric(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The difference with its sign.
fn change(figure: &FigureChange) -> Value {
    let sign = |is_less: bool| if is_less { "−" } else { "+" };
    match (figure.delta, figure.measure) {
        (None, Measure::Words) if figure.a != figure.b => Value::text("changed"),
        (None, _) => Value::Blank,
        (Some(Difference::Integer(0)), _) => Value::text("same"),
        (Some(Difference::Number(0.0)), _) => Value::text("same"),
        (Some(Difference::Integer(delta)), measure) => {
            let amount = delta.unsigned_abs();
            let text = match measure {
                Measure::Bytes => units::bytes(amount),
                Measure::Operations => units::magnitude(amount),
                _ => units::integer(amount),
            };
            Value::Text(format!("{}{text}", sign(delta < 0)))
        }
        (Some(Difference::Number(delta)), measure) => {
            let amount = delta.abs();
            let text = match measure {
                Measure::Milliseconds => units::time(amount),
                Measure::Percent => units::decimal(amount),
                _ => metric(amount),
            };
            Value::Text(format!("{}{text}", sign(delta < 0.0)))
        }
    }
}

/// A difference in percent; nothing where it is 0.
fn percent(value: f64) -> Value {
    match value {
        0.0 => Value::Blank,
        value => Value::text(units::signed_percent(value)),
    }
}

/// Every figure of several models, a column for each.
pub fn figure_rows(table: &ComparisonTable) -> Table {
    let mut columns = vec![Column::data("name"), label_column()];
    columns.extend(table.models.iter().enumerate().map(|(at, model)| Column {
        title: Value::Name(model.label.clone()),
        ..Column::figures(&format!("model_{}", at + 1), "")
    }));
    let mut set = Table::new("figures", columns);
    for row in &table.figures {
        set.cells(cells(row));
    }
    set
}

fn cells(row: &FigureRow) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![Value::text(&row.name).into(), Value::text(&row.label).into()];
    cells.extend(row.values.iter().enumerate().map(|(at, value)| {
        let value = quantity(value.as_ref(), row.measure, None);
        match row.best.contains(&at) {
            true => Cell::toned(value, Tone::Strong),
            false => value.into(),
        }
    }));
    cells
}
