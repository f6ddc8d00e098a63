//! `calipers demo`: everything, on a model that is built in.

use std::path::{Path, PathBuf};

use calipers::{Model, Options};

use super::{Assets, Card, Day, Form, Reading, ReportPage};
use crate::exit::ExitStatus;
use crate::output::{Target, write_file};
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
        let report = model.analyze(&Options::new())?;
        if let Some(folder) = &self.folder {
            std::fs::create_dir_all(folder).map_err(|error| Problem::unwritable(folder, &error))?;
            write_file(&folder.join(MODEL), &bytes)?;
            write_file(&folder.join(REPORT), calipers_render::json::to_string(&report).as_bytes())?;
            documents(folder)?;
        }
        Target::Stdout.write_screen(|style| {
            calipers_render::terminal::document(
                &calipers_render::sections::short(&report, true),
                style,
            )
        })?;
        if let Some(folder) = &self.folder {
            problem::inform(&format!(
                "Wrote {MODEL}, {REPORT} and README.md to {}",
                folder.display()
            ));
        }
        Ok(ExitStatus::Done)
    }
}

/// The page and the card, as the commands for them write them.
fn documents(folder: &Path) -> anyhow::Result<()> {
    let model = folder.join(MODEL);
    let page = ReportPage {
        model: model.clone(),
        output: Target::File(folder.join(PAGE)),
        reading: Reading::default(),
    };
    page.run()?;
    let card = Card {
        models: vec![model],
        form: Form::Folder(folder.to_owned()),
        assets: Assets::Svg,
        sections: Vec::new(),
        front_matter: true,
        date: Some(Day::Today),
        template: None,
        reading: Reading::default(),
    };
    card.write()?;
    Ok(())
}
