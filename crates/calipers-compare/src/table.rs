//! Three or more models: a table of figures, and which models are the best trade.

use calipers_report::{
    ComparedModel, Comparison, ComparisonTable, FigureChange, FigureKind, FigureRow, Measure,
    Metric, ParetoChart, ParetoPoint, Quantity,
};

use crate::figures::{direction, figure, less_is_better};

/// Metrics that are better when lower, by a word of their names.
const LESS_IS_BETTER: &[&str] =
    &["cer", "error", "fid", "loss", "mae", "mse", "perplexity", "ppl", "rmse", "wer"];

/// Whether a lower value of a metric is better, by its name.
pub fn is_error_metric(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| LESS_IS_BETTER.contains(&word))
}

/// Adds metrics that the user measured to the figures of two models, by their places.
pub fn add_metrics(comparison: &mut Comparison, metrics: &[Metric], places: (usize, usize)) {
    for metric in metrics {
        let value = |at: usize| metric.values.get(at).copied().flatten().map(Quantity::Number);
        let (a, b) = (value(places.0), value(places.1));
        let amount = a.as_ref().zip(b.as_ref()).and_then(|(a, b)| Some(b.number()? - a.number()?));
        comparison.figures.push(FigureChange {
            name: metric.name.clone(),
            label: metric.name.clone(),
            direction: amount.map(|amount| direction(amount, metric.lower_is_better)),
            ..figure(FigureKind::Metric, Measure::Number, a, b)
        });
    }
    comparison.verdict = crate::verdict::verdict(comparison);
}

/// The table of a first model and those that were compared with it.
pub fn table(comparisons: Vec<Comparison>, metrics: &[Metric]) -> ComparisonTable {
    let mut models: Vec<ComparedModel> = Vec::new();
    models.extend(comparisons.first().map(|comparison| comparison.a.clone()));
    models.extend(comparisons.iter().map(|comparison| comparison.b.clone()));
    let mut figures: Vec<FigureRow> = Vec::new();
    for (at, comparison) in comparisons.iter().enumerate() {
        for change in &comparison.figures {
            let place = figures.iter().position(|row| row.name == change.name);
            let place = place.unwrap_or_else(|| {
                figures.push(FigureRow {
                    name: change.name.clone(),
                    label: change.label.clone(),
                    kind: change.kind,
                    measure: change.measure,
                    values: vec![None; models.len()],
                    best: Vec::new(),
                });
                figures.len() - 1
            });
            let values = &mut figures[place].values;
            values[at + 1].clone_from(&change.b);
            if values[0].is_none() {
                values[0].clone_from(&change.a);
            }
        }
    }
    for row in &mut figures {
        row.best = best(row, metrics);
    }
    let pareto = pareto(&figures, metrics);
    ComparisonTable { models, figures, pareto, comparisons, ..ComparisonTable::default() }
}

/// Whether less of a figure is better; `None` where neither is.
fn prefers_less(row: &FigureRow, metrics: &[Metric]) -> Option<bool> {
    match row.kind {
        FigureKind::Metric => metrics
            .iter()
            .find(|metric| metric.name == row.name)
            .map(|metric| metric.lower_is_better),
        kind => less_is_better(kind),
    }
}

/// Places of the best values, where they are not all the same.
fn best(row: &FigureRow, metrics: &[Metric]) -> Vec<usize> {
    let Some(less) = prefers_less(row, metrics) else { return Vec::new() };
    let numbers: Vec<Option<f64>> =
        row.values.iter().map(|value| value.as_ref().and_then(Quantity::number)).collect();
    let known = || numbers.iter().flatten().copied();
    let (least, most) = (known().reduce(f64::min), known().reduce(f64::max));
    let wanted = if less { least } else { most };
    if least == most {
        return Vec::new();
    }
    (0..numbers.len()).filter(|at| numbers[*at].is_some() && numbers[*at] == wanted).collect()
}

