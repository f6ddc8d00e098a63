//! What one run costs.

use calipers_report::Report;
use calipers_report::units;

use super::super::wording::capital;

/// Arithmetic and memory of one run.
pub(in super::super) fn reported(report: &Report, run: &str) -> Vec<String> {
    let mut sentences = vec![work(report, run)];
    sentences.extend(memory(report));
    sentences
}

fn work(report: &Report, run: &str) -> String {
    let cost = &report.cost;
    let (Some(macs), Some(flops)) = (cost.macs, cost.flops()) else {
        return format!("What {run} costs is not known, and the report says why.");
    };
    if macs == 0 {
        let other = cost.other_flops.filter(|flops| *flops > 0);
        let other = other.map_or(String::new(), |flops| {
            let unit = if flops == 1 { "FLOP" } else { "FLOPs" };
            format!(", only {} of other work", units::operations(flops, unit))
        });
        let lacking = lacking(report);
        return format!("{} needs no multiply-accumulates{other}{lacking}.", capital(run));
    }
    let least = if cost.lower_bound { "at least " } else { "" };
    let macs = units::operations(macs, "MACs");
    let flops = units::operations(flops, "FLOPs");
    format!("{} costs {least}{macs}, or {flops}{}.", capital(run), lacking(report))
}

/// What the sums lack.
fn lacking(report: &Report) -> String {
    let cost = &report.cost;
    match cost.unknown_count {
        0 => String::new(),
        1 => ", without 1 node whose cost is not known".to_owned(),
        count => format!(", without {} nodes whose cost is not known", units::integer(count)),
    }
}

fn memory(report: &Report) -> Option<String> {
    let Some(peak) = report.memory.peak_activation_bytes else {
        let has_nodes = report.graph.nodes > 0;
        return has_nodes.then(|| "How much memory its activations need is not known.".to_owned());
    };
    if peak == 0 {
        return Some("It needs no memory for activations.".to_owned());
    }
    let text = format!("Its activations peak at {}", units::bytes(peak));
    match report.memory.peak_activation_in_place_bytes {
        Some(reused) if reused < peak => {
            Some(format!("{text}, or {} where results overwrite inputs.", units::bytes(reused)))
        }
        _ => Some(text + "."),
    }
}

/// The same for somebody who does not count operations.
pub(in super::super) fn in_short(report: &Report, run: &str) -> Option<String> {
    let flops = report.cost.flops().filter(|flops| *flops > 0)?;
    let least = if report.cost.lower_bound { "at least " } else { "" };
    let flops = units::operations(flops, "FLOPs");
    Some(format!("{} takes {least}{flops} of arithmetic.", capital(run)))
}
