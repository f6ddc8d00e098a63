//! Activation memory over a run.

use calipers_report::Report;
use maud::{Markup, html};

use super::parts::{link, part};
use crate::page::untrusted::Untrusted;
use crate::units;

/// The section; the largest activations and the KV cache are among the details.
pub(super) fn memory(report: &Report) -> Markup {
    let memory = &report.memory;
    part(
        "memory",
        "Memory",
        &html! {
            @if let Some(peak) = memory.peak_activation_bytes {
                p {
                    "Peak activations: " strong data-figure="peak-text" { (units::bytes(peak)) }
                    span #peak-at {
                        @if let Some(node) = &memory.peak_at {
                            " at " a href=(link("node", node)) { (Untrusted(node)) }
                        }
                    }
                    ", without in-place reuse, in the types of the file."
                }
            } @else if let Some(least) = memory.peak_activation_lower_bound_bytes {
                p { "Peak activations: at least " (units::bytes(least)) "; the exact peak is unknown." }
            } @else {
                p { "The peak of activations is unknown." }
            }
            figure #timeline .timeline hidden {
                figcaption { "Live bytes at each node, in order of execution" }
            }
        },
    )
}