/// Time or work against a metric, or against size where none was given.
fn pareto(figures: &[FigureRow], metrics: &[Metric]) -> Option<ParetoChart> {
    let is_known = |row: &&FigureRow| row.values.iter().filter(|value| value.is_some()).count() > 1;
    let find = |kind: FigureKind| figures.iter().filter(is_known).find(|row| row.kind == kind);
    let x = find(FigureKind::Latency).or_else(|| find(FigureKind::Macs))?;
    let y = find(FigureKind::Metric).or_else(|| find(FigureKind::Weights))?;
    let lower_y_is_better = prefers_less(y, metrics).unwrap_or(true);
    let mut points: Vec<ParetoPoint> = x
        .values
        .iter()
        .zip(&y.values)
        .enumerate()
        .filter_map(|(model, (x, y))| {
            let (x, y) = (x.as_ref()?.number()?, y.as_ref()?.number()?);
            Some(ParetoPoint { model, x, y, best: false })
        })
        .collect();
    let height = |point: &ParetoPoint| if lower_y_is_better { point.y } else { -point.y };
    let is_beaten = |point: &ParetoPoint, points: &[ParetoPoint]| {
        points.iter().any(|other| {
            let (x, y) = (other.x <= point.x, height(other) <= height(point));
            x && y && (other.x < point.x || height(other) < height(point))
        })
    };
    let best: Vec<bool> = points.iter().map(|point| !is_beaten(point, &points)).collect();
    points.iter_mut().zip(best).for_each(|(point, best)| point.best = best);
    Some(ParetoChart {
        x: x.name.clone(),
        x_label: x.label.clone(),
        x_measure: x.measure,
        y: y.name.clone(),
        y_label: y.label.clone(),
        y_measure: y.measure,
        lower_y_is_better,
        points,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(a: (u64, f64), b: (u64, f64)) -> Comparison {
        let number = |value: f64| Some(Quantity::Number(value));
        let whole = |value: u64| Some(Quantity::Integer(value));
        let latency = figure(FigureKind::Latency, Measure::Milliseconds, number(a.1), number(b.1));
        Comparison {
            figures: vec![
                figure(FigureKind::Weights, Measure::Bytes, whole(a.0), whole(b.0)),
                FigureChange { name: "latency@l4".to_owned(), ..latency },
            ],
            ..Comparison::default()
        }
    }

    #[test]
    fn a_model_that_another_beats_in_both_is_not_the_best_trade() {
        // The second is smaller and slower, the third larger and slower than the first.
        let first = (100, 5.0);
        let table = table(vec![comparison(first, (50, 6.0)), comparison(first, (120, 5.5))], &[]);
        let pareto = table.pareto.unwrap();
        assert_eq!((pareto.x.as_str(), pareto.y.as_str()), ("latency@l4", "weights"));
        let best: Vec<bool> = pareto.points.iter().map(|point| point.best).collect();
        assert_eq!(best, [true, true, false]);
        assert_eq!(table.figures[0].best, [1]);
        assert_eq!(table.figures[1].best, [0]);
    }

    #[test]
    fn more_accuracy_and_less_loss_are_better() {
        assert!(is_error_metric("val_loss") && is_error_metric("WER"));
        assert!(!is_error_metric("accuracy") && !is_error_metric("f1"));
        let first = (100, 5.0);
        let mut comparisons = vec![comparison(first, (100, 4.0)), comparison(first, (100, 6.0))];
        let metrics = [Metric {
            name: "accuracy".to_owned(),
            values: vec![Some(0.76), Some(0.75), Some(0.70)],
            lower_is_better: false,
        }];
        for (at, comparison) in comparisons.iter_mut().enumerate() {
            add_metrics(comparison, &metrics, (0, at + 1));
        }
        let table = table(comparisons, &metrics);
        let pareto = table.pareto.unwrap();
        assert_eq!(pareto.y, "accuracy");
        let best: Vec<bool> = pareto.points.iter().map(|point| point.best).collect();
        // 4 ms with 0.75 and 5 ms with 0.76 are trades; 6 ms with 0.70 is worse than both.
        assert_eq!(best, [true, true, false]);
    }
}
