//! The index as one page of HTML that loads nothing and can be sorted and searched.
//!
//! The page forbids itself everything but its own style and script, which it names by their
//! digests; a name that became markup could run nothing.

use std::fmt::Write as _;

use calipers_report::KeyFigures;

use super::markdown::address;
use super::{COLUMNS, Column, device, heading};
use crate::text::{self, Charset};

const STYLE: &str = include_str!("index.css");
const SCRIPT: &str = include_str!("index.js");

/// Digests of the two, as a browser computes them; a test holds them to the files.
const STYLE_DIGEST: &str = "cM6IRzB/fgEkrNpEFzf9I9c3odZvlgT/fYZBXOW8FpA=";
const SCRIPT_DIGEST: &str = "T2pnfYh8d/3+IXrytIAFcLsVLu6TGjUu2HLS4WF1J0c=";

/// Columns of a name; of a longer one the middle is left out.
const NAME: usize = 120;

/// The page, ending in a newline.
pub fn index_to_html(models: &[KeyFigures]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{STYLE_DIGEST}'; script-src 'sha256-{SCRIPT_DIGEST}'; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Models</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Models</h1>\n<p>{}",
        text::escape_markup(&heading(models))
    );
    if let Some(device) = device(models) {
        let device = text::escape_markup(&text::name(device, Charset::Unicode));
        // Writing to a String does not fail.
        let _ = write!(page, " Latency is the expected time of one run on {device}.");
    }
    page.push_str(
        "</p>\n<p><label>Search <input id=\"search\" type=\"search\" autocomplete=\"off\"></label> \
         <span id=\"shown\" role=\"status\"></span></p>\n\
         <table id=\"models\">\n<thead>\n<tr><th scope=\"col\"><button type=\"button\">Model</button></th>",
    );
    let columns: Vec<&Column> = COLUMNS.iter().filter(|column| is_filled(column, models)).collect();
    for column in &columns {
        let class = if column.figures { " class=\"figure\"" } else { "" };
        let heading = column.heading;
        let _ = write!(
            page,
            "<th scope=\"col\"{class}><button type=\"button\">{heading}</button></th>"
        );
    }
    page.push_str("</tr>\n</thead>\n<tbody>\n");
    for model in models {
        set_row(model, &columns, &mut page);
    }
    let _ =
        write!(page, "</tbody>\n</table>\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn is_filled(column: &Column, models: &[KeyFigures]) -> bool {
    models.iter().any(|model| !(column.text)(model).is_empty())
}

fn set_row(model: &KeyFigures, columns: &[&Column], page: &mut String) {
    let name = text::truncate(&text::name(&model.path, Charset::Unicode), NAME, Charset::Unicode);
    let name = text::escape_markup(&name);
    let name = match &model.card {
        Some(card) => format!("<a href=\"{}\">{name}</a>", address(card)),
        None => name,
    };
    let _ = write!(page, "<tr><th scope=\"row\">{name}</th>");
    if let Some(error) = &model.error {
        let error = text::escape_markup(&text::prose(error, Charset::Unicode));
        let span = columns.len().max(1);
        let _ = write!(page, "<td class=\"error\" colspan=\"{span}\">{error}</td>");
    } else {
        for column in columns {
            let text = text::escape_markup(&(column.text)(model));
            let _ = match (column.value)(model) {
                Some(value) => {
                    write!(page, "<td class=\"figure\" data-value=\"{value}\">{text}</td>")
                }
                None => write!(page, "<td>{text}</td>"),
            };
        }
    }
    page.push_str("</tr>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest as _;

    /// RFC 4648, as `openssl base64` gives it.
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for chunk in bytes.chunks(3) {
            let word = chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte))
                << (8 * (3 - chunk.len()));
            for i in 0..4 {
                let letter = LETTERS[(word >> (18 - 6 * i) & 63) as usize];
                text.push(if i <= chunk.len() { char::from(letter) } else { '=' });
            }
        }
        text
    }

    #[test]
    fn the_digests_are_of_the_files() {
        assert_eq!(base64(b"light w"), "bGlnaHQgdw==");
        assert_eq!(base64(&sha2::Sha256::digest(STYLE)), STYLE_DIGEST);
        assert_eq!(base64(&sha2::Sha256::digest(SCRIPT)), SCRIPT_DIGEST);
    }

    #[test]
    fn a_hostile_name_stays_a_name() {
        let mut model = KeyFigures::unread("<img src=x onerror=y>.onnx".into(), "\"><b>".into());
        model.card = Some("a\"onclick=x/README.md".into());
        let page = index_to_html(&[model]);
        assert!(page.contains("&lt;img src=x onerror=y&gt;.onnx"), "{page}");
        assert!(page.contains("href=\"a%22onclick%3Dx/README.md\""), "{page}");
        assert!(!page.contains("<b>") && !page.contains("<img"), "{page}");
    }
}
