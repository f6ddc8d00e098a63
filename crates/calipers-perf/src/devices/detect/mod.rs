//! Detection of this machine's device: an NVIDIA GPU where the driver lists one, else the CPU.
//!
//! Detection never fails. A missing library, a driver that does not answer or a figure that is not
//! reported leaves a blank, and a sentence says so.

mod cpu;
mod nvidia;

use calipers_report::DeviceSheet;
use calipers_report::suggestions;
pub use cpu::{Cpu, Vector};
pub use nvidia::Gpu;
use serde::Serialize;

use crate::devices::catalog::Catalog;
use crate::devices::device::Device;

/// The device of this machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detected {
    /// The device: one of the catalog with the detected memory, or one built from detected figures,
    /// with derived peaks and the evidence `detected`.
    pub device: Device,
    /// The device of the catalog that it is, where it is one.
    pub matched: Option<String>,
    /// What was detected and how figures were derived, a sentence each.
    pub notes: Vec<String>,
}

impl Detected {
    /// Returns the device in full, with what was detected.
    pub fn sheet(self, catalog: &Catalog) -> DeviceSheet {
        let sheet = catalog.sheet(&self.device);
        DeviceSheet { found: self.notes, matched: self.matched, ..sheet }
    }
}

/// Detects the device of this machine.
pub fn detect(catalog: &Catalog) -> Detected {
    match nvidia::find_gpu() {
        Ok((gpu, count)) => from_gpu(&gpu, count, catalog),
        Err(why) => {
            let mut detected = from_cpu(&cpu::detect_cpu(), catalog);
            detected.notes.insert(0, format!("No NVIDIA GPU: {why}."));
            detected
        }
    }
}

fn from_gpu(gpu: &Gpu, count: u32, catalog: &Catalog) -> Detected {
    let mut notes = vec![format!("GPU: {}.", gpu.describe())];
    if count > 1 {
        notes.push(format!("It is the first of {count} GPUs, which runtimes use by default."));
    }
    let row =
        catalog.devices().iter().find(|row| is_named(row, &gpu.name) && gpu.has_memory_of(row));
    settle(row, gpu.device(), notes)
}

