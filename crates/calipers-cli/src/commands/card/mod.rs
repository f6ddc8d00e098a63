//! `calipers card MODEL… -o DIR`: a document to file next to a model, or next to each of many.
//!
//! `places` finds the models, `folders` names a folder for each, `one` writes a card, `many` writes
//! them all and an index.

mod day;
mod folders;
mod many;
mod one;
mod places;

use std::path::{Path, PathBuf};

use calipers_render::Template;
use calipers_render::output::Format;
use clap::ValueEnum;
pub(crate) use day::Day;
use one::Writer;
use places::Places;

use super::{Reading, model};
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// Whose cards to write, what is in them, and where they go.
#[derive(Debug)]
pub(crate) struct Card {
    pub(crate) models: Vec<PathBuf>,
    pub(crate) form: Form,
    pub(crate) assets: Assets,
    pub(crate) sections: Vec<String>,
    pub(crate) front_matter: bool,
    pub(crate) date: Option<Day>,
    pub(crate) template: Option<PathBuf>,
    pub(crate) reading: Reading,
}

/// What is written.
#[derive(Debug)]
pub(crate) enum Form {
    /// A folder with the card and its charts; of many models, one inside it for each.
    Folder(PathBuf),
    /// The card of one model alone.
    Markdown(Target),
    /// Key figures, a row for each model.
    Rows(&'static Format, Target),
}

/// Form of the charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Assets {
    /// Sharp at every size.
    Svg,
    /// For places that show no SVG.
    Png,
    /// None at all.
    None,
}

impl Card {
    /// Reads the models and writes their cards.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let places = match Places::find(&self.models)? {
            places if self.reading.privacy.redact_names => places.without_names(),
            places => places,
        };
        let writer = self.writer()?;
        match (&self.form, places.only()) {
            (Form::Folder(folder), Some(path)) => {
                // The folder is made first, so that a wrong place costs no reading.
                one::make_folder(folder)?;
                model::check(path, &Target::File(folder.join(writer.file_name())))?;
                let report = self.reading.report(path, &writer.question)?;
                writer.write_folder(&report, folder)?;
                self.reading.status(&report)
            }
            (Form::Markdown(output), Some(path)) => {
                model::check(path, output)?;
                let report = self.reading.report(path, &writer.question)?;
                output.write(&writer.page(&report, Vec::new())?)?;
                self.reading.status(&report)
            }
            (Form::Markdown(_), None) => Err(Problem::unusable(&"there is more than one model")
                .hint("give a folder for their cards with -o, or a table with -o FILE.csv")
                .into()),
            (Form::Folder(folder), None) => many::write_cards(&writer, &places, folder),
            (Form::Rows(format, output), _) => many::write_lines(&writer, &places, format, output),
        }
    }

    fn writer(&self) -> anyhow::Result<Writer<'_>> {
        Ok(Writer {
            question: self.reading.wanted.question()?,
            template: self.template.as_deref().map(read_template).transpose()?,
            date: self.date.as_ref().map(Day::text),
            card: self,
        })
    }
}

/// More is no template.
const LONGEST_TEMPLATE: u64 = 4 << 20;

fn read_template(path: &Path) -> anyhow::Result<Template> {
    let wrong = |why: &dyn std::fmt::Display| {
        Problem::unusable(&format!("cannot use the template {}: {why}", path.display()))
    };
    let bytes = std::fs::metadata(path).map_err(|error| wrong(&crate::problem::reason(&error)))?;
    if !bytes.is_file() || bytes.len() > LONGEST_TEMPLATE {
        return Err(wrong(&"it is no file of at most 4 MiB").into());
    }
    let source =
        std::fs::read_to_string(path).map_err(|error| wrong(&crate::problem::reason(&error)))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Template::new(&name, &source).map_err(|error| wrong(&error))?)
}
