//! The certificate authorities that servers are checked against: those of browsers, or a file that the environment
//! names.

use std::path::{Path, PathBuf};

use ureq::tls::{PemItem, RootCerts, parse_pem};

use crate::Error;
use crate::address::{Address, ObjectStoreKind};
use crate::credentials::{self, variable};

/// Variables that name a file of authorities, for every server, the first one that is set.
const VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"];

/// What to do about a certificate that none of the authorities signed.
pub(crate) fn hint(authorities: Option<&Authorities>) -> String {
    let variable = authorities.map_or(VARIABLES[0], |authorities| authorities.variable);
    format!("set {variable} to a PEM file with the authority of the server's certificate")
}

/// A file of authorities that replaces the built-in ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Authorities {
    variable: &'static str,
    path: PathBuf,
}

impl Authorities {
    /// The file for an address; `None` for the built-in authorities.
    pub(crate) fn for_address(address: &Address) -> Option<Self> {
        let is_s3 = matches!(address, Address::Object { store: ObjectStoreKind::S3, .. });
        let names = is_s3.then_some("AWS_CA_BUNDLE").into_iter().chain(VARIABLES);
        let mut files = names.filter_map(|name| Some((name, variable(name)?)));
        files.next().map(|(variable, path)| Self { variable, path: path.into() })
    }

    /// Reads the certificates of the file.
    pub(crate) fn read(&self) -> Result<RootCerts, Error> {
        let text = credentials::read(&self.path).ok_or_else(|| self.error("cannot be read"))?;
        let mut certificates = Vec::new();
        for item in parse_pem(text.as_bytes()) {
            match item {
                Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
                Ok(_) => (),
                Err(_) => return Err(self.error("is malformed")),
            }
        }
        match certificates.is_empty() {
            true => Err(self.error("has no certificates")),
            false => Ok(certificates.into()),
        }
    }

    fn error(&self, problem: &str) -> Error {
        let name = self.path.file_name().map(Path::new).unwrap_or(&self.path).display();
        let hint = format!("set {} to a PEM file of certificate authorities", self.variable);
        Error::address(format!("the file of {}, {name}, {problem}", self.variable), hint)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_without_certificates_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let problem = |name: &str, text: Option<&str>| {
            let path = folder.path().join(name);
            if let Some(text) = text {
                fs::write(&path, text).unwrap();
            }
            Authorities { variable: "SSL_CERT_FILE", path }.read().unwrap_err().to_string()
        };
        let of = |problem: &str| format!("the file of SSL_CERT_FILE, ca.pem, {problem}");
        assert_eq!(problem("ca.pem", None), of("cannot be read"));
        assert_eq!(problem("ca.pem", Some("")), of("has no certificates"));
        let cut = "-----BEGIN CERTIFICATE-----\nMIIB";
        assert_eq!(problem("ca.pem", Some(cut)), of("is malformed"));
    }
}
