//! The card of a model: title, sections, and what leads from one to the other.

use calipers_report::Report;

use super::escape::{attribute, plain};
use super::page::Page;
use super::sections::{SECTIONS, Section};
use super::{front_matter, words};

/// What a card is to hold besides what the report says.
#[derive(Clone, Debug, Default)]
pub struct CardOptions {
    /// Whether to begin with the metadata that model hubs read.
    pub front_matter: bool,
    /// The day to state; none is stated without it.
    pub date: Option<String>,
    /// Ids of the sections to write, see [`SECTIONS`]; all of them where it is empty. They keep the
    /// order of the card.
    pub sections: Vec<String>,
    /// Pictures that lie beside the card.
    pub pictures: Vec<PictureLink>,
}

/// A picture that lies beside the card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PictureLink {
    /// Which picture it is, as the sections know it.
    pub name: String,
    /// What it shows, in a sentence.
    pub alt: String,
    /// Where it is, from the card, with forward slashes: for a light page.
    pub light: String,
    /// The same for a dark page.
    pub dark: String,
}

/// The card as Markdown, ending in a newline.
pub fn to_markdown(report: &Report, options: &CardOptions) -> String {
    let mut page = Page::default();
    page.text(title(report));
    // A choice of sections is for another document, which has its own head.
    if options.sections.is_empty() {
        page.text(generator(report, options));
    }
    for section in chosen(options) {
        page.append(write(section, report, options));
    }
    match options.front_matter {
        true => format!("{}\n{}", front_matter::front_matter(report), page.finish()),
        false => page.finish(),
    }
}

/// Each chosen section that has something to say, by its id.
pub fn sections_to_markdown(report: &Report, options: &CardOptions) -> Vec<(&'static str, String)> {
    let set = |section: &Section| (section.id, write(section, report, options).finish());
    chosen(options).map(set).filter(|(_, text)| !text.is_empty()).collect()
}

fn chosen(options: &CardOptions) -> impl Iterator<Item = &'static Section> {
    let wanted = |section: &&Section| {
        options.sections.is_empty() || options.sections.iter().any(|id| id == section.id)
    };
    SECTIONS.iter().filter(wanted)
}

fn title(report: &Report) -> String {
    let name = plain(&words::model_name(report));
    match words::precision(report) {
        Some(precision) => format!("# {name} ({})", plain(&precision)),
        None => format!("# {name}"),
    }
}

fn generator(report: &Report, options: &CardOptions) -> String {
    let generator = &report.generator;
    let date = options.date.as_ref().map(|date| format!(" on {}", plain(date))).unwrap_or_default();
    format!("*Written by Calipers {}{date}.*", plain(&generator.version))
}

/// A section with its heading and its pictures; nothing where it has nothing to say.
fn write(section: &Section, report: &Report, options: &CardOptions) -> Page {
    let mut body = Page::default();
    (section.write)(report, &mut body);
    let mut page = Page::default();
    if body.is_empty() {
        return page;
    }
    page.text(format!("## {}", section.title));
    page.append(body);
    for name in section.pictures {
        for picture in options.pictures.iter().filter(|picture| picture.name == *name) {
            page.text(set_picture(picture));
        }
    }
    page
}

/// A picture that follows the theme of the page it is read on.
fn set_picture(picture: &PictureLink) -> String {
    let (light, dark) = (attribute(&picture.light), attribute(&picture.dark));
    format!(
        "<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"{dark}\">\n\
         <img alt=\"{}\" src=\"{light}\">\n</picture>",
        attribute(&picture.alt)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_nothing_has_no_empty_section() {
        let card = to_markdown(&Report::default(), &CardOptions::default());
        let mut lines = card.lines().filter(|line| !line.is_empty()).peekable();
        while let Some(line) = lines.next() {
            if line.starts_with('#') && !line.starts_with("# ") {
                let next = lines.peek().copied().unwrap_or("## ");
                assert!(!next.starts_with("## "), "{line} is empty:\n{card}");
            }
        }
    }

    #[test]
    fn a_choice_keeps_the_order_of_the_card() {
        let mut report = Report::default();
        report.graph.nodes = 3;
        let sections = vec!["graph".to_owned(), "overview".to_owned()];
        let options = CardOptions { sections, ..CardOptions::default() };
        let ids: Vec<&str> =
            sections_to_markdown(&report, &options).into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["overview", "graph"]);
    }

    #[test]
    fn a_picture_has_both_themes_and_cannot_be_left() {
        let picture = PictureLink {
            name: "operators".into(),
            alt: "Conv \"104\" <b>".into(),
            light: "assets/operators-light.svg".into(),
            dark: "assets/operators-dark.svg".into(),
        };
        let set = set_picture(&picture);
        assert!(set.contains("alt=\"Conv &quot;104&quot; &lt;b&gt;\""), "{set}");
        assert!(set.contains("srcset=\"assets/operators-dark.svg\""), "{set}");
    }
}
