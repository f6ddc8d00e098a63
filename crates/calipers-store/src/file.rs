//! A remote file as a source of ranges.

use calipers_formats::ranges::Ranges;
use calipers_ir::Span;

use crate::object::{Object, Version};

/// One state of a remote file.
pub(crate) struct RemoteFile {
    object: Object,
    size: u64,
    version: Version,
}

impl RemoteFile {
    pub(crate) fn new(object: Object, size: u64, version: Version) -> Self {
        Self { object, size, version }
    }
}

impl Ranges for RemoteFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, spans: &[Span]) -> Result<Vec<Vec<u8>>, String> {
        self.object.read(spans, &self.version).map_err(|error| error.to_string())
    }
}
