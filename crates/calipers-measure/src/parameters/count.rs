//! Adding up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use calipers_ir::Model;
use calipers_report::{Assumption, OperatorMemory, Parameters, Unknown};

use super::role::Role;
use super::stored::Stored;
use crate::not_known;

/// A sum that remembers when it cannot be determined, and why.
struct Sum(Result<u64, String>);

impl Sum {
    fn new() -> Self {
        Self(Ok(0))
    }

    fn add(&mut self, part: Result<u64, String>) {
        self.0 = match (std::mem::replace(&mut self.0, Ok(0)), part) {
            (Ok(sum), Ok(part)) => {
                sum.checked_add(part).ok_or_else(|| "the sum does not fit in 64 bits".to_owned())
            }
            (Err(reason), _) | (Ok(_), Err(reason)) => Err(reason),
        };
    }

    fn finish(self, field: &str, unknown: &mut Vec<Unknown>) -> Option<u64> {
        self.0.map_err(|reason| not_known(unknown, field, reason)).ok()
    }
}

/// The section, from everything stored.
pub(super) fn count(
    model: &Model,
    stored: &[Stored],
    unknown: &mut Vec<Unknown>,
    assumptions: &mut Vec<Assumption>,
) -> Parameters {
    let mut parameters = Parameters::default();
    let [mut trainable, mut statistics, mut constants, mut scales, mut bytes, mut all_bytes] =
        std::array::from_fn(|_| Sum::new());
    let mut by_op: BTreeMap<&str, OperatorMemory> = BTreeMap::new();
    // Why the first of the rows that are not known is not.
    let mut row_unknown = None;
    let mut assumed = BTreeSet::new();
    for item in stored {
        let elements =
            item.elements.clone().map_err(|reason| format!("tensor {:?}: {reason}", item.name));
        let item_bytes = item.bytes.ok_or_else(|| {
            format!("unknown size of tensor {:?} of type {}", item.name, item.dtype)
        });
        all_bytes.add(item_bytes.clone());
        match item.role {
            Role::Constant => constants.add(elements.clone()),
            Role::Quantization => scales.add(elements.clone()),
            Role::Weight => trainable.add(elements.clone()),
            Role::Statistic => statistics.add(elements.clone()),
        }
        if !matches!(item.role, Role::Weight | Role::Statistic) {
            continue;
        }
        bytes.add(item_bytes.clone());
        // The totals are unknown then, and say why; a share of 0 would be a figure.
        let Ok(elements) = elements else { continue };
        if item.generated {
            parameters.generated = parameters.generated.saturating_add(elements);
        } else {
            parameters.tensors += 1;
        }
        let of_dtype = parameters.by_dtype.entry(item.dtype).or_insert(0);
        *of_dtype = of_dtype.saturating_add(elements);
        let op = match item.user {
            Some(user) => model.written_op(user),
            None if model.main().nodes.is_empty() => "(stored)",
            None => "(output)",
        };
        let none = || OperatorMemory { op: op.to_owned(), bytes: Some(0), elements: 0 };
        let row = by_op.entry(op).or_insert_with(none);
        row.elements = row.elements.saturating_add(elements);
        let mut sum = Sum(row.bytes.ok_or_else(String::new));
        sum.add(item_bytes);
        row.bytes = sum.0.map_err(|reason| row_unknown.get_or_insert(reason)).ok();
        if item.assumed {
            assumed.insert(op);
        }
    }
    let mut total = Sum::new();
    total.add(trainable.0.clone());
    total.add(statistics.0.clone());
    parameters.total = total.finish("parameters.total", unknown);
    parameters.trainable = trainable.finish("parameters.trainable", unknown);
    parameters.non_trainable = statistics.finish("parameters.non_trainable", unknown);
    parameters.constants = constants.finish("parameters.constants", unknown);
    parameters.quantization = scales.finish("parameters.quantization", unknown);
    parameters.bytes = bytes.finish("parameters.bytes", unknown);
    parameters.stored_bytes = all_bytes.finish("parameters.stored_bytes", unknown);
    if let Some(reason) = row_unknown {
        not_known(unknown, "parameters.by_op", reason);
    }
    parameters.by_op = by_op.into_values().collect();
    parameters.by_op.sort_by_key(|row| Reverse((row.bytes, row.elements)));
    if !assumed.is_empty() {
        assumptions.push(Assumption {
            what: "stored tensors of unclear use".to_owned(),
            value: "learned weights".to_owned(),
            why: format!(
                "they are floats or quantized integers, used by {}",
                assumed.into_iter().collect::<Vec<_>>().join(", ")
            ),
        });
    }
    parameters
}

#[cfg(test)]
mod tests {
    use calipers_ir::DType;

    use super::*;

    fn weight(elements: u64, bytes: Option<u64>) -> Stored {
        Stored {
            name: "w".to_owned(),
            dtype: DType::Float32,
            elements: Ok(elements),
            bytes,
            role: Role::Weight,
            assumed: false,
            generated: false,
            user: None,
            value: None,
            tensor: None,
        }
    }

    fn counted(stored: &[Stored]) -> (Parameters, Vec<Unknown>) {
        let model = calipers_formats::read(vec![0x3a, 0x00], "tiny.onnx").unwrap();
        let mut unknown = Vec::new();
        let parameters = count(&model, stored, &mut unknown, &mut Vec::new());
        (parameters, unknown)
    }

    #[test]
    fn bytes_that_are_not_known_are_not_nothing() {
        let (parameters, unknown) = counted(&[weight(3, Some(12)), weight(2, Some(8))]);
        assert_eq!((parameters.by_op[0].bytes, parameters.by_op[0].elements), (Some(12 + 8), 5));
        assert!(unknown.is_empty());
        for stored in [
            [weight(3, Some(12)), weight(2, None), weight(1, Some(4))],
            [weight(3, Some(12)), weight(2, Some(u64::MAX)), weight(1, Some(4))],
        ] {
            let (parameters, unknown) = counted(&stored);
            assert_eq!((parameters.by_op[0].bytes, parameters.by_op[0].elements), (None, 6));
            let reported =
                unknown.iter().find(|unknown| unknown.what == "parameters.by_op").unwrap();
            let total = unknown.iter().find(|unknown| unknown.what == "parameters.bytes").unwrap();
            assert_eq!(reported.reason, total.reason);
            assert!(!reported.reason.is_empty());
        }
    }
}
