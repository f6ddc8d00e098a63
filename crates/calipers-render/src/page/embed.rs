//! Data and code inside a page, made safe and small.

use std::fmt::Write as _;
use std::io::Write as _;

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
    let contents = packed.map_or_else(|| inert(&json), |packed| base64(&packed));
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

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in the 64 letters of RFC 4648.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// How a policy names a script or a style: by the digest of its text.
pub(super) fn digest(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::{base64, digest, inert};

    #[test]
    fn letters_are_those_of_the_standard() {
        // The vectors of RFC 4648, section 10.
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        // The digest of nothing, as it is published with the algorithm.
        assert_eq!(digest(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }

    #[test]
    fn nothing_ends_the_element() {
        assert_eq!(inert("\"</script><!--&\""), "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
    }
}
