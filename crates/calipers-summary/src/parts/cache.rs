//! The KV cache.

use calipers_report::Report;
use calipers_report::units;

/// What the cache takes per token, else at the report's context.
pub(in super::super) fn sentence(report: &Report) -> Option<String> {
    let cache = report.memory.kv_cache.as_ref()?;
    Some(match (cache.bytes_per_token.filter(|bytes| *bytes > 0), cache.bytes_at_context) {
        (Some(bytes), _) => format!("The KV cache takes {} per token.", units::bytes(bytes)),
        (None, Some(bytes)) => format!("The KV cache takes {}.", units::bytes(bytes)),
        (None, None) => "It has a KV cache of unknown size.".to_owned(),
    })
}
