//! `calipers devices`: the table of devices, one of them in full, or what this machine is.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use calipers::devices::{Catalog, Filter, Selection};
use calipers_render::output::{Answer, Format};
use calipers_render::{sections, tables};
use calipers_report::{DeviceList, DeviceSheet};

use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// Which devices, and where they go.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) asked: Asked,
    pub(crate) device_file: Option<PathBuf>,
    pub(crate) format: &'static Format,
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
            Asked::List(filter) => self.list(&select(&catalog, filter)?.list())?,
            Asked::One(id) => {
                let device = catalog.find(id).map_err(|error| unknown(&error))?;
                self.show(&catalog.sheet(device))?;
            }
            Asked::Auto => self.show(&calipers::devices::detect(&catalog).sheet(&catalog))?,
        }
        Ok(ExitStatus::Done)
    }

    fn list(&self, list: &DeviceList) -> anyhow::Result<()> {
        let answer = Answer::table(list, tables::devices(list));
        self.output.write_answer(&answer, self.format)
    }

    fn show(&self, sheet: &DeviceSheet) -> anyhow::Result<()> {
        let alone = DeviceList { devices: vec![sheet.device.clone()], unknown_memory: 0 };
        let answer = Answer::table(sheet, tables::devices(&alone))
            .documents(|| vec![sections::device(sheet)]);
        self.output.write_answer(&answer, self.format)
    }
}

/// The built-in devices, with those of a file.
pub(crate) fn catalog(file: Option<&Path>) -> Result<Cow<'static, Catalog>, Problem> {
    let Some(path) = file else { return Ok(Cow::Borrowed(calipers::devices::builtin())) };
    let devices = calipers::devices::load(path).map_err(|error| {
        let problem = Problem::unusable(&format!("cannot use {}: {error}", path.display()));
        match error.hint() {
            Some(hint) => problem.hint(&hint),
            None => problem,
        }
    })?;
    Ok(Cow::Owned(calipers::devices::builtin().with(devices)))
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

pub(crate) fn unknown(error: &calipers::devices::NotFound) -> Problem {
    let problem = Problem::unusable(error);
    if error.near.is_empty() {
        return problem.hint("`calipers devices` lists them; a device file adds one");
    }
    problem.hint(&format!("near it are {}", error.near.join(", ")))
}
