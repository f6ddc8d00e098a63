//! Models that are given by an address instead of a path.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use calipers::Model;

use crate::problem::Problem;

/// Whether `--offline` was given.
static OFFLINE: AtomicBool = AtomicBool::new(false);

/// Makes `--offline` hold for every address from now on.
pub(crate) fn choose_offline(offline: bool) {
    OFFLINE.store(offline, Ordering::Relaxed);
}

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

    use calipers_formats::has_model_extension;
    use calipers_scan::{Opened, Place};

    use super::{Model, OFFLINE, Ordering, Path, Problem};

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
        if OFFLINE.load(Ordering::Relaxed) {
            let hint = "download the file, or leave out --offline".to_owned();
            return Err(Problem::unreadable(path, &"--offline forbids connections", Some(hint)));
        }
        let opened = calipers_store::open(address, &options())
            .map_err(|error| Problem::unreadable(path, &error, error.hint()))?;
        let calipers_store::Opened { source, name, folder, .. } = opened;
        Model::read_source(source, &name, Some(folder))
            .map_err(|error| Problem::unreadable(path, &error, error.hint()))
    }

    /// A model on a server.
    struct RemotePlace {
        /// Where it is, with what the server asks for.
        url: String,
        /// The same as it is shown.
        address: String,
        version: Option<String>,
    }

    impl Place for RemotePlace {
        fn address(&self) -> &str {
            &self.address
        }

        fn location(&self) -> &str {
            &self.url
        }

        fn version(&self) -> Option<String> {
            self.version.clone()
        }

        fn current_version(&self) -> Option<String> {
            let known = || calipers_store::version(&self.url, &options()).ok();
            self.version.clone().or_else(known)
        }

        fn open(&self) -> Result<Opened, String> {
            let opened = calipers_store::open(&self.url, &options());
            let opened = opened.map_err(|error| error.to_string())?;
            let calipers_store::Opened { source, name, folder, version } = opened;
            let model = Model::read_source(source, &name, Some(folder));
            // A listing may be older than the file.
            let version = Some(self.version.clone().unwrap_or(version));
            Ok(Opened { model: model.map_err(|error| error.to_string())?, version })
        }
    }

    /// The models at an address: one file, or those under a prefix of a bucket.
    pub(crate) fn places(address: &Path) -> anyhow::Result<Vec<Box<dyn Place>>> {
        let text = address.to_string_lossy().into_owned();
        if has_model_extension(&name_at(&text)) {
            let address = shown(&text);
            return Ok(vec![Box::new(RemotePlace { url: text, address, version: None })]);
        }
        let listed = calipers_store::list(&text, has_model_extension, &options())
            .map_err(|error| Problem::unreadable(address, &error, error.hint()))?;
        if listed.is_empty() {
            return Err(Problem::unreadable(
                address,
                &"no model was found under this prefix",
                None,
            )
            .into());
        }
        let place = |entry: calipers_store::Entry| -> Box<dyn Place> {
            let calipers_store::Entry { address, version } = entry;
            Box::new(RemotePlace { url: address.clone(), address, version: Some(version) })
        };
        Ok(listed.into_iter().map(place).collect())
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

#[cfg(feature = "remote")]
pub(crate) use enabled::places;
use enabled::{is_remote, name_at};
pub(crate) use enabled::{open, shown};
