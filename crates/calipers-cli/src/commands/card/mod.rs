//! `calipers card MODEL… -o DIR`: a document to keep with a model, or with each of many.
//!
//! `places` finds the models, `folders` names a folder for each, `one` writes a card, `many` writes
//! them all and an index.

mod day;
mod folders;
mod many;
mod one;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::places::Places;
use calipers_render::Template;
use calipers_render::output::Format;
use calipers_report::Report;
use clap::ValueEnum;
pub(crate) use day::Day;
use one::Writer;

use super::{Reading, model};
use crate::exit::ExitStatus;
use crate::files::Changes;
use crate::output::Target;
use crate::problem::{Problem, printable};

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
    /// The card of one model: a file with its charts next to it, or a text without charts.
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
    /// Reads the models, writes their cards, and says on standard error what was written.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let (status, written) = self.write()?;
        if let Some(written) = written {
            // The files are there whether or not anybody reads this.
            let _ = writeln!(std::io::stderr().lock(), "Wrote {written}");
        }
        Ok(status)
    }

    /// Reads the models and writes their cards. Returns what was written to files, in words.
    pub(crate) fn write(&self) -> anyhow::Result<(ExitStatus, Option<String>)> {
        let places = match Places::find(&self.models)? {
            places if self.reading.privacy.redact_names => places.without_names(),
            places => places.masked(self.reading.privacy),
        };
        let writer = self.writer()?;
        match (&self.form, places.only()) {
            (Form::Folder(folder), Some(path)) => {
                // The folder is made first, so that a wrong path costs no reading.
                let changes = Changes::in_folder(folder)?;
                let page = folder.join(writer.file_name());
                model::check(path, &Target::File(page.clone()))?;
                let report = self.reading.report(path, &writer.question)?;
                let written = writer.write_card(&changes, &report, &page, one::ASSETS)?;
                changes.commit()?;
                Ok((self.reading.status(&report)?, Some(written.to_string())))
            }
            (Form::Markdown(output @ Target::File(page)), Some(path)) => {
                model::check(path, output)?;
                let changes = Changes::next_to(page)?;
                let report = self.reading.report(path, &writer.question)?;
                let written =
                    writer.write_card(&changes, &report, page, &one::assets_folder(page))?;
                changes.commit()?;
                Ok((self.reading.status(&report)?, Some(written.to_string())))
            }
            (Form::Markdown(output), Some(path)) => {
                model::check(path, output)?;
                let report = self.reading.report(path, &writer.question)?;
                output.write(&writer.page(&report, Vec::new())?)?;
                Ok((self.reading.status(&report)?, None))
            }
            (Form::Markdown(_), None) => Err(Problem::unusable(&"there is more than one model")
                .hint("write their cards to a folder with -o DIR, or a table with -o FILE.csv")
                .into()),
            (Form::Folder(folder), None) => many::write_cards(&writer, &places, folder),
            (Form::Rows(format, output), _) => {
                let status = many::write_lines(&writer, &places, format, output)?;
                let written = match output {
                    Target::File(path) => Some(printable(&path.display().to_string())),
                    Target::Stdout => None,
                };
                Ok((status, written))
            }
        }
    }

    /// Prepares the card of a report in a folder that exists.
    pub(crate) fn write_report(
        &self,
        changes: &Changes,
        report: &Report,
        folder: &Path,
    ) -> anyhow::Result<()> {
        let writer = self.writer()?;
        writer.write_card(changes, report, &folder.join(writer.file_name()), one::ASSETS)?;
        Ok(())
    }

    /// The card of a report as text, without charts.
    pub(crate) fn text(&self, report: &Report) -> anyhow::Result<String> {
        self.writer()?.page(report, Vec::new())
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

/// Bytes of the largest template.
const LONGEST_TEMPLATE: u64 = 4 << 20;

fn read_template(path: &Path) -> anyhow::Result<Template> {
    let wrong = |why: &dyn std::fmt::Display| {
        Problem::unusable(&format!("cannot use the template {}: {why}", path.display()))
    };
    let bytes = std::fs::metadata(path).map_err(|error| wrong(&crate::problem::reason(&error)))?;
    if !bytes.is_file() || bytes.len() > LONGEST_TEMPLATE {
        return Err(wrong(&"it must be a file of at most 4 MiB").into());
    }
    let source =
        std::fs::read_to_string(path).map_err(|error| wrong(&crate::problem::reason(&error)))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Template::new(&name, &source).map_err(|error| wrong(&error))?)
}