fn from_cpu(cpu: &Cpu, catalog: &Catalog) -> Detected {
    let notes = vec![format!("CPU: {}.", cpu.describe())];
    let board = cpu.board.as_deref().unwrap_or_default();
    // A board's name goes on with its revision: "Raspberry Pi 5 Model B Rev 1.0".
    let is_board = |row: &Device| {
        row.detect_as.iter().any(|name| {
            let rest = board.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    let row = catalog.devices().iter().find(|row| is_named(row, &cpu.name) || is_board(row));
    let mut detected = settle(row, cpu.device(), notes);
    if detected.matched.is_none() {
        detected.notes.extend(cpu.arithmetic());
    }
    detected
}

fn is_named(row: &Device, name: &str) -> bool {
    let name = suggestions::folded(name);
    !name.is_empty() && row.detect_as.iter().any(|known| suggestions::folded(known) == name)
}

/// The device of the catalog with the detected memory, or the detected device.
fn settle(row: Option<&Device>, found: Device, mut notes: Vec<String>) -> Detected {
    let Some(row) = row else {
        notes.push("It is not in the catalog; its figures are the detected ones.".to_owned());
        if found.bandwidth_gb_s.is_none() {
            notes.push(
                "Its memory bandwidth is unknown; state it in a file for --device-file.".to_owned(),
            );
        }
        return Detected { device: found, matched: None, notes };
    };
    notes.push(format!("It is {} in the catalog.", row.id));
    let mut device = row.clone();
    if let Some(memory) = found.memory_gb {
        if device.memory_gb.is_none_or(|listed| (listed - memory).abs() > 0.005 * memory) {
            notes.push(format!("Its memory is the detected size, {memory:.1} GB."));
        }
        device.memory_gb = Some(memory);
    }
    Detected { matched: Some(row.id.clone()), device, notes }
}

/// Bytes in GB (10⁹).
fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// A peak in tera, to four digits that mean something.
fn rounded(tera: f64) -> f64 {
    // The logarithm of 0 is infinite.
    let scale = 10_f64.powf((3.0 - tera.abs().log10().floor()).clamp(0.0, 12.0));
    (tera * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use calipers_report::{DeviceClass, Evidence, Precision};

    use super::*;
    use crate::devices::catalog::builtin;

    #[test]
    fn this_machine_is_something() {
        let detected = detect(builtin());
        assert!(detected.notes.len() >= 2, "{:?}", detected.notes);
        assert!(!detected.device.name.is_empty());
        assert!(detected.device.memory_bytes().is_some_and(|bytes| bytes > 100_000_000));
        println!("{detected:#?}");
    }

    fn h200() -> Gpu {
        // As NVML reports it.
        Gpu {
            name: "NVIDIA H200".to_owned(),
            memory_bytes: Some(150_754_820_096),
            capability: Some((9, 0)),
            cores: Some(16_896),
            clock_mhz: Some(1980),
            memory_clock_mhz: Some(3201),
            bus_bits: Some(6016),
            power_mw: Some(700_000),
        }
    }

    #[test]
    fn a_listed_gpu_is_its_row_with_the_memory_found() {
        let detected = from_gpu(&h200(), 1, builtin());
        assert_eq!(detected.matched.as_deref(), Some("h200-sxm"));
        assert_eq!(detected.device.memory_bytes(), Some(150_754_820_096));
        assert_eq!(detected.device.peak(Precision::Fp16), Some(989.5e12));
        assert_eq!(detected.device.evidence, Evidence::DatasheetCited);
        // What the driver alone would give: 2 × 3.201 GHz × 6016 bits / 8 = 4814 GB/s.
        assert!((h200().device().bandwidth_gb_s.unwrap() - 4814.3).abs() < 0.1);
        let notes = detected.notes.join("; ");
        assert!(notes.contains("It is h200-sxm in the catalog"), "{notes}");
        assert!(notes.contains("Its memory is the detected size, 150.8 GB"), "{notes}");
    }

    #[test]
    fn a_gpu_with_another_memory_is_another_gpu() {
        let gpu = Gpu {
            name: "NVIDIA GeForce RTX 4060 Ti".to_owned(),
            memory_bytes: Some(8_585_740_288),
            capability: Some((8, 9)),
            cores: Some(4352),
            clock_mhz: Some(2535),
            memory_clock_mhz: Some(9001),
            bus_bits: Some(128),
            power_mw: Some(160_000),
        };
        let detected = from_gpu(&gpu, 2, builtin());
        assert_eq!(detected.matched, None);
        let device = &detected.device;
        assert_eq!(
            (device.class, &*device.architecture),
            (DeviceClass::GpuConsumer, "Ada Lovelace")
        );
        assert_eq!(device.units, Some(34)); // 4352 cores in multiprocessors of 128
        // 34 × 2.535 GHz × 512 = 44.13 TFLOPS; 2 × 9.001 GHz × 128 bits / 8 = 288.0 GB/s.
        assert_eq!(device.peaks[&Precision::Fp16], 44.13);
        assert!((device.bandwidth_gb_s.unwrap() - 288.0).abs() < 0.1);
        assert_eq!(device.evidence, Evidence::Detected);
        assert!(detected.notes.iter().any(|word| word.contains("the first of 2")));
    }

    #[test]
    fn an_unheard_of_gpu_has_blanks_and_no_peaks() {
        let gpu = Gpu { name: "NVIDIA X1000".to_owned(), ..Gpu::default() };
        let detected = from_gpu(&gpu, 1, builtin());
        assert!(detected.device.peaks.is_empty() && detected.device.memory_gb.is_none());
        assert_eq!(detected.device.id, "nvidia-x1000");
        assert!(detected.notes.iter().any(|word| word.contains("bandwidth is unknown")));
    }

    fn zen4() -> Cpu {
        Cpu {
            name: "AMD EPYC 9654 96-Core Processor".to_owned(),
            cores: Some(4),
            clock_mhz: Some(2400.0),
            memory_bytes: Some(16_000_000_000),
            vector: Vector::Avx512 { narrow: true, vnni: true, bf16: true, amx: false },
            ..Cpu::default()
        }
    }

    #[test]
    fn a_processor_is_cores_times_clock_times_width() {
        let detected = from_cpu(&zen4(), builtin());
        let device = &detected.device;
        assert_eq!((device.class, &*device.vendor), (DeviceClass::Cpu, "amd"));
        // 4 × 2.4 GHz × 32 = 0.3072 TFLOPS; four times that for int8, twice for bf16.
        assert_eq!(device.peaks[&Precision::Fp32], 0.3072);
        assert_eq!(device.peaks[&Precision::Int8], 1.229);
        assert_eq!(device.peaks[&Precision::Bf16], 0.6144);
        assert_eq!(device.peak(Precision::Fp16), None);
        assert_eq!(device.memory_bytes(), Some(16_000_000_000));
        assert_eq!(device.evidence, Evidence::Detected);
        let notes = detected.notes.join("; ");
        assert!(notes.contains("4 cores × 2.4 GHz × 32 FLOP per clock = 0.3072 TFLOPS"), "{notes}");
    }

    #[test]
    fn a_listed_processor_and_a_listed_board_are_their_rows() {
        let cpu = Cpu { name: "13th Gen Intel(R) Core(TM) i9-13900K".to_owned(), ..zen4() };
        let detected = from_cpu(&cpu, builtin());
        assert_eq!(detected.matched.as_deref(), Some("i9-13900k"));
        assert_eq!(detected.device.memory_gb, Some(16.0));
        let board = Some("Raspberry Pi 5 Model B Rev 1.0".to_owned());
        let cpu = Cpu { name: "Cortex-A76".to_owned(), board, ..zen4() };
        assert_eq!(from_cpu(&cpu, builtin()).matched.as_deref(), Some("rpi5"));
        let cpu = Cpu { board: Some("Raspberry Pi 500".to_owned()), ..cpu };
        assert_eq!(from_cpu(&cpu, builtin()).matched, None);
    }

    #[test]
    fn a_processor_that_says_nothing_is_still_described() {
        let detected = from_cpu(&Cpu::default(), builtin());
        assert_eq!(detected.device.id, "cpu");
        assert!(detected.device.peaks.is_empty());
        assert!(detected.notes.iter().any(|word| word.contains("unknown")));
    }
}
