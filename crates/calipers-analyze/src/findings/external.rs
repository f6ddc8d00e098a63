//! Checks of tensors that are kept in other files.

use std::collections::BTreeSet;

use calipers_ir::{Data, DataFileState, External, Model, Tensor};
use calipers_report::{Finding, Severity};

use super::{counted, finding};

fn external_tensors(model: &Model) -> impl Iterator<Item = (&Tensor, &External)> {
    model.tensors().filter_map(|(_, tensor)| match &tensor.data {
        Data::External(external) => Some((tensor, &**external)),
        _ => None,
    })
}

/// Locations that a model must not name.
pub(super) fn refused(model: &Model) -> Option<Finding> {
    let refused: Vec<_> = model
        .data_files
        .iter()
        .filter_map(|file| match &file.state {
            DataFileState::Refused(reason) => Some((model.name(file.location), reason)),
            _ => None,
        })
        .collect();
    let (location, reason) = refused.first()?;
    Some(finding(
        "external-data-refused",
        Severity::Error,
        "A data file's location is unsafe",
        format!(
            "{}, first {location:?}: {reason}; nothing there was touched",
            counted(refused.len(), "location")
        ),
        refused.iter().map(|(location, _)| (*location).to_owned()),
        "do not load this model with a runtime that follows such paths; keep data files beside it",
    ))
}

/// Data files that are not there.
pub(super) fn missing(model: &Model) -> Option<Finding> {
    let missing: Vec<_> = model
        .data_files
        .iter()
        .filter(|file| file.state == DataFileState::Missing)
        .map(|file| model.name(file.location).to_owned())
        .collect();
    let first = missing.first()?.clone();
    Some(finding(
        "external-data-missing",
        Severity::Warning,
        "A data file is missing",
        format!(
            "{} beside the model, first {first:?}: its graph is described, but it cannot run here",
            counted(missing.len(), "file")
        ),
        missing,
        "put the data file beside the model",
    ))
}

/// References that are no numbers or reach past the file.
pub(super) fn bad_range(model: &Model) -> Option<Finding> {
    let bad: Vec<_> = external_tensors(model)
        .filter_map(|(tensor, external)| {
            let wanted = tensor.bytes();
            let problem = match (&external.problem, external.length) {
                (Some(problem), _) => problem.clone(),
                (None, Some(length)) if wanted.is_some_and(|wanted| wanted != length) => {
                    format!("its length is {length} and its shape needs {}", wanted.unwrap_or(0))
                }
                _ => return None,
            };
            Some((model.name(tensor.name), problem))
        })
        .collect();
    let (name, problem) = bad.first()?;
    Some(finding(
        "external-data-range",
        Severity::Error,
        "A tensor's place in its data file is wrong",
        format!("{}, first {name:?}: {problem}", counted(bad.len(), "tensor")),
        bad.iter().map(|(name, _)| (*name).to_owned()),
        "export the model and its data file again, together",
    ))
}

/// Tensors that share part of their bytes with others, and not all.
pub(super) fn overlapping(model: &Model) -> Option<Finding> {
    let mut places: Vec<_> = external_tensors(model)
        .filter_map(|(tensor, external)| {
            let length = external.length.or(tensor.bytes())?;
            let start = external.offset?;
            Some((external.file, start, start.checked_add(length)?, model.name(tensor.name)))
        })
        .collect();
    places.sort_unstable();
    let mut shared = BTreeSet::new();
    let mut reach: Option<(usize, u64, u64)> = None;
    for (file, start, end, name) in places {
        match reach {
            Some((same, from, to)) if same == file && start < to => {
                if (from, to) != (start, end) {
                    shared.insert(name);
                }
                reach = Some((file, if end > to { start } else { from }, to.max(end)));
            }
            _ => reach = Some((file, start, end)),
        }
    }
    (!shared.is_empty()).then(|| {
        finding(
            "external-data-overlap",
            Severity::Warning,
            "Tensors overlap in their data file",
            format!(
                "{} in part the bytes of another",
                if shared.len() == 1 {
                    "1 tensor uses".to_owned()
                } else {
                    format!("{} tensors use", shared.len())
                }
            ),
            shared.iter().map(|name| (*name).to_owned()),
            "check the offsets: only whole tensors should share bytes",
        )
    })
}

/// Keys that the standard does not define.
pub(super) fn unknown_keys(model: &Model) -> Option<Finding> {
    let keys: BTreeSet<_> =
        external_tensors(model).flat_map(|(_, external)| external.unknown_keys.iter()).collect();
    (!keys.is_empty()).then(|| {
        finding(
            "external-data-keys",
            Severity::Info,
            "External data has unknown keys",
            format!(
                "{} that the standard does not define, ignored here",
                counted(keys.len(), "key")
            ),
            keys.iter().map(|key| model.name(**key).to_owned()),
            "check which tool wrote them: loaders have been attacked through such keys",
        )
    })
}
