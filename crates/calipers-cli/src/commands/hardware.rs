//! `calipers hardware MODEL`: where a model runs, how fast, and what it requires.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::Context as _;
use calipers::devices::{Device, Precision};
use calipers::{Bindings, HardwareQuery, Options};
use calipers_render::output::{Answer, Format};
use calipers_render::{sections, tables};
use calipers_report::{DeviceClass, Report, Runtime};

use super::calibrate;
use super::devices::{catalog, unknown};
use super::{Privacy, model};
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// The model, the query and the output.
#[derive(Debug)]
pub(crate) struct Hardware {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
    pub(crate) wanted: Wanted,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

/// A query about hardware, with devices by name.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) devices: Vec<Chosen>,
    pub(crate) device_file: Option<PathBuf>,
    pub(crate) runtime: Runtime,
    pub(crate) precision: Option<Precision>,
    pub(crate) threads: Option<u32>,
    pub(crate) batch: Option<u64>,
    pub(crate) context: Option<u64>,
    pub(crate) target_latency_ms: Option<f64>,
    pub(crate) target_throughput: Option<f64>,
    pub(crate) target_first_token_ms: Option<f64>,
}

/// A device, as it was named.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// By its id or another name.
    One(String),
    /// This machine.
    Auto,
    /// Every device of the catalog.
    All,
}

impl Wanted {
    /// The query, with the devices looked up. One device is reported in full; several, and all, are
    /// compared. Where none is named, common devices are compared.
    pub(crate) fn question(&self) -> Result<HardwareQuery, Problem> {
        let catalog = catalog(self.device_file.as_deref())?;
        let mut question = HardwareQuery {
            runtime: self.runtime,
            precision: self.precision,
            threads: self.threads,
            batch: self.batch,
            context: self.context,
            target_latency_ms: self.target_latency_ms,
            target_throughput: self.target_throughput,
            target_first_token_ms: self.target_first_token_ms,
            ..HardwareQuery::default()
        };
        let mut named: Vec<Device> = Vec::new();
        for chosen in &self.devices {
            match chosen {
                Chosen::One(id) => {
                    named.push(catalog.find(id).map_err(|error| unknown(&error))?.clone());
                }
                Chosen::Auto => {
                    let detected = this_machine(&catalog)?;
                    question.found = detected.notes;
                    named.push(detected.device);
                }
                Chosen::All => {}
            }
        }
        self.check_threads(&named)?;
        if self.devices.contains(&Chosen::All) {
            question.table = listed(&catalog);
        } else if named.len() > 1 {
            question.table.clone_from(&named);
        }
        if named.len() == 1 {
            question.device = named.pop();
        }
        question.catalog = Cow::Owned(catalog.into_owned());
        Ok(question)
    }
}

impl Wanted {
    /// Refuses more threads than a named processor has cores.
    fn check_threads(&self, named: &[Device]) -> Result<(), Problem> {
        let Some(threads) = self.threads else { return Ok(()) };
        let few = |device: &&Device| {
            device.class == DeviceClass::Cpu
                && device.units.is_some()
                && threads > device.fast_cores()
        };
        match named.iter().find(few) {
            Some(device) => Err(Problem::invalid(
                &format!(
                    "--threads {threads}: {} has {cores} {}cores; give at most {cores}",
                    device.name,
                    if device.performance_cores.is_some() { "performance " } else { "" },
                    cores = device.fast_cores(),
                ),
                None,
            )),
            None => Ok(()),
        }
    }
}

/// This machine: as it is detected, or for a processor as it was calibrated.
pub(crate) fn this_machine(
    known: &calipers::devices::Catalog,
) -> Result<calipers::devices::Detected, Problem> {
    let mut detected = calipers::devices::detect(known);
    let Some(path) = calibrate::device_file().filter(|path| path.is_file()) else {
        return Ok(detected);
    };
    if detected.device.class != DeviceClass::Cpu {
        return Ok(detected);
    }
    let calibrated = catalog(Some(&path))?;
    if let Ok(device) = calibrated.find(calibrate::THIS_MACHINE) {
        detected.device = device.clone();
        detected
            .notes
            .push("Timing constants are those that `calipers calibrate` wrote.".to_owned());
    }
    Ok(detected)
}

/// All devices, by class, vendor and id.
fn listed(catalog: &calipers::devices::Catalog) -> Vec<Device> {
    let filter = calipers::devices::Filter::default();
    catalog.select(&filter).devices.into_iter().cloned().collect()
}

/// The exit status: a stated target that the device does not meet is a failed gate.
pub(crate) fn verdict(report: &Report) -> anyhow::Result<ExitStatus> {
    let hardware = report.hardware.as_ref();
    let Some(requirements) = hardware.and_then(|hardware| hardware.requirements.as_ref()) else {
        return Ok(ExitStatus::Done);
    };
    let has_device = hardware.is_some_and(|hardware| hardware.device.is_some());
    match requirements.target_met {
        _ if !has_device || requirements.target_is_default => Ok(ExitStatus::Done),
        Some(true) => Ok(ExitStatus::Done),
        Some(false) => Err(Problem::gate(&format!("target {}", requirements.why)).into()),
        None => Err(Problem::gate(&format!(
            "cannot determine whether the target is met: {}",
            requirements.why
        ))
        .into()),
    }
}

impl Hardware {
    /// Reads the model and writes the hardware section.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let question = self.wanted.question()?;
        let report = {
            let _progress = model::progress(&self.model);
            let model = model::open(&self.model)?;
            let options = Options::new()
                .bindings(self.bindings.clone())
                .hardware(question)
                .redact_names(self.privacy.redact_names)
                .show_secrets(self.privacy.show_secrets);
            model.analyze(&options).map_err(|error| model::unusable(&self.model, &error))?
        };
        let hardware = report.hardware.as_ref().context("the report has no hardware section")?;
        let answer = Answer::new(hardware)
            .tables(tables::hardware(hardware))
            .documents(|| vec![sections::hardware(&report)]);
        self.output.write_answer(&answer, self.format)?;
        verdict(&report)
    }
}
