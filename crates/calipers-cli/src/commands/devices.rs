//! `calipers devices`: the table of devices, one of them in full, or what this machine is.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use calipers_devices::{Catalog, DeviceSheet, Filter, Selection};

use crate::args::TableFormat;
use crate::exit::ExitStatus;
use crate::output::{Target, write_styled};
use crate::problem::Problem;
use crate::screen;

/// Which devices, and where they go.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) asked: Asked,
    pub(crate) device_file: Option<PathBuf>,
    pub(crate) format: TableFormat,
    pub(crate) output: Target,
}

/// What was asked for.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Those that pass.
    List(Filter),
    /// One by its id.
    One(String),
    /// The device of this machine.
    Auto,
}

impl Devices {
    /// Writes the devices.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let catalog = catalog(self.device_file.as_deref())?;
        match &self.asked {
            Asked::List(filter) => self.list(&select(&catalog, filter)?)?,
            Asked::One(id) => {
                let device = catalog.find(id).map_err(|error| unknown(&error))?;
                self.show(&catalog.sheet(device))?;
            }
            Asked::Auto => self.show(&calipers_devices::detect(&catalog).sheet(&catalog))?,
        }
        Ok(ExitStatus::Done)
    }

    fn list(&self, selection: &Selection<'_>) -> anyhow::Result<()> {
        match (self.format, &self.output) {
            (TableFormat::Json, output) => {
                output.write(&calipers_render::devices_to_json(selection))
            }
            (TableFormat::Csv, output) => {
                output.write(&calipers_render::devices_to_csv(&selection.devices))
            }
            (TableFormat::Text, Target::Stdout) => {
                let style = screen::style_for_stdout();
                write_styled(&calipers_render::devices_to_terminal(selection, &style), style.color)
            }
            (TableFormat::Text, output) => {
                let style = screen::style_for_file();
                output.write(&calipers_render::devices_to_terminal(selection, &style))
            }
        }
    }

    fn show(&self, sheet: &DeviceSheet) -> anyhow::Result<()> {
        match (self.format, &self.output) {
            (TableFormat::Json, output) => output.write(&calipers_render::device_to_json(sheet)),
            (TableFormat::Csv, output) => {
                output.write(&calipers_render::devices_to_csv(&[&sheet.device]))
            }
            (TableFormat::Text, Target::Stdout) => {
                let style = screen::style_for_stdout();
                write_styled(&calipers_render::device_to_terminal(sheet, &style), style.color)
            }
            (TableFormat::Text, output) => {
                let style = screen::style_for_file();
                output.write(&calipers_render::device_to_terminal(sheet, &style))
            }
        }
    }
}

/// The built-in devices, with those of a file.
pub(crate) fn catalog(file: Option<&Path>) -> Result<Cow<'static, Catalog>, Problem> {
    let Some(path) = file else { return Ok(Cow::Borrowed(calipers_devices::builtin())) };
    let devices = calipers_devices::load(path).map_err(|error| {
        let problem = Problem::unusable(&format!("cannot use {}: {error}", path.display()));
        match error.hint() {
            Some(hint) => problem.hint(&hint),
            None => problem,
        }
    })?;
    Ok(Cow::Owned(calipers_devices::builtin().with(devices)))
}

fn select<'a>(catalog: &'a Catalog, filter: &Filter) -> Result<Selection<'a>, Problem> {
    let vendors = catalog.vendors();
    let is_known = |name: &String| vendors.iter().any(|known| known.eq_ignore_ascii_case(name));
    match &filter.vendor {
        Some(vendor) if !is_known(vendor) => {
            let problem = Problem::unusable(&format!("no device is of the vendor {vendor:?}"));
            Err(problem.hint(&format!("there are {}", vendors.join(", "))))
        }
        _ => Ok(catalog.select(filter)),
    }
}

pub(crate) fn unknown(error: &calipers_devices::NotFound) -> Problem {
    let problem = Problem::unusable(error);
    if error.near.is_empty() {
        return problem.hint("`calipers devices` lists them; a device file adds one");
    }
    problem.hint(&format!("near it are {}", error.near.join(", ")))
}
