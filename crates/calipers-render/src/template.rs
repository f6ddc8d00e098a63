//! A card of the user's own making: a template over the report.
//!
//! ```
//! use calipers_render::{CardOptions, Template};
//!
//! let mut report = calipers_report::Report::default();
//! report.model.file = "a*b.onnx".to_owned();
//! let template = Template::new("card.md", "{{ report.model.file }}: {{ 1500 | bytes }}")?;
//! let card = template.render(&report, &CardOptions::default())?;
//! assert!(card.starts_with("a\\*b.onnx: 1.50 kB\n"));
//! # Ok::<(), calipers_render::TemplateError>(())
//! ```
//!
//! It sees `report`, all of it as in the JSON; `sections`, the card's own sections by their ids;
//! and `front_matter`. What comes out of the report is escaped for what the template's name ends
//! in: Markdown, HTML or XML, JSON; in other files only characters that act on a terminal are.
//! Filters write figures as the card does: `integer`, `count`, `bytes`, `macs`, `flops`, `percent`,
//! `time`, `rate`, `code`.
//!
//! A template is bounded in its steps and in its bytes of output.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use calipers_report::Report;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value, ValueKind};
use minijinja::{AutoEscape, Environment, Output, State, UndefinedBehavior};
use thiserror::Error;

use crate::markdown;
use crate::sections::{self, CardOptions};
use crate::{text, units};

/// Steps that a template may take: a report of the largest models is walked in far fewer.
const STEPS: u64 = 20_000_000;

/// Bytes that a template may write.
const MOST_BYTES: usize = 64 << 20;

/// What is wrong with a template.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// It cannot be parsed, or it fails on this report.
    #[error("{message}")]
    Invalid {
        /// What is wrong and in which line.
        message: String,
    },
    /// It writes bytes that are not UTF-8.
    #[error("it writes no text")]
    NotText,
}

/// The kind of file that a template writes, by the ending of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Markdown,
    Html,
    Json,
    Text,
}

/// A template that was read.
pub struct Template {
    environment: Environment<'static>,
    extension: String,
}

/// The name under which the one template is kept.
const NAME: &str = "card";

impl Template {
    /// Reads a template. The ending of its name is that of its output: `card.html`, `card.md.j2`.
    pub fn new(name: &str, source: &str) -> Result<Self, TemplateError> {
        let extension = extension(name);
        let kind = kind(&extension);
        let mut environment = Environment::new();
        environment.set_fuel(Some(STEPS));
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
        environment.set_syntax(syntax.map_err(|error| wrong(&error))?);
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("report".into()));
        environment.set_formatter(move |out, _: &mut State<'_, '_>, value| write(out, kind, value));
        add_filters(&mut environment);
        let source = source.to_owned();
        environment.add_template_owned(NAME, source).map_err(|error| wrong(&error))?;
        Ok(Self { environment, extension })
    }

    /// The ending of the files it writes, without the point: `md`, `html`.
    pub fn extension(&self) -> &str {
        &self.extension
    }

    /// The template filled in.
    pub fn render(&self, report: &Report, options: &CardOptions) -> Result<String, TemplateError> {
        let sections: BTreeMap<&str, Value> = sections::chosen(report, options)
            .iter()
            .map(|(kind, section)| {
                let text = markdown::section(section, &options.charts);
                (kind.id, Value::from_safe_string(text))
            })
            .collect();
        let context = minijinja::context! {
            report => Value::from(Serde(report)),
            sections,
            front_matter => Value::from_safe_string(markdown::front_matter(report)),
        };
        let mut page = Bounded(Vec::new());
        self.environment
            .get_template(NAME)
            .and_then(|template| template.render_captured_to(context, &mut page).map(|_| ()))
            .map_err(|error| wrong(&error))?;
        let page = String::from_utf8(page.0).map_err(|_| TemplateError::NotText)?;
        Ok(match kind(&self.extension) {
            // A comment in both; other kinds of file have no place for one.
            Kind::Markdown | Kind::Html => markdown::marked(page),
            Kind::Json | Kind::Text => page,
        })
    }
}

/// Everything that is said of an error on a line: what and where.
fn wrong(error: &minijinja::Error) -> TemplateError {
    let mut message = error.kind().to_string();
    if let Some(detail) = error.detail() {
        let _ = write!(message, ": {detail}");
    }
    if let Some(line) = error.line() {
        let _ = write!(message, ", in line {line}");
    }
    TemplateError::Invalid { message }
}

/// What the name ends in, a template's own ending left out.
fn extension(name: &str) -> String {
    let mut name = name.to_ascii_lowercase();
    for own in [".j2", ".jinja", ".jinja2"] {
        if let Some(rest) = name.strip_suffix(own) {
            name = rest.to_owned();
        }
    }
    match name.rsplit_once('.') {
        Some((_, ending))
            if ending.chars().all(|c| c.is_ascii_alphanumeric()) && !ending.is_empty() =>
        {
            ending.to_owned()
        }
        _ => "txt".to_owned(),
    }
}

