//! Constants of another processor from kernels that were measured on it.

use std::collections::BTreeMap;

use super::timing::{CpuTiming, ProcessorKernel, ProcessorKind};

/// A kernel that was measured alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelMeasurement {
    /// Its kind and sizes.
    pub kernel: ProcessorKernel,
    /// Intra-op threads.
    pub threads: u32,
    /// Median milliseconds.
    pub ms: f64,
}

/// Returns the constants of a processor on which these kernels were measured: those of the built-in
/// fit, scaled kind by kind.
///
/// `View` rows set the dispatch overhead. Kinds without a row are scaled as the others are on
/// average.
pub fn fit_cpu(device: &str, rows: &[KernelMeasurement]) -> CpuTiming {
    let mut timing = CpuTiming { device: device.to_owned(), ..CpuTiming::builtin().clone() };
    timing.kernel_rows = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    (timing.model_rows, timing.held_out_error, timing.range_holds_percent) = (0, 0.0, 0.0);
    let sound = |row: &&KernelMeasurement| row.ms.is_finite() && row.ms > 0.0 && row.threads > 0;
    let view = |row: &&KernelMeasurement| row.kernel.kind == ProcessorKind::View;
    let dispatches: Vec<f64> =
        rows.iter().filter(sound).filter(view).map(|row| row.ms * 1e3).collect();
    if let Some(us) = geometric_mean(&dispatches) {
        timing.dispatch_us = us;
    }
    // A few rounds: the blend of arithmetic and memory is not linear in either.
    for _ in 0..8 {
        let mut ratios: BTreeMap<ProcessorKind, Vec<f64>> = BTreeMap::new();
        for row in rows.iter().filter(sound).filter(|row| !view(row)) {
            let expected = timing.time(&row.kernel, f64::from(row.threads)).total();
            ratios.entry(row.kernel.kind).or_default().push(row.ms * 1e-3 / expected);
        }
        let means: BTreeMap<ProcessorKind, f64> = ratios
            .iter()
            .filter_map(|(kind, ratios)| Some((*kind, geometric_mean(ratios)?)))
            .collect();
        let all: Vec<f64> = means.values().copied().collect();
        let Some(usual) = geometric_mean(&all) else { break };
        timing.cache_gb_s /= usual;
        timing.memory_gb_s /= usual;
        for (kind, known) in &mut timing.kinds {
            let factor = means.get(kind).copied().unwrap_or(usual);
            known.gmacs /= factor;
            known.element_ns *= factor;
        }
    }
    timing
}

fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "rows are few")]
    let count = values.len() as f64;
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / count).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_of_half_the_speed_takes_twice_as_long() {
        let builtin = CpuTiming::builtin();
        let kernel = |kind, macs, elements| ProcessorKernel {
            kind,
            macs,
            elements,
            bytes: 1e6,
            cold_bytes: 0.0,
            rows: 128.0,
            depth: 768.0,
            steps: 1.0,
        };
        let kernels = [
            kernel(ProcessorKind::Gemm, 3e8, 4e5),
            kernel(ProcessorKind::Conv, 2e8, 4e5),
            kernel(ProcessorKind::Elementwise, 0.0, 1e6),
        ];
        let measured: Vec<KernelMeasurement> = kernels
            .iter()
            .map(|kernel| KernelMeasurement {
                kernel: *kernel,
                threads: 1,
                ms: 2e3 * builtin.time(kernel, 1.0).total(),
            })
            .collect();
        let fitted = fit_cpu("mine", &measured);
        for row in &measured {
            let expected = 1e3 * fitted.time(&row.kernel, 1.0).total();
            assert!((expected / row.ms - 1.0).abs() < 0.05, "{row:?} {expected}");
        }
    }
}
