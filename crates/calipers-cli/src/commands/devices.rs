//! `calipers devices`: the device catalog, one device in full, or this machine.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use calipers::devices::{Catalog, Filter, Selection};
use calipers_render::output::{Answer, Format};
use calipers_render::{sections, tables};
use calipers_report::{DeviceList, DeviceSheet};

use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// The devices to show, and the output.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) asked: Asked,
    pub(crate) device_file: Option<PathBuf>,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
}

/// The devices that were asked for.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Those that pass a filter.
    List(Filter),
    /// One by its name.
    One(String),
    /// This machine.
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

/// Returns the built-in devices, with those of a file.
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
            let problem = Problem::unusable(&format!("unknown vendor {vendor:?}"));
            Err(problem.hint(&format!("expected one of {}", vendors.join(", "))))
        }
        _ => Ok(catalog.select(filter)),
    }
}

/// The problem of an unknown or ambiguous device name.
pub(crate) fn unknown(error: &calipers::devices::NotFound) -> Problem {
    let problem = Problem::unusable(error);
    let near: Vec<String> = error.near.iter().map(|id| format!("`{id}`")).collect();
    match near.as_slice() {
        [] => problem.hint("run `calipers devices` to list all; add one with `--device-file FILE`"),
        [one] => problem.hint(&format!("did you mean {one}?")),
        [all @ .., last] => problem.hint(&format!("did you mean {} or {last}?", all.join(", "))),
    }
}
