//! A model at several sizes of its inputs.

use std::collections::BTreeMap;

use calipers_infer::{BindError, Bindings};
use calipers_ir::Model;
use calipers_report::{SweepPoint, SweepTable};

use crate::Measured;

/// Points of one sweep at most; the model is looked at again for each.
const POINTS: usize = 1000;

/// Sizes to take in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    /// Sizes of each named dimension.
    pub dims: Vec<(String, Vec<i64>)>,
    /// Shapes of each input.
    pub inputs: Vec<(String, Vec<Vec<i64>>)>,
    /// Elements of integer inputs, the same at every point.
    pub values: BTreeMap<String, Vec<i64>>,
}

/// Why a sweep cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// There are too many combinations.
    #[error("the sizes make {} combinations; the limit is {POINTS}", match points {
        Some(points) => points.to_string(),
        None => "too many".to_owned(),
    })]
    TooMany {
        /// How many, where that can be counted.
        points: Option<usize>,
    },
    /// The model cannot take a combination.
    #[error(transparent)]
    Bind(#[from] BindError),
}

impl Sweep {
    /// How many combinations there are.
    fn points(&self) -> Result<usize, SweepError> {
        let dims = self.dims.iter().map(|(_, sizes)| sizes.len());
        let inputs = self.inputs.iter().map(|(_, shapes)| shapes.len());
        let points = dims.chain(inputs).try_fold(1_usize, usize::checked_mul);
        points.filter(|points| *points <= POINTS).ok_or(SweepError::TooMany { points })
    }

    /// One combination, by its number; the last name changes fastest.
    fn point(&self, mut number: usize) -> Bindings {
        let mut bindings = Bindings { values: self.values.clone(), ..Bindings::default() };
        for (name, shapes) in self.inputs.iter().rev() {
            bindings.inputs.insert(name.clone(), shapes[number % shapes.len()].clone());
            number /= shapes.len();
        }
        for (name, sizes) in self.dims.iter().rev() {
            bindings.dims.insert(name.clone(), sizes[number % sizes.len()]);
            number /= sizes.len();
        }
        bindings
    }
}

/// What the model costs at every combination of the sizes. Shapes are inferred again at each, so
/// that a figure holds also where no formula does.
pub fn sweep(model: &Model, sweep: &Sweep) -> Result<SweepTable, SweepError> {
    let mut table = SweepTable {
        dims: sweep.dims.iter().map(|(name, _)| name.clone()).collect(),
        inputs: sweep.inputs.iter().map(|(name, _)| name.clone()).collect(),
        ..SweepTable::default()
    };
    for number in 0..sweep.points()? {
        let bindings = sweep.point(number);
        let typed = calipers_infer::infer(model, &bindings)?;
        let mut measured = crate::measure(model, &typed, &bindings, None)?;
        for assumption in std::mem::take(&mut measured.assumptions) {
            if !table.assumptions.contains(&assumption) {
                table.assumptions.push(assumption);
            }
        }
        table.points.push(point(bindings, measured));
    }
    Ok(table)
}

fn point(bindings: Bindings, measured: Measured) -> SweepPoint {
    let (cost, memory) = (measured.cost, measured.memory);
    let cache = memory.kv_cache.unwrap_or_default();
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let formula = cost.formula.iter().filter(|(_, text)| !is_number(text));
    let reasons = measured.unknown.iter().filter_map(|unknown| {
        let field = unknown.what.strip_prefix("cost.");
        let field = field.or_else(|| unknown.what.strip_prefix("memory."))?;
        Some((field.to_owned(), unknown.reason.clone()))
    });
    SweepPoint {
        formula: formula.map(|(field, text)| (field.clone(), text.clone())).collect(),
        reasons: reasons.collect(),
        dims: bindings.dims,
        inputs: bindings.inputs,
        bindings: measured.bindings,
        work: cost.work,
        peak_activation_bytes: memory.peak_activation_bytes,
        peak_activation_in_place_bytes: memory.peak_activation_in_place_bytes,
        kv_cache_bytes_per_token: cache.bytes_per_token,
        kv_cache_context: cache.context,
        kv_cache_bytes: cache
            .bytes_at_context
            .zip(cache.sequences)
            .and_then(|(bytes, sequences)| bytes.checked_mul(sequences)),
        unknown: cost.unknown_count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_changes_fastest() {
        let sweep = Sweep {
            dims: vec![("a".into(), vec![1, 2]), ("b".into(), vec![3, 4, 5])],
            inputs: Vec::new(),
            values: BTreeMap::new(),
        };
        assert_eq!(sweep.points(), Ok(6));
        let sizes = |number| sweep.point(number).dims.into_values().collect::<Vec<_>>();
        assert_eq!([0, 1, 3, 5].map(sizes), [[1, 3], [1, 4], [2, 3], [2, 5]]);
    }

    #[test]
    fn there_is_an_end_to_combinations() {
        let many = |names: usize| Sweep {
            dims: (0..names).map(|name| (name.to_string(), (0..100).collect())).collect(),
            inputs: Vec::new(),
            values: BTreeMap::new(),
        };
        assert_eq!(many(2).points(), Err(SweepError::TooMany { points: Some(10_000) }));
        assert_eq!(many(40).points(), Err(SweepError::TooMany { points: None }));
    }
}
