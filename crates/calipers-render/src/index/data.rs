//! The table as columns, so that the data of a hundred thousand models stay small: each text once.
//! `assets/types.d.ts` declares the same columns for the scripts.

use std::collections::{BTreeMap, HashMap};

use calipers_report::{KeyFigures, ModelRow, Registry};
use serde::Serialize;

use super::facets::{self, FacetData};
use super::markdown::address;
use super::{Column, columns};
use crate::text::{self, Charset};
use crate::units;

/// Columns of a name; of a longer one the middle is left out.
const NAME: usize = 160;

/// Texts of a column, each once.
#[derive(Default, Serialize)]
struct Cells {
    title: String,
    /// Whether it holds figures, which are sorted by size.
    figures: bool,
    texts: Vec<String>,
    /// What figures are sorted by, for each text.
    values: Vec<Option<f64>>,
    /// The text of each model.
    rows: Vec<usize>,
}

impl Cells {
    fn new<'a>(
        title: &str,
        figures: bool,
        cells: impl Iterator<Item = (String, Option<f64>)> + 'a,
    ) -> Self {
        let mut numbers: HashMap<(String, Option<u64>), usize> = HashMap::new();
        let mut found = Self { title: title.to_owned(), figures, ..Self::default() };
        for (text, value) in cells {
            let next = found.texts.len();
            let key = (text, value.map(f64::to_bits));
            let number = match numbers.get(&key) {
                Some(number) => *number,
                None => {
                    found.texts.push(key.0.clone());
                    if figures {
                        found.values.push(value);
                    }
                    numbers.insert(key, next);
                    next
                }
            };
            found.rows.push(number);
        }
        found
    }
}

/// Models that are alike in one way.
#[derive(Serialize)]
struct Groups {
    id: &'static str,
    title: String,
    /// The group of each model; -1 where it is in none.
    rows: Vec<i64>,
}

/// What the page's scripts read.
#[derive(Serialize)]
pub(super) struct Data {
    /// The folder that all models are in, with its slash; empty where there is none.
    folder: String,
    /// Their names in that folder.
    names: Vec<String>,
    /// Where cards are; empty where there are none.
    cards: Vec<Option<String>>,
    /// Why models could not be read, by their places.
    errors: BTreeMap<usize, String>,
    columns: Vec<Cells>,
    /// What is shown of a single model.
    details: Vec<Cells>,
    facets: Vec<FacetData>,
    groups: Vec<Groups>,
}

/// The models of a page: those of the registry from one place on.
pub(super) fn data(registry: &Registry, models: &[ModelRow], first: usize) -> Data {
    let folder = common_folder(models);
    let name = |model: &ModelRow| {
        let whole = text::name(&model.figures.path[folder.len()..], Charset::Unicode);
        text::truncate(&whole, NAME, Charset::Unicode)
    };
    let has_cards = models.iter().any(|model| model.figures.card.is_some());
    let card = |model: &ModelRow| model.figures.card.as_deref().map(address);
    let error = |(place, model): (usize, &ModelRow)| {
        Some((place, text::prose(model.figures.error.as_deref()?, Charset::Unicode)))
    };
    Data {
        folder: text::name(folder, Charset::Unicode),
        names: models.iter().map(name).collect(),
        cards: if has_cards { models.iter().map(card).collect() } else { Vec::new() },
        errors: models.iter().enumerate().filter_map(error).collect(),
        columns: columns(models).iter().map(|column| cells(column, models)).collect(),
        details: DETAILS.iter().filter_map(|detail| detail_cells(detail, models)).collect(),
        facets: facets::data(models),
        groups: groups(registry, first..first + models.len()),
    }
}

/// What the paths of all models begin with, up to a slash.
fn common_folder(models: &[ModelRow]) -> &str {
    let mut paths = models.iter().map(|model| model.figures.path.as_str());
    let Some(first) = paths.next() else { return "" };
    let equal = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let common = paths.map(|path| equal(first, path)).min().unwrap_or(first.len());
    let end = first.as_bytes()[..common].iter().rposition(|byte| *byte == b'/');
    // A slash is a character of its own, so the text can be cut behind it.
    end.map_or("", |end| &first[..=end])
}

fn cells((column, heading): &(&Column, String), models: &[ModelRow]) -> Cells {
    let cell = |figures: &KeyFigures| ((column.text)(figures), (column.value)(figures));
    Cells::new(heading, column.figures, models.iter().map(|model| cell(&model.figures)))
}

/// Something that is shown of a single model: what it is called, and its text.
type Detail = (&'static str, fn(&ModelRow) -> Option<String>);

/// What is shown of a single model next to the columns.
const DETAILS: [Detail; 9] = [
    ("Summary", |model| model.title.clone()),
    ("Variant", |model| model.variant.clone()),
    ("Style", |model| model.style.map(|style| style.display_name().to_owned())),
    ("File", |model| model.figures.bytes.map(units::bytes)),
    ("Nodes", |model| model.figures.nodes.map(units::integer)),
    ("Opset", |model| model.opset.map(|opset| opset.to_string())),
    ("Producer", |model| model.producer.clone()),
    ("License", |model| model.license.clone()),
    ("KV cache per token", |model| model.figures.kv_cache_bytes_per_token.map(units::bytes)),
];

fn detail_cells((title, value): &Detail, models: &[ModelRow]) -> Option<Cells> {
    let text = |model: &ModelRow| {
        let text = value(model).unwrap_or_default();
        text::truncate(&text::prose(&text, Charset::Unicode), NAME, Charset::Unicode)
    };
    let cells = Cells::new(title, false, models.iter().map(|model| (text(model), None)));
    cells.texts.iter().any(|text| !text.is_empty()).then_some(cells)
}

fn groups(registry: &Registry, shown: std::ops::Range<usize>) -> Vec<Groups> {
    let mut found: Vec<Groups> = Vec::new();
    for (number, group) in (0_i64..).zip(&registry.groups) {
        let id = group.likeness.id();
        let place = match found.iter().position(|known| known.id == id) {
            Some(place) => place,
            None => {
                let title = text::capitalized(group.likeness.display_name());
                found.push(Groups { id, title, rows: vec![-1; shown.len()] });
                found.len() - 1
            }
        };
        for model in group.models.iter().filter(|model| shown.contains(model)) {
            found[place].rows[model - shown.start] = number;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_folder_ends_with_a_slash() {
        let folder = |paths: &[&str]| {
            let model = |path: &&str| {
                let figures = KeyFigures { path: (*path).to_owned(), ..KeyFigures::default() };
                ModelRow { figures, ..ModelRow::default() }
            };
            common_folder(&paths.iter().map(model).collect::<Vec<_>>()).to_owned()
        };
        assert_eq!(folder(&["a/é/x1.onnx", "a/é/x2.onnx"]), "a/é/");
        assert_eq!(folder(&["a/b/x.onnx", "a/bc.onnx"]), "a/");
        assert_eq!(folder(&["a/x.onnx"]), "a/");
        assert_eq!(folder(&["x.onnx", "y.onnx"]), "");
        assert_eq!(folder(&[]), "");
    }

    #[test]
    fn each_text_is_there_once() {
        let cells = [("a", 1.0), ("b", 2.0), ("a", 1.0), ("a", 3.0)];
        let cells = cells.into_iter().map(|(text, value)| (text.to_owned(), Some(value)));
        let found = Cells::new("Title", true, cells);
        assert_eq!(found.texts, ["a", "b", "a"]);
        assert_eq!(found.values, [Some(1.0), Some(2.0), Some(3.0)]);
        assert_eq!(found.rows, [0, 1, 0, 2]);
    }
}
