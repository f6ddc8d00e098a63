//! One object of a store: its start, ranges of it, its size.

use std::sync::Arc;
use std::time::Duration;

use calipers_formats::ranges;
use calipers_ir::Span;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use http::StatusCode;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, GetOptions, GetRange, ObjectMeta, RetryConfig};

use crate::address::{Address, ObjectStoreKind};
use crate::authorities::Authorities;
use crate::connector::{Answer, CONCURRENT, Connector, Failure, LastAnswer, MAX_WHOLE};
use crate::reader::Reader;
use crate::{Error, Options, credentials, runtime};

/// An object of a store, or a folder of objects.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) store: Arc<Reader>,
    pub(crate) path: Path,
    last: LastAnswer,
    /// Whether the store refuses a request for a state of the object that is gone. A server may redirect to
    /// others, whose ETags are their own.
    has_conditions: bool,
    /// What to do when access is denied.
    login_hint: &'static str,
}

/// What identifies a state of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    etag: Option<String>,
    size: u64,
    modified_ms: i64,
}

impl Version {
    pub(crate) fn new(meta: &ObjectMeta) -> Self {
        let modified_ms = meta.last_modified.timestamp_millis();
        Self { etag: meta.e_tag.clone(), size: meta.size, modified_ms }
    }

    /// Whether this may be the same state as another: an ETag decides, where there is one.
    fn matches(&self, other: &Self) -> bool {
        match (&self.etag, &other.etag) {
            (Some(one), Some(other)) => one == other,
            _ => self.size == other.size,
        }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.etag {
            Some(etag) => {
                write!(f, "{}-{}", self.size, etag.trim_start_matches("W/").trim_matches('"'))
            }
            None => write!(f, "{}-{}", self.size, self.modified_ms),
        }
    }
}

/// The start of an object.
pub(crate) enum Start {
    /// All of it, from a server without ranges.
    Whole(Vec<u8>, Version),
    /// Its first range.
    Range { bytes: Vec<u8>, size: u64, version: Version },
}

impl Object {
    pub(crate) fn new(address: &Address, options: &Options) -> Result<Self, Error> {
        let authorities = Authorities::for_address(address);
        let connect = |authorization| Connector::new(options, authorities, authorization);
        match address {
            Address::Http { url, login } => {
                let authorization = login.as_ref().and_then(credentials::basic);
                let connector = connect(authorization)?;
                Self::http(url.as_str(), connector, options, "add user and password to the URL")
            }
            Address::Hub { repository, revision, file } => {
                let endpoint = credentials::hub_endpoint();
                let url = format!("{endpoint}/{repository}/resolve/{revision}/{file}");
                let url = url::Url::parse(&url).map_err(|_| {
                    Error::address(
                        "the address of the hub is malformed",
                        "write HF_ENDPOINT=https://host",
                    )
                })?;
                let connector = connect(credentials::hub())?;
                Self::http(url.as_str(), connector, options, "set HF_TOKEN, or run `hf auth login`")
            }
            Address::Object { store, bucket, key } => {
                Self::in_bucket(*store, bucket, key, connect(None)?, options)
            }
        }
    }

    fn http(
        url: &str,
        connector: Connector,
        options: &Options,
        login_hint: &'static str,
    ) -> Result<Self, Error> {
        let last = connector.last.clone();
        let builder = HttpBuilder::new().with_url(url).with_retry(retry(options));
        let store = builder
            .with_http_connector(connector)
            .build()
            .map_err(|error| misconfigured(&error))?;
        // The URL is that of the file itself, with its query.
        let path = Path::default();
        let store = Arc::new(Reader::Http(store));
        Ok(Self { store, path, last, has_conditions: false, login_hint })
    }

    fn in_bucket(
        store: ObjectStoreKind,
        bucket: &str,
        key: &str,
        connector: Connector,
        options: &Options,
    ) -> Result<Self, Error> {
        let last = connector.last.clone();
        let retry = retry(options);
        let (built, login_hint) = match store {
            ObjectStoreKind::S3 => {
                let builder = credentials::s3().with_bucket_name(bucket).with_retry(retry);
                let built = builder.with_http_connector(connector).build();
                (
                    built.map(Reader::S3),
                    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for a public bucket AWS_SKIP_SIGNATURE=true",
                )
            }
            ObjectStoreKind::Google => {
                let builder = credentials::google().with_bucket_name(bucket).with_retry(retry);
                let built = builder.with_http_connector(connector).build();
                (
                    built.map(Reader::Google),
                    "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`; for a public bucket GOOGLE_SKIP_SIGNATURE=true",
                )
            }
            ObjectStoreKind::Azure => {
                let builder = credentials::azure().with_container_name(bucket).with_retry(retry);
                let built = builder.with_http_connector(connector).build();
                (
                    built.map(Reader::Azure),
                    "set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN; for a public container AZURE_SKIP_SIGNATURE=true",
                )
            }
        };
        let store = built.map_err(|error| misconfigured(&error).with_hint(login_hint))?;
        let path = Path::parse(key).map_err(|_| {
            Error::address("the key is malformed", "write keys without empty parts, `.` and `..`")
        })?;
        Ok(Self { store: Arc::new(store), path, last, has_conditions: true, login_hint })
    }

    /// Fetches the first range, or all of it from a server without ranges.
    pub(crate) fn start(&self) -> Result<Start, Error> {
        runtime()?.block_on(async {
            let options = GetOptions {
                range: Some(GetRange::Bounded(0..ranges::FIRST)),
                ..GetOptions::default()
            };
            match self.store.get(&self.path, options).await {
                Ok(result) => {
                    let (size, version) = (result.meta.size, Version::new(&result.meta));
                    let expected = result.range.end - result.range.start;
                    let bytes = result.bytes().await.map_err(|error| self.describe(&error))?;
                    check_length(bytes.len() as u64, expected)?;
                    Ok(Start::Range { bytes: bytes.to_vec(), size, version })
                }
                Err(error) if is_without_ranges(&error) => self.whole().await,
                Err(error) => Err(self.describe(&error)),
            }
        })
    }

