//! What kernels reach, under the ceilings of the device.
//!
//! A kernel's place is its arithmetic for each byte, and the rate that its estimated time gives. It
//! is below the ceilings by what its activation says: launches, waiting, shares of peak and bandwidth.

use calipers_ir::NodeId;
use calipers_report::{ComputeCeiling, Roofline, RooflineKernel};
use hashbrown::HashMap;

use super::estimate::{Estimate, TimedKernel};
use super::query::{digits, share};
use crate::devices::Device;

/// Kernels at most, alike ones as one: more dots than these are a cloud.
const MOST: usize = 40;

/// Kernels that are alike, and the seconds of all.
struct Alike<'a> {
    first: &'a TimedKernel,
    count: u64,
    seconds: f64,
}

/// The device's ceilings with the most expensive kernels; nothing where no bandwidth is known, or no kernel
/// computes.
pub(super) fn describe(
    estimate: &Estimate,
    device: &Device,
    label: &dyn Fn(NodeId) -> String,
) -> Option<Roofline> {
    let bandwidth = device.bandwidth().filter(|_| device.on_chip.is_none())?;
    let (computing, moving): (Vec<&TimedKernel>, Vec<_>) = estimate
        .slowest_first()
        .into_iter()
        .partition(|kernel| kernel.flops > 0.0 && kernel.bytes > 0.0 && kernel.seconds > 0.0);
    let mut alike = alike(&computing);
    // Stable, so equals stay as they were: most expensive single kernel first.
    alike.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let shown = alike.len().min(MOST);
    let left_out = alike[shown..].iter().map(|alike| alike.count).sum();
    alike.truncate(shown);
    let mut ceilings: Vec<ComputeCeiling> = Vec::new();
    for Alike { first, .. } in &alike {
        let precision = first.precision;
        if !ceilings.iter().any(|ceiling| ceiling.precision == precision) {
            ceilings.push(ComputeCeiling { precision, per_s: first.peak });
        }
    }
    ceilings.sort_by(|a, b| b.per_s.total_cmp(&a.per_s));
    let total = estimate.graph.expected;
    let seconds: f64 = alike.iter().map(|alike| alike.seconds).sum();
    let kernel = |alike: &Alike<'_>| RooflineKernel {
        kind: alike.first.kind,
        node: alike.first.members.first().map_or_else(String::new, |first| label(first.node)),
        count: alike.count,
        intensity: digits(alike.first.flops / alike.first.bytes),
        per_s: digits(alike.first.flops / alike.first.seconds),
        percent: share(alike.seconds, total),
        precision: alike.first.precision,
    };
    (!alike.is_empty()).then(|| Roofline {
        bandwidth_bytes_per_s: bandwidth,
        compute: ceilings,
        kernels: alike.iter().map(kernel).collect(),
        percent: share(seconds, total),
        without_arithmetic: moving.iter().map(|kernel| kernel.members.len() as u64).sum(),
        left_out,
    })
}

/// Kernels of one kind with the same arithmetic and bytes take the same time, and are one dot.
fn alike<'a>(kernels: &[&'a TimedKernel]) -> Vec<Alike<'a>> {
    let mut places: HashMap<_, usize> = HashMap::new();
    let mut groups: Vec<Alike<'a>> = Vec::new();
    for kernel in kernels {
        let key = (kernel.kind, kernel.flops.to_bits(), kernel.bytes.to_bits(), kernel.precision);
        let place = *places.entry(key).or_insert_with(|| {
            groups.push(Alike { first: kernel, count: 0, seconds: 0.0 });
            groups.len() - 1
        });
        let count = kernel.members.len();
        groups[place].count += count as u64;
        #[expect(clippy::cast_precision_loss, reason = "kernels are few")]
        let seconds = count as f64 * kernel.seconds;
        groups[place].seconds += seconds;
    }
    groups
}

#[cfg(test)]
mod tests {
    use calipers_report::{KernelKind, Runtime};
    use calipers_sym::Pool;

    use super::*;
    use crate::devices::{Precision, find};
    use crate::testing::{Tiny, WithNetwork as _};
    use crate::workload::Workload;
    use crate::{estimate::estimate, kernels};

    #[test]
    fn alike_kernels_are_one_dot_under_the_ceilings() {
        // Two products of 512 x 1024 x 1024 in fp16, and one copy that does no arithmetic.
        let mut t = Tiny::new();
        let x = t.input(&["512", "1024"]);
        let weights = [t.weight(&[1024, 1024]), t.weight(&[1024, 1024])];
        let y = t.op("MatMul", &[&x, &weights[0]]);
        let z = t.op("MatMul", &[&y, &weights[1]]);
        let out = t.op("Transpose", &[&z]);
        let tiny = t.output(&out);
        let kernels = tiny.with_network(kernels::of_pytorch);
        let device = find("h200-sxm").unwrap();
        let mut pool = Pool::default();
        let workload = Workload::new(&kernels, &mut pool);
        let loads = workload.at(&pool.evaluate(|_| None), (1, 1)).unwrap();
        let found = estimate(&loads, device, Precision::Fp16, Runtime::PyTorch, None).unwrap();
        let roofline = describe(&found, device, &|_| String::new()).unwrap();
        assert_eq!(roofline.kernels.len(), 1);
        let dot = &roofline.kernels[0];
        assert_eq!((dot.kind, dot.count), (KernelKind::Gemm, 2));
        // 2 x 512 x 1024 x 1024 operations over 2 bytes each of 512 x 1024 read, as much written, and
        // 1024 x 1024 of weights: 1,073,741,824 / 4,194,304 = 256.
        assert_eq!(dot.intensity, 256.0);
        assert_eq!(roofline.compute.len(), 1);
        assert_eq!(roofline.compute[0].per_s, device.peak(Precision::Fp16).unwrap());
        assert!(dot.per_s < roofline.compute[0].per_s);
        assert!(dot.per_s < dot.intensity * roofline.bandwidth_bytes_per_s);
    }
}
