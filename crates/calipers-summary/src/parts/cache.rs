//! The KV cache.

use calipers_report::Report;
use calipers_report::units;

/// How the cache grows, and its size at the report's context.
pub(in super::super) fn sentence(report: &Report) -> Option<String> {
    let cache = report.memory.kv_cache.as_ref()?;
    let at_context = match (cache.bytes_at_context, cache.context) {
        (Some(bytes), Some(context)) => {
            let context = units::integer(context);
            Some(format!("{} at {context} tokens", units::bytes(bytes)))
        }
        _ => None,
    };
    Some(match (cache.bytes_per_token.filter(|bytes| *bytes > 0), at_context) {
        (Some(bytes), Some(at_context)) => {
            format!("The KV cache takes {} per token, {at_context}.", units::bytes(bytes))
        }
        (Some(bytes), None) => format!("The KV cache takes {} per token.", units::bytes(bytes)),
        (None, Some(at_context)) => format!("The KV cache takes {at_context}."),
        (None, None) => "It has a KV cache of unknown size.".to_owned(),
    })
}
