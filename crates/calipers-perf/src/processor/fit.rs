//! Constants of another processor from kernels that were measured on it.
//!
//! A robust least-squares fit in logarithms of time. Every constant is pulled to the built-in one,
//! so what the measurements do not determine stays as it is or moves with its class.

use super::timing::{CpuTiming, KindTiming, ProcessorKernel, ProcessorKind};

/// A kernel that was measured alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelMeasurement {
    /// Its kind and sizes.
    pub kernel: ProcessorKernel,
    /// Intra-op threads.
    pub threads: u32,
    /// Milliseconds.
    pub ms: f64,
}

/// Returns the constants of a processor on which these kernels were measured.
///
/// `View` rows set the dispatch overhead. Kinds without a row change as the others of their class
/// do: products of floats, products of integers, passes over data.
pub fn fit_cpu(device: &str, rows: &[KernelMeasurement]) -> CpuTiming {
    let mut start = CpuTiming { device: device.to_owned(), ..CpuTiming::builtin().clone() };
    start.kernel_rows = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    (start.model_rows, start.held_out_error, start.range_holds_percent) = (0, 0.0, 0.0);
    let sound = |row: &&KernelMeasurement| row.ms.is_finite() && row.ms > 0.0 && row.threads > 0;
    let rows: Vec<KernelMeasurement> = rows.iter().filter(sound).copied().collect();
    if rows.is_empty() {
        return start;
    }
    let problem = Problem { parameters: parameters(&start, &rows), start, rows };
    problem.constants(&problem.solve())
}

/// A constant that is fitted, as the logarithm of its ratio to the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameter {
    Dispatch,
    Sync,
    CacheBandwidth,
    MemoryBandwidth,
    MemorySerial,
    /// Time of the arithmetic of all kinds of a class.
    Class(Class),
    /// Time of the arithmetic of one kind, beyond its class.
    Kind(ProcessorKind),
    /// Share of the work of one kind that threads do not divide.
    Serial(ProcessorKind),
    /// Rows at which products of one kind reach half their rate.
    HalfRows(ProcessorKind),
    /// Products per result at which they do.
    HalfDepth(ProcessorKind),
}

/// Kinds whose speed changes together from processor to processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Float,
    Integer,
    Pass,
}

impl Class {
    const ALL: [Self; 3] = [Self::Float, Self::Integer, Self::Pass];

    fn new(timing: &CpuTiming, kind: ProcessorKind) -> Self {
        let has_products = timing.kinds.get(&kind).is_some_and(|known| known.gmacs > 0.0);
        match has_products {
            true if kind.is_integer() => Self::Integer,
            true => Self::Float,
            false => Self::Pass,
        }
    }
}

impl Parameter {
    /// How strongly it is pulled to its start, against rows that weigh 1.
    fn pull(self) -> f64 {
        match self {
            Self::Class(_) | Self::Dispatch => 0.02,
            Self::CacheBandwidth | Self::MemoryBandwidth | Self::Kind(_) => 0.05,
            Self::Sync
            | Self::MemorySerial
            | Self::Serial(_)
            | Self::HalfRows(_)
            | Self::HalfDepth(_) => 0.1,
        }
    }
}

impl Parameter {
    /// Changes a constant of one kind.
    fn change(self, known: &mut KindTiming, factor: f64) {
        match self {
            Self::Serial(_) => known.serial = (known.serial * factor).min(1.0),
            Self::HalfRows(_) => known.half_rows *= factor,
            Self::HalfDepth(_) => known.half_depth *= factor,
            _ => {
                known.gmacs /= factor;
                known.element_ns *= factor;
            }
        }
    }
}

/// The constants that the rows can determine.
fn parameters(start: &CpuTiming, rows: &[KernelMeasurement]) -> Vec<Parameter> {
    let mut found = vec![Parameter::CacheBandwidth, Parameter::MemoryBandwidth];
    found.extend(Class::ALL.map(Parameter::Class));
    let has_threads = rows.iter().any(|row| row.threads > 1);
    if has_threads {
        found.extend([Parameter::Sync, Parameter::MemorySerial]);
    }
    if rows.iter().any(|row| row.kernel.kind == ProcessorKind::View) {
        found.push(Parameter::Dispatch);
    }
    for (kind, known) in &start.kinds {
        let own: Vec<&KernelMeasurement> =
            rows.iter().filter(|row| row.kernel.kind == *kind).collect();
        let Some(first) = own.first() else { continue };
        found.push(Parameter::Kind(*kind));
        if own.iter().any(|row| row.threads > 1) {
            found.push(Parameter::Serial(*kind));
        }
        if known.half_rows > 0.0 && own.iter().any(|row| row.kernel.rows != first.kernel.rows) {
            found.push(Parameter::HalfRows(*kind));
        }
        if known.half_depth > 0.0 && own.iter().any(|row| row.kernel.depth != first.kernel.depth) {
            found.push(Parameter::HalfDepth(*kind));
        }
    }
    found
}

