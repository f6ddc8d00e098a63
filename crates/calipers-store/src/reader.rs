//! A store of any kind, to read from.

use futures_util::TryStreamExt as _;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3;
use object_store::azure::MicrosoftAzure;
use object_store::gcp::GoogleCloudStorage;
use object_store::http::HttpStore;
use object_store::path::Path;
use object_store::{GetOptions, GetResult, ObjectMeta, ObjectStore, Result};

/// A store. Each kind is a variant in place of a `dyn ObjectStore`, whose table of methods links the code
/// that writes to stores as well.
#[derive(Debug)]
pub(crate) enum Reader {
    S3(AmazonS3),
    Google(GoogleCloudStorage),
    Azure(MicrosoftAzure),
    Http(HttpStore),
}

impl Reader {
    pub(crate) async fn get(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        match self {
            Self::S3(store) => store.get_opts(path, options).await,
            Self::Google(store) => store.get_opts(path, options).await,
            Self::Azure(store) => store.get_opts(path, options).await,
            Self::Http(store) => store.get_opts(path, options).await,
        }
    }

    pub(crate) async fn head(&self, path: &Path) -> Result<ObjectMeta> {
        let options = GetOptions { head: true, ..GetOptions::default() };
        Ok(self.get(path, options).await?.meta)
    }

    pub(crate) async fn list(&self, prefix: &Path) -> Result<Vec<ObjectMeta>> {
        let listing: BoxStream<'static, Result<ObjectMeta>> = match self {
            Self::S3(store) => store.list(Some(prefix)),
            Self::Google(store) => store.list(Some(prefix)),
            Self::Azure(store) => store.list(Some(prefix)),
            Self::Http(store) => store.list(Some(prefix)),
        };
        listing.try_collect().await
    }
}
