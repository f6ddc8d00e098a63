//! What `calipers card` is given.

use std::path::PathBuf;

use calipers_render::output::{self, Format};
use calipers_render::sections::SECTIONS;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};

use super::reading::ReadingArgs;
use super::{Cli, Offer};
use crate::commands::{Assets, Card, Day, Form};
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers card model.onnx -o card              README.md and its charts
  calipers card model.onnx -o card --assets png
  calipers card model.onnx --format markdown    alone, to standard output
  calipers card model.onnx --sections complexity,memory
  calipers card model.onnx --template mine.html.j2 -o card
  calipers card models/ -o cards                a card each, and an index
  calipers card 'models/**/*.onnx' -o cards --assets none
  calipers card models/ --format csv            key figures, a line each

Exit status, of many models:
  0  a card was written for one of them at least; files that cannot be
     read are lines of the index
  1  none of them can be read
  3  a finding of one of them is as severe as --fail-on says";

#[derive(Args, Debug)]
pub(super) struct CardArgs {
    /// Model files, folders to look through, or patterns with * ** and ?
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,

    /// Folder to write to, created if missing; a file with --format or if it ends in .md, .csv or
    /// .jsonl; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// What to write instead of a folder
    #[arg(long, value_parser = Offer::Cards.parser())]
    format: Option<&'static Format>,

    /// Form of the charts
    #[arg(long, default_value = "svg")]
    assets: Assets,

    /// Only these sections, by their ids
    #[arg(long, value_name = "ID,ID,…", value_delimiter = ',', value_parser = parse_section)]
    sections: Vec<String>,

    /// Leave out the metadata that model hubs read
    #[arg(long)]
    no_front_matter: bool,

    /// State a day in the card: today, or the one that is given
    #[arg(long, value_name = "DAY", num_args = 0..=1, require_equals = true)]
    date: Option<Option<String>>,

    /// Template of your own over the report, in the manner of Jinja; its name tells what it writes
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
            Err(format!("there are {}", ids.join(", ")))
        }
    }
}

impl CardArgs {
    pub(super) fn resolve(self) -> Result<Card, clap::Error> {
        let output = Target::new(self.output);
        let form = match (self.format.or_else(|| Offer::Cards.named(&output)), output) {
            (None, Target::File(folder)) => Form::Folder(folder),
            (Some(format), output) if format.needs == output::Form::Tables => {
                Form::Rows(format, output)
            }
            (_, output) => Form::Markdown(output),
        };
        if matches!(form, Form::Rows(..)) && self.template.is_some() {
            let message = "--template writes cards, and a format of rows writes none";
            return Err(Cli::command().error(ErrorKind::ArgumentConflict, message));
        }
        let date = self.date.map(|day| day.map_or(Day::Today, Day::Given));
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
