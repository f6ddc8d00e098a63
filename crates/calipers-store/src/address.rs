//! Addresses of remote files: parsing them, and showing them without credentials.

use url::Url;

use crate::Error;

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// A server. The URL has neither user nor password.
    Http {
        url: Url,
        /// User and password.
        login: Option<Login>,
    },
    /// An object in a bucket.
    Object {
        store: ObjectStoreKind,
        bucket: String,
        /// Its key, or a prefix.
        key: String,
    },
    /// A file in a repository of the Hugging Face hub.
    Hub { repository: String, revision: String, file: String },
}

/// The kinds of object stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectStoreKind {
    S3,
    Google,
    Azure,
}

/// A user and a password, which are never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Login")
    }
}

/// The name of the file at an address, without its folder; the address itself where it is malformed.
pub fn file_name(address: &str) -> String {
    Address::parse(address).map_or_else(|_| shown(address), |address| address.file_name())
}

/// Whether an argument is the address of a remote file, and not a path: whether it has a scheme, known or not.
///
/// ```
/// assert!(calipers_store::is_remote("s3://bucket/model.onnx"));
/// assert!(!calipers_store::is_remote("models/https/model.onnx"));
/// ```
pub fn is_remote(argument: &str) -> bool {
    scheme(argument).is_some_and(|scheme| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
    })
}

/// The address as it may be shown: without user, password, query and fragment.
///
/// ```
/// let address = "https://me:secret@example.org/m.onnx?X-Amz-Signature=abc";
/// assert_eq!(calipers_store::shown(address), "https://example.org/m.onnx");
/// ```
pub fn shown(address: &str) -> String {
    match Url::parse(address) {
        Ok(mut url) => {
            // They fail only for URLs that cannot have them.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.set_query(None);
            url.set_fragment(None);
            url.to_string()
        }
        Err(_) => {
            let end = address.find(['?', '#']).unwrap_or(address.len());
            let (scheme, rest) = address[..end].split_once("://").unwrap_or(("", &address[..end]));
            let authority = rest.split('/').next().unwrap_or_default();
            let login = authority.rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[login..])
        }
    }
}

fn scheme(argument: &str) -> Option<&str> {
    argument.split_once("://").map(|(scheme, _)| scheme)
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let scheme = scheme(text).unwrap_or_default().to_ascii_lowercase();
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        match scheme.as_str() {
            "http" | "https" => http(text),
            "s3" => object(ObjectStoreKind::S3, "s3", rest),
            "gs" => object(ObjectStoreKind::Google, "gs", rest),
            "az" => object(ObjectStoreKind::Azure, "az", rest),
            "hf" => hub(rest),
            _ => Err(Error::address(
                "the address has no scheme that Calipers reads",
                "write https://…, s3://bucket/key, gs://bucket/key, az://container/key or hf://org/model/file",
            )),
        }
    }

    /// The name of the file, without a folder.
    pub(crate) fn file_name(&self) -> String {
        let path = match self {
            Self::Http { url, .. } => {
                let last = url.path_segments().and_then(|mut parts| parts.next_back());
                return decoded(last.unwrap_or_default());
            }
            Self::Object { key, .. } => key,
            Self::Hub { file, .. } => file,
        };
        path.rsplit('/').next().unwrap_or_default().to_owned()
    }
}

fn http(text: &str) -> Result<Address, Error> {
    let mut url = Url::parse(text).map_err(|error| {
        Error::address(
            format!("the URL is malformed: {error}"),
            "write https://host/path/model.onnx",
        )
    })?;
    let login = (!url.username().is_empty() || url.password().is_some()).then(|| Login {
        user: decoded(url.username()),
        password: decoded(url.password().unwrap_or_default()),
    });
    // They fail only for URLs that cannot have them.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    if url.path().ends_with('/') {
        return Err(Error::address(
            "the URL ends with a slash, so it is not a file",
            "write the URL of the model file itself",
        ));
    }
    Ok(Address::Http { url, login })
}

fn object(store: ObjectStoreKind, scheme: &str, rest: &str) -> Result<Address, Error> {
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() {
        return Err(Error::address(
            "the address has no bucket",
            format!("write {scheme}://bucket/key"),
        ));
    }
    Ok(Address::Object { store, bucket: bucket.to_owned(), key: key.to_owned() })
}

fn hub(rest: &str) -> Result<Address, Error> {
    let mut parts = rest.splitn(3, '/');
    let (Some(owner), Some(name), Some(file)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(hub_format());
    };
    let (name, revision) = name.split_once('@').unwrap_or((name, "main"));
    if [owner, name, revision, file].iter().any(|part| part.is_empty()) {
        return Err(hub_format());
    }
    Ok(Address::Hub {
        repository: format!("{owner}/{name}"),
        revision: revision.to_owned(),
        file: file.to_owned(),
    })
}

fn hub_format() -> Error {
    Error::address(
        "the address does not name a file of a repository",
        "write hf://org/model/path/model.onnx, or hf://org/model@revision/path/model.onnx",
    )
}

/// The text that a part of a URL encodes.
pub(crate) fn decoded(part: &str) -> String {
    percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_has_its_parts() {
        let Address::Http { url, login } =
            Address::parse("https://me:p%40ss@h.org:8443/a%20b.onnx?k=v#x").unwrap()
        else {
            panic!("not a server")
        };
        assert_eq!(url.as_str(), "https://h.org:8443/a%20b.onnx?k=v");
        let login = login.unwrap();
        assert_eq!((login.user.as_str(), login.password.as_str()), ("me", "p@ss"));
        assert_eq!(Address::parse("https://h.org/a%20b.onnx").unwrap().file_name(), "a b.onnx");
        assert_eq!(
            Address::parse("s3://bucket/a/b.onnx").unwrap(),
            Address::Object {
                store: ObjectStoreKind::S3,
                bucket: "bucket".into(),
                key: "a/b.onnx".into()
            }
        );
        let Address::Hub { repository, revision, file } =
            Address::parse("hf://org/model@v2/onnx/m.onnx").unwrap()
        else {
            panic!("not a hub")
        };
        assert_eq!(
            (repository.as_str(), revision.as_str(), file.as_str()),
            ("org/model", "v2", "onnx/m.onnx")
        );
    }

    #[test]
    fn malformed_addresses_have_hints() {
        for text in [
            "ftp://h/x",
            "s3:///x",
            "hf://org/model",
            "hf://org//x",
            "https://",
            "https://h/folder/",
        ] {
            let error = Address::parse(text).unwrap_err();
            assert!(
                error.is_usage() && error.hint().is_some_and(|hint| hint.contains("write ")),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn credentials_are_not_shown() {
        for text in
            ["https://u:secret@h/m.onnx?sig=secret#secret", "https://u:secret@h:bad/m?secret"]
        {
            assert!(!shown(text).contains("secret"), "{}", shown(text));
        }
        let address = Address::parse("https://u:secret@h/m.onnx").unwrap();
        assert!(!format!("{address:?}").contains("secret"));
    }
}