struct Problem {
    start: CpuTiming,
    parameters: Vec<Parameter>,
    rows: Vec<KernelMeasurement>,
}

/// Rounds of the solver; it converges in fewer.
const ROUNDS: usize = 40;

/// Errors beyond this, in logarithms, weigh less: a machine is rarely idle.
const ROBUST: f64 = 0.2;

impl Problem {
    fn constants(&self, x: &[f64]) -> CpuTiming {
        let mut timing = self.start.clone();
        for (parameter, change) in self.parameters.iter().zip(x) {
            let factor = change.exp();
            match *parameter {
                Parameter::Dispatch => timing.dispatch_us *= factor,
                Parameter::Sync => timing.sync_us *= factor,
                Parameter::CacheBandwidth => timing.cache_gb_s /= factor,
                Parameter::MemoryBandwidth => timing.memory_gb_s /= factor,
                Parameter::MemorySerial => {
                    timing.memory_serial = (timing.memory_serial * factor).min(1.0);
                }
                Parameter::Class(class) => {
                    for (kind, known) in &mut timing.kinds {
                        if Class::new(&self.start, *kind) == class {
                            known.gmacs /= factor;
                            known.element_ns *= factor;
                        }
                    }
                }
                Parameter::Kind(kind)
                | Parameter::Serial(kind)
                | Parameter::HalfRows(kind)
                | Parameter::HalfDepth(kind) => {
                    if let Some(known) = timing.kinds.get_mut(&kind) {
                        parameter.change(known, factor);
                    }
                }
            }
        }
        timing
    }

    /// Errors of the rows, and how far each constant is from its start.
    fn residuals(&self, x: &[f64]) -> Vec<f64> {
        let timing = self.constants(x);
        let errors = self.rows.iter().map(|row| {
            let expected = timing.time(&row.kernel, f64::from(row.threads)).total();
            let error = (expected / (row.ms * 1e-3)).ln();
            // The square root of a loss that grows linearly from `ROBUST` on.
            let scaled = error / ROBUST;
            error.signum() * ROBUST * (2.0 * ((1.0 + scaled * scaled).sqrt() - 1.0)).sqrt()
        });
        let pulls = self.parameters.iter().zip(x).map(|(parameter, x)| parameter.pull() * x);
        errors.chain(pulls).collect()
    }

