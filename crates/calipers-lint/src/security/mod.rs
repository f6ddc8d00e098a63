//! What can harm the user who loads or displays the model.

pub(super) mod external_data_keys;
pub(super) mod external_data_overlap;
pub(super) mod external_data_range;
pub(super) mod external_data_refused;
pub(super) mod function_expansion;
pub(super) mod harmful_names;
pub(super) mod metadata_links;
pub(super) mod metadata_secrets;
pub(super) mod names_not_utf8;
pub(super) mod operators_load_code;
pub(super) mod output_hinges_on_match;
pub(super) mod oversized_values;
pub(super) mod python_operators;
pub(super) mod unknown_fields;

use calipers_ir::{Data, External, Model, Tensor};

/// Returns the tensors with external data.
fn external_tensors(model: &Model) -> impl Iterator<Item = (&Tensor, &External)> {
    model.tensors().filter_map(|(_, tensor)| match &tensor.data {
        Data::External(external) => Some((tensor, &**external)),
        _ => None,
    })
}

/// Returns the metadata and documentation texts, each with its location.
fn texts(model: &Model) -> impl Iterator<Item = (String, &str)> {
    let header = &model.header;
    let metadata = header
        .metadata
        .iter()
        .map(|(key, value)| (format!("metadata {}", shortened(key)), value.as_str()));
    let graphs = model.graphs().flat_map(|(_, graph)| {
        let pairs = graph.metadata.iter().map(|(key, value)| (*key, *value));
        let doc = std::iter::once((graph.name, graph.doc));
        doc.chain(pairs).map(|(place, text)| {
            (format!("graph {}", shortened(model.name(place))), model.name(text))
        })
    });
    let doc = std::iter::once(("documentation".to_owned(), header.doc.as_str()));
    doc.chain(metadata).chain(graphs)
}

/// Truncates a name or key, which may be as long as the file.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
