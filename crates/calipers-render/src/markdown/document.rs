//! Documents as Markdown: sections of blocks, with a blank line between blocks.

use calipers_report::{Report, Severity};

use super::escape::{attribute, code, plain, reported};
use super::front_matter::front_matter;
use super::value::{cell, inline};
use super::{marked, table};
use crate::document::{Block, Document, Entry, Facts, Message, Section};
use crate::sections::{self, CardOptions, ChartLink};
use crate::table::Zero;
use crate::text;
use crate::value::Spans;

/// The card of a model, ending in a newline.
///
/// ```
/// use calipers_render::{CardOptions, markdown};
///
/// let mut report = calipers_report::Report::default();
/// report.model.file = "tiny.onnx".to_owned();
/// assert!(markdown::card(&report, &CardOptions::default()).starts_with("# tiny\n"));
/// ```
pub fn card(report: &Report, options: &CardOptions) -> String {
    let text = marked(document(&sections::card(report, options), &options.charts));
    match options.front_matter {
        true => format!("{}\n{text}", front_matter(report)),
        false => text,
    }
}

/// A document, ending in a newline. A chart is shown where there are files for it.
pub fn document(document: &Document, charts: &[ChartLink]) -> String {
    let mut parts = vec![format!("# {}", inline(&document.title))];
    if !document.facts.is_empty() {
        parts.push(joined(&document.facts));
    }
    parts.extend(document.byline.as_ref().map(inline));
    for section in document.sections.iter().filter(|section| !section.is_empty()) {
        parts.extend(section_parts(section, charts));
    }
    finish(&parts)
}

/// A section under its heading, ending in a newline; nothing where it has nothing to say.
pub fn section(section: &Section, charts: &[ChartLink]) -> String {
    match section.is_empty() {
        true => String::new(),
        false => finish(&section_parts(section, charts)),
    }
}

fn finish(parts: &[String]) -> String {
    parts.join("\n\n") + "\n"
}

fn section_parts(section: &Section, charts: &[ChartLink]) -> Vec<String> {
    let heading = match (section.title.as_str(), section.note.as_str()) {
        ("", _) => None,
        (title, "") => Some(format!("## {title}")),
        (title, note) => Some(format!("## {title} ({})", plain(note))),
    };
    let level = if heading.is_some() { "###" } else { "##" };
    let mut setter = Setter { level, charts, parts: heading.into_iter().collect() };
    setter.blocks(&section.blocks);
    setter.parts
}

/// Sets blocks as parts of a page.
struct Setter<'a> {
    /// The mark of a heading within the section.
    level: &'static str,
    charts: &'a [ChartLink],
    parts: Vec<String>,
}

impl Setter<'_> {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks.iter().filter(|block| !block.is_empty()) {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        let level = self.level;
        match block {
            Block::Heading(text) => self.parts.push(format!("{level} {}", inline(text))),
            Block::Paragraph(text) | Block::Note(text) => self.parts.push(inline(text)),
            Block::Facts(facts) => self.parts.push(fact_list(facts)),
            Block::Values(values) => self.parts.push(joined(values)),
            Block::Message(message) => self.message(message),
            Block::Table(it) => self.parts.push(table::table(it).trim_end().to_owned()),
            Block::List(items) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| format!("{}- {}", "  ".repeat(item.depth), inline(&item.text)))
                    .collect();
                self.parts.push(items.join("\n"));
            }
            Block::Code { language, text } => {
                self.parts.push(format!("```{language}\n{}\n```", text.trim_end()));
            }
            Block::Fold { summary, blocks } => {
                self.parts.push(format!("<details>\n<summary>{summary}</summary>"));
                self.blocks(blocks);
                self.parts.push("</details>".to_owned());
            }
            Block::Chart(name) => self.chart(name),
            Block::ChartOr { name, rest, .. }
                if self.charts.iter().any(|chart| chart.name == *name) =>
            {
                self.chart(name);
                self.blocks(rest);
            }
            Block::ChartOr { otherwise, .. } => self.blocks(otherwise),
            Block::Contents(entries) => {
                let link = |entry: &Entry| format!("[{}](#{})", entry.title, slug(&entry.title));
                self.parts.push(entries.iter().map(link).collect::<Vec<_>>().join(", "));
            }
        }
    }

    fn chart(&mut self, name: &str) {
        let links = self.charts.iter().filter(|chart| chart.name == name);
        self.parts.extend(links.map(set_chart));
    }

    fn message(&mut self, message: &Message) {
        let severity = match message.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::Info => "Info",
        };
        self.parts.push(format!("{} {severity}: {}", self.level, plain(&message.title)));
        let mut words = Vec::new();
        if !message.detail.trim().is_empty() {
            words.push(reported(&text::sentence(message.detail.trim())));
        }
        if !message.names.is_empty() {
            let names: Vec<String> = message.names.iter().map(|name| code(name)).collect();
            let rest = if message.has_more_names { " and others" } else { "" };
            words.push(format!("In {}{rest}.", names.join(", ")));
        }
        if !words.is_empty() {
            self.parts.push(words.join(" "));
        }
        if !message.advice.trim().is_empty() {
            let advice = reported(&text::sentence(&message.advice));
            self.parts.push(format!("**Recommendation:** {advice}"));
        }
        if !message.command.is_empty() {
            self.parts.push(format!("More: {}", code(&message.command)));
        }
    }
}

/// The anchor that GitHub gives a heading of ours: its letters and digits, with dashes between words.
fn slug(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn joined(values: &[Spans]) -> String {
    values.iter().map(inline).collect::<Vec<_>>().join(" · ")
}

/// Properties as a list; on a page, a table of two columns has headings that say nothing.
fn fact_list(facts: &Facts) -> String {
    let items = facts.0.iter().map(|fact| {
        let what = text::capitalized(&cell(&fact.what, Zero::Shown));
        match what.as_str() {
            "" => format!("- {}", joined(&fact.values)),
            what => format!("- **{what}:** {}", joined(&fact.values)).trim_end().to_owned(),
        }
    });
    items.collect::<Vec<_>>().join("\n")
}

/// A chart that follows the theme of the page it is read on.
fn set_chart(chart: &ChartLink) -> String {
    let (light, dark) = (attribute(&chart.light), attribute(&chart.dark));
    format!(
        "<picture>\n<source media=\"(prefers-color-scheme:dark)\" srcset=\"{dark}\">\n\
         <img alt=\"{}\" src=\"{light}\" width=\"100%\">\n</picture>",
        attribute(&chart.alt)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_nothing_has_no_empty_section() {
        let card = card(&Report::default(), &CardOptions::default());
        let mut lines = card.lines().filter(|line| !line.is_empty()).peekable();
        while let Some(line) = lines.next() {
            if line.starts_with('#') && !line.starts_with("# ") {
                let next = lines.peek().copied().unwrap_or("## ");
                assert!(!next.starts_with("## "), "{line} is empty:\n{card}");
            }
        }
    }

    #[test]
    fn a_chart_has_both_themes_and_cannot_be_left() {
        let chart = ChartLink {
            name: "operators".into(),
            alt: "Conv \"104\" <b>".into(),
            light: "assets/operators-light.svg".into(),
            dark: "assets/operators-dark.svg".into(),
        };
        let set = set_chart(&chart);
        assert!(set.contains("alt=\"Conv &quot;104&quot; &lt;b&gt;\""), "{set}");
        assert!(set.contains("srcset=\"assets/operators-dark.svg\""), "{set}");
    }
}
