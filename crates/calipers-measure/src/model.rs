//! The file and what it says of itself.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use calipers_ir::{DType, Data, DataFileState, GraphKind, Model};
use calipers_ops::canonical_domain;
use calipers_report::{
    DataFile, DataStatus, ModelFacts, Parameters, Producer, TrainingFacts, Unknown, UnknownField,
};

use crate::not_known;

/// Writes down the header.
pub fn describe(model: &Model, parameters: &Parameters, unknown: &mut Vec<Unknown>) -> ModelFacts {
    let header = &model.header;
    if header.ir_version.is_none() && header.format.is_onnx() {
        not_known(unknown, "model.ir_version", "the file does not state it");
    }
    let data_files = data_files(model, unknown);
    ModelFacts {
        file: header.file_name.clone(),
        format: header.format,
        graph_origin: header.graph_origin,
        bytes: header.bytes,
        sha256: None,
        sha256_all: None,
        ir_version: header.ir_version,
        producer: Producer {
            name: header.producer_name.clone(),
            version: header.producer_version.clone(),
        },
        opsets: opsets(model),
        domain: header.domain.clone(),
        model_version: header.model_version,
        doc: header.doc.clone(),
        metadata: header.metadata.iter().cloned().collect(),
        precision: precision(parameters),
        external_bytes: data_files
            .iter()
            .fold(0, |sum, file| sum.saturating_add(file.tensor_bytes)),
        data_files,
        training: training(model),
        device_configurations: header
            .device_configurations
            .iter()
            .map(|configuration| configuration.name.clone())
            .collect(),
        unknown_fields: model
            .unknown_fields
            .iter()
            .map(|((message, field), count)| UnknownField {
                message: (*message).to_owned(),
                field: *field,
                count: *count,
            })
            .collect(),
    }
}

/// Versions by domain. A domain that is imported twice runs at its highest version.
fn opsets(model: &Model) -> BTreeMap<String, i64> {
    let mut opsets = BTreeMap::new();
    for import in &model.header.opsets {
        let domain = canonical_domain(model.name(import.domain)).to_owned();
        let version = opsets.entry(domain).or_insert(import.version);
        *version = import.version.max(*version);
    }
    opsets
}

/// The type that most learned elements are stored in; the first by name among equals. Integers of
/// one width go together: a model with signed and unsigned bytes is an `int8` model.
fn precision(parameters: &Parameters) -> Option<DType> {
    let mut by_width: BTreeMap<DType, u64> = BTreeMap::new();
    for (dtype, elements) in &parameters.by_dtype {
        let sum = by_width.entry(dtype.signed()).or_insert(0);
        *sum = sum.saturating_add(*elements);
    }
    let by_name = |(dtype, elements): &(DType, u64)| (*elements, Reverse(dtype.to_string()));
    by_width.into_iter().max_by_key(by_name).map(|(dtype, _)| dtype)
}

fn data_files(model: &Model, unknown: &mut Vec<Unknown>) -> Vec<DataFile> {
    let mut files: Vec<_> = model
        .data_files
        .iter()
        .map(|file| {
            let (status, reason, bytes) = match &file.state {
                DataFileState::Present(bytes) => (DataStatus::Present, "", Some(*bytes)),
                DataFileState::Missing => (DataStatus::Missing, "file not found", None),
                DataFileState::Refused(reason) => (DataStatus::Refused, reason.as_str(), None),
                DataFileState::Unchecked => {
                    (DataStatus::Unchecked, "the model was read from memory", None)
                }
            };
            DataFile {
                location: model.name(file.location).to_owned(),
                status,
                reason: reason.to_owned(),
                bytes,
                tensors: 0,
                tensor_bytes: 0,
                sha256: None,
            }
        })
        .collect();
    for (_, tensor) in model.tensors() {
        if let Data::External(external) = &tensor.data {
            let file = &mut files[external.file];
            file.tensors += 1;
            match external.length.or(tensor.bytes()) {
                Some(bytes) => file.tensor_bytes = file.tensor_bytes.saturating_add(bytes),
                None => {
                    let name = model.name(tensor.name);
                    let reason = format!("the size of {name:?} is unknown");
                    not_known(unknown, "model.external_bytes", reason);
                }
            }
        }
    }
    files
}

fn training(model: &Model) -> Option<TrainingFacts> {
    let steps = model.header.training.len() as u64;
    let nodes = model
        .graphs()
        .filter(|(_, graph)| graph.kind == GraphKind::Training)
        .map(|(_, graph)| graph.nodes.len() as u64)
        .sum();
    (steps > 0).then_some(TrainingFacts { steps, nodes })
}
