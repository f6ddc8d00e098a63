//! The estimated time of each node.

use std::collections::BTreeMap;

use calipers_ir::{Model, NodeId};

use crate::HardwareQuery;
use crate::estimate::TimedKernel;
use crate::profile::{ModelProfile, OperatingPoint};

/// Returns the milliseconds of the kernels at each node, on the device of the query. Nodes that are
/// fused into another kernel have none. What a processor takes to dispatch views and shape
/// computations is spread over the nodes without a kernel.
///
/// # Errors
///
/// Why there is no estimate.
pub fn node_times(
    profile: &ModelProfile<'_>,
    query: &HardwareQuery,
) -> Result<BTreeMap<NodeId, f64>, String> {
    let device = query.device.as_ref().ok_or("no device was named")?;
    if let Some(why) = profile.untimed() {
        return Err(why);
    }
    let batch = query.batch.unwrap_or_else(|| profile.base_batch()).max(1);
    let loads = profile.loads(&OperatingPoint { batch, dims: BTreeMap::new() })?;
    let estimate = profile.time(&loads, device)?;
    let ms = |kernel: &TimedKernel| kernel.seconds * 1e3;
    let mut times: BTreeMap<NodeId, f64> = BTreeMap::new();
    for kernel in estimate.each.iter().filter(|kernel| !kernel.is_dispatch) {
        for member in kernel.members.iter() {
            *times.entry(member.node).or_default() += ms(kernel);
        }
    }
    let dispatch: f64 = estimate.each.iter().filter(|kernel| kernel.is_dispatch).map(ms).sum();
    if dispatch > 0.0 {
        let others = spread(profile.model, |node| !times.contains_key(&node), dispatch);
        times.extend(others);
    }
    Ok(times)
}

/// Spreads a time over nodes. Constants do not run.
fn spread(model: &Model, is_other: impl Fn(NodeId) -> bool, ms: f64) -> Vec<(NodeId, f64)> {
    let is_constant = |node: NodeId| model.inputs(node).iter().all(Option::is_none);
    let nodes = model.main().order.iter().copied();
    let others: Vec<NodeId> = nodes.filter(|node| is_other(*node) && !is_constant(*node)).collect();
    #[expect(clippy::cast_precision_loss, reason = "graphs have fewer nodes")]
    let share = ms / others.len().max(1) as f64;
    others.into_iter().map(|node| (node, share)).collect()
}
