//! The processor: its name, cores, clock, vector width and memory.

use calipers_report::{DeviceClass, Evidence, Precision};
use serde::Serialize;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::{gigabytes, rounded};
use crate::devices::device::Device;

/// The widest arithmetic of a processor that the system lets a program use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Vector {
    /// Nothing was found out.
    #[default]
    Unknown,
    /// 128 bits, no fused multiply-add.
    Sse,
    /// 256 bits with fused multiply-add.
    Avx2 {
        /// Products of four int8 at once.
        vnni: bool,
    },
    /// 512 bits.
    Avx512 {
        /// Whether the pipes are 256 bits wide, as in Zen 4.
        narrow: bool,
        /// Products of four int8 at once.
        vnni: bool,
        /// Products of two bf16 at once.
        bf16: bool,
        /// Matrix tiles for bf16 and int8.
        amx: bool,
    },
    /// 128 bits with fused multiply-add.
    Neon {
        /// Pipes.
        pipes: u32,
        /// Products of two fp16 at once.
        fp16: bool,
        /// Products of four int8 at once.
        dot: bool,
    },
}

/// What the system says of its processor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cpu {
    /// As the processor calls itself.
    pub name: String,
    /// The board's name, where the system gives one: `Raspberry Pi 5 Model B Rev 1.0`.
    pub board: Option<String>,
    /// Physical cores that this process may use.
    pub cores: Option<u32>,
    /// The highest clock that is known.
    pub clock_mhz: Option<f64>,
    /// Memory that this process may use.
    pub memory_bytes: Option<u64>,
    /// Its widest arithmetic.
    pub vector: Vector,
}

/// Returns the CPU that the operating system reports.
pub(super) fn detect_cpu() -> Cpu {
    let kind = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing().with_frequency())
        .with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(kind).ok();
    let first = system.as_ref().and_then(|system| system.cpus().first());
    let name = first.map(|cpu| cpu.brand().trim().to_owned()).unwrap_or_default();
    let current = first.map(|cpu| cpu.frequency() as f64).filter(|mhz| *mhz > 0.0);
    let memory_bytes = system.as_ref().map(|system| {
        // A container may have less than the machine.
        let limit = system.cgroup_limits().map(|limits| limits.total_memory);
        let total = system.total_memory();
        limit.filter(|limit| *limit > 0).map_or(total, |limit| limit.min(total))
    });
    Cpu {
        vector: vector(&name),
        name,
        board: board(),
        cores: cores(),
        clock_mhz: highest_clock().or(current),
        memory_bytes: memory_bytes.filter(|bytes| *bytes > 0),
    }
}

/// Physical cores, but no more than the threads that this process may run at once.
fn cores() -> Option<u32> {
    let physical = System::physical_core_count().ok().filter(|cores| *cores > 0);
    let allowed = std::thread::available_parallelism().ok().map(usize::from);
    let cores = match (physical, allowed) {
        (Some(physical), Some(allowed)) => physical.min(allowed),
        (one, other) => one.or(other)?,
    };
    u32::try_from(cores).ok()
}

#[cfg(target_os = "linux")]
fn board() -> Option<String> {
    let text = std::fs::read_to_string("/proc/device-tree/model").ok()?;
    Some(text.trim_matches(['\0', '\n', ' ']).to_owned()).filter(|text| !text.is_empty())
}

#[cfg(not(target_os = "linux"))]
fn board() -> Option<String> {
    None
}

/// The highest clock that the processor or the system states, in MHz.
fn highest_clock() -> Option<f64> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        let frequency = raw_cpuid::CpuId::new().get_processor_frequency_info();
        let highest = frequency.map_or(0, |info| info.processor_max_frequency());
        if highest > 0 {
            return Some(f64::from(highest));
        }
    }
    let path = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
    let khz: f64 = std::fs::read_to_string(path).ok()?.trim().parse().ok()?;
    (khz > 0.0 && khz.is_finite()).then_some(khz / 1e3)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn vector(_: &str) -> Vector {
    use std::arch::is_x86_feature_detected as has;
    let id = raw_cpuid::CpuId::new();
    // These macros also ask whether the operating system keeps the registers.
    if has!("avx512f") && has!("fma") {
        let features = id.get_extended_feature_info();
        let is_amd = id.get_vendor_info().is_some_and(|vendor| vendor.as_str() == "AuthenticAMD");
        let family = id.get_feature_info().map(|info| info.family_id());
        Vector::Avx512 {
            // Zen 4 is family 25; Zen 5, 26, has full width in servers.
            narrow: is_amd && family == Some(25),
            vnni: has!("avx512vnni"),
            bf16: has!("avx512bf16"),
            amx: features.is_some_and(|f| f.has_amx_tile() && f.has_amx_bf16() && f.has_amx_int8()),
        }
    } else if has!("avx2") && has!("fma") {
        Vector::Avx2 { vnni: has!("avxvnni") }
    } else {
        Vector::Sse
    }
}