    /// Levenberg-Marquardt with differences for derivatives.
    fn solve(&self) -> Vec<f64> {
        const STEP: f64 = 1e-4;
        let mut x = vec![0.0; self.parameters.len()];
        let mut now = self.residuals(&x);
        let mut damping = 1e-3;
        for _ in 0..ROUNDS {
            let columns: Vec<Vec<f64>> = (0..x.len())
                .map(|at| {
                    let mut moved = x.clone();
                    moved[at] += STEP;
                    let then = self.residuals(&moved);
                    then.iter().zip(&now).map(|(then, now)| (then - now) / STEP).collect()
                })
                .collect();
            let gradient: Vec<f64> = columns.iter().map(|column| -dot(column, &now)).collect();
            let mut matrix: Vec<Vec<f64>> =
                columns.iter().map(|a| columns.iter().map(|b| dot(a, b)).collect()).collect();
            for (at, row) in matrix.iter_mut().enumerate() {
                row[at] *= 1.0 + damping;
            }
            let Some(step) = solve_linear(matrix, gradient) else { break };
            let next: Vec<f64> =
                x.iter().zip(&step).map(|(x, step)| x + step.clamp(-1.0, 1.0)).collect();
            let then = self.residuals(&next);
            if dot(&then, &then) < dot(&now, &now) {
                let gain = 1.0 - dot(&then, &then) / dot(&now, &now);
                (x, now) = (next, then);
                damping *= 0.3;
                if gain < 1e-6 {
                    break;
                }
            } else {
                damping *= 10.0;
            }
        }
        x
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a system of linear equations by elimination; `None` where it is singular.
fn solve_linear(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for at in 0..size {
        let pivot =
            (at..size).max_by(|a, b| matrix[*a][at].abs().total_cmp(&matrix[*b][at].abs()))?;
        matrix.swap(at, pivot);
        right.swap(at, pivot);
        let top = matrix[at].clone();
        if top[at].abs() < 1e-12 {
            return None;
        }
        for below in at + 1..size {
            let factor = matrix[below][at] / top[at];
            for (value, above) in matrix[below].iter_mut().zip(&top).skip(at) {
                *value -= factor * above;
            }
            right[below] -= factor * right[at];
        }
    }
    for at in (0..size).rev() {
        let known = dot(&matrix[at][at + 1..], &right[at + 1..]);
        right[at] = (right[at] - known) / matrix[at][at];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(kind: ProcessorKind, macs: f64, elements: f64) -> ProcessorKernel {
        let (bytes, rows, depth) = (12.0 * elements, 128.0, 768.0);
        ProcessorKernel { kind, macs, elements, bytes, cold_bytes: 0.0, rows, depth, steps: 1.0 }
    }

    fn kernels() -> Vec<ProcessorKernel> {
        use ProcessorKind as K;
        vec![
            kernel(K::Gemm, 3e8, 4e5),
            kernel(K::Conv, 2e8, 4e5),
            kernel(K::Elementwise, 0.0, 1e6),
            kernel(K::Elementwise, 0.0, 1.6e7),
            kernel(K::Softmax, 0.0, 1e6),
            kernel(K::View, 0.0, 0.0),
        ]
    }

    /// What a processor with these constants measures.
    fn measured(timing: &CpuTiming, threads: &[u32]) -> Vec<KernelMeasurement> {
        let at = |kernel: ProcessorKernel, threads: u32| KernelMeasurement {
            kernel,
            threads,
            ms: 1e3 * timing.time(&kernel, f64::from(threads)).total(),
        };
        kernels().into_iter().flat_map(|it| threads.iter().map(move |n| at(it, *n))).collect()
    }

    fn worst(timing: &CpuTiming, rows: &[KernelMeasurement]) -> f64 {
        let factor = |row: &KernelMeasurement| {
            let ratio = 1e3 * timing.time(&row.kernel, f64::from(row.threads)).total() / row.ms;
            ratio.max(1.0 / ratio)
        };
        rows.iter().map(factor).fold(1.0, f64::max)
    }

    #[test]
    fn a_machine_of_half_the_speed_takes_twice_as_long() {
        let mut slow = CpuTiming::builtin().clone();
        slow.dispatch_us *= 2.0;
        slow.cache_gb_s /= 2.0;
        slow.memory_gb_s /= 2.0;
        for known in slow.kinds.values_mut() {
            known.gmacs /= 2.0;
            known.element_ns *= 2.0;
        }
        let rows = measured(&slow, &[1]);
        let fitted = fit_cpu("mine", &rows);
        assert!(worst(&fitted, &rows) < 1.05, "{fitted:?}");
        // A kind that was not measured is slower too.
        let unmeasured = kernel(ProcessorKind::Pointwise, 2e8, 4e5);
        let ratio = fitted.time(&unmeasured, 1.0).total() / slow.time(&unmeasured, 1.0).total();
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
    }

    #[test]
    fn threads_and_single_kinds_are_fitted() {
        let mut other = CpuTiming::builtin().clone();
        other.dispatch_us /= 3.0;
        other.memory_serial = 0.06;
        for (kind, known) in &mut other.kinds {
            match kind {
                ProcessorKind::Softmax => known.element_ns *= 3.0,
                ProcessorKind::Gemm => known.serial = 0.15,
                _ => {}
            }
        }
        let rows = measured(&other, &[1, 2, 4]);
        assert!(worst(&fit_cpu("mine", &rows), &rows) < 1.1);
    }

    #[test]
    fn products_of_few_rows_are_fitted_apart() {
        let mut other = CpuTiming::builtin().clone();
        if let Some(known) = other.kinds.get_mut(&ProcessorKind::Gemm) {
            (known.half_rows, known.half_depth) = (known.half_rows / 4.0, known.half_depth / 4.0);
        }
        let shapes = [(128.0, 768.0), (128.0, 96.0), (16.0, 768.0), (1.0, 768.0)];
        let rows: Vec<KernelMeasurement> = shapes
            .into_iter()
            .map(|(rows, depth)| {
                let kernel =
                    ProcessorKernel { rows, depth, ..kernel(ProcessorKind::Gemm, 3e8, 1e4) };
                let ms = 1e3 * other.time(&kernel, 1.0).total();
                KernelMeasurement { kernel, threads: 1, ms }
            })
            .collect();
        assert!(worst(&fit_cpu("mine", &rows), &rows) < 1.1);
    }

    #[test]
    fn one_wrong_measurement_does_not_move_the_others() {
        let builtin = CpuTiming::builtin();
        let mut rows = measured(builtin, &[1, 2]);
        let sound = rows.clone();
        rows[0].ms *= 20.0;
        assert!(worst(&fit_cpu("mine", &rows), &sound[2..]) < 1.15);
    }

    #[test]
    fn without_measurements_the_constants_stay() {
        assert_eq!(fit_cpu("mine", &[]).kinds, CpuTiming::builtin().kinds);
    }
}