    async fn whole(&self) -> Result<Start, Error> {
        let without_ranges = |error| {
            let known: Error = self.describe(&error);
            Error::failed(format!("the server does not support range requests, and {known}"))
                .with_hint("download the file and run Calipers on it")
        };
        let result = self.store.get(&self.path, GetOptions::default()).await;
        let result = result.map_err(without_ranges)?;
        let version = Version::new(&result.meta);
        if result.meta.size > MAX_WHOLE {
            let reason = format!(
                "the server does not support range requests, and the file has {} bytes",
                result.meta.size
            );
            return Err(Error::failed(reason).with_hint("download the file and run Calipers on it"));
        }
        let expected = result.meta.size;
        let bytes = result.bytes().await.map_err(|error| self.describe(&error))?;
        check_length(bytes.len() as u64, expected)?;
        Ok(Start::Whole(bytes.to_vec(), version))
    }

    /// Fetches ranges of one state of the object, several at a time.
    pub(crate) fn read(&self, spans: &[Span], version: &Version) -> Result<Vec<Vec<u8>>, Error> {
        let one = |span: Span| async move {
            // A weak ETag cannot be a condition.
            let if_match =
                version.etag.clone().filter(|etag| self.has_conditions && !etag.starts_with("W/"));
            let range = Some(GetRange::Bounded(span.start..span.end));
            let options = GetOptions { range, if_match, ..GetOptions::default() };
            let result = self.store.get(&self.path, options).await;
            let result = result.map_err(|error| self.describe(&error))?;
            if !version.matches(&Version::new(&result.meta)) {
                return Err(changed());
            }
            let bytes = result.bytes().await.map_err(|error| self.describe(&error))?;
            check_length(bytes.len() as u64, span.len())?;
            Ok(bytes.to_vec())
        };
        runtime()?.block_on(
            stream::iter(spans.iter().copied()).map(one).buffered(CONCURRENT).try_collect(),
        )
    }

    /// The version of the object.
    pub(crate) fn version(&self) -> Result<Version, Error> {
        let meta = runtime()?.block_on(self.store.head(&self.path));
        meta.map(|meta| Version::new(&meta)).map_err(|error| self.describe(&error))
    }

    /// The sizes of objects of the same store.
    pub(crate) fn sizes(&self, paths: Vec<Path>) -> Result<Vec<Result<u64, Error>>, Error> {
        let one = |path: Path| async move {
            let meta = self.store.head(&path).await;
            meta.map(|meta| meta.size).map_err(|error| self.describe(&error))
        };
        Ok(runtime()?.block_on(stream::iter(paths).map(one).buffered(CONCURRENT).collect()))
    }

    /// What went wrong, without the addresses that `object_store` writes into its errors.
    pub(crate) fn describe(&self, error: &object_store::Error) -> Error {
        let last = self.last.get();
        let status = match &last {
            Answer::Failed(failure) if failure.is_metadata => {
                return Error::failed("no credentials were found".to_owned())
                    .with_hint(self.login_hint);
            }
            Answer::Failed(failure) => failure.status,
            Answer::None | Answer::Received => None,
        };
        match (error, status) {
            (_, Some(StatusCode::METHOD_NOT_ALLOWED)) => {
                Error::failed("the server answered 405 Method Not Allowed".to_owned())
            }
            (object_store::Error::NotFound { .. }, _) | (_, Some(StatusCode::NOT_FOUND)) => {
                Error::missing()
            }
            (object_store::Error::Precondition { .. }, _) => changed(),
            (_, Some(status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN))) => {
                Error::failed(format!("access denied: the server answered {status}"))
                    .with_hint(self.login_hint)
            }
            (_, Some(StatusCode::RANGE_NOT_SATISFIABLE)) => {
                Error::failed("the file is empty, or shorter than it was".to_owned())
            }
            (_, _) => match last {
                Answer::Failed(Failure { reason, hint, .. }) => match hint {
                    Some(hint) => Error::failed(reason).with_hint(hint),
                    None => Error::failed(reason),
                },
                Answer::Received => Error::failed(format!(
                    "the server's answer is malformed: {}",
                    root_cause(error)
                )),
                // Nothing was sent: credentials are missing or malformed.
                Answer::None => misconfigured(error).with_hint(self.login_hint),
            },
        }
    }
}

fn changed() -> Error {
    Error::failed("the file changed on the server while it was read".to_owned())
        .with_hint("run it again")
}

fn check_length(received: u64, expected: u64) -> Result<(), Error> {
    match received == expected {
        true => Ok(()),
        false => Err(Error::failed(format!("the server sent {received} of {expected} bytes"))),
    }
}

fn is_without_ranges(error: &object_store::Error) -> bool {
    // The other stores have no error of their own for it, and all of them support ranges.
    matches!(error, object_store::Error::NotSupported { .. })
}

fn misconfigured(error: &object_store::Error) -> Error {
    Error::failed(format!("the store cannot be used: {}", root_cause(error)))
}

/// The innermost reason, without addresses.
fn root_cause(error: &object_store::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let text = cause.to_string();
    let words =
        text.split_whitespace().map(|word| if word.contains("://") { "(address)" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

fn retry(options: &Options) -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(200),
            max_backoff: Duration::from_secs(5),
            base: 2.0,
        },
        max_retries: options.retries,
        retry_timeout: options.timeout.saturating_mul(3),
    }
}
