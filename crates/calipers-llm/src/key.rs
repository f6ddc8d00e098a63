//! The key of a server, which nothing prints.

use std::fmt;

/// A key. It cannot be printed, and goes nowhere but into the header of a request.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key, without the space around it; `None` when nothing is left, or it could not be sent.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The header that it makes.
    #[cfg_attr(not(feature = "connect"), expect(dead_code, reason = "nothing is sent"))]
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" sk-secret \n").unwrap();
        assert_eq!(format!("{key:?}"), "Key(…)");
        assert_eq!(key.header(), "Bearer sk-secret");
        assert_eq!(Key::new("a\nb"), None, "no second header");
        assert_eq!(Key::new("  "), None);
    }
}
