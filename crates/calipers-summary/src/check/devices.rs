//! Devices that a sentence names: figures next to them must be theirs, and so must what fits.

use calipers_report::Report;

use super::super::facts::Fact;
use super::spellings;

/// Words after which a device is reported not to be fit.
const EXCEPT: &[&str] = &["cannot", "except", "n't ", "not ", "too large", "too small"];

/// A device of the report, and whether the model fits it.
fn devices(report: &Report) -> Vec<(&str, Option<bool>)> {
    let Some(hardware) = &report.hardware else { return Vec::new() };
    let chosen = hardware.device.iter().map(|device| (device.name.as_str(), hardware.fits));
    let rows = hardware.devices.iter().map(|row| (row.name.as_str(), row.fits));
    chosen.chain(rows).collect()
}

/// Where a device is named: by its whole name, or without its maker.
fn place(text: &str, name: &str) -> Option<usize> {
    let short = name.split(" (").next().unwrap_or(name);
    text.find(name).or_else(|| spellings(short).find_map(|spelling| text.find(spelling)))
}

/// Devices that a sentence names. A name inside a longer one that is named too counts as well:
/// the text does not show which of them is meant.
pub(super) fn named<'r>(text: &str, report: &'r Report) -> Vec<&'r str> {
    let all = devices(report).into_iter();
    all.filter(|(name, _)| place(text, name).is_some()).map(|(name, _)| name).collect()
}

/// Whether a figure may be in a sentence that names these devices: it is one of theirs, or of none.
pub(super) fn may_state(fact: &Fact, named: &[&str]) -> bool {
    match &fact.device {
        Some(device) => named.is_empty() || named.contains(&device.as_str()),
        None => true,
    }
}

/// Devices that a sentence about what fits puts on the wrong side.
pub(super) fn misplaced(text: &str, report: &Report) -> Vec<String> {
    let lower = text.to_lowercase();
    if !["fit ", "fits ", "fitting "].iter().any(|word| lower.contains(word)) {
        return Vec::new();
    }
    let turn = EXCEPT.iter().filter_map(|word| lower.find(word)).min().unwrap_or(usize::MAX);
    let wrong = |name: &str, fits: Option<bool>| {
        let at = place(text, name)?;
        let reported = at < turn;
        (fits.is_some_and(|fits| fits != reported)).then(|| name.to_owned())
    };
    devices(report).into_iter().filter_map(|(name, fits)| wrong(name, fits)).collect()
}
