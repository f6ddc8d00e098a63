//! `calipers scan MODEL… -o DIR`: a dataset of many models.

use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use calipers::{Bindings, Options};
use calipers_render::units;
use calipers_scan::{
    Format, LocalFile, Opened, Place, Renamed, ScanOptions, Summary, Table, redacted_path, scan,
};

use super::places::{Places, is_pattern};
use super::{Privacy, model};
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::{Problem, printable};
use crate::progress::Count;
use crate::remote;

/// Models on servers that a core reads at the same time, since most wait for answers, and all cores at most.
const REQUESTS: usize = 16;
const MOST_REQUESTS: usize = 64;

/// Largest list of addresses.
const MAX_LIST: u64 = 1 << 30;

/// Which models to scan, and what to write of them.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) models: Vec<PathBuf>,
    pub(crate) list: Option<PathBuf>,
    pub(crate) output: PathBuf,
    pub(crate) format: Format,
    pub(crate) tables: Vec<Table>,
    pub(crate) threads: usize,
    pub(crate) device: Option<String>,
    pub(crate) prune: bool,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Scan {
    /// Scans the models and prints what was done.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let began = Instant::now();
        self.check_arguments()?;
        let given = self.given()?;
        let is_remote = given.iter().any(|path| remote::address(path).is_some());
        let places = places(given)?.into_iter().map(|place| self.shown(place)).collect::<Vec<_>>();
        let options = ScanOptions {
            analysis: self.analysis(),
            label: self.label(),
            tables: self.tables.clone(),
            format: self.format,
            threads: if self.threads == 0 && is_remote { requests() } else { self.threads },
            prune: self.prune,
        };
        let count = Count::start("scanning", places.len());
        let done = scan(places, &self.output, &options, &|progress| {
            count.set(progress.done, progress.total);
        });
        drop(count);
        let summary = done.map_err(|error| problem(&error))?;
        let text = described(summary, began.elapsed().as_secs_f64());
        let place = printable(&self.output.display().to_string());
        writeln!(anstream::stdout().lock(), "{text}\nDataset: {place}").context("cannot print")?;
        Ok(ExitStatus::Done)
    }

    /// One missing file of many is a row. Where all are missing, the arguments are wrong.
    fn check_arguments(&self) -> anyhow::Result<()> {
        let is_missing =
            |path: &PathBuf| remote::address(path).is_none() && !is_pattern(path) && !path.exists();
        match self.models.first() {
            Some(first) if self.list.is_none() && self.models.iter().all(is_missing) => {
                model::check(first, &Target::Stdout)
            }
            _ => Ok(()),
        }
    }

    fn analysis(&self) -> Options {
        let options = Options::new()
            .bindings(self.bindings.clone())
            .redact_names(self.privacy.redact_names)
            .show_secrets(self.privacy.show_secrets);
        match &self.device {
            Some(device) => options.device(device),
            None => options,
        }
    }

    /// The place under the path that may be shown.
    fn shown(&self, place: Box<dyn Place>) -> Box<dyn Place> {
        let path = shown_path(place.address(), self.privacy);
        match path == place.address() {
            true => place,
            false => Box::new(Renamed::new(place, path)),
        }
    }

    /// The options that rows depend on.
    fn label(&self) -> String {
        let Bindings { dims, inputs, values } = &self.bindings;
        let mut words: Vec<String> =
            dims.iter().map(|(name, size)| format!("--dim {name}={size}")).collect();
        words.extend(inputs.iter().map(|(name, shape)| format!("--input {name}={shape:?}")));
        words.extend(values.iter().map(|(name, value)| format!("--value {name}={value:?}")));
        words.extend(self.device.iter().map(|device| format!("--device {device}")));
        if self.privacy.redact_names {
            // They name dimensions and inputs of the models.
            let named = redacted_path(&words.join(" "));
            words = vec![format!("--redact-names, sizes {named}")];
        }
        if self.privacy.show_secrets {
            words.push("--show-secrets".to_owned());
        }
        if words.is_empty() { "default options".to_owned() } else { words.join(" ") }
    }

    /// The paths, patterns and addresses of the arguments and of the list.
    fn given(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut given = self.models.clone();
        if let Some(list) = &self.list {
            given.extend(listed(list)?);
        }
        Ok(given)
    }
}

