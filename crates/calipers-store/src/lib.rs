//! Model files on servers and in object stores, read in ranges.
//!
//! ```no_run
//! let model = calipers_store::open("s3://models/resnet50.onnx", &Default::default())?;
//! println!("{} bytes, version {}", model.source.size(), model.version);
//! # Ok::<(), calipers_store::Error>(())
//! ```
//!
//! [`open`] fetches the start of a file; [`RangedBytes`] fetches what a reader asks for. [`list`] lists the
//! models of a bucket. Addresses are `https://`, `http://`, `s3://`, `gs://`, `az://` and `hf://`.
//!
//! Credentials come from where the vendors' own tools find them, see [`Options`]. No error or debug output
//! contains them: addresses are shown without user, password and query.
#![forbid(unsafe_code)]

mod address;
mod authorities;
mod connector;
mod credentials;
mod error;
mod file;
mod folder;
mod listing;
mod object;
mod reader;

use std::sync::Arc;
use std::time::Duration;

pub use address::{file_name, is_remote, shown};
use calipers_formats::Folder;
use calipers_formats::ranges::RangedBytes;
use calipers_ir::{PerProcess, Source};
pub use error::Error;
pub use listing::{Entry, list};
use tokio::runtime::{Builder, Runtime};

use crate::address::Address;
use crate::file::RemoteFile;
use crate::folder::RemoteFolder;
use crate::object::{Object, Start};

/// How files are fetched.
///
/// Credentials: `AWS_*` variables, then the profile that `AWS_PROFILE` names in `~/.aws/credentials` and
/// `~/.aws/config`, then the machine's role; `GOOGLE_APPLICATION_CREDENTIALS` or the login of `gcloud`;
/// `AZURE_STORAGE_*` variables; `HF_TOKEN` or the login of `hf`; user and password of a URL.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How long a server may take to connect, to answer, and to send each range.
    pub timeout: Duration,
    /// How often a request is repeated that failed for a reason that may pass.
    pub retries: usize,
    /// The proxy to use, as a URL; none unless it is given.
    pub proxy: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), retries: 4, proxy: None }
    }
}

/// A remote model file.
pub struct Opened {
    /// Its bytes, which are fetched when they are asked for.
    pub source: Source,
    /// Its name, without a folder.
    pub name: String,
    /// The place of the files next to it.
    pub folder: Arc<dyn Folder>,
    /// What identifies this state of the file: its ETag, or its size and time of modification.
    pub version: String,
}

/// Opens the file at an address. Fetches its first bytes.
///
/// # Errors
///
/// An [`Error`] if the address is malformed or the file cannot be read.
pub fn open(address: &str, options: &Options) -> Result<Opened, Error> {
    let address = Address::parse(address)?;
    let object = Object::new(&address, options)?;
    let name = address.file_name();
    let folder: Arc<dyn Folder> = Arc::new(RemoteFolder::new(&address, options)?);
    let (source, version) = match object.start()? {
        Start::Whole(bytes, version) => (Source::new(bytes), version),
        Start::Range { bytes, size, version } => {
            let file = RemoteFile::new(object, size, version.clone());
            (Source::new(RangedBytes::with_start(file, bytes)), version)
        }
    };
    Ok(Opened { source, name, folder, version: version.to_string() })
}

/// Asks for the version of the file at an address, with a request for its headers alone.
///
/// # Errors
///
/// An [`Error`] if the address is malformed or the server does not answer such a request.
pub fn version(address: &str, options: &Options) -> Result<String, Error> {
    let object = Object::new(&Address::parse(address)?, options)?;
    Ok(object.version()?.to_string())
}

/// Polls requests on the thread that waits for them; threads of its own send them.
fn runtime() -> Result<&'static Runtime, Error> {
    static RUNTIME: PerProcess<Option<Runtime>> = PerProcess::new();
    let build = || Builder::new_current_thread().enable_time().build().ok();
    RUNTIME
        .get_or_init(build)
        .as_ref()
        .ok_or_else(|| Error::failed("the system gives no timer".to_owned()))
}
