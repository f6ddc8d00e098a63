//! Where the bytes of a stored tensor are.

use std::fmt::Display;

use calipers_ir::{Data, Model, Source, Span, TensorId};

/// Elements of a tensor kept in fields of the format, which have to be unpacked to be read.
pub const MAX_UNPACKED: u64 = 1 << 28;

/// Where the bytes of a tensor are.
#[derive(Clone, Copy, Debug)]
pub enum Location<'a> {
    /// In one piece, in this file.
    Run {
        /// The file.
        source: &'a Source,
        /// The bytes in it.
        span: Span,
    },
    /// In fields of the format: [`Model::packed`] unpacks up to [`MAX_UNPACKED`] elements.
    Fields,
}

/// Finds the bytes of a tensor, or the reason why they cannot be read. `files` are the model's data
/// files in its order.
///
/// # Errors
///
/// The reason as a clause: the data is missing, or its size is not the one that the shape needs.
pub fn locate<'a, E: Display>(
    model: &'a Model,
    files: &'a [Result<Source, E>],
    id: TensorId,
) -> Result<Location<'a>, String> {
    let tensor = model.tensor(id);
    tensor.elements().map_err(|error| error.to_string())?;
    let unknown = || format!("unknown element type {}", tensor.dtype);
    let bytes = tensor.bytes().ok_or_else(unknown)?;
    let (source, span) = match &tensor.data {
        Data::Absent => return Err("it has no data".to_owned()),
        Data::Fields { .. } | Data::Inline(_) => return Ok(Location::Fields),
        Data::Raw(span) => (&model.source, *span),
        Data::External(external) => {
            let location =
                || model.data_files.get(external.file).map_or("", |file| model.name(file.location));
            let source = match files.get(external.file) {
                Some(Ok(source)) => source,
                Some(Err(reason)) => return Err(format!("{:?}: {reason}", location())),
                None => return Err(format!("{:?} was not opened", location())),
            };
            let start = external.offset.ok_or("its offset in the data file is unknown")?;
            let length = external.length.unwrap_or(bytes);
            let end = start.checked_add(length).ok_or("it extends past the data file")?;
            (source, Span { start, end })
        }
    };
    if span.len() != bytes {
        return Err(format!("its shape needs {bytes} bytes, but it has {}", span.len()));
    }
    if source.slice(span).is_none() {
        return Err("it extends past the end of its file".to_owned());
    }
    Ok(Location::Run { source, span })
}
