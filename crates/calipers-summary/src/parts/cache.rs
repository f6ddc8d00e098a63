//! The cache of keys and values.

use calipers_report::Report;
use calipers_report::units;

/// How the cache grows, and how far.
pub(in super::super) fn reported(report: &Report) -> Option<String> {
    let cache = report.memory.kv_cache.as_ref()?;
    let mut text = "It carries a key-value cache".to_owned();
    if let Some(bytes) = cache.bytes_per_token.filter(|bytes| *bytes > 0) {
        text += &format!(" of {} that grows by {} a token", cache.dtype, units::bytes(bytes));
    }
    if let (Some(bytes), Some(context)) = (cache.bytes_at_context, cache.context) {
        text += &format!(
            ", {} for one sequence of {} tokens",
            units::bytes(bytes),
            units::integer(context)
        );
    }
    if let (Some(window), true) = (cache.window, cache.windowed_layers > 0) {
        text += &format!("; attention looks back {} tokens at most", units::integer(window));
    }
    Some(text + ".")
}
