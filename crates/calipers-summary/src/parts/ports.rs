//! What goes in and what comes out.

use calipers_report::{Port, Report};

use super::super::names;
use super::super::wording::{listed, tensor, with_article};

/// Inputs or outputs that are reported one by one.
const MOST: usize = 3;

/// What it takes and what it gives.
pub(in super::super) fn reported(report: &Report) -> Option<String> {
    let graph = &report.graph;
    // What is carried from step to step is reported with the cache.
    let cached = report.memory.kv_cache.is_some();
    let takes = side(&graph.inputs, report, cached, "inputs");
    let gives = side(&graph.outputs, report, cached, "outputs");
    match (takes, gives) {
        (Some(takes), Some(gives)) => Some(format!("It takes {takes}, and gives {gives}.")),
        (None, Some(gives)) => Some(format!("It takes nothing, and gives {gives}.")),
        (Some(takes), None) => Some(format!("It takes {takes}, and gives nothing back.")),
        (None, None) => None,
    }
}

fn side(ports: &[Port], report: &Report, cached: bool, many: &str) -> Option<String> {
    let reported = |port: &Port| {
        let tensor = tensor(port, report);
        match names::plain(&port.name) {
            Some(name) => format!("{name} ({tensor})"),
            None => with_article(&tensor),
        }
    };
    match ports {
        [] => None,
        [port] => Some(reported(port)),
        [first, ..] if cached && ports.len() > MOST => {
            Some(format!("{} with the cache among its {} {many}", reported(first), ports.len()))
        }
        [first, rest @ ..] if ports.len() <= MOST && alike(first, rest, report) => {
            let names = ports.iter().filter_map(|port| names::plain(&port.name));
            let names: Vec<String> = names.map(str::to_owned).collect();
            Some(format!("{} (each {})", listed(&names), tensor(first, report)))
        }
        ports if ports.len() <= MOST => {
            Some(listed(&ports.iter().map(reported).collect::<Vec<_>>()))
        }
        [first, ..] => {
            Some(format!("{} {many}, the first of them {}", ports.len(), reported(first)))
        }
    }
}

/// Whether all have names, and the same type and shape.
fn alike(first: &Port, rest: &[Port], report: &Report) -> bool {
    let is_plain = |port: &Port| names::plain(&port.name).is_some();
    let like = |port: &Port| is_plain(port) && tensor(port, report) == tensor(first, report);
    is_plain(first) && rest.iter().all(like)
}
