//! One card: the model is read, the page written, the charts next to it.

use std::fmt;
use std::path::{Path, PathBuf};

use calipers::HardwareQuery;
use calipers_render::chart::{self, Theme};
use calipers_render::{CardOptions, ChartLink, Template, markdown};
use calipers_report::Report;

use super::{Assets, Card};
use crate::files::Changes;
use crate::problem::{Problem, printable};

/// The folder of the charts, next to the card.
pub(super) const ASSETS: &str = "assets";

/// The folder of the charts of a card with a name of its own: `card-assets` for `card.md`.
pub(super) fn assets_folder(page: &Path) -> String {
    let stem = page.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    format!("{}-{ASSETS}", stem.unwrap_or_default())
}

/// A card that was written.
pub(super) struct Written {
    page: PathBuf,
    charts: usize,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let page = printable(&self.page.display().to_string());
        match self.charts {
            0 => write!(f, "{page}"),
            1 => write!(f, "{page} and 1 chart"),
            charts => write!(f, "{page} and {charts} charts"),
        }
    }
}

#[cfg(feature = "png")]
fn png(svg: &str) -> anyhow::Result<Vec<u8>> {
    Ok(chart::png(svg, SCALE)?)
}

#[cfg(not(feature = "png"))]
fn png(_: &str) -> anyhow::Result<Vec<u8>> {
    Err(Problem::not_built("PNG", "png").into())
}

/// Pixels to a unit of a chart, so that it is sharp on fine screens.
#[cfg(feature = "png")]
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

    /// Prepares the card as a file, and its charts in a folder of this name next to it.
    pub(super) fn write_card(
        &self,
        changes: &Changes,
        report: &Report,
        page: &Path,
        assets: &str,
    ) -> anyhow::Result<Written> {
        let folder = page.parent().unwrap_or(Path::new(""));
        let charts = self.charts(report, assets);
        let links = charts.iter().map(|chart| chart.link.clone()).collect();
        let text = self.page(report, links)?;
        // A chart that the card does not show is not written.
        let shown = charts.iter().filter(|chart| text.contains(&chart.link.light));
        let shown: Vec<&ChartFiles> = shown.collect();
        if !shown.is_empty() {
            changes.make_folder(&folder.join(assets))?;
        }
        for chart in &shown {
            self.write_chart(changes, &folder.join(&chart.link.light), &chart.light)?;
            self.write_chart(changes, &folder.join(&chart.link.dark), &chart.dark)?;
        }
        changes.write(page, text.as_bytes())?;
        Ok(Written { page: page.to_owned(), charts: shown.len() })
    }

    fn write_chart(&self, changes: &Changes, path: &Path, svg: &str) -> anyhow::Result<()> {
        match self.card.assets {
            Assets::Png => changes.write(path, &png(svg)?),
            _ => changes.write(path, svg.as_bytes()),
        }
    }

    /// Each chart for light and for dark pages, as it would be linked.
    fn charts(&self, report: &Report, assets: &str) -> Vec<ChartFiles> {
        let ending = match self.card.assets {
            Assets::None => return Vec::new(),
            Assets::Svg => "svg",
            Assets::Png => "png",
        };
        let light = chart::charts(report, Theme::Light);
        let dark = chart::charts(report, Theme::Dark);
        let files = light.into_iter().zip(dark).map(|(light, dark)| {
            let place = |theme: &str| format!("{assets}/{}-{theme}.{ending}", light.name);
            let link = ChartLink {
                name: light.name.to_owned(),
                alt: light.alt.clone(),
                light: place("light"),
                dark: place("dark"),
            };
            ChartFiles { link, light: light.svg, dark: dark.svg }
        });
        files.collect()
    }
}

/// A chart, and where its files go.
struct ChartFiles {
    link: ChartLink,
    light: String,
    dark: String,
}
