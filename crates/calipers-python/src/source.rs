//! Bytes of Python as the bytes of a model.

use std::path::PathBuf;

use calipers_ir::{Bytes, Source};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// What a model is read from.
pub(crate) enum Input {
    /// A file.
    Path(PathBuf),
    /// Immutable bytes of Python, which are shared.
    Bytes(Source),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Input {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyBytes>() {
            Ok(bytes) => Ok(Self::Bytes(Source::new(Shared(bytes.to_owned().into())))),
            Err(_) => Ok(Self::Path(object.extract()?)),
        }
    }
}

/// A `bytes` object that stays alive.
struct Shared(PyBackedBytes);

impl Bytes for Shared {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn whole(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
}