fn requests() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores * REQUESTS).min(MOST_REQUESTS.max(cores))
}

/// Why a dataset cannot be written or read.
pub(super) fn problem(error: &calipers_scan::Error) -> Problem {
    let problem = Problem::unusable(error);
    match error.hint() {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

/// A path or an address as rows have it: without what a server asks for, and as privacy allows.
pub(crate) fn shown_path(location: &str, privacy: Privacy) -> String {
    let shown = crate::embed::shown(Path::new(location));
    match privacy.redact_names {
        true => redacted_path(&shown),
        false => privacy.mask(&shown).into_owned(),
    }
}

/// The models that paths, patterns and addresses name.
pub(crate) fn places(given: Vec<PathBuf>) -> anyhow::Result<Vec<Box<dyn Place>>> {
    let (addresses, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        given.into_iter().partition(|path| remote::address(path).is_some());
    let mut places: Vec<Box<dyn Place>> = Vec::new();
    if !paths.is_empty() {
        for place in Places::find(&paths)?.all {
            match place.error {
                None => places.push(Box::new(LocalFile::new(place.path))),
                Some(error) => places.push(Box::new(Unsearched { address: place.shown, error })),
            }
        }
    }
    for address in &addresses {
        places.extend(remote_places(address)?);
    }
    if places.is_empty() {
        bail!(Problem::unusable(&"no model to scan was found"));
    }
    Ok(places)
}

/// Opens the model at a path or an address.
pub(crate) fn opened(address: &str) -> Result<Opened, String> {
    let path = Path::new(address);
    match remote::address(path) {
        None => LocalFile::new(path.to_owned()).open(),
        Some(_) => match remote_places(path) {
            Ok(places) => match places.first() {
                Some(place) => place.open(),
                None => Err("no model was found at this address".to_owned()),
            },
            Err(error) => Err(error.to_string()),
        },
    }
}

/// A folder that cannot be looked into.
struct Unsearched {
    address: String,
    error: String,
}

impl Place for Unsearched {
    fn address(&self) -> &str {
        &self.address
    }

    fn version(&self) -> Option<String> {
        None
    }

    fn open(&self) -> Result<Opened, String> {
        Err(self.error.clone())
    }
}

/// The lines of a list that are not empty.
fn listed(list: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut text = String::new();
    let failed = |error| Problem::unreadable(list, &crate::problem::reason(&error), None);
    if list == Path::new("-") {
        std::io::stdin().lock().take(MAX_LIST).read_to_string(&mut text).map_err(failed)?;
    } else {
        let file = std::fs::File::open(list).map_err(failed)?;
        file.take(MAX_LIST).read_to_string(&mut text).map_err(failed)?;
    }
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(PathBuf::from).collect())
}

#[cfg(feature = "remote")]
fn remote_places(address: &Path) -> anyhow::Result<Vec<Box<dyn Place>>> {
    remote::places(address)
}

#[cfg(not(feature = "remote"))]
fn remote_places(address: &Path) -> anyhow::Result<Vec<Box<dyn Place>>> {
    // The error says what is missing.
    remote::open(&address.to_string_lossy())?;
    Ok(Vec::new())
}

/// `Scanned 10,000 models in 21 s (476 per second): 3 unreadable. 20 unchanged.`
fn described(summary: Summary, seconds: f64) -> String {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let mut text = format!(
        "Scanned {} in {}",
        units::counted(count(summary.done), "model", "models"),
        units::time(seconds * 1e3)
    );
    if summary.done > 0 && seconds > 0.0 {
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = summary.done as f64 / seconds;
        text.push_str(&format!(" ({rate:.0} per second)"));
    }
    let parts = [
        (summary.failed, "unreadable"),
        (summary.unchanged, "unchanged"),
        (summary.removed, "removed"),
    ];
    for (number, word) in parts.into_iter().filter(|(number, _)| *number > 0) {
        text.push_str(&format!(", {} {word}", units::integer(count(number))));
    }
    text
}
