//! What can harm the user who loads or displays the model.

pub(super) mod broken_pickle;
pub(super) mod calls_out;
pub(super) mod code_in_layers;
pub(super) mod external_data_keys;
pub(super) mod external_data_overlap;
pub(super) mod external_data_range;
pub(super) mod external_data_refused;
pub(super) mod function_expansion;
pub(super) mod harmful_names;
#[cfg(test)]
mod hazard_tests;
pub(super) mod metadata_links;
pub(super) mod metadata_secrets;
pub(super) mod misstated_header;
pub(super) mod names_not_utf8;
pub(super) mod operators_load_code;
pub(super) mod output_hinges_on_match;
pub(super) mod oversized_values;
pub(super) mod pickle_imports;
pub(super) mod python_operators;
pub(super) mod unknown_fields;

use calipers_ir::{Data, External, Hint, Model, NameId, Node, Tensor, secrets};
use calipers_ops::ForeignCode;

/// Returns the tensors with external data.
fn external_tensors(model: &Model) -> impl Iterator<Item = (&Tensor, &External)> {
    model.tensors().filter_map(|(_, tensor)| match &tensor.data {
        Data::External(external) => Some((tensor, &**external)),
        _ => None,
    })
}

/// A text that an author wrote.
struct Text<'a> {
    /// Where it is; secrets in it are masked, whatever is asked for.
    place: String,
    /// The key of its entry, empty where it has none, as evidence.
    key: Hint<'a>,
    /// The text as it is shown.
    shown: &'a str,
    /// The text as evidence.
    hint: Hint<'a>,
}

/// Returns the metadata and documentation texts.
fn texts(model: &Model) -> impl Iterator<Item = Text<'_>> {
    let header = &model.header;
    let entries = header.metadata.iter().zip(model.metadata_hints());
    let metadata = entries.map(|((shown_key, shown), (key, hint))| Text {
        place: format!("metadata {}", shortened(shown_key)),
        key,
        shown,
        hint,
    });
    let of_parts = |kind: &'static str, name, doc, metadata: &[(NameId, NameId)]| {
        let pairs = metadata.iter().map(|(key, value)| (*key, *key, *value));
        let texts = std::iter::once((name, model.names.empty(), doc)).chain(pairs);
        let texts: Vec<Text<'_>> = texts
            .filter(|(.., text)| *text != model.names.empty())
            .map(|(place, key, text)| Text {
                place: format!("{kind} {}", shortened(model.name(place))),
                key: model.hint(key),
                shown: model.name(text),
                hint: model.hint(text),
            })
            .collect();
        texts
    };
    let graphs = model
        .graphs()
        .flat_map(move |(_, graph)| of_parts("graph", graph.name, graph.doc, &graph.metadata));
    let functions = model.functions().flat_map(move |(_, function)| {
        of_parts("function", function.name, function.doc, &function.metadata)
    });
    let doc = std::iter::once(Text {
        place: "documentation".to_owned(),
        key: Hint::new(""),
        shown: &header.doc,
        hint: model.doc_hint(),
    });
    doc.chain(metadata).chain(graphs).chain(functions)
}

/// Returns what an operator may load or call, by its original name.
fn foreign_code(model: &Model, node: &Node) -> Option<ForeignCode> {
    let (domain, op) = (model.hint(node.domain), model.hint(node.op));
    domain.judge(|domain| op.judge(|op| calipers_ops::foreign_code(domain, op)))
}

/// Masks and truncates a name or key, which may be as long as the file.
fn shortened(text: &str) -> String {
    let text = secrets::mask(text);
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
