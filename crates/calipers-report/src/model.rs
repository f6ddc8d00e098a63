//! The model's section: the file, and what it says of itself.

use std::collections::BTreeMap;

use calipers_ir::{Format, GraphOrigin};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::DType;

/// The file and its header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ModelFacts {
    /// File name, without its folder.
    pub file: String,
    /// File format.
    pub format: Format,
    /// Where the graph comes from. Absent where the file stores it.
    #[serde(default, skip_serializing_if = "is_stored")]
    pub graph_origin: GraphOrigin,
    /// Size of the model file in bytes.
    pub bytes: u64,
    /// SHA-256 of the model file in hexadecimal, when it was asked for: it costs reading every byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// SHA-256 over the digests and names of the model file and all its data files, as
    /// `sha256sum MODEL DATA… | sha256sum` makes it, when it was asked for and all can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256_all: Option<String>,
    /// Version of the format's own representation (ONNX: `ir_version`).
    pub ir_version: Option<i64>,
    /// The tool that wrote the file.
    pub producer: Producer,
    /// Operator sets in use: domain to version. The standard domain is spelled `ai.onnx`.
    pub opsets: BTreeMap<String, i64>,
    /// Namespace of the model, as its author wrote it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub domain: String,
    /// Version of the model, as its author numbered it.
    pub model_version: Option<i64>,
    /// What the author wrote about the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// Free metadata of the author.
    pub metadata: BTreeMap<String, String>,
    /// Data type in which most parameters are stored, such as `float32` or `int8`, integers of one
    /// width taken together; null when the model has none.
    pub precision: Option<DType>,
    /// Files that hold tensors outside the model file.
    pub data_files: Vec<DataFile>,
    /// Bytes of tensors kept in those files.
    pub external_bytes: u64,
    /// Graphs for training, when the file carries any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<TrainingFacts>,
    /// Names of device configurations (multi-device execution).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_configurations: Vec<String>,
    /// Fields that this reader does not know: skipped, and counted here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_fields: Vec<UnknownField>,
}

fn is_stored(origin: &GraphOrigin) -> bool {
    *origin == GraphOrigin::Stored
}

/// The tool that wrote the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Producer {
    /// Its name, empty when the file does not say.
    pub name: String,
    /// Its version, empty when the file does not say.
    pub version: String,
}

/// A file next to the model that holds tensors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DataFile {
    /// Where the model says it is, relative to the model's folder.
    pub location: String,
    /// Whether it can be used.
    pub status: DataStatus,
    /// Why not, when it cannot.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Its size in bytes, when it is there.
    pub bytes: Option<u64>,
    /// Tensors that the model keeps in it.
    pub tensors: u64,
    /// Bytes of those tensors.
    pub tensor_bytes: u64,
    /// SHA-256 of the whole file in hexadecimal, when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Whether a data file can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DataStatus {
    /// It is there, inside the model's folder.
    Present,
    /// There is no such file.
    Missing,
    /// Its location is unsafe or malformed; it was not touched.
    Refused,
    /// The model was read from memory, so there is no folder to look in.
    Unchecked,
}

/// Training graphs that the file carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TrainingFacts {
    /// Training steps described (ONNX: `training_info` entries).
    pub steps: u64,
    /// Nodes in their graphs; they are in no other figure of the report.
    pub nodes: u64,
}

/// A field of the file that this reader does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UnknownField {
    /// The message it is in, such as `NodeProto`.
    pub message: String,
    /// Its number.
    pub field: u32,
    /// How often it occurs.
    pub count: u64,
}
