//! Cost by part of the network and by node.

use calipers_report::Report;
use maud::{Markup, html};

use super::parts::{link, part};
use crate::page::untrusted::Untrusted;
use crate::units;

/// The section; scripts draw the bars for the chosen sizes.
pub(super) fn cost(report: &Report, has_graph: bool) -> Markup {
    let cost = &report.cost;
    part(
        "cost",
        "Cost",
        &html! {
            @if cost.lower_bound {
                p.note {
                    "The cost of " (units::counted(cost.unknown_count, "node", "nodes"))
                    " is unknown, so sums are lower bounds; they cover "
                    (units::percent(cost.coverage)) " of the nodes."
                }
            }
            @if has_graph {
                figure #cost-parts .bars hidden { figcaption { "MACs by part of the network" } }
                figure #cost-nodes .bars hidden { figcaption { "Most expensive nodes" } }
                noscript { p.note { "These charts require JavaScript; see the details below." } }
            }
            @for note in &cost.notes { p.note { (Untrusted(note)) } }
            @if !cost.unknown.is_empty() {
                details {
                    summary { "Nodes of unknown cost" }
                    ul {
                        @for node in &cost.unknown {
                            li {
                                a href=(link("node", &node.node)) { (Untrusted(&node.node)) }
                                " (" (Untrusted(&node.op)) "): " (Untrusted(&node.reason))
                            }
                        }
                    }
                }
            }
        },
    )
}
