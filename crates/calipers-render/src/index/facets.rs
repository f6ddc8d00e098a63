//! What models can be filtered by.

use std::collections::HashMap;

use calipers_report::{Family, ModelRow, TaskKind};
use serde::Serialize;

use super::{joined, precision};
use crate::text::{self, Charset, capitalized};

/// Something that models are filtered by.
pub(super) struct Facet {
    /// What it is called in the page's address.
    id: &'static str,
    title: &'static str,
    /// Its values in their order, where there is one; otherwise the most frequent one is first.
    order: &'static [&'static str],
    /// The values of a model.
    values: fn(&ModelRow) -> Vec<String>,
}

/// What models are filtered by, next to what they are alike in.
pub(super) const FACETS: [Facet; 7] = [
    by_count("family", "Family", |model| {
        let family = model.figures.family.map(Family::display_name);
        read(model, family.unwrap_or(NOT_RECOGNIZED).to_owned())
    }),
    by_count("task", "Task", |model| {
        let task = model.figures.task.map(TaskKind::display_name);
        read(model, capitalized(task.unwrap_or(NOT_RECOGNIZED)))
    }),
    by_count("precision", "Precision", |model| match precision(&model.figures) {
        text if text.is_empty() => read(model, "No weights".to_owned()),
        text => read(model, text),
    }),
    by_count("license", "License", |model| {
        let license = model.license.as_deref().unwrap_or("Not stated");
        read(model, joined(&[Some(license)]))
    }),
    Facet {
        id: "size",
        title: "Size of weights",
        order: &SIZES,
        values: |model| model.figures.weights_bytes.map(size).into_iter().collect(),
    },
    Facet { id: "status", title: "Status", order: &STATUS, values: |model| vec![status(model)] },
    by_count("finding", "Finding", |model| {
        model.findings.iter().map(|id| text::name(id, Charset::Unicode)).collect()
    }),
];

const NOT_RECOGNIZED: &str = "Not recognized";

/// Ranges of sizes.
const SIZES: [&str; 6] =
    ["Under 1 MB", "1 to 10 MB", "10 to 100 MB", "100 MB to 1 GB", "1 to 10 GB", "10 GB and more"];

/// What is worst about a model.
const STATUS: [&str; 4] = ["Errors", "Warnings", "No errors or warnings", "Unreadable"];

const fn by_count(
    id: &'static str,
    title: &'static str,
    values: fn(&ModelRow) -> Vec<String>,
) -> Facet {
    Facet { id, title, order: &[], values }
}

/// The value of a model that was read.
fn read(model: &ModelRow, value: String) -> Vec<String> {
    if model.figures.error.is_none() { vec![value] } else { Vec::new() }
}

fn size(bytes: u64) -> String {
    let range = match bytes {
        0..1_000_000 => 0,
        1_000_000..10_000_000 => 1,
        10_000_000..100_000_000 => 2,
        100_000_000..1_000_000_000 => 3,
        1_000_000_000..10_000_000_000 => 4,
        10_000_000_000.. => 5,
    };
    SIZES[range].to_owned()
}

fn status(model: &ModelRow) -> String {
    let some = |count: Option<u64>| count.is_some_and(|count| count > 0);
    let figures = &model.figures;
    let place = match () {
        () if figures.error.is_some() => 3,
        () if some(figures.errors) => 0,
        () if some(figures.warnings) => 1,
        () => 2,
    };
    STATUS[place].to_owned()
}

/// A facet with its values, as the page's scripts have it.
#[derive(Serialize)]
pub(super) struct FacetData {
    id: &'static str,
    title: &'static str,
    /// The names of its values, in order.
    names: Vec<String>,
    /// The values of each model, as places among the names.
    values: Vec<Vec<usize>>,
}

/// The facets with two values or more: others would show all models or none.
pub(super) fn data(models: &[ModelRow]) -> Vec<FacetData> {
    let facets = FACETS.iter().map(|facet| facet_data(facet, models));
    facets.filter(|facet| facet.names.len() > 1).collect()
}

fn facet_data(facet: &Facet, models: &[ModelRow]) -> FacetData {
    let Facet { id, title, order, .. } = *facet;
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut counts: Vec<(String, u64)> = Vec::new();
    let mut values: Vec<Vec<usize>> = Vec::with_capacity(models.len());
    for model in models {
        let found = (facet.values)(model).into_iter().map(|name| {
            let next = counts.len();
            let number = *numbers.entry(name.clone()).or_insert(next);
            if number == next {
                counts.push((name, 0));
            }
            counts[number].1 += 1;
            number
        });
        values.push(found.collect());
    }
    let place = |name: &str| order.iter().position(|known| *known == name);
    let mut sorted: Vec<usize> = (0..counts.len()).collect();
    sorted.sort_by(|one, other| {
        let ((a, often), (b, other_often)) = (&counts[*one], &counts[*other]);
        place(a).cmp(&place(b)).then(other_often.cmp(often)).then(a.cmp(b))
    });
    let mut places = vec![0; counts.len()];
    for (place, number) in sorted.iter().enumerate() {
        places[*number] = place;
    }
    for value in values.iter_mut().flatten() {
        *value = places[*value];
    }
    let names = sorted.into_iter().map(|number| std::mem::take(&mut counts[number].0)).collect();
    FacetData { id, title, names, values }
}

#[cfg(test)]
mod tests {
    use calipers_report::KeyFigures;

    use super::*;

    #[test]
    fn values_are_counted_and_ordered() {
        let model = |license: Option<&str>, bytes: u64, warnings: u64| ModelRow {
            figures: KeyFigures {
                weights_bytes: Some(bytes),
                warnings: Some(warnings),
                ..KeyFigures::default()
            },
            license: license.map(str::to_owned),
            ..ModelRow::default()
        };
        let unread = ModelRow {
            figures: KeyFigures::unread("x".into(), "empty".into()),
            ..ModelRow::default()
        };
        let models =
            [model(Some("MIT"), 20_000_000, 0), model(None, 5, 2), model(None, 999_999, 0), unread];
        let found = data(&models);
        let facet = |id: &str| found.iter().find(|facet| facet.id == id).unwrap();
        assert_eq!(facet("license").names, ["Not stated", "MIT"]);
        assert_eq!(facet("license").values, [vec![1], vec![0], vec![0], vec![]]);
        assert_eq!(facet("size").names, ["Under 1 MB", "10 to 100 MB"]);
        assert_eq!(facet("status").names, ["Warnings", "No errors or warnings", "Unreadable"]);
        assert_eq!(facet("status").values, [vec![1], vec![0], vec![1], vec![2]]);
        // All have the same family.
        assert!(found.iter().all(|facet| facet.id != "family"));
    }
}
