//! Data and code inside a page, made safe and small.

use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::text;

/// Data of more bytes than this are compressed.
const LARGE: usize = 32_000;

/// Data as an element that no browser runs: JSON, or JSON compressed and in Base64.
pub(super) fn data(value: &impl Serialize) -> Markup {
    // A map with keys that are not text would be the only thing that cannot be written.
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    let packed = if json.len() > LARGE { deflate(json.as_bytes()).ok() } else { None };
    let form = packed.is_some().then_some("deflate");
    let contents = packed.map_or_else(|| inert(&json), |packed| BASE64.encode(packed));
    html! {
        // A script's contents are not HTML, so entities would stay in them; `inert` and Base64 leave
        // nothing that could end the element.
        script #data type="application/json" data-form=[form] { (PreEscaped(contents)) }
    }
}

/// JSON in which nothing ends the element, begins a comment or hides.
fn inert(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        if matches!(c, '<' | '>' | '&') || text::is_hidden(c) {
            for unit in c.encode_utf16(&mut units) {
                _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

fn deflate(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(8));
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The source expression by which a policy allows a script or a style: the digest of its text.
pub(crate) fn digest(text: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::{digest, inert};

    #[test]
    fn the_digest_of_nothing_is_the_published_one() {
        // SHA-256 of the empty string, e3b0c442…b855, in Base64.
        assert_eq!(digest(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }

    #[test]
    fn nothing_ends_the_element() {
        assert_eq!(inert("\"</script><!--&\""), "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
    }
}
