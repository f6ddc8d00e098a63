//! `calipers demo`: everything, on a model that is built in.

use std::path::{Path, PathBuf};

use calipers::Model;

use super::{Assets, Card, Day, Form, Reading};
use crate::exit::ExitStatus;
use crate::files::Changes;
use crate::output::Target;
use crate::problem::{self, Problem};

/// The built-in model's file name, in the report as in the folder.
const MODEL: &str = "model.onnx";
const REPORT: &str = "report.json";
const PAGE: &str = "report.html";

/// Where to leave the files, if anywhere.
#[derive(Debug)]
pub(crate) struct Demo {
    pub(crate) folder: Option<PathBuf>,
}

impl Demo {
    /// Shows the model, and leaves it in the folder with its report, its page and its card.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let bytes = calipers_samples::digits();
        let model = Model::read(bytes.clone(), MODEL)
            .map_err(|error| Problem::unreadable(Path::new(MODEL), &error, error.hint()))?;
        let reading = Reading::default();
        let (report, view) = model.explore(&reading.options(&reading.wanted.question()?))?;
        if let Some(folder) = &self.folder {
            let changes = Changes::in_folder(folder)?;
            changes.write(&folder.join(MODEL), &bytes)?;
            let json = calipers_render::json::to_string(&report);
            changes.write(&folder.join(REPORT), json.as_bytes())?;
            let page = calipers_render::page::html(&report, &view);
            changes.write(&folder.join(PAGE), page.as_bytes())?;
            card(folder).write_report(&changes, &report, folder)?;
            changes.commit()?;
        }
        Target::Stdout.write_screen(|style| {
            calipers_render::terminal::document(
                &calipers_render::sections::short(&report, true),
                style,
            )
        })?;
        if let Some(folder) = &self.folder {
            problem::inform(&format!(
                "Wrote {MODEL}, {REPORT}, {PAGE} and README.md to {}",
                folder.display()
            ));
        }
        Ok(ExitStatus::Done)
    }
}

/// The card as `calipers card` writes it by default.
fn card(folder: &Path) -> Card {
    Card {
        models: vec![folder.join(MODEL)],
        form: Form::Folder(folder.to_owned()),
        assets: Assets::Svg,
        sections: Vec::new(),
        front_matter: true,
        date: Some(Day::Today),
        template: None,
        reading: Reading::default(),
    }
}
