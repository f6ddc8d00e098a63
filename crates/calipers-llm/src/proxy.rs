//! The proxy that a user names.

use std::fmt;

use crate::Error;

/// An HTTP proxy. It is used for https to other machines only, so that it sees the host and the size
/// of the traffic, and neither key nor facts. It cannot be printed: it may hold a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy(String);

impl Proxy {
    /// Reads the address of a proxy: `http://proxy.example:3128`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let has_scheme = ["http://", "https://"].iter().any(|scheme| {
            text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
        });
        if !has_scheme {
            return Err(Error::Proxy("it must begin with http:// or https://"));
        }
        let proxy = Self(text.to_owned());
        #[cfg(feature = "connect")]
        proxy.for_agent()?;
        Ok(proxy)
    }

    #[cfg(feature = "connect")]
    pub(crate) fn for_agent(&self) -> Result<ureq::Proxy, Error> {
        ureq::Proxy::new(&self.0).map_err(|_| Error::Proxy("expected http://HOST:PORT"))
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proxy(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_has_a_scheme_and_a_host_and_is_not_printed() {
        let proxy = Proxy::parse("http://me:secret@proxy.example:3128").unwrap();
        assert_eq!(format!("{proxy:?}"), "Proxy(…)");
        for text in ["", "proxy.example:3128", "socks5://proxy.example", "http://", "é"] {
            assert!(Proxy::parse(text).is_err(), "{text}");
        }
    }
}
