//! The document of three and more models.

use calipers_report::{ComparisonTable, Measure, ParetoChart, Quantity};

use super::figures;
use super::sections::gates;
use crate::chart;
use crate::document::{Block, Document, Section};
use crate::table::{Cell, Column, Table, Tone, Value};
use crate::value::Spans;

/// Everything about several models.
pub fn table_document(table: &ComparisonTable) -> Document {
    let names = table.models.iter().map(|model| Spans::from(Value::name(&model.label)));
    let verdicts = table.comparisons.iter().map(|comparison| {
        let verdict = &comparison.verdict;
        Spans::from(Value::name(&comparison.b.label))
            .and_text(": ")
            .and_value(Value::quoted(&verdict.compatibility))
            .and_text(" ")
            .and_value(Value::quoted(&verdict.trade))
    });
    let mut sections = vec![
        Section::new("figures", "Figures", vec![Block::Table(figures::figure_rows(table))]),
        Section::new(
            "pareto",
            "Trade-off",
            table.pareto.as_ref().map(|it| pareto(it, table)).unwrap_or_default(),
        ),
        Section::new("verdicts", "Verdicts", vec![Block::list(verdicts)]),
    ];
    for comparison in table.comparisons.iter().filter(|comparison| !comparison.gates.is_empty()) {
        let section = gates(&comparison.gates).noted(&comparison.b.label);
        sections.push(Section { id: format!("gates-{}", sections.len()), ..section });
    }
    Document { title: Spans::joined(names, ", "), facts: vec![], byline: None, sections }
}

/// The chart with its points as rows; formats without charts have the rows.
fn pareto(pareto: &ParetoChart, table: &ComparisonTable) -> Vec<Block> {
    let mut rows = Table::new(
        "pareto",
        vec![
            Column::text("model", "model"),
            Column { title: Value::text(&pareto.x_label), ..Column::figures("x", "") },
            Column { title: Value::text(&pareto.y_label), ..Column::figures("y", "") },
            Column::text("best", "trade-off"),
        ],
    );
    for point in &pareto.points {
        let label = table.models.get(point.model).map(|model| model.label.clone());
        let value = |value: f64, measure: Measure| {
            let quantity = match measure {
                #[expect(
                    clippy::cast_sign_loss,
                    clippy::cast_possible_truncation,
                    reason = "bytes"
                )]
                Measure::Bytes | Measure::Count | Measure::Operations => {
                    Quantity::Integer(value.max(0.0) as u64)
                }
                _ => Quantity::Number(value),
            };
            figures::quantity(Some(&quantity), measure, None)
        };
        let mark = match point.best {
            true => Cell::toned(Value::text("best"), Tone::Strong),
            false => Cell::from(Value::Blank),
        };
        rows.cells(vec![
            Value::Name(label.unwrap_or_default()).into(),
            value(point.x, pareto.x_measure).into(),
            value(point.y, pareto.y_measure).into(),
            mark,
        ]);
    }
    let note = "best: no other model is at least as good in both and better in one";
    rows.note(None, vec![Spans::quiet(note)]);
    let rows = vec![Block::Table(rows)];
    vec![Block::ChartOr { name: chart::PARETO, rest: rows.clone(), otherwise: rows }]
}
