//! What a session is made of: the bytes of a model, more outputs, and weights.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use calipers_ir::{Data, DataFileState, Format, Model};

use crate::Error;

/// The bytes of a model and where its data files are.
#[derive(Clone, Debug)]
pub struct ModelSource {
    /// The file as it is, or a copy with more outputs.
    bytes: Bytes,
    /// The model's file.
    path: Option<PathBuf>,
    /// The folder of the model's data files.
    folder: Option<PathBuf>,
    /// Contents of data files that are missing, by location.
    synthesized: DataFiles,
    /// Data files that are there, by location.
    #[cfg_attr(not(feature = "rten"), expect(dead_code, reason = "read by rten alone"))]
    data: Vec<(String, calipers_ir::Source)>,
}

/// Contents of data files, by location.
pub type DataFiles = Vec<(String, Arc<[u8]>)>;

#[derive(Clone, Debug)]
enum Bytes {
    File(calipers_ir::Source),
    Copy(Arc<[u8]>),
}

/// Values that are returned in addition to the outputs, by name.
pub type Exposed<'a> = &'a [String];

impl ModelSource {
    /// Takes a model with the weights that it has, and those that were synthesized for data files
    /// that are missing.
    ///
    /// # Errors
    ///
    /// [`Error::MissingWeights`] if a data file is missing and has no synthesized contents,
    /// [`Error::RefusedData`] if one may not be opened.
    pub fn new(model: &Model, path: Option<&Path>, synthesized: DataFiles) -> Result<Self, Error> {
        let format = model.header.format;
        if !matches!(format, Format::Onnx | Format::Ort) {
            return Err(Error::Request(format!(
                "only ONNX models are executed, and this is {}; export the model to ONNX",
                format.display_name()
            )));
        }
        for file in &model.data_files {
            let location = model.name(file.location);
            let has_contents = synthesized.iter().any(|(name, _)| name == location);
            match &file.state {
                DataFileState::Present(_) => {}
                DataFileState::Refused(why) => {
                    return Err(Error::RefusedData(location.to_owned(), why.clone()));
                }
                _ if has_contents => {}
                _ => {
                    let text = format!("the data file `{location}` with weights is missing");
                    return Err(Error::MissingWeights(text));
                }
            }
        }
        let is_absent = |tensor: &calipers_ir::Tensor| {
            tensor.data == Data::Absent && tensor.elements() != Ok(0)
        };
        if let Some((_, tensor)) = model.tensors().find(|(_, tensor)| is_absent(tensor)) {
            let name = model.name(tensor.name);
            return Err(Error::Request(format!("the file has no data for the tensor `{name}`")));
        }
        if model.source.whole().is_none() {
            return Err(Error::Request(
                "the model is remote; download it to execute it".to_owned(),
            ));
        }
        let mut data = Vec::new();
        if let Some(path) = path {
            let files = calipers_formats::open_data(path, model);
            for (file, source) in model.data_files.iter().zip(files) {
                data.extend(source.ok().map(|it| (model.name(file.location).to_owned(), it)));
            }
        }
        let folder = path.map(|path| match path.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        });
        let path = path.map(Path::to_owned);
        Ok(Self { bytes: Bytes::File(model.source.clone()), path, folder, synthesized, data })
    }

    /// Returns the same model with more values among its outputs.
    ///
    /// Two parts of a protobuf message are one message with the fields of both, so the copy is the
    /// file with a second part that has nothing but the outputs.
    #[must_use]
    pub fn exposing(&self, values: Exposed<'_>) -> Self {
        let mut graph = Vec::new();
        for name in values {
            // ValueInfoProto: the name is field 1. GraphProto: an output is field 12.
            let mut value = Vec::new();
            field(&mut value, 1, name.as_bytes());
            field(&mut graph, 12, &value);
        }
        let mut copy = Vec::with_capacity(self.bytes().len() + graph.len() + 16);
        copy.extend_from_slice(self.bytes());
        // ModelProto: the graph is field 7.
        field(&mut copy, 7, &graph);
        Self { bytes: Bytes::Copy(copy.into()), ..self.clone() }
    }

    /// The bytes of the model.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            // `new` refuses sources that are not there as a whole.
            Bytes::File(source) => source.whole().unwrap_or_default(),
            Bytes::Copy(bytes) => bytes,
        }
    }

    /// The file, where the model is executed as it is there. A runtime that reads it by itself does
    /// not need it a second time in memory.
    pub(crate) fn file(&self) -> Option<&Path> {
        let is_file = matches!(self.bytes, Bytes::File(_)) && self.synthesized.is_empty();
        self.path.as_deref().filter(|_| is_file)
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Data files that are there, for runtimes that do not open files.
    #[cfg(feature = "rten")]
    pub(crate) fn data(&self) -> &[(String, calipers_ir::Source)] {
        &self.data
    }

    pub(crate) fn synthesized(&self) -> &[(String, Arc<[u8]>)] {
        &self.synthesized
    }
}

/// Appends a length-delimited field.
fn field(to: &mut Vec<u8>, number: u64, contents: &[u8]) {
    varint(to, number << 3 | 2);
    varint(to, contents.len() as u64);
    to.extend_from_slice(contents);
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    to.push((value & 0x7f) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_as_protobuf_does() {
        let mut bytes = Vec::new();
        field(&mut bytes, 12, &[7; 200]);
        // Field 12 of wire type 2 is 98; 200 is 72 + 128, then 1 times 128.
        assert_eq!(bytes[..3], [98, 0xc8, 1]);
        assert_eq!(bytes.len(), 203);
    }
}
