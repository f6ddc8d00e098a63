//! Activations over the run.

use calipers_report::{KvCache, LargeValue, Report};
use maud::{Markup, html};

use super::parts::{link, part, table};
use crate::page::untrusted::Untrusted;
use crate::units;

/// The section.
pub(super) fn memory(report: &Report) -> Markup {
    let memory = &report.memory;
    let rows: Vec<Markup> = memory.largest.iter().map(row).collect();
    part(
        "memory",
        "Memory",
        &html! {
            @if let Some(peak) = memory.peak_activation_bytes {
                p {
                    "Activations take " span data-figure="peak-text" { (units::bytes(peak)) }
                    " at their peak"
                    span #peak-at {
                        @if let Some(node) = &memory.peak_at {
                            " at " a href=(link("node", node)) { (Untrusted(node)) }
                        }
                    }
                    ", each value in a place of its own."
                }
            } @else {
                p { "The peak of activations is not known." }
            }
            figure #timeline .timeline {
                figcaption { "Bytes alive at each node, in order of execution" }
            }
            @if !rows.is_empty() {
                (table("Largest activations", &["Value", "Type", "Bytes"], &rows))
            }
            @if let Some(cache) = &memory.kv_cache { (kv_cache(cache)) }
        },
    )
}

fn row(value: &LargeValue) -> Markup {
    html! {
        tr {
            th scope="row" { a href=(link("value", &value.name)) { (Untrusted(&value.name)) } }
            td { code { (Untrusted(&value.type_text)) } }
            td.number { (units::bytes(value.bytes)) }
        }
    }
}

fn kv_cache(cache: &KvCache) -> Markup {
    let bytes = |value: Option<u64>| value.map_or_else(|| "unknown".to_owned(), units::bytes);
    let tokens = cache.context.map_or_else(|| "an unknown number of".to_owned(), units::integer);
    html! {
        p {
            "Keys and values: " (cache.layers) " layers, " (bytes(cache.bytes_per_token))
            " a token, " (bytes(cache.bytes_at_context)) " for one sequence at " (tokens)
            " tokens."
        }
    }
}
