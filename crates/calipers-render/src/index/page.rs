//! The table as pages that open from disk and make no request.
//!
//! The scripts under `assets/` show the rows in sight from data that the page holds, so a hundred thousand models scroll,
//! sort and filter at once. The page's policy allows these scripts alone, and no name is ever markup: scripts set
//! text, never HTML.

use std::ops::Range;

use calipers_report::{Generator, Registry};
use maud::{Markup, html};

use super::markdown::address;
use super::{data, heading};
use crate::page::embed::{self, Compression};
use crate::page::{self, Shell};
use crate::units;

/// Bytes of a page at most: browsers open it in seconds, and mail and repositories take it.
const LARGEST: usize = 40_000_000;

/// The scripts, which need those of every page.
const SCRIPTS: &[&str] = &[
    page::ROWS_SCRIPT,
    include_str!("assets/filter.js"),
    include_str!("assets/facets.js"),
    include_str!("assets/details.js"),
    include_str!("assets/list.js"),
    include_str!("assets/start.js"),
];

/// A page of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The name of its file: `index.html`, `index-2.html`.
    pub name: String,
    /// Its contents, ending in a newline.
    pub html: String,
}

/// The index as one page, or as several of at most 40 MB each. The first one has this name.
pub fn pages(registry: &Registry, name: &str) -> Vec<Page> {
    split(registry, name, LARGEST)
}

fn split(registry: &Registry, name: &str, largest: usize) -> Vec<Page> {
    let mut parts = 1;
    loop {
        let ranges = ranges(registry.models.len(), parts);
        let names: Vec<String> = (0..ranges.len()).map(|part| file_name(name, part)).collect();
        let page = |part| one(registry, &ranges, &names, part);
        let pages: Vec<Page> = (0..ranges.len()).map(page).collect();
        let fits = pages.iter().all(|page| page.html.len() <= largest);
        // A page of one model is as small as it can be.
        if fits || ranges.iter().all(|range| range.len() <= 1) {
            return pages;
        }
        parts *= 2;
    }
}

/// The models of each of several pages: the same number, up to one.
fn ranges(models: usize, parts: usize) -> Vec<Range<usize>> {
    let each = models.div_ceil(parts).max(1);
    let starts = (0..models.max(1)).step_by(each);
    starts.map(|start| start..(start + each).min(models)).collect()
}

fn file_name(first: &str, number: usize) -> String {
    match (number, first.rsplit_once('.')) {
        (0, _) => first.to_owned(),
        (_, Some((stem, ending))) => format!("{stem}-{}.{ending}", number + 1),
        (_, None) => format!("{first}-{}", number + 1),
    }
}

fn one(registry: &Registry, ranges: &[Range<usize>], names: &[String], number: usize) -> Page {
    let shown = ranges[number].clone();
    let models = &registry.models[shown.clone()];
    let data = data::data(registry, models, shown.start);
    let style = format!("{}\n{}", page::STYLE, include_str!("assets/index.css"));
    let shell = Shell {
        kind: "index",
        title: "Models",
        generator: &Generator::default(),
        style: &style,
        scripts: &[page::BASE_SCRIPTS, SCRIPTS].concat(),
        data: Some(embed::data(&data, Compression::new(6))),
        body: body(registry, ranges, names, number),
    };
    Page { name: names[number].clone(), html: shell.html() }
}

fn body(registry: &Registry, ranges: &[Range<usize>], names: &[String], number: usize) -> Markup {
    html! {
        a.skip href="#list" { "Skip to the models" }
        header.top {
            h1.file { "Models" }
            p.note #about { (heading(&registry.models)) }
            @if ranges.len() > 1 { (other_pages(ranges, names, number)) }
            button #theme .quiet type="button" aria-label="Toggle light and dark" { "◐" }
        }
        main #main {
            noscript { p.note { "This page requires JavaScript." } }
            aside #filters aria-label="Filters" {
                details open {
                    summary { "Filters" }
                    #facets {}
                }
            }
            section #list aria-label="Models" {
                div.bar {
                    label { "Search " input #search type="search" autocomplete="off" spellcheck="false"; }
                    span #shown role="status" {}
                    button #clear .quiet type="button" hidden { "Clear filters" }
                    button #copy .quiet type="button" { "Copy paths" }
                }
                #chosen .chosen {}
                div #scroll .scroll tabindex="0" role="group"
                    aria-label="Table of models. Arrow keys select a model." {
                    table #models { thead { tr {} } tbody {} }
                }
            }
            aside #details aria-label="Selected model" hidden {}
        }
    }
}

/// Links to the pages of an index of several.
fn other_pages(ranges: &[Range<usize>], names: &[String], number: usize) -> Markup {
    let shown = |range: &Range<usize>| {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        format!(
            "{} to {}",
            units::integer(count(range.start + 1)),
            units::integer(count(range.end))
        )
    };
    html! {
        nav aria-label="Pages" {
            @for (place, range) in ranges.iter().enumerate() {
                @if place == number {
                    span aria-current="page" { (shown(range)) }
                } @else {
                    a href=(address(&names[place])) { (shown(range)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use calipers_report::{KeyFigures, Likeness, ModelGroup, ModelRow};

    use super::*;

    fn registry(count: usize) -> Registry {
        let model = |number: usize| ModelRow {
            figures: KeyFigures {
                path: format!("models/{number}.onnx"),
                parameters: Some(number as u64),
                ..KeyFigures::default()
            },
            ..ModelRow::default()
        };
        let groups = vec![ModelGroup { likeness: Likeness::Weights, models: vec![0, count - 1] }];
        Registry { models: (0..count).map(model).collect(), groups }
    }

    #[test]
    fn a_hostile_name_stays_a_name() {
        let mut figures =
            KeyFigures::unread("<img src=x onerror=y>.onnx".into(), "\"></script><b>".into());
        figures.card = Some("a\"onclick=x/README.md".into());
        let models = vec![ModelRow { figures, ..ModelRow::default() }];
        let page = pages(&Registry { models, groups: vec![] }, "index.html").remove(0).html;
        assert!(page.contains("\\u003cimg src=x onerror=y\\u003e.onnx"), "{page}");
        assert!(page.contains("a%22onclick%3Dx/README.md"), "{page}");
        assert!(!page.contains("<b>") && !page.contains("<img"), "{page}");
        // The style's, the data's and the scripts' own.
        assert_eq!(page.matches("</script>").count(), 2, "{page}");
    }

    #[test]
    fn large_indexes_have_several_pages() {
        let registry = registry(1000);
        let whole = pages(&registry, "index.html");
        assert_eq!(whole.len(), 1);
        let base = split(&super::tests::registry(1), "index.html", usize::MAX)[0].html.len();
        let most = base + (whole[0].html.len() - base) / 3;
        let several = split(&registry, "index.html", most);
        let names: Vec<&str> = several.iter().map(|page| page.name.as_str()).collect();
        assert_eq!(names, ["index.html", "index-2.html", "index-3.html", "index-4.html"]);
        assert!(several.iter().all(|page| page.html.len() <= most));
        assert!(several[1].html.contains("href=\"index.html\""));
        assert!(several[0].html.contains("1 to 250") && several[0].html.contains("1,000 models"));
    }

    #[test]
    fn an_index_of_nothing_is_a_page() {
        assert_eq!(pages(&Registry::default(), "index.html").len(), 1);
    }
}
