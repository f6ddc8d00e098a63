//! Output formats as arguments, and what the name of the output calls for.

use std::path::Path;

use calipers_render::output::{FORMATS, Form, Format, find};
use calipers_render::{markdown, terminal};
use clap::CommandFactory;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;

use super::Cli;
use crate::output::Target;

/// File name endings that another command writes, or that no command does, and what to run instead.
pub(super) const ELSEWHERE: &[(&str, &str)] = &[
    ("html", "for an HTML page, run `calipers report MODEL -o FILE.html`"),
    ("pdf", "for a PDF, run `calipers report MODEL -o FILE.html` and print the page"),
    ("svg", "for an image of the graph, run `calipers graph MODEL -o FILE.svg`"),
    ("png", "for an image of the graph, run `calipers graph MODEL -o FILE.png`"),
    ("dot", "for Graphviz, run `calipers graph MODEL -o FILE.dot`"),
    ("mmd", "for a Mermaid diagram, run `calipers diagram MODEL -o FILE.mmd`"),
    ("csv", "for rows, run `calipers layers MODEL -o FILE.csv`"),
    ("xlsx", "for a spreadsheet, run `calipers layers MODEL -o FILE.csv`"),
    ("sarif", "for SARIF, run `calipers check MODEL -o FILE.sarif`"),
    ("md", "for Markdown, run `calipers card MODEL -o FILE.md`"),
];

/// Which formats a command offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// Those of an answer with tables.
    Tables,
    /// Those of an answer with tables and a page.
    Pages,
    /// Those of an answer without tables.
    Documents,
    /// Those of findings.
    Findings,
    /// Those of cards: a page of one model, rows of many.
    Cards,
}

impl Offer {
    fn formats(self) -> impl Iterator<Item = &'static Format> {
        FORMATS.iter().copied().filter(move |format| match (self, format.needs) {
            (Self::Cards, Form::Tables) => true,
            (Self::Cards, _) => **format == markdown::FORMAT,
            (_, Form::Data | Form::Documents) => true,
            (_, Form::Tables) => matches!(self, Self::Tables | Self::Pages),
            (_, Form::Page) => self == Self::Pages,
            (_, Form::Findings) => self == Self::Findings,
        })
    }

    /// Parses the value of `--format`.
    pub(super) fn parser(self) -> impl TypedValueParser<Value = &'static Format> {
        PossibleValuesParser::new(self.formats().map(possible_value))
            .map(|id| find(&id).unwrap_or(&terminal::FORMAT))
    }

    /// The format asked for, or the one that the output's name calls for, else text.
    ///
    /// An ending that no format of the command has is an error: text in a file named `.png` helps
    /// nobody.
    pub(super) fn choose(
        self,
        asked: Option<&'static Format>,
        output: &Target,
    ) -> Result<&'static Format, clap::Error> {
        if let Some(format) = asked.or_else(|| self.named(output)) {
            return Ok(format);
        }
        let endings = self.formats().flat_map(|format| format.extensions).copied();
        refuse_unknown_ending(output, endings)?;
        Ok(&terminal::FORMAT)
    }

    /// The format that the output's name calls for.
    pub(super) fn named(self, output: &Target) -> Option<&'static Format> {
        let Target::File(path) = output else { return None };
        self.formats().find(|format| format.extensions.iter().any(|end| ends_in(path, end)))
    }
}

/// A format as a value of `--format`. Its file name extensions are other names for it.
pub(super) fn possible_value(format: &Format) -> PossibleValue {
    let aliases = format.extensions.iter().filter(|extension| **extension != format.id);
    PossibleValue::new(format.id).help(format.description).aliases(aliases.copied())
}

/// Refuses an output whose name has an ending that is not among these. A name without an ending is
/// fine, as in `/dev/stderr`.
pub(super) fn refuse_unknown_ending(
    output: &Target,
    endings: impl Iterator<Item = &'static str>,
) -> Result<(), clap::Error> {
    let Target::File(path) = output else { return Ok(()) };
    let Some(ending) = path.extension() else { return Ok(()) };
    let endings: Vec<&str> = endings.collect();
    if endings.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let listed: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
    let mut message = format!(
        "unknown file name ending '.{}'\n\n  this command writes {}",
        ending.display(),
        listed.join(", ")
    );
    if let Some((_, advice)) =
        ELSEWHERE.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known))
    {
        message += &format!("\n  {advice}");
    }
    Err(Cli::command().error(ErrorKind::ValueValidation, message))
}

pub(super) fn ends_in(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}
