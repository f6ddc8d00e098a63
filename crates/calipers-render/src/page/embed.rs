//! Data and code inside a page, made safe and small.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
pub(crate) use flate2::Compression;
use flate2::write::DeflateEncoder;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::text;

/// Data of more bytes than this are compressed.
const LARGE: usize = 32_000;

/// Data as an element that no browser runs: JSON, or JSON compressed and in Base64.
pub(crate) fn data(value: &impl Serialize, compression: Compression) -> Markup {
    let mut written = Written::Plain(Vec::new(), compression);
    // A serializer writes a few bytes at a time.
    let mut buffered = BufWriter::with_capacity(LARGE, &mut written);
    // A map with keys that are not text would be the only thing that cannot be written.
    let is_written =
        serde_json::to_writer(&mut buffered, value).is_ok() && buffered.flush().is_ok();
    drop(buffered);
    let (form, contents) = match written {
        _ if !is_written => (None, "null".to_owned()),
        Written::Plain(json, _) => (None, inert(&String::from_utf8_lossy(&json))),
        Written::Packed(writer) => match writer.finish() {
            Ok(packed) => (Some("deflate"), BASE64.encode(packed)),
            Err(_) => (None, "null".to_owned()),
        },
    };
    html! {
        // A script's contents are not HTML, so entities would stay in them; `inert` and Base64 leave
        // nothing that could end the element.
        script #data type="application/json" data-form=[form] { (PreEscaped(contents)) }
    }
}

/// JSON as it is written: compressed from the moment that it is large, so that the whole of it is
/// never held.
enum Written {
    Plain(Vec<u8>, Compression),
    Packed(DeflateEncoder<Vec<u8>>),
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Packed(writer) => writer.write_all(bytes)?,
            Self::Plain(json, _) if json.len() + bytes.len() <= LARGE => {
                json.extend_from_slice(bytes);
            }
            Self::Plain(json, compression) => {
                let mut writer = DeflateEncoder::new(Vec::new(), *compression);
                writer.write_all(json)?;
                writer.write_all(bytes)?;
                *self = Self::Packed(writer);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
