//! `calipers calibrate`: measures this machine and writes a device file.

mod kernels;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use calipers::devices::Precision;
use calipers::processor::{CpuTiming, KernelMeasurement, fit_cpu};
use calipers::{Bindings, Model};
use calipers_report::{DeviceClass, LatencyStatistics};
use calipers_runtime::bench::{BatchDimension, BenchmarkQuery, Effort, Prediction, benchmark};
use calipers_runtime::verify::Subject;

use self::kernels::MicroKernel;
use super::verify::failed;
use crate::args::Execution;
use crate::exit::ExitStatus;
use crate::files;
use crate::output::Target;
use crate::problem;
use crate::progress::Count;

/// The id of the device that calibration writes; `--device auto` looks for it.
pub(crate) const THIS_MACHINE: &str = "this-machine";

/// The time of all measured runs together.
const BUDGET: Duration = Duration::from_secs(30);

/// How to execute, and where the device file goes.
#[derive(Debug)]
pub(crate) struct Calibrate {
    pub(crate) output: Option<Target>,
    pub(crate) execution: Execution,
}

/// The file that `--device auto` reads: `calipers/devices.toml` in the user's folder for settings.
pub(crate) fn device_file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = match set("XDG_CONFIG_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(set("HOME").or_else(|| set("USERPROFILE"))?).join(".config"),
    };
    Some(folder.join("calipers").join("devices.toml"))
}

impl Calibrate {
    /// Measures, fits and writes.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = thread_counts(cores);
        let kernels = kernels::all();
        let points = u32::try_from(kernels.len() * threads.len()).unwrap_or(u32::MAX);
        let effort = Effort { duration: BUDGET / points.max(1), runs: None };
        let mut rows = Vec::new();
        let mut bandwidth: f64 = 0.0;
        let mut peaks = Peaks::default();
        let mut runtime = String::new();
        {
            let count = Count::start("measuring kernels", kernels.len());
            for kernel in &kernels {
                for (threads, ms) in self.measured(kernel, &threads, effort, &mut runtime)? {
                    let row = KernelMeasurement { kernel: kernel.kernel, threads, ms };
                    if kernel.name == kernels::BANDWIDTH {
                        bandwidth = bandwidth.max(kernel.kernel.bytes / ms / 1e6);
                    }
                    let tera = 2.0 * kernel.kernel.macs / ms / 1e9;
                    match kernel.kernel.kind.is_integer() {
                        true => peaks.int8 = peaks.int8.max(tera),
                        false => peaks.fp32 = peaks.fp32.max(tera),
                    }
                    rows.push(row);
                }
                count.add();
            }
        }
        let timing = CpuTiming { runtime, ..fit_cpu(THIS_MACHINE, &rows) };
        let text = stanza(&timing, cores, bandwidth, peaks);
        self.write(&text)?;
        Ok(ExitStatus::Done)
    }

    fn write(&self, text: &str) -> anyhow::Result<()> {
        if let Some(output) = &self.output {
            return output.write(text);
        }
        let path = device_file().context("no folder for settings is known; name a file with -o")?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let changes = files::Changes::in_folder(folder)?;
        changes.write(&path, text.as_bytes())?;
        changes.commit()?;
        problem::inform(&format!("Wrote {}", path.display()));
        problem::inform("`--device auto` uses it from now on.");
        Ok(())
    }

    /// The milliseconds of a kernel at each number of threads.
    fn measured(
        &self,
        kernel: &MicroKernel,
        threads: &[usize],
        effort: Effort,
        runtime: &mut String,
    ) -> anyhow::Result<Vec<(u32, f64)>> {
        let model = Model::read(kernel.model.clone(), "kernel.onnx")?;
        let subject = Subject { model: model.original_ir(), shown: model.ir(), path: None };
        let query = BenchmarkQuery {
            subject: &subject,
            bindings: &Bindings::default(),
            session: &self.execution.session,
            synthesize: false,
            batch: BatchDimension::default(),
            batches: &[],
            threads,
            effort,
            scratch: None,
            weights_bytes: None,
            target_latency_ms: None,
            prediction: &Prediction::default(),
        };
        let found = benchmark(&query, &|_| {}).map_err(failed)?;
        runtime.clone_from(&found.runtime);
        let each = |ms: f64| ms / f64::from(kernel.repeats);
        let count = |threads: u64| u32::try_from(threads).unwrap_or(u32::MAX);
        if found.points.is_empty() {
            return Ok(vec![(count(found.threads), each(usual(&found.latency_ms)))]);
        }
        let points = found.points.iter().filter_map(|point| {
            Some((count(point.threads), each(usual(point.latency_ms.as_ref()?))))
        });
        Ok(points.collect())
    }
}

