//! What the colors of data mean, in every chart of one report.
//!
//! The two operators with the largest shares have a color each; all others are gray. Weights and
//! activations have the other two colors.

use calipers_report::Report;

use super::theme::Color;

/// Weights, wherever their bytes are drawn.
pub(super) const WEIGHTS: Color = Color::Rose;
/// Activations, wherever their bytes are drawn.
pub(super) const ACTIVATIONS: Color = Color::Green;

/// Colors of operators, in order of their share.
const OPERATORS: [Color; 2] = [Color::Blue, Color::Orange];

/// The operators that have a color of their own.
pub(super) struct OperatorColors(Vec<String>);

impl OperatorColors {
    /// The operators with the largest share of the parameters or of the arithmetic; of a report
    /// without either, the most frequent.
    pub(super) fn new(report: &Report) -> Self {
        let parameters = report.parameters.by_op.iter();
        let parameters = shares(parameters.map(|entry| (&entry.op, u128::from(entry.elements))));
        let arithmetic = report.cost.by_op.iter().map(|entry| {
            let work = entry.flops().unwrap_or(0).saturating_add(entry.other_flops.unwrap_or(0));
            (&entry.op, u128::from(work))
        });
        let mut all: Vec<(&String, f64)> = parameters;
        all.extend(shares(arithmetic));
        if all.iter().all(|(_, share)| *share <= 0.0) {
            let nodes = report.graph.operators.iter();
            all = shares(nodes.map(|entry| (&entry.op, u128::from(entry.count))));
        }
        // Stable, so equals stay in the report's order.
        all.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let mut leading: Vec<String> = vec![];
        for (op, share) in all {
            if leading.len() < OPERATORS.len() && share > 0.0 && !leading.contains(op) {
                leading.push(op.clone());
            }
        }
        Self(leading)
    }

    /// The color of an operator; gray for all but the leading ones.
    pub(super) fn color(&self, op: &str) -> Color {
        let place = self.0.iter().position(|leading| leading == op);
        place.map_or(Color::Gray, |place| OPERATORS[place])
    }

    /// Whether an operator has a color of its own.
    pub(super) fn is_leading(&self, op: &str) -> bool {
        self.0.iter().any(|leading| leading == op)
    }
}

/// The share of each entry in their sum.
fn shares<'a>(entries: impl Iterator<Item = (&'a String, u128)>) -> Vec<(&'a String, f64)> {
    let entries: Vec<(&String, u128)> = entries.collect();
    let sum = entries.iter().fold(0_u128, |sum, (_, value)| sum.saturating_add(*value)).max(1);
    #[expect(clippy::cast_precision_loss, reason = "shares are compared, and that is all")]
    let share = |(op, value): (&'a String, u128)| (op, value as f64 / sum as f64);
    entries.into_iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use calipers_report::{OperatorCost, OperatorMemory, Work};

    use super::*;

    #[test]
    fn an_operator_has_one_color_in_every_chart() {
        let mut report = Report::default();
        for (op, elements) in [("Gather", 700), ("MatMul", 200), ("Add", 100)] {
            report.parameters.by_op.push(OperatorMemory {
                op: op.to_owned(),
                elements,
                bytes: None,
            });
        }
        for (op, macs) in [("MatMul", 990), ("Mul", 10)] {
            let work = Work { macs: Some(macs), other_flops: Some(0), bytes_moved: None };
            report.cost.by_op.push(OperatorCost { op: op.to_owned(), work, ..Default::default() });
        }
        let colors = OperatorColors::new(&report);
        let found = ["MatMul", "Gather", "Add", "Mul"].map(|op| colors.color(op));
        assert_eq!(found, [Color::Blue, Color::Orange, Color::Gray, Color::Gray]);
        assert!(![WEIGHTS, ACTIVATIONS].iter().any(|color| OPERATORS.contains(color)));
    }
}
