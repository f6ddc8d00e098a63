//! Time by operator, by block and by node.

use calipers_ir::NodeId;
use calipers_report::{BlockTime, NodeTime, NotMapped, OperatorTime, RuntimeProfile};
use hashbrown::HashMap;

use super::Prediction;
use super::mapping::NodeMap;
use super::profile::{KernelEvent, KernelEvents};

/// Nodes that are listed.
const TOP_NODES: usize = 20;

/// The name of what is in no block.
const OUTSIDE: &str = "Outside blocks";

/// Kernels of one run that belong together.
#[derive(Default)]
struct Sum {
    us: f64,
    count: u64,
}

impl Sum {
    fn add(&mut self, kernel: &KernelEvent) {
        self.us += kernel.us;
        self.count += kernel.count;
    }
}

/// Sums the kernels of a profile. Every kernel is part of the blocks or of what is not mapped.
pub(super) fn summarize(
    events: &KernelEvents,
    nodes: &NodeMap<'_>,
    prediction: &Prediction,
    label: &dyn Fn(NodeId) -> String,
) -> RuntimeProfile {
    let find = |node: &str, op: &str| nodes.find(node, op);
    summarize_with(events, &find, prediction, label)
}

fn summarize_with(
    events: &KernelEvents,
    find: &dyn Fn(&str, &str) -> Option<NodeId>,
    prediction: &Prediction,
    label: &dyn Fn(NodeId) -> String,
) -> RuntimeProfile {
    let milliseconds = |us: f64| us / 1e3;
    let total: f64 = events.kernels.iter().map(|kernel| kernel.us).sum();
    let percent = |us: f64| if total > 0.0 { 100.0 * us / total } else { 0.0 };
    let mut operators: HashMap<&str, Sum> = HashMap::new();
    let mut by_node: HashMap<NodeId, (f64, &str, f64)> = HashMap::new();
    let mut lost = Sum::default();
    let mut lost_ops: Vec<String> = Vec::new();
    let outside = prediction.blocks.len();
    let mut blocks = vec![0.0; outside + 1];
    let block = |node: &NodeId| prediction.block_of_node.get(node).copied().unwrap_or(outside);
    for kernel in &events.kernels {
        operators.entry(&kernel.op).or_default().add(kernel);
        let Some(node) = find(&kernel.node, &kernel.op) else {
            lost.add(kernel);
            if !lost_ops.contains(&kernel.op) {
                lost_ops.push(kernel.op.clone());
            }
            continue;
        };
        if let Some(sum) = blocks.get_mut(block(&node)) {
            *sum += kernel.us;
        }
        // A node may have several kernels, such as copies; it is called by the slowest.
        let entry = by_node.entry(node).or_insert((0.0, &kernel.op, 0.0));
        entry.0 += kernel.us;
        if kernel.us > entry.2 {
            (entry.1, entry.2) = (&kernel.op, kernel.us);
        }
    }
    let mut predicted = vec![0.0; outside + 1];
    for (node, ms) in &prediction.node_ms {
        if let Some(sum) = predicted.get_mut(block(node)) {
            *sum += ms;
        }
    }
    let is_predicted = !prediction.node_ms.is_empty();
    let mut operators: Vec<OperatorTime> = operators
        .into_iter()
        .map(|(op, sum)| OperatorTime {
            op: op.to_owned(),
            count: sum.count,
            ms: milliseconds(sum.us),
            percent: percent(sum.us),
        })
        .collect();
    operators.sort_by(|a, b| b.ms.total_cmp(&a.ms).then_with(|| a.op.cmp(&b.op)));
    let names = prediction.blocks.iter().map(String::as_str).chain([OUTSIDE]);
    let blocks = names
        .zip(blocks.iter().zip(&predicted))
        .filter(|(_, (us, ms))| **us > 0.0 || **ms > 0.0)
        .map(|(name, (us, ms))| BlockTime {
            name: name.to_owned(),
            measured_ms: milliseconds(*us),
            percent: percent(*us),
            predicted_ms: is_predicted.then_some(*ms),
        })
        .collect();
    let mut top: Vec<(NodeId, (f64, &str, f64))> = by_node.into_iter().collect();
    top.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.index().cmp(&b.0.index())));
    let top_nodes = top
        .into_iter()
        .take(TOP_NODES)
        .map(|(node, (us, op, _))| NodeTime {
            node: label(node),
            op: op.to_owned(),
            measured_ms: milliseconds(us),
            percent: percent(us),
            predicted_ms: prediction.node_ms.get(&node).copied(),
        })
        .collect();
    RuntimeProfile {
        runs: events.runs,
        kernel_ms: milliseconds(total),
        operators,
        blocks,
        top_nodes,
        not_mapped: NotMapped {
            count: lost.count,
            ms: milliseconds(lost.us),
            percent: percent(lost.us),
            ops: lost_ops,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_counted_once() {
        let ids: Vec<NodeId> = (0..2).filter_map(NodeId::new).collect();
        let kernel = |node: &str, op: &str, us| KernelEvent {
            node: node.to_owned(),
            op: op.to_owned(),
            start_us: 0.0,
            us,
            count: 1,
        };
        // 3 ms, 1 ms and 1 ms.
        let kernels = vec![
            kernel("a", "FusedConv", 3000.0),
            kernel("b", "Add", 1000.0),
            kernel("?", "ReorderInput", 1000.0),
        ];
        let events = KernelEvents { runs: 2, kernels };
        let find = |node: &str, _: &str| match node {
            "a" => Some(ids[0]),
            "b" => Some(ids[1]),
            _ => None,
        };
        let prediction = Prediction {
            node_ms: HashMap::from([(ids[0], 2.5)]),
            blocks: vec!["Stem".to_owned()],
            block_of_node: HashMap::from([(ids[0], 0)]),
            ..Prediction::default()
        };
        let label = |node: NodeId| format!("node {}", node.index());
        let found = summarize_with(&events, &find, &prediction, &label);
        assert_eq!(found.kernel_ms, 5.0);
        let blocks: Vec<(&str, f64, f64, Option<f64>)> = found
            .blocks
            .iter()
            .map(|b| (b.name.as_str(), b.measured_ms, b.percent, b.predicted_ms))
            .collect();
        assert_eq!(
            blocks,
            [("Stem", 3.0, 60.0, Some(2.5)), ("Outside blocks", 1.0, 20.0, Some(0.0))]
        );
        assert_eq!((found.not_mapped.ms, found.not_mapped.percent), (1.0, 20.0));
        assert_eq!(found.not_mapped.ops, ["ReorderInput"]);
        assert_eq!((found.operators[0].op.as_str(), found.operators[0].count), ("FusedConv", 1));
        assert_eq!(found.top_nodes[0].predicted_ms, Some(2.5));
        assert_eq!(found.top_nodes[1].predicted_ms, None);
    }
}
