//! What `calipers card` is given.

use std::path::PathBuf;

use calipers_render::output::{self, Format};
use calipers_render::sections::SECTIONS;
use calipers_report::suggestions;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};

use super::reading::ReadingArgs;
use super::{Cli, Offer};
use crate::commands::{Assets, Card, Day, Form};
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers card model.onnx -o card              card/README.md and its charts
  calipers card model.onnx -o card.md           that file and its charts
  calipers card model.onnx -o card --assets png
  calipers card model.onnx --format markdown    alone, to standard output
  calipers card model.onnx --sections complexity,memory
  calipers card model.onnx --template mine.html.j2 -o card
  calipers card models/ -o cards                a card each, and an index
  calipers card 'models/**/*.onnx' -o cards --assets none
  calipers card models/ --format csv            key figures, a line each

Exit status, of many models:
  0  at least one card was written; unreadable files are rows of the index
  1  no model can be read
  3  a finding is as severe as --fail-on";

#[derive(Args, Debug)]
pub(super) struct CardArgs {
    /// Model files, folders to search, or patterns with * ** and ?
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,

    /// Folder to write to, created if missing; a file if it ends in .md, .csv or .jsonl, or with
    /// --format; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// What to write instead of a folder
    #[arg(long, value_parser = Offer::Cards.parser())]
    format: Option<&'static Format>,

    /// Image format of the charts
    #[arg(long, default_value = "svg")]
    assets: Assets,

    /// Only these sections, by id
    #[arg(long, value_name = "ID,ID,…", value_delimiter = ',', value_parser = parse_section)]
    sections: Vec<String>,

    /// Leave out the metadata that model hubs read
    #[arg(long)]
    no_front_matter: bool,

    /// Date of the card [default: today in UTC, or that of `SOURCE_DATE_EPOCH`]
    #[arg(long, value_name = "DAY", num_args = 0..=1, require_equals = true)]
    date: Option<Option<String>>,

    /// Leave out the date, so that the same model always gives the same card
    #[arg(long, conflicts_with = "date")]
    no_date: bool,

    /// Jinja template over the report; the ending of its name is that of the files it writes
    #[arg(long, value_name = "FILE", conflicts_with = "sections")]
    template: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,
}

fn parse_section(id: &str) -> Result<String, String> {
    match SECTIONS.iter().any(|section| section.id == id) {
        true => Ok(id.to_owned()),
        false => {
            let ids: Vec<&str> = SECTIONS.iter().map(|section| section.id).collect();
            let near = suggestions::nearest(id, ids.iter().copied());
            let near = near.map(|near| format!("did you mean `{near}`? "));
            Err(format!("{}The sections are {}", near.unwrap_or_default(), ids.join(", ")))
        }
    }
}

impl CardArgs {
    pub(super) fn resolve(self) -> Result<Card, clap::Error> {
        let output = Target::new(self.output);
        let form = match (self.format.or_else(|| Offer::Cards.named(&output)), output) {
            (None, Target::File(folder)) => Form::Folder(as_folder(folder)?),
            (Some(format), output) if format.needs == output::Form::Tables => {
                Form::Rows(format, output)
            }
            (_, output) => Form::Markdown(output),
        };
        if matches!(form, Form::Rows(..)) && self.template.is_some() {
            let message = "--template writes cards; it cannot be used with a format of rows";
            return Err(Cli::command().error(ErrorKind::ArgumentConflict, message));
        }
        let date = match self.date.flatten() {
            _ if self.no_date => None,
            Some(day) => Some(Day::Given(day)),
            None => Some(Day::Today),
        };
        Ok(Card {
            models: self.models,
            form,
            assets: self.assets,
            sections: self.sections,
            front_matter: !self.no_front_matter,
            date,
            template: self.template,
            reading: self.reading.resolve()?,
        })
    }
}

/// Endings of files that a card is not, with what writes them.
const OTHER_FILES: [(&str, &str); 9] = [
    ("html", "run `calipers report MODEL -o FILE.html` for a page"),
    ("htm", "run `calipers report MODEL -o FILE.html` for a page"),
    ("json", "run `calipers inspect MODEL -o FILE.json` for JSON"),
    ("sarif", "run `calipers check MODEL -o FILE.sarif` for SARIF"),
    ("pdf", "write a .md file and convert it"),
    ("docx", "write a .md file and convert it"),
    ("txt", "write a .md file"),
    ("svg", "the charts are written next to a .md file"),
    ("png", "the charts are written next to a .md file, with `--assets png` as PNG"),
];

/// A path as a folder, unless its name is that of another kind of file.
fn as_folder(path: PathBuf) -> Result<PathBuf, clap::Error> {
    let wrong = OTHER_FILES.iter().find(|(ending, _)| super::format::ends_in(&path, ending));
    match wrong.filter(|_| !path.is_dir()) {
        None => Ok(path),
        Some((ending, hint)) => {
            let message = format!("a card cannot be a .{ending} file; {hint}");
            Err(Cli::command().error(ErrorKind::InvalidValue, message))
        }
    }
}
