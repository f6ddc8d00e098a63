//! `calipers hardware MODEL`: where a model will run, how fast, and what it needs.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::Context as _;
use calipers::devices::{Device, Precision};
use calipers::{Bindings, HardwareQuery, Options};
use calipers_render::output::{Answer, Format};
use calipers_render::{sections, tables};
use calipers_report::Report;

use super::devices::{catalog, unknown};
use super::{Privacy, model};
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// What to look into, what is asked about it, and where the answer goes.
#[derive(Debug)]
pub(crate) struct Hardware {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
    pub(crate) wanted: Wanted,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

/// What is asked about hardware.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) devices: Vec<Chosen>,
    pub(crate) device_file: Option<PathBuf>,
    pub(crate) precision: Option<Precision>,
    pub(crate) batch: Option<u64>,
    pub(crate) context: Option<u64>,
    pub(crate) target_latency_ms: Option<f64>,
    pub(crate) target_throughput: Option<f64>,
}

/// A device, as it is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// By its id.
    One(String),
    /// That of this machine.
    Auto,
    /// Every one.
    All,
}

impl Wanted {
    /// The question of a document that tells everything of one device. Where none is named, it is
    /// the first of those that are compared: the one that constants were measured on, so that its
    /// ranges are the narrowest. A target is met by devices that are asked for, not by that one.
    pub(crate) fn question_of_one(&self) -> Result<HardwareQuery, Problem> {
        let mut question = self.question()?;
        let has_target = self.target_latency_ms.is_some() || self.target_throughput.is_some();
        if self.devices.is_empty() && !has_target {
            question.device = question.table.first().cloned();
        }
        Ok(question)
    }

    /// The question, with the devices looked up. Of one device everything is reported; of several, and
    /// of all, what a table holds.
    pub(crate) fn question(&self) -> Result<HardwareQuery, Problem> {
        let catalog = catalog(self.device_file.as_deref())?;
        let mut question = HardwareQuery {
            precision: self.precision,
            batch: self.batch,
            context: self.context,
            target_latency_ms: self.target_latency_ms,
            target_throughput: self.target_throughput,
            ..HardwareQuery::default()
        };
        let mut named: Vec<Device> = Vec::new();
        for chosen in &self.devices {
            match chosen {
                Chosen::One(id) => {
                    named.push(catalog.find(id).map_err(|error| unknown(&error))?.clone());
                }
                Chosen::Auto => {
                    let detected = calipers::devices::detect(&catalog);
                    question.found = detected.words;
                    named.push(detected.device);
                }
                Chosen::All => {}
            }
        }
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

/// All devices, by class, vendor and id.
fn listed(catalog: &calipers::devices::Catalog) -> Vec<Device> {
    let filter = calipers::devices::Filter::default();
    catalog.select(&filter).devices.into_iter().cloned().collect()
}

/// How the command ends: a target that the device does not meet is a gate that failed.
pub(crate) fn verdict(report: &Report) -> anyhow::Result<ExitStatus> {
    let hardware = report.hardware.as_ref();
    let Some(requirements) = hardware.and_then(|hardware| hardware.requirements.as_ref()) else {
        return Ok(ExitStatus::Done);
    };
    let has_device = hardware.is_some_and(|hardware| hardware.device.is_some());
    match requirements.target_met {
        _ if !has_device => Ok(ExitStatus::Done),
        Some(true) => Ok(ExitStatus::Done),
        Some(false) => {
            Err(Problem::gate(&format!("the target is missed: {}", requirements.why)).into())
        }
        None => Err(Problem::gate(&format!(
            "whether the target is met cannot be determined: {}",
            requirements.why
        ))
        .into()),
    }
}

impl Hardware {
    /// Reads the model and writes where it will run.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let question = self.wanted.question()?;
        let report = {
            let _progress = model::progress(&self.model);
            let model = model::open(&self.model)?;
            let options = Options::new()
                .bindings(self.bindings.clone())
                .hardware(question)
                .redact_names(self.privacy.redact_names);
            model.analyze(&options).map_err(|error| model::unusable(&error))?
        };
        let hardware =
            report.hardware.as_ref().context("the analysis lacks its hardware section")?;
        let answer = Answer::new(hardware)
            .tables(tables::hardware(hardware))
            .documents(|| vec![sections::hardware(&report)]);
        self.output.write_answer(&answer, self.format)?;
        verdict(&report)
    }
}
