//! What the figures rest on.

use calipers_report::Report;

use super::super::wording::{assumed, listed};

/// Sizes that were assumed of free dimensions.
pub(in super::super) fn reported(report: &Report) -> Option<String> {
    let sizes: Vec<(Option<&str>, &str)> = report.assumptions.iter().filter_map(assumed).collect();
    let nothing_known =
        report.cost.flops().is_none() && report.memory.peak_activation_bytes.is_none();
    if sizes.is_empty() {
        return None;
    }
    let named: Vec<String> = sizes
        .iter()
        .filter_map(|(name, size)| Some(format!("{} = {size}", (*name)?)))
        .take(MOST)
        .collect();
    let more = sizes.len() - named.len();
    let leaves = if sizes.len() == 1 {
        "a dimension that the file leaves free"
    } else {
        "dimensions that the file leaves free"
    };
    if nothing_known {
        let named = if named.is_empty() { "sizes".to_owned() } else { listed(&named) };
        return Some(format!("With {named} assumed no figure follows; they are {leaves}."));
    }
    Some(match (named.is_empty(), more) {
        (true, _) => format!("These figures rest on sizes assumed for {leaves}."),
        (false, 0) => format!("These figures assume {}, {leaves}.", listed(&named)),
        (false, _) => {
            format!("These figures assume {} and sizes of other {leaves}.", named.join(", "))
        }
    })
}

/// Dimensions that are named.
const MOST: usize = 4;
