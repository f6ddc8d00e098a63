//! The estimated time of each node.

use std::collections::BTreeMap;

use calipers_ir::NodeId;

use crate::HardwareQuery;
use crate::profile::{ModelProfile, OperatingPoint};

/// Returns the milliseconds of the kernel at each node, on the device of the query. Nodes that are
/// fused into another kernel have none.
///
/// # Errors
///
/// Why there is no estimate.
pub fn node_times(
    profile: &ModelProfile<'_>,
    query: &HardwareQuery,
) -> Result<Vec<(NodeId, f64)>, String> {
    let device = query.device.as_ref().ok_or("no device was named")?;
    if let Some(why) = profile.untimed() {
        return Err(why);
    }
    let batch = query.batch.unwrap_or_else(|| profile.base_batch()).max(1);
    let loads = profile.loads(&OperatingPoint { batch, dims: BTreeMap::new() })?;
    let estimate = profile.time(&loads, device)?;
    let ms = |kernel: &crate::estimate::TimedKernel| kernel.seconds * 1e3;
    let kernels = estimate.each.iter();
    Ok(kernels
        .flat_map(|kernel| kernel.members.iter().map(move |member| (member.node, ms(kernel))))
        .collect())
}
