//! The files next to a remote model.

use calipers_formats::{DataError, Folder};
use calipers_ir::{DataFileState, Source};
use object_store::path::Path;

use crate::address::Address;
use crate::object::Object;
use crate::{Error, Options};

/// The folder of a remote model: the URL without its last part, or the prefix of a key.
pub(crate) struct RemoteFolder {
    object: Object,
    folder: Path,
}

impl RemoteFolder {
    pub(crate) fn new(address: &Address, options: &Options) -> Result<Self, Error> {
        let mut address = address.clone();
        let folder = match &mut address {
            Address::Http { url, .. } => {
                // A signature in the query is that of the model alone.
                url.set_query(None);
                if let Ok(mut parts) = url.path_segments_mut() {
                    parts.pop();
                }
                Path::default()
            }
            Address::Hub { file, .. } => {
                *file =
                    file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
                Path::default()
            }
            Address::Object { key, .. } => {
                let folder = key.rsplit_once('/').map_or("", |(folder, _)| folder);
                Path::parse(folder).unwrap_or_default()
            }
        };
        Ok(Self { object: Object::new(&address, options)?, folder })
    }

    fn path(&self, location: &str) -> Path {
        let parts = location.split('/').filter(|part| !part.is_empty() && *part != ".");
        Path::from_iter(self.folder.parts().chain(parts.map(Into::into)))
    }
}

impl Folder for RemoteFolder {
    fn states(&self, locations: &[&str]) -> Vec<DataFileState> {
        let paths = locations.iter().map(|location| self.path(location)).collect();
        let Ok(sizes) = self.object.sizes(paths) else {
            return vec![DataFileState::Unchecked; locations.len()];
        };
        let state = |size| match size {
            Ok(size) => DataFileState::Present(size),
            Err(error) if Error::is_missing(&error) => DataFileState::Missing,
            // Some servers do not answer requests for headers alone.
            Err(_) => DataFileState::Unchecked,
        };
        sizes.into_iter().map(state).collect()
    }

    fn open(&self, _: &str) -> Result<Source, DataError> {
        // Weights of remote models are not read.
        Err(DataError::Refused("the model is remote; download it first".to_owned()))
    }
}
