//! Where a language model is.

use std::net::IpAddr;

use crate::Error;

/// The address of a server that speaks the chat-completions protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    url: String,
    host: String,
    is_secure: bool,
}

/// What is asked for below the address.
const PATH: &str = "/chat/completions";

impl Address {
    /// Reads an address: `https://api.openai.com/v1`, `http://localhost:8080/v1`, or the whole one
    /// with `/chat/completions` at its end.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let (is_secure, rest) = match (strip(text, "https://"), strip(text, "http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(Error::Address("it must begin with https:// or http://")),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(Error::Address("it must not contain a user name or password"));
        }
        if rest.contains(['?', '#']) || !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::Address("it must not contain a query or fragment"));
        }
        let host = match authority.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => authority.split(':').next().unwrap_or_default(),
        };
        if host.is_empty() {
            return Err(Error::Address("it has no host"));
        }
        let base = text.trim_end_matches('/');
        let url = match base.ends_with(PATH) {
            true => base.to_owned(),
            false => format!("{base}{PATH}"),
        };
        Ok(Self { url, host: host.to_ascii_lowercase(), is_secure })
    }

    /// Where requests go.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The host, in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether a key may go there: encrypted, or without leaving this machine.
    pub fn may_carry_a_key(&self) -> bool {
        self.is_secure || self.is_this_machine()
    }

    /// Whether a proxy may be used: encrypted, so that it sees the host and the size of the traffic
    /// only, and on another machine.
    pub fn may_use_a_proxy(&self) -> bool {
        self.is_secure && !self.is_this_machine()
    }

    fn is_this_machine(&self) -> bool {
        let ip = self.host.parse::<IpAddr>();
        self.host == "localhost" || ip.is_ok_and(|ip| ip.to_canonical().is_loopback())
    }
}

fn strip<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let head = text.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| &text[scheme.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_added_where_it_lacks() {
        for text in [
            "https://a.example/v1",
            "https://a.example/v1/",
            "https://a.example/v1/chat/completions",
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.url(), "https://a.example/v1/chat/completions");
            assert_eq!(address.host(), "a.example");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "a.example",
            "ftp://a",
            "https://",
            "https://me:secret@a.example",
            "https://a/?x",
            "https://a b",
        ] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_proxy_serves_https_to_another_machine_only() {
        let may = |text: &str| Address::parse(text).unwrap().may_use_a_proxy();
        assert!(may("https://a.example/v1"));
        for text in [
            "http://a.example/v1",
            "http://localhost:8080/v1",
            "https://localhost:8080/v1",
            "https://127.0.0.1/v1",
            "https://[::1]/v1",
            "https://[::ffff:127.0.0.1]/v1",
        ] {
            assert!(!may(text), "{text}");
        }
    }

    #[test]
    fn a_key_never_travels_in_the_open() {
        let may = |text: &str| Address::parse(text).unwrap().may_carry_a_key();
        assert!(
            may("https://a.example/v1")
                && may("http://localhost:8080")
                && may("http://127.0.0.1:1/v1")
                && may("http://[::1]:8080/v1")
        );
        assert!(
            !may("http://a.example/v1")
                && !may("http://localhost.example/v1")
                && !may("http://127.0.0.1.example")
        );
    }
}
