//! Secrets masked in every text of a model.

use std::borrow::Cow;

use super::{Naming, Role};
use crate::secrets::{self, Masks};
use crate::{AttributeValue, Data, DataFileState, Hazard, Header, Model};

/// Shows every text with its secrets masked.
#[derive(Debug, Default)]
pub struct Masking {
    masks: Masks,
    symbols: Vec<(String, String)>,
}

impl Masking {
    /// Whether a text of the model holds a secret. Most models need no masking.
    pub fn is_needed(model: &Model) -> bool {
        let has = |text: &str| !secrets::find(text).is_empty();
        let entry = |key: &str, value: &str| !secrets::find_in_entry(key, value).is_empty();
        let Header {
            format: _,
            graph_origin: _,
            description,
            file_name,
            bytes: _,
            ir_version: _,
            producer_name,
            producer_version,
            domain,
            model_version: _,
            doc,
            opsets: _,
            metadata,
            training: _,
            device_configurations,
            placed_nodes: _,
        } = &model.header;
        let texts = [file_name, producer_name, producer_version, domain, doc];
        let described = description.iter().flat_map(|it| [&it.architecture, &it.source]);
        let devices = device_configurations
            .iter()
            .flat_map(|set| std::iter::once(&set.name).chain(&set.device_names));
        let attributes = || {
            model.attributes.iter().any(|attribute| match &attribute.value {
                AttributeValue::Text(text) => {
                    text.shown().is_some_and(|text| entry(model.name(attribute.name), &text))
                }
                _ => false,
            })
        };
        let pairs = || {
            let graphs = model.graphs.iter().flat_map(|graph| &graph.metadata);
            let functions = model.functions.iter().flat_map(|function| &function.metadata);
            graphs.chain(functions).any(|(key, text)| entry(model.name(*key), model.name(*text)))
        };
        let in_nodes = || {
            let texts = model.node_metadata.iter().filter_map(|(.., at)| model.source.slice(*at));
            texts.filter_map(|text| std::str::from_utf8(text).ok()).any(has)
        };
        let messages = || {
            if model.hazards.iter().flat_map(Hazard::texts).any(has) {
                return true;
            }
            let tensors = model.tensors.iter().filter_map(|tensor| match &tensor.data {
                Data::External(external) => external.problem.as_deref(),
                _ => None,
            });
            let files = model.data_files.iter().filter_map(|file| match &file.state {
                DataFileState::Refused(reason) => Some(reason.as_str()),
                _ => None,
            });
            tensors.chain(files).any(has)
        };
        model.names.iter().any(has)
            || texts.into_iter().chain(devices).chain(described).any(|text| has(text))
            || metadata.iter().any(|(key, value)| has(key) || entry(key, value))
            || attributes()
            || pairs()
            || in_nodes()
            || messages()
    }
}

impl Naming for Masking {
    fn shown(&mut self, role: Role<'_>, text: &str) -> Option<String> {
        let masked = match role {
            Role::MetadataValue { key } | Role::AttributeText { name: key } => {
                self.masks.mask_entry(key, text)
            }
            _ => self.masks.mask(text),
        };
        let Cow::Owned(masked) = masked else { return None };
        if role == Role::Dimension {
            self.symbols.push((text.to_owned(), masked.clone()));
        }
        Some(masked)
    }

    fn replaces_names(&self) -> bool {
        false
    }

    fn scope(&mut self, step: &str) -> String {
        self.masks.mask(step).into_owned()
    }

    fn symbols(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.symbols)
    }
}
