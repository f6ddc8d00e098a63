//! Many cards at once, and the index of them.

use std::path::Path;

use anyhow::Context as _;
use calipers_render::output::{Answer, Format};
use calipers_render::{index, tables, units};
use calipers_report::{KeyFigures, ModelRow, Registry, Report};
use calipers_scan::panics::STACK_BYTES;
use rayon::prelude::*;

use super::super::places::{Place, Places};
use super::folders;
use super::one::{ASSETS, Writer};
use crate::exit::ExitStatus;
use crate::files::Changes;
use crate::output::Target;
use crate::problem::{printable, warn, why};
use crate::progress::Count;

/// What became of one file.
struct Outcome {
    model: ModelRow,
    /// How its findings end the command.
    status: ExitStatus,
}

/// A card for each model in a folder of its own, and an index of them all.
pub(super) fn write_cards(
    writer: &Writer<'_>,
    places: &Places,
    folder: &Path,
) -> anyhow::Result<(ExitStatus, Option<String>)> {
    let changes = Changes::in_folder(folder)?;
    let shown: Vec<String> = places.all.iter().map(|place| place.shown.clone()).collect();
    let names = folders::name_all(&shown);
    let outcomes = analyze_all(writer, places, |number, report| {
        let name = &names[number];
        let own = folder.join(name);
        changes.make_folder(&own)?;
        writer.write_card(&changes, report, &own.join(writer.file_name()), ASSETS)?;
        Ok(Some(format!("{name}/{}", writer.file_name())))
    })?;
    let (models, status) = conclude(outcomes);
    let registry = Registry { models, groups: Vec::new() };
    changes.write(&folder.join("README.md"), index::markdown(&registry.models).as_bytes())?;
    for page in index::pages(&registry, "index.html") {
        changes.write(&folder.join(page.name), page.html.as_bytes())?;
    }
    changes.commit()?;
    warn_unread(&registry.models);
    let cards = registry.models.iter().filter(|model| model.figures.card.is_some()).count();
    let cards = units::counted(u64::try_from(cards).unwrap_or(u64::MAX), "card", "cards");
    let index = printable(&folder.join("README.md").display().to_string());
    Ok((status, Some(format!("{cards} and their index, {index}"))))
}

/// The key figures of each model, a line each.
pub(super) fn write_lines(
    writer: &Writer<'_>,
    places: &Places,
    format: &'static Format,
    output: &Target,
) -> anyhow::Result<ExitStatus> {
    let outcomes = analyze_all(writer, places, |_, _| Ok(None))?;
    let (models, status) = conclude(outcomes);
    warn_unread(&models);
    let figures: Vec<KeyFigures> = models.into_iter().map(|model| model.figures).collect();
    let table = tables::figures(&figures);
    output.write_answer(&Answer::table(&figures, table), format)?;
    Ok(status)
}

/// Analyzes every model, on every core, and passes each report to `keep`. Only the key figures of a
/// report are kept in memory. A card that cannot be written ends the run.
fn analyze_all(
    writer: &Writer<'_>,
    places: &Places,
    keep: impl Fn(usize, &Report) -> anyhow::Result<Option<String>> + Sync,
) -> anyhow::Result<Vec<Outcome>> {
    let count = Count::start("reading models", places.all.len());
    let one = |(number, place): (usize, &Place)| {
        let outcome = analyze(writer, place, |report| keep(number, report));
        count.add();
        outcome
    };
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build()?;
    pool.install(|| places.all.par_iter().enumerate().map(one).collect())
}

fn analyze(
    writer: &Writer<'_>,
    place: &Place,
    keep: impl Fn(&Report) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<Outcome> {
    let unread = |reason: String| {
        let figures = KeyFigures::unread(place.shown.clone(), reason);
        let model = ModelRow { figures, ..ModelRow::default() };
        Outcome { model, status: ExitStatus::Done }
    };
    if let Some(reason) = &place.error {
        return Ok(unread(reason.clone()));
    }
    let report = match writer.card.reading.quietly(&place.path, &writer.question) {
        Ok(report) => report,
        // The path is next to it already.
        Err(error) => return Ok(unread(why(&error, &place.path))),
    };
    let license = calipers_render::license(&report);
    let mut model = ModelRow::new(place.shown.clone(), &report, license);
    model.figures.card = keep(&report).with_context(|| format!("the card of {}", place.shown))?;
    let status = writer.card.reading.gate.judge(&report.findings);
    Ok(Outcome { model, status })
}

/// The models, and how the command ends: with 1 where nothing could be read, with 3 where a
/// finding is as severe as was asked.
fn conclude(outcomes: Vec<Outcome>) -> (Vec<ModelRow>, ExitStatus) {
    let failed = outcomes.iter().find(|outcome| outcome.status != ExitStatus::Done);
    let status = failed.map_or(ExitStatus::Done, |outcome| outcome.status);
    let models: Vec<ModelRow> = outcomes.into_iter().map(|outcome| outcome.model).collect();
    let none = models.iter().all(|model| model.figures.error.is_some());
    (models, if none { ExitStatus::Unreadable } else { status })
}

/// Files that are named on standard error; the index has them all.
const NAMED: usize = 5;

/// Prints to standard error which files could not be read.
fn warn_unread(models: &[ModelRow]) {
    let broken: Vec<(&str, &str)> = models
        .iter()
        .map(|model| &model.figures)
        .filter_map(|figures| Some((figures.path.as_str(), figures.error.as_deref()?)))
        .collect();
    let mut lines: Vec<String> =
        broken.iter().take(NAMED).map(|(path, why)| format!("cannot read {path}: {why}")).collect();
    if broken.len() > NAMED {
        lines.push(format!("and {} more", broken.len() - NAMED));
    }
    warn(&lines);
}
