//! Files that store weights alone: what cannot be reported of them, and what is built in place of a graph.

use calipers_ir::{GraphOrigin, Model};
use calipers_report::{Assumption, Cost, Memory, Unknown};

use crate::not_known;

/// Why there are no figures.
const WHY: &str = "the file stores weights, and no graph";

/// Cost and memory of a model without a graph: its weights are all that is known.
pub(crate) fn figures(weights_bytes: Option<u64>, unknown: &mut Vec<Unknown>) -> (Cost, Memory) {
    unknown.retain(|entry| !["cost.", "memory.peak"].iter().any(|it| entry.what.starts_with(it)));
    let figures = [
        "cost.macs",
        "cost.flops",
        "cost.other_flops",
        "cost.bytes_moved",
        "memory.peak_activation_bytes",
        "memory.peak_activation_in_place_bytes",
    ];
    for figure in figures {
        not_known(unknown, figure, WHY);
    }
    (Cost::default(), Memory { weights_bytes, ..Memory::default() })
}

/// Says what a graph that the file does not store rests on.
pub(crate) fn state_origin(model: &Model, assumptions: &mut Vec<Assumption>) {
    let format = model.header.format;
    if !format.is_onnx() && model.header.graph_origin != GraphOrigin::Absent {
        assumptions.push(Assumption {
            what: "runtime".to_owned(),
            value: "ONNX Runtime".to_owned(),
            why: format!(
                "latency and memory are those of the same operators in ONNX Runtime; runtimes of \
                 {} were not measured",
                format.display_name()
            ),
        });
    }
    if model.header.graph_origin != GraphOrigin::Built {
        return;
    }
    let Some(description) = &model.header.description else { return };
    assumptions.push(Assumption {
        what: "graph".to_owned(),
        value: format!("built from {}", description.source),
        why: "the file stores weights and a description of a known architecture".to_owned(),
    });
}
