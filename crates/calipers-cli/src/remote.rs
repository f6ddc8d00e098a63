//! Models that are given by an address instead of a path.

use std::path::Path;

use calipers::Model;

use crate::problem::Problem;

/// The address that an argument is; `None` for paths.
pub(crate) fn address(argument: &Path) -> Option<&str> {
    argument.to_str().filter(|text| is_remote(text))
}

/// The name of the model's file, without its folder.
pub(crate) fn file_name(argument: &Path) -> String {
    match address(argument) {
        Some(address) => name_at(address),
        None => argument.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

#[cfg(feature = "remote")]
mod enabled {
    use std::env;
    use std::time::Duration;

    pub(crate) use calipers_store::shown;
    pub(super) use calipers_store::{file_name as name_at, is_remote};

    use super::{Model, Path, Problem};

    /// How remote files are fetched, as the environment asks for it.
    pub(crate) fn options() -> calipers_store::Options {
        let mut options = calipers_store::Options::default();
        let seconds = env::var("CALIPERS_TIMEOUT").ok().and_then(|text| text.parse().ok());
        if let Some(seconds @ 1..) = seconds {
            options.timeout = Duration::from_secs(seconds);
        }
        options.proxy = env::var("CALIPERS_PROXY").ok().filter(|proxy| !proxy.is_empty());
        options
    }

    /// Opens the model at an address.
    pub(crate) fn open(address: &str) -> Result<Model, Problem> {
        let path = Path::new(address);
        let opened = calipers_store::open(address, &options())
            .map_err(|error| Problem::unreadable(path, &error, error.hint()))?;
        let calipers_store::Opened { source, name, folder, .. } = opened;
        Model::read_source(source, &name, Some(folder))
            .map_err(|error| Problem::unreadable(path, &error, error.hint()))
    }
}

#[cfg(not(feature = "remote"))]
mod enabled {
    use super::{Model, Path, Problem};

    pub(super) fn is_remote(argument: &str) -> bool {
        argument.contains("://")
    }

    pub(super) fn name_at(address: &str) -> String {
        address.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// The address without what may be a secret.
    pub(crate) fn shown(address: &str) -> String {
        address.split(['?', '#']).next().unwrap_or_default().to_owned()
    }

    pub(crate) fn open(address: &str) -> Result<Model, Problem> {
        let hint = "install Calipers with `--features remote`, or download the file".to_owned();
        let why = "this build of Calipers reads local files alone";
        Err(Problem::unreadable(Path::new(address), &why, Some(hint)))
    }
}

use enabled::{is_remote, name_at};
pub(crate) use enabled::{open, shown};
