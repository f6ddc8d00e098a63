//! One card: the model is read, the page written, the charts next to it.

use std::path::Path;

use calipers::HardwareQuery;
use calipers_render::chart::{self, Theme};
use calipers_render::{CardOptions, ChartLink, Template, markdown};
use calipers_report::Report;

use super::{Assets, Card};
use crate::output::write_file;
use crate::problem::Problem;

/// The folder of the charts, next to the card.
const ASSETS: &str = "assets";

/// Pixels to a unit of a chart, so that it is sharp on fine screens.
const SCALE: f32 = 2.0;

/// Everything that cards of one run have in common.
pub(super) struct Writer<'a> {
    pub(super) card: &'a Card,
    pub(super) question: HardwareQuery,
    pub(super) template: Option<Template>,
    pub(super) date: Option<String>,
}

impl Writer<'_> {
    /// What the card is called.
    pub(super) fn file_name(&self) -> String {
        match self.template.as_ref().map(Template::extension) {
            None | Some("md" | "markdown") => "README.md".to_owned(),
            Some(extension) => format!("card.{extension}"),
        }
    }

    /// The card's text.
    pub(super) fn page(&self, report: &Report, charts: Vec<ChartLink>) -> anyhow::Result<String> {
        let options = CardOptions {
            front_matter: self.card.front_matter,
            date: self.date.clone(),
            sections: self.card.sections.clone(),
            charts,
        };
        match &self.template {
            None => Ok(markdown::card(report, &options)),
            Some(template) => Ok(template.render(report, &options).map_err(|error| {
                Problem::unusable(&format!("the template cannot be filled in: {error}"))
            })?),
        }
    }

    /// The card and its charts into a folder that is there.
    pub(super) fn write_folder(&self, report: &Report, folder: &Path) -> anyhow::Result<()> {
        let charts = self.write_charts(report, folder)?;
        let page = self.page(report, charts)?;
        write_file(&folder.join(self.file_name()), page.as_bytes())
    }

    /// Writes each chart for light and for dark pages.
    fn write_charts(&self, report: &Report, folder: &Path) -> anyhow::Result<Vec<ChartLink>> {
        let ending = match self.card.assets {
            Assets::None => return Ok(Vec::new()),
            Assets::Svg => "svg",
            Assets::Png => "png",
        };
        let light = chart::charts(report, Theme::Light);
        let dark = chart::charts(report, Theme::Dark);
        if !light.is_empty() {
            make_folder(&folder.join(ASSETS))?;
        }
        let mut links = Vec::new();
        for (light, dark) in light.iter().zip(&dark) {
            let place = |theme: &str| format!("{ASSETS}/{}-{theme}.{ending}", light.name);
            for (theme, svg) in [("light", &light.svg), ("dark", &dark.svg)] {
                let path = folder.join(place(theme));
                match self.card.assets {
                    Assets::Png => write_file(&path, &chart::png(svg, SCALE)?)?,
                    _ => write_file(&path, svg.as_bytes())?,
                }
            }
            links.push(ChartLink {
                name: light.name.to_owned(),
                alt: light.alt.clone(),
                light: place("light"),
                dark: place("dark"),
            });
        }
        Ok(links)
    }
}

/// Makes a folder and those above it, where there are none.
pub(super) fn make_folder(path: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(path).map_err(|error| {
        let problem = Problem::unwritable(path, &error);
        match error.kind() {
            std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotADirectory => {
                problem.hint("-o is a folder here; give another name, or --format markdown")
            }
            _ => problem,
        }
        .into()
    })
}
