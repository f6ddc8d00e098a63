//! The index as one page of HTML that loads nothing and can be sorted and searched.
//!
//! The page forbids itself everything but its own style and script, which it names by their
//! digests; a name that became markup could run nothing.

use calipers_report::{Generator, KeyFigures};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::markdown::address;
use super::{Column, columns, heading};
use crate::page::embed::digest;
use crate::page::untrusted::Untrusted;
use crate::text::{self, Charset};

const STYLE: &str = include_str!("index.css");
const SCRIPT: &str = include_str!("index.js");

/// Columns of a name; of a longer one the middle is left out.
const NAME: usize = 120;

/// The page, ending in a newline.
pub fn html(models: &[KeyFigures]) -> String {
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    );
    let generator = Generator::default();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ (generator.name) " " (generator.version) };
                title { "Models" }
                // Our own asset; the policy holds the digest of exactly this text.
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "Models" }
                    p { (heading(models)) }
                    p {
                        label { "Search " input #search type="search" autocomplete="off"; }
                        " " span #shown role="status" {}
                    }
                    (table(models))
                }
                // As above.
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// The models as rows; columns that would be empty are left out.
fn table(models: &[KeyFigures]) -> Markup {
    let columns = columns(models);
    html! {
        table #models {
            thead {
                tr {
                    th scope="col" { button type="button" { "Model" } }
                    @for (column, heading) in &columns {
                        th scope="col" class=[column.figures.then_some("figure")] {
                            button type="button" { (Untrusted(heading)) }
                        }
                    }
                }
            }
            tbody { @for model in models { (row(model, &columns)) } }
        }
    }
}

fn row(model: &KeyFigures, columns: &[(&Column, String)]) -> Markup {
    let name = text::truncate(&text::name(&model.path, Charset::Unicode), NAME, Charset::Unicode);
    let name = Untrusted(&name);
    html! {
        tr {
            th scope="row" {
                @match &model.card {
                    Some(card) => a href=(address(card)) { (name) },
                    None => (name),
                }
            }
            @if let Some(error) = &model.error {
                td.error colspan=(columns.len().max(1)) {
                    (Untrusted(&text::prose(error, Charset::Unicode)))
                }
            } @else {
                @for (column, _) in columns { (cell(model, column)) }
            }
        }
    }
}

fn cell(model: &KeyFigures, column: &Column) -> Markup {
    let text = (column.text)(model);
    html! {
        @match (column.value)(model) {
            Some(value) => td.figure data-value=(maud::display(value)) { (Untrusted(&text)) },
            None => td { (Untrusted(&text)) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_stays_a_name() {
        let mut model = KeyFigures::unread("<img src=x onerror=y>.onnx".into(), "\"><b>".into());
        model.card = Some("a\"onclick=x/README.md".into());
        let page = super::html(&[model]);
        assert!(page.contains("&lt;img src=x onerror=y&gt;.onnx"), "{page}");
        assert!(page.contains("href=\"a%22onclick%3Dx/README.md\""), "{page}");
        assert!(!page.contains("<b>") && !page.contains("<img"), "{page}");
    }
}
