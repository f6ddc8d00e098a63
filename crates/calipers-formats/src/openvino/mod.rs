//! OpenVINO IR, versions 10 and 11: an XML file that describes the layers, and a `.bin` file of the
//! same stem with the constants.
//!
//! The format is described at
//! <https://docs.openvino.ai/2025/documentation/openvino-ir-format.html>, its operators at
//! <https://docs.openvino.ai/2025/documentation/openvino-ir-format/operation-sets.html>.

mod body;
mod constants;
mod document;
mod graph;
mod operators;
mod types;
mod xml;

use calipers_ir::{Format, Model, ModelBuilder, Span};

use crate::elements::StoredElements;
use crate::input::Input;
use crate::{Error, Reader, Start};

/// Files of OpenVINO.
pub(crate) const READER: Reader =
    Reader { format: Format::OpenVino, extensions: &["xml"], in_folder: &[], sniff, read };

fn sniff(start: &Start<'_>) -> bool {
    let text = start.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start.bytes).trim_ascii_start();
    let has_net = || text.windows(5).any(|window| window == b"<net " || window == b"<net\n");
    text.starts_with(b"<net ") || text.starts_with(b"<?xml") && has_net()
}

/// Reads an IR.
fn read(input: Input) -> Result<Model, Error> {
    let source = input.source.clone();
    let bytes = source.slice(Span { start: 0, end: source.size() });
    let Some(bytes) = bytes else { return Err(crate::incomplete(&source)) };
    let document = xml::parse(bytes)?;
    if document.version.is_some_and(|version| version < 10) {
        return Err(Error::Foreign {
            what: "an OpenVINO IR of version 9 or older",
            hint: "convert the original model with a current version of OpenVINO",
        });
    }
    let mut builder = ModelBuilder::default();
    builder.source = input.source;
    builder.decoder = Some(&StoredElements);
    let header = &mut builder.header;
    header.format = Format::OpenVino;
    header.bytes = source.size();
    header.ir_version = document.version;
    header.metadata.clone_from(&document.info);
    let written = |key: &str| document.info.iter().find(|(name, _)| name == key);
    // The converter and the library write the same version under different names.
    let producers = [
        ("Runtime_version", "OpenVINO"),
        ("OpenVINO Runtime", "OpenVINO"),
        ("MO_version", "OpenVINO Model Optimizer"),
    ];
    if let Some((name, (_, version))) =
        producers.iter().find_map(|(key, name)| Some((name, written(key)?)))
    {
        (*name).clone_into(&mut header.producer_name);
        header.producer_version.clone_from(version);
    }
    graph::build(builder, &document, &input.name, input.folder.as_deref())
}