#[cfg(target_arch = "aarch64")]
fn vector(name: &str) -> Vector {
    use std::arch::is_aarch64_feature_detected as has;
    // Apple's cores have four pipes, most others two.
    let pipes = if name.starts_with("Apple") { 4 } else { 2 };
    Vector::Neon { pipes, fp16: has!("fp16"), dot: has!("dotprod") }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn vector(_: &str) -> Vector {
    Vector::Unknown
}

impl Vector {
    /// In words.
    fn describe(self) -> &'static str {
        match self {
            Self::Unknown => "vector width not known",
            Self::Sse => "SSE (128 bits)",
            Self::Avx2 { .. } => "AVX2 (256 bits)",
            Self::Avx512 { amx: true, .. } => "AVX-512 with AMX tiles",
            Self::Avx512 { narrow: true, .. } => "AVX-512 on 256-bit pipes",
            Self::Avx512 { .. } => "AVX-512 (512 bits)",
            Self::Neon { .. } => "NEON (128 bits)",
        }
    }

    /// What the architecture is called: the table's name only where its rates hold.
    fn architecture(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Sse => "SSE",
            Self::Avx2 { .. } => "AVX2",
            Self::Avx512 { amx: true, .. } => "AVX-512",
            Self::Avx512 { narrow: true, .. } => "AVX-512, 256-bit pipes",
            Self::Avx512 { .. } => "AVX-512, no AMX",
            Self::Neon { .. } => "NEON",
        }
    }

    /// Operations per clock and core; a multiply-add counts as two. Two pipes are taken for
    /// granted where a processor does not report them.
    fn rates(self) -> Vec<(Precision, u32)> {
        let mut rates = vec![];
        let fp32 = match self {
            Self::Unknown => return rates,
            Self::Sse => 8,
            Self::Avx2 { .. } | Self::Avx512 { narrow: true, .. } => 32,
            Self::Avx512 { narrow: false, .. } => 64,
            Self::Neon { pipes, .. } => 8 * pipes,
        };
        rates.push((Precision::Fp32, fp32));
        match self {
            Self::Avx512 { amx: true, .. } => {
                rates.extend([(Precision::Bf16, 1024), (Precision::Int8, 2048)]);
            }
            Self::Avx512 { vnni, bf16, .. } => {
                rates.extend(bf16.then_some((Precision::Bf16, 2 * fp32)));
                rates.extend(vnni.then_some((Precision::Int8, 4 * fp32)));
            }
            Self::Avx2 { vnni } => rates.extend(vnni.then_some((Precision::Int8, 4 * fp32))),
            Self::Neon { fp16, dot, .. } => {
                rates.extend(fp16.then_some((Precision::Fp16, 2 * fp32)));
                rates.extend(dot.then_some((Precision::Int8, 4 * fp32)));
            }
            Self::Unknown | Self::Sse => {}
        }
        rates
    }
}

impl Cpu {
    fn label(&self) -> &str {
        if self.name.is_empty() { "unnamed CPU" } else { &self.name }
    }

    /// In words: `AMD EPYC, 2 cores at 2.6 GHz, AVX-512 on 256-bit pipes, 8.3 GB`.
    pub(super) fn describe(&self) -> String {
        let mut parts = vec![self.label().to_owned()];
        match (self.cores, self.clock_mhz) {
            (Some(cores), Some(mhz)) => {
                parts.push(format!("{} at {} GHz", counted(cores), ghz(mhz)));
            }
            (Some(cores), None) => parts.push(counted(cores)),
            _ => {}
        }
        parts.push(self.vector.describe().to_owned());
        parts.extend(self.memory_bytes.map(|bytes| format!("{:.1} GB", gigabytes(bytes))));
        parts.join(", ")
    }

    /// How the fp32 peak came about, or why there is none.
    pub(super) fn arithmetic(&self) -> Vec<String> {
        let rate = self.vector.rates().first().map(|(_, rate)| *rate);
        let (Some(cores), Some(mhz), Some(rate)) = (self.cores, self.clock_mhz, rate) else {
            let why = "Peaks are unknown: the number of cores, the clock or the vector width is not reported.";
            return vec![why.to_owned()];
        };
        let peak = rounded(f64::from(cores) * mhz * f64::from(rate) / 1e6);
        let product = format!("{} × {} GHz × {rate} FLOP per clock", counted(cores), ghz(mhz));
        vec![format!("fp32 peak: {product} = {peak} TFLOPS.")]
    }

    /// The device as found, with peaks of cores × clock × operations per clock.
    pub(super) fn device(&self) -> Device {
        let source = "the operating system of this machine";
        let mut device =
            Device::blank("cpu", self.label(), DeviceClass::Cpu, Evidence::Detected, source);
        let vendors = [("AMD", "amd"), ("Intel", "intel"), ("Apple", "apple")];
        if let Some((_, vendor)) = vendors.iter().find(|(word, _)| self.name.contains(word)) {
            device.vendor = (*vendor).to_owned();
        }
        device.architecture = self.vector.architecture().to_owned();
        device.memory_gb = self.memory_bytes.map(gigabytes);
        device.units = self.cores;
        device.clock_mhz = self.clock_mhz;
        if let (Some(cores), Some(mhz)) = (self.cores, self.clock_mhz) {
            for (precision, rate) in self.vector.rates() {
                let tera = f64::from(cores) * mhz * f64::from(rate) / 1e6;
                device.peaks.insert(precision, rounded(tera));
            }
            device.notes = Some(
                "peaks are cores x clock x operations per clock, assuming two pipes".to_owned(),
            );
        }
        device
    }
}

fn counted(cores: u32) -> String {
    if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") }
}

fn ghz(mhz: f64) -> String {
    format!("{}", (mhz / 10.0).round() / 100.0)
}
