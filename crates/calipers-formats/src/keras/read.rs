//! Finding the parts of a file: its configuration, and its weights.

use calipers_ir::{Format, GraphOrigin, Hazard, Model, ModelBuilder, Source, Span};
use serde_json::Value;

use super::build::{Data, build};
use super::json::{Config, parse};
use super::weights::Weights;
use crate::Error;
use crate::archive::Archive;
use crate::elements::StoredElements;
use crate::hdf5::{self, Contents};
use crate::input::Input;

/// Bytes of a description in an archive.
const MAX_JSON: u64 = 12 << 20;

/// Bytes of weights that are unpacked, where an archive has them compressed.
const MAX_UNPACKED: u64 = 32 << 20;

/// Texts longer than this are no metadata for people.
const MAX_METADATA: usize = 4096;

/// What a file describes.
#[derive(Default)]
struct Parts {
    config: Option<Vec<u8>>,
    contents: Contents,
    /// Whether the bytes of weights are those of the file.
    is_in_place: bool,
}

/// Reads a model of Keras.
pub(super) fn read(input: Input) -> Result<Model, Error> {
    let Input { source, name, .. } = input;
    let mut builder = ModelBuilder::default();
    builder.header.format = Format::Keras;
    builder.header.file_name = name;
    builder.header.bytes = source.size();
    builder.header.producer_name = "keras".to_owned();
    builder.source = source.clone();
    builder.decoder = Some(&StoredElements);
    let graph = builder.add_main_graph()?;
    let is_archive = source.window(0, 2).is_some_and(|bytes| bytes.starts_with(b"PK"));
    let parts = match is_archive {
        true => archive(&mut builder, &source)?,
        false => whole(&mut builder, &source)?,
    };
    if parts.config.is_none() {
        builder.header.graph_origin = GraphOrigin::Absent;
    }
    for file in &parts.contents.other_files {
        builder
            .hazards
            .push(Hazard::CallsOut { what: format!("another file, as HDF5 allows: {file}") });
    }
    if let Some(size) = parts.contents.stated_size {
        let what = format!("the HDF5 file states a size of {size} bytes, and is smaller");
        builder.hazards.push(Hazard::Misstated { what });
    }
    let weights = Weights::new(&parts.contents);
    if weights.optimizer_bytes > 0 {
        let bytes = weights.optimizer_bytes.to_string();
        builder.header.metadata.push(("optimizer state, bytes".to_owned(), bytes));
    }
    let data = Data { weights: &weights, is_in_place: parts.is_in_place };
    let config = match &parts.config {
        Some(text) => Some(parse(text).map_err(|problem| damaged(&problem))?),
        None => None,
    };
    build(&mut builder, graph, config.as_ref(), &data).map_err(|failure| match failure {
        super::build::Failure::Config(problem) => damaged(&problem),
        super::build::Failure::TooLarge(error) => error.into(),
    })?;
    Ok(builder.finish()?)
}

fn damaged(problem: &str) -> Error {
    Error::damaged(0, "the configuration of the model", problem)
}

/// Reads the members of an archive.
fn archive(builder: &mut ModelBuilder, source: &Source) -> Result<Parts, Error> {
    let mut archive = Archive::open(source)?;
    let mut parts = Parts::default();
    if let Some(metadata) = archive.find("metadata.json") {
        let text = archive.read(metadata, MAX_JSON)?;
        if let Ok(metadata) = parse(&text) {
            for (key, value) in metadata.as_object().into_iter().flatten() {
                note(builder, key, value);
            }
            let version = Config(&metadata).text("keras_version");
            version.clone_into(&mut builder.header.producer_version);
        }
    }
    if let Some(config) = archive.find("config.json") {
        parts.config = Some(archive.read(config, MAX_JSON)?);
    }
    let Some(place) = archive.find("model.weights.h5") else {
        if parts.config.is_none() {
            let hint = "the archive has neither config.json nor model.weights.h5".to_owned();
            return Err(Error::NoGraph { hint });
        }
        return Ok(parts);
    };
    let member = archive.members().get(place).cloned();
    let read = match member.and_then(|member| member.stored) {
        Some(span) => {
            parts.is_in_place = true;
            hdf5::read(source, span)
        }
        None => match archive.read(place, MAX_UNPACKED) {
            Ok(bytes) => {
                let window = Span { start: 0, end: bytes.len() as u64 };
                hdf5::read(&Source::new(bytes), window)
            }
            Err(error) => {
                let what = format!("the weights of the archive cannot be read: {error}");
                builder.hazards.push(Hazard::Misstated { what });
                return Ok(parts);
            }
        },
    };
    match read {
        Ok(contents) => parts.contents = contents,
        Err(problem) => {
            let what = format!("the weights of the archive are damaged: {}", problem.describe());
            builder.hazards.push(Hazard::Misstated { what });
        }
    }
    Ok(parts)
}

/// Notes a text of the file for people.
fn note(builder: &mut ModelBuilder, key: &str, value: &Value) {
    if let Some(text) = value.as_str().filter(|text| text.len() <= MAX_METADATA) {
        builder.header.metadata.push((key.to_owned(), text.to_owned()));
    }
}

/// Reads an HDF5 file that is the whole model, or its weights alone.
fn whole(builder: &mut ModelBuilder, source: &Source) -> Result<Parts, Error> {
    let window = Span { start: 0, end: source.size() };
    let contents = hdf5::read(source, window)?;
    let mut parts = Parts { is_in_place: true, ..Parts::default() };
    let mut is_keras = false;
    for object in &contents.objects {
        if object.path.is_empty() || object.path == "model_weights" {
            for key in ["keras_version", "backend"] {
                if let Some(text) = object.text(key) {
                    is_keras = true;
                    let known = &builder.header.metadata;
                    if !known.iter().any(|(name, _)| name == key) {
                        note(builder, key, &Value::from(text));
                    }
                    if key == "keras_version" {
                        text.clone_into(&mut builder.header.producer_version);
                    }
                }
            }
            is_keras |= object.text("layer_names").is_some();
        }
        let outermost = object.path.split('/').next().unwrap_or_default();
        is_keras |= ["layers", "_layer_checkpoint_dependencies"].contains(&outermost);
        if object.path.is_empty() {
            parts.config = object.text("model_config").map(|text| text.as_bytes().to_vec());
            is_keras |= parts.config.is_some();
        }
    }
    if !is_keras && !contents.objects.iter().any(|object| object.path.ends_with("/vars")) {
        return Err(Error::Foreign {
            what: "an HDF5 file without a model of Keras",
            hint: "save the model with Keras, or export it to ONNX",
        });
    }
    parts.contents = contents;
    Ok(parts)
}
