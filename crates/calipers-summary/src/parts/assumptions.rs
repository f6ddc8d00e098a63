//! Sizes that the figures assume.

use calipers_report::Report;

use super::super::wording::{assumed, listed};

/// Dimensions that are named.
const MOST: usize = 3;

/// Sizes that were assumed for free dimensions: `batch = 1 and sequence = 128`.
pub(in super::super) fn sizes(report: &Report) -> Option<String> {
    // The context of a decoding step is stated with its cost.
    let has_context = report.memory.kv_cache.as_ref().is_some_and(|cache| cache.context.is_some());
    let is_context = |why: &str| why.contains("KV cache") || why.contains("decoding step");
    let stated = report.assumptions.iter().filter(|it| !(has_context && is_context(&it.why)));
    let sizes: Vec<(Option<&str>, &str)> = stated.filter_map(assumed).collect();
    let named = sizes.iter().filter_map(|(name, size)| Some(format!("{} = {size}", (*name)?)));
    let mut named: Vec<String> = named.take(MOST).collect();
    match (named.is_empty(), sizes.len() > named.len()) {
        (true, false) => return None,
        (true, true) => return Some("default sizes".to_owned()),
        (false, true) => named.push("other defaults".to_owned()),
        (false, false) => {}
    }
    Some(listed(&named))
}

/// The sizes that the figures assume, where there are figures.
pub(in super::super) fn sentence(report: &Report) -> Option<String> {
    super::cost::is_known(report).then_some(())?;
    Some(format!("Figures assume {}.", sizes(report)?))
}