fn kind(extension: &str) -> Kind {
    match extension {
        "md" | "markdown" => Kind::Markdown,
        "html" | "htm" | "xhtml" | "xml" | "svg" => Kind::Html,
        "json" | "yaml" | "yml" | "js" => Kind::Json,
        _ => Kind::Text,
    }
}

/// Writes a value, escaped unless it is marked as safe.
fn write(out: &mut Output<'_>, kind: Kind, value: &Value) -> Result<(), minijinja::Error> {
    let is_text = value.kind() == ValueKind::String;
    let text = match value.kind() {
        ValueKind::Undefined => {
            return Err(minijinja::Error::new(
                minijinja::ErrorKind::UndefinedError,
                "the report has no such field",
            ));
        }
        ValueKind::None if kind != Kind::Json => "unknown".to_owned(),
        _ => value.to_string(),
    };
    let safe = match kind {
        _ if value.is_safe() => text,
        Kind::Json => serde_json::to_string(value).map_err(|error| {
            minijinja::Error::new(minijinja::ErrorKind::BadSerialization, error.to_string())
        })?,
        Kind::Markdown if is_text => markdown::plain(&text),
        Kind::Html => text::escape_markup(&text::whole(&text)),
        _ if is_text => text::whole(&text),
        // Lists and maps, which may hold texts.
        Kind::Markdown => markdown::plain(&text),
        Kind::Text => text::whole(&text),
    };
    out.write_str(&safe).map_err(minijinja::Error::from)
}

fn add_filters(environment: &mut Environment<'_>) {
    // A figure that is not known stays unknown.
    fn figure(value: Option<u64>, set: impl Fn(u64) -> String) -> String {
        value.map_or_else(|| "unknown".to_owned(), set)
    }
    fn real(value: Option<f64>, set: impl Fn(f64) -> String) -> String {
        value.map_or_else(|| "unknown".to_owned(), set)
    }
    environment.add_filter("integer", |value: Option<u64>| figure(value, units::integer));
    environment.add_filter("count", |value: Option<u64>| figure(value, units::count));
    environment.add_filter("bytes", |value: Option<u64>| figure(value, units::bytes));
    environment
        .add_filter("macs", |value: Option<u64>| figure(value, |v| units::operations(v, "MACs")));
    environment
        .add_filter("flops", |value: Option<u64>| figure(value, |v| units::operations(v, "FLOPs")));
    environment.add_filter("percent", |value: Option<f64>| real(value, units::percent));
    environment.add_filter("time", |value: Option<f64>| real(value, units::time));
    environment.add_filter("rate", |value: Option<f64>| real(value, units::rate));
    environment.add_filter("code", |name: String| Value::from_safe_string(markdown::code(&name)));
}

/// Output up to a limit.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::Error::other("the template writes more than 64 MiB"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(name: &str, source: &str) -> Result<String, String> {
        let mut report = Report::default();
        report.model.file = "<i>*a*</i>\u{1b}|\"".into();
        report.parameters.total = Some(43_607_379);
        let template = Template::new(name, source).map_err(|error| error.to_string())?;
        let page = template.render(&report, &CardOptions::default());
        let page = page.map_err(|error| error.to_string())?;
        let ends_marked = page.ends_with(&format!("\n{}\n", markdown::MARK));
        assert_eq!(ends_marked, matches!(template.extension(), "md" | "html"), "{name}");
        Ok(page.trim_end().trim_end_matches(markdown::MARK).trim_end().to_owned())
    }

    #[test]
    fn texts_are_escaped_for_what_the_template_writes() {
        let file = "{{ report.model.file }}";
        for (name, wanted) in [
            ("card.md", r#"\<i>\*a\*\</i>\\u{1b}\|""#),
            ("card.md.j2", r#"\<i>\*a\*\</i>\\u{1b}\|""#),
            ("card.html", r"&lt;i&gt;*a*&lt;/i&gt;\u{1b}|&quot;"),
            ("card.json", r#""<i>*a*</i>\u001b|\"""#),
            ("card.txt", r#"<i>*a*</i>\u{1b}|""#),
        ] {
            assert_eq!(rendered(name, file).as_deref(), Ok(wanted), "{name}");
        }
        let code = rendered("card.md", "{{ report.model.file | code }}").unwrap();
        assert!(code.starts_with("<code>&#60;i&#62;"), "{code}");
    }

    #[test]
    fn figures_are_written_as_the_card_writes_them() {
        let source = "{{ report.parameters.total | count }}, {{ report.cost.macs | macs }}";
        assert_eq!(rendered("a.txt", source).as_deref(), Ok("43.61 M, unknown"));
    }

    #[test]
    fn a_template_is_bounded_and_its_mistakes_have_a_line() {
        let endless =
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
        assert!(rendered("a.md", endless).unwrap_err().contains("fuel"));
        let long = "{% for a in range(9999) %}{{ ('x' * 10000) | safe }}{% endfor %}";
        assert!(rendered("a.md", long).is_err());
        let error = rendered("a.md", "one\n{{ report.nothing }}").unwrap_err();
        assert!(error.ends_with("in line 2"), "{error}");
        assert!(rendered("a.md", "{% if %}").is_err());
    }
}
