//! The models of a bucket.

use crate::address::{Address, ObjectStoreKind};
use crate::object::{Object, Version};
use crate::{Error, Options, runtime};

/// An object of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its address.
    pub address: String,
    /// What identifies its state, as in [`crate::Opened`].
    pub version: String,
}

/// Lists the objects under a prefix whose keys are wanted, in the order of their keys. The address of an object lists
/// itself.
///
/// # Errors
///
/// An [`Error`] if the bucket cannot be listed. Servers have no listing.
pub fn list(
    address: &str,
    is_wanted: impl Fn(&str) -> bool,
    options: &Options,
) -> Result<Vec<Entry>, Error> {
    let parsed = Address::parse(address)?;
    let Address::Object { store, bucket, key } = &parsed else {
        return Err(Error::address(
            "a server cannot be listed",
            "give the addresses of its models, or a file that lists them",
        ));
    };
    let scheme = match store {
        ObjectStoreKind::S3 => "s3",
        ObjectStoreKind::Google => "gs",
        ObjectStoreKind::Azure => "az",
    };
    let prefix = Address::Object {
        store: *store,
        bucket: bucket.clone(),
        key: key.trim_end_matches('/').to_owned(),
    };
    let object = Object::new(&prefix, options)?;
    let found = runtime()?.block_on(object.store.list(&object.path));
    let mut found = found.map_err(|error| object.describe(&error))?;
    found.retain(|meta| is_wanted(meta.location.as_ref()));
    found.sort_by(|one, other| one.location.cmp(&other.location));
    let entry = |meta| Entry {
        address: format!("{scheme}://{bucket}/{}", object_store::ObjectMeta::clone(meta).location),
        version: Version::new(meta).to_string(),
    };
    Ok(found.iter().map(entry).collect())
}
