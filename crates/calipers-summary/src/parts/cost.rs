//! What one run costs.

use calipers_report::Report;
use calipers_report::units;

use super::super::wording::capitalized;
use super::assumptions;

/// Returns whether any figure of a run is known.
pub(in super::super) fn is_known(report: &Report) -> bool {
    report.cost.flops().is_some() || report.memory.peak_activation_bytes.is_some()
}

/// Arithmetic and activation memory of one run.
pub(in super::super) fn sentence(report: &Report, run: &str) -> Option<String> {
    if report.graph.nodes == 0 {
        return None;
    }
    let peak = report.memory.peak_activation_bytes.filter(|bytes| *bytes > 0);
    let peak = peak.map(|bytes| format!("activations peak at {}", units::bytes(bytes)));
    Some(match (arithmetic(report), peak) {
        (Some(arithmetic), Some(peak)) => {
            format!("{} takes {arithmetic}; {peak}.", capitalized(run))
        }
        (Some(arithmetic), None) => format!("{} takes {arithmetic}.", capitalized(run)),
        (None, Some(peak)) => format!("Its cost could not be computed; {peak}."),
        (None, None) => match assumptions::sizes(report) {
            Some(sizes) => {
                format!("Cost could not be computed at {sizes}; try other values with --dim.")
            }
            None => "Cost could not be computed.".to_owned(),
        },
    })
}

/// The arithmetic of one run: `3.87 GMACs (7.75 GFLOPs)`.
pub(in super::super) fn arithmetic(report: &Report) -> Option<String> {
    let cost = &report.cost;
    let (macs, flops) = (cost.macs?, cost.flops()?);
    let least = if cost.lower_bound { "at least " } else { "" };
    let flops = units::operations(flops, if flops == 1 { "FLOP" } else { "FLOPs" });
    match macs {
        // A sum of nothing that is known says nothing of the whole.
        0 if cost.lower_bound => None,
        0 => Some(match cost.other_flops.filter(|flops| *flops > 0) {
            Some(other) => {
                let unit = if other == 1 { "FLOP" } else { "FLOPs" };
                format!("{} of element-wise arithmetic", units::operations(other, unit))
            }
            None => "no arithmetic that is counted".to_owned(),
        }),
        macs => Some(format!("{least}{} ({flops})", units::operations(macs, "MACs"))),
    }
}