/// The median, unless other processes on the machine lengthened it.
fn usual(latency: &LatencyStatistics) -> f64 {
    latency.median.min(1.1 * latency.min)
}

/// 1, 2, 4 and so on, and all.
fn thread_counts(cores: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = std::iter::successors(Some(1), |count| Some(count * 2))
        .take_while(|n| *n < cores)
        .collect();
    counts.push(cores.max(1));
    counts
}

/// The highest rates that kernels reached, in TFLOPS and TOPS.
#[derive(Clone, Copy, Debug, Default)]
struct Peaks {
    fp32: f64,
    int8: f64,
}

/// The device as a stanza of a device file. Peaks are those of the data sheet where the processor is
/// known, and at least what was reached: no estimate is below the time that a peak allows.
fn stanza(timing: &CpuTiming, cores: usize, bandwidth_gb_s: f64, reached: Peaks) -> String {
    let detected = calipers::devices::detect(calipers::devices::builtin()).device;
    let is_cpu = detected.class == DeviceClass::Cpu;
    let name = if is_cpu { detected.name.as_str() } else { "Processor of this machine" };
    let known = |text: &str, otherwise: &str| match text.is_empty() || !is_cpu {
        true => quoted(otherwise),
        false => quoted(text),
    };
    let mut text = String::from("# Generated by Calipers: `calipers calibrate`.\n\n[[device]]\n");
    let peak = |precision: Precision, reached: f64| {
        detected.peaks.get(&precision).copied().filter(|_| is_cpu).unwrap_or(0.0).max(reached)
    };
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}");
    };
    line("id", quoted(THIS_MACHINE));
    line("name", quoted(name));
    line("vendor", known(&detected.vendor, "unknown"));
    line("class", quoted("cpu"));
    line("architecture", known(&detected.architecture, "unknown"));
    if let Some(memory) = detected.memory_gb.filter(|_| is_cpu) {
        line("memory_gb", number(memory));
    }
    line("bandwidth_gb_s", number(bandwidth_gb_s));
    let fp32 = number(peak(Precision::Fp32, reached.fp32));
    let int8 = number(peak(Precision::Int8, reached.int8.max(reached.fp32)));
    line("peaks", format!("{{ fp32 = {fp32}, int8 = {int8} }}"));
    line("units", cores.to_string());
    line("evidence", quoted("measured"));
    line("source", quoted("measured on this machine by calipers calibrate"));
    let _ = writeln!(text, "\n[device.timing]");
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}");
    };
    line("device", quoted(&timing.device));
    line("runtime", quoted(&timing.runtime));
    line("kernel_rows", timing.kernel_rows.to_string());
    for (key, value) in [
        ("range", timing.range),
        ("dispatch_us", timing.dispatch_us),
        ("sync_us", timing.sync_us),
        ("cache_gb_s", timing.cache_gb_s),
        ("memory_gb_s", timing.memory_gb_s),
        ("cache_mb", timing.cache_mb),
        ("memory_serial", timing.memory_serial),
    ] {
        line(key, number(value));
    }
    for (kind, constants) in &timing.kinds {
        let kind = serde_json::to_value(kind).unwrap_or_default();
        let _ = writeln!(text, "\n[device.timing.kinds.{}]", kind.as_str().unwrap_or_default());
        for (key, value) in [
            ("gmacs", constants.gmacs),
            ("element_ns", constants.element_ns),
            ("half_rows", constants.half_rows),
            ("half_depth", constants.half_depth),
            ("serial", constants.serial),
        ] {
            let _ = writeln!(text, "{key} = {}", number(value));
        }
    }
    text
}

/// A number as TOML has it, to four digits.
fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    format!("{rounded:?}")
}

/// A text as TOML has it. What could end the text is left out: names come from the system.
fn quoted(text: &str) -> String {
    let kept: String =
        text.chars().filter(|c| !c.is_control() && *c != '"' && *c != '\\').collect();
    format!("\"{kept}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_file_is_read_back() {
        let text = stanza(CpuTiming::builtin(), 4, 20.0, Peaks { fp32: 0.1, int8: 0.4 });
        let devices = calipers::devices::parse(&text).unwrap();
        assert_eq!(devices.len(), 1);
        assert_eq!(devices[0].id, THIS_MACHINE);
        assert_eq!(devices[0].units, Some(4));
        assert!(devices[0].timing.is_some());
    }

    #[test]
    fn threads_double_up_to_all() {
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
        assert_eq!(thread_counts(8), [1, 2, 4, 8]);
    }
}
