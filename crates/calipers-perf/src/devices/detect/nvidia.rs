//! NVIDIA GPUs, through the library of their driver, which is loaded at run time.

use calipers_report::{DeviceClass, Evidence, Precision};
use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::Clock;
use nvml_wrapper::error::NvmlError;

use super::{gigabytes, rounded};
use crate::devices::device::Device;

/// What the driver says of a GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpu {
    /// As the driver calls it: `NVIDIA GeForce RTX 4090`.
    pub name: String,
    /// All its memory.
    pub memory_bytes: Option<u64>,
    /// Compute capability, as 8.9.
    pub capability: Option<(i32, i32)>,
    /// CUDA cores.
    pub cores: Option<u32>,
    /// The highest clock of its multiprocessors.
    pub clock_mhz: Option<u32>,
    /// The highest clock of its memory.
    pub memory_clock_mhz: Option<u32>,
    /// Width of its memory bus.
    pub bus_bits: Option<u32>,
    /// The power that it is limited to as delivered.
    pub power_mw: Option<u32>,
}

/// The reason that no GPU was found.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoGpu {
    #[error("the driver library is not installed")]
    NoLibrary,
    #[error("the driver is not loaded")]
    NotLoaded,
    #[error("no permission to query the driver")]
    NoPermission,
    #[error("the driver lists none")]
    NoDevice,
    #[error("driver error: {0}")]
    Driver(NvmlError),
}

impl From<NvmlError> for NoGpu {
    fn from(error: NvmlError) -> Self {
        match error {
            NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound => Self::NoLibrary,
            NvmlError::DriverNotLoaded => Self::NotLoaded,
            NvmlError::NoPermission => Self::NoPermission,
            error => Self::Driver(error),
        }
    }
}

/// Returns the first GPU and how many there are.
pub(super) fn find_gpu() -> Result<(Gpu, u32), NoGpu> {
    let library = Nvml::init()?;
    let count = library.device_count()?;
    if count == 0 {
        return Err(NoGpu::NoDevice);
    }
    let device = library.device_by_index(0)?;
    let gpu = Gpu {
        name: device.name()?,
        memory_bytes: device.memory_info().ok().map(|memory| memory.total),
        capability: device.cuda_compute_capability().ok().map(|cc| (cc.major, cc.minor)),
        cores: device.num_cores().ok(),
        clock_mhz: device.max_clock_info(Clock::SM).ok(),
        memory_clock_mhz: device.max_clock_info(Clock::Memory).ok(),
        bus_bits: device.memory_bus_width().ok(),
        power_mw: device.power_management_limit_default().ok(),
    };
    Ok((gpu, count))
}

impl Gpu {
    /// In words: `NVIDIA H200, 150.8 GB, compute capability 9.0, 132 multiprocessors at 1980 MHz`.
    pub(super) fn describe(&self) -> String {
        let mut parts = vec![self.name.clone()];
        parts.extend(self.memory_bytes.map(|bytes| format!("{:.1} GB", gigabytes(bytes))));
        parts.extend(
            self.capability.map(|(major, minor)| format!("compute capability {major}.{minor}")),
        );
        match (self.units(), self.clock_mhz) {
            (Some(units), Some(clock)) => {
                parts.push(format!("{units} multiprocessors at up to {clock} MHz"));
            }
            (Some(units), None) => parts.push(format!("{units} multiprocessors")),
            _ => {}
        }
        parts.join(", ")
    }

    /// Whether its memory is that of a row. A card's "24 GB" is 24 GiB less what the driver keeps,
    /// or 24 × 10⁹ bytes; an unknown size counts as equal.
    pub(super) fn has_memory_of(&self, row: &Device) -> bool {
        match (self.memory_bytes, row.memory_gb) {
            (Some(bytes), Some(listed)) => (0.94..=1.08).contains(&(gigabytes(bytes) / listed)),
            _ => true,
        }
    }

    /// What the name of a compute capability is in the table, and its cores per multiprocessor.
    fn architecture(&self) -> Option<(&'static str, u32)> {
        Some(match self.capability? {
            (5, _) => ("Maxwell", 128),
            (7, 0 | 2) => ("Volta", 64),
            (7, _) => ("Turing", 64),
            (8, 0) => ("Ampere", 64),
            (8, 9) => ("Ada Lovelace", 128),
            (8, _) => ("Ampere", 128),
            (9, _) => ("Hopper", 128),
            (10, _) => ("Blackwell", 128),
            (12, _) => ("Blackwell 2.0", 128),
            _ => return None,
        })
    }

    fn units(&self) -> Option<u32> {
        let (_, cores) = self.architecture()?;
        self.cores.map(|all| all / cores).filter(|units| *units > 0)
    }

    fn class(&self) -> DeviceClass {
        match self.name.as_str() {
            name if name.contains("GeForce") || name.contains("TITAN") => DeviceClass::GpuConsumer,
            name if name.contains("Orin") || name.contains("Tegra") => DeviceClass::EdgeModule,
            _ => DeviceClass::GpuDatacenter,
        }
    }

    /// The device as found, with peaks derived where the architecture's rates are known.
    pub(super) fn device(&self) -> Device {
        let words: Vec<String> = self
            .name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        let source = "the NVIDIA driver of this machine";
        let id = words.join("-");
        let mut device = Device::blank(&id, &self.name, self.class(), Evidence::Detected, source);
        device.vendor = "nvidia".to_owned();
        if let Some((architecture, _)) = self.architecture() {
            device.architecture = architecture.to_owned();
        }
        device.memory_gb = self.memory_bytes.map(gigabytes);
        // Only the chips for training have a bus this wide, and it is stacked memory's.
        if self.bus_bits.is_some_and(|bits| bits >= 2048) {
            device.memory_type = Some("HBM".to_owned());
        }
        if let (Some(clock), Some(bits)) = (self.memory_clock_mhz, self.bus_bits) {
            // Two transfers a clock: the driver's clock counts so for every kind of memory.
            device.bandwidth_gb_s = Some(2e6 * f64::from(clock) * f64::from(bits) / 8.0 / 1e9)
                .filter(|bandwidth| *bandwidth > 0.0);
        }
        device.units = self.units();
        device.clock_mhz = self.clock_mhz.map(f64::from).filter(|clock| *clock > 0.0);
        device.power_w = self.power_mw.map(|milli| f64::from(milli) / 1e3).filter(|w| *w > 0.0);
        for &precision in Precision::ALL {
            if let Some(derived) = device.derived_peak(precision) {
                device.peaks.insert(precision, rounded(derived.flops / 1e12));
            }
        }
        if !device.peaks.is_empty() {
            device.notes = Some(
                "peaks are multiprocessors x highest clock x the architecture's rate: a bound, as \
                 the clock under load is lower"
                    .to_owned(),
            );
        }
        device
    }
}
