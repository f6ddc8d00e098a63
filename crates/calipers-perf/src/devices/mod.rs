//! Devices as data: memory, bandwidth, dense peaks by precision, power, each with its evidence and
//! source; and, with the feature `detect`, what device this machine is.
//!
//! ```
//! use calipers_perf::devices::{Precision, find};
//!
//! let h100 = find("h100-sxm")?;
//! assert_eq!(h100.peak(Precision::Fp16), Some(989.5e12)); // FLOP/s, dense
//! assert_eq!(h100.bandwidth(), Some(3350e9)); // bytes a second
//!
//! // A Volta has no bf16 units that anybody states: a runtime widens to fp32, and that is said.
//! let peak = find("v100-sxm2-32")?.runs_at(Precision::Bf16).unwrap();
//! assert_eq!(peak.precision_used, Precision::Fp32);
//! assert!(peak.why.contains("no bf16 peak is known"));
//! # Ok::<(), calipers_perf::devices::NotFound>(())
//! ```
//!
//! The table is `devices.toml`, whose head explains every field. A user's file of the same format
//! goes through [`load`] and [`Catalog::with`]. `architectures.toml` holds
//! kernel timing models that were fitted on measurements; [`DeviceTiming`] selects among them.
//!
//! An unknown figure is `None`, never 0 and never a guess.

mod catalog;
mod derive;
#[cfg(feature = "detect")]
mod detect;
mod device;
mod error;
mod file;
mod precision;
mod sheet;
mod timing;

pub use calipers_report::{
    DeviceClass, Evidence, LaunchOverhead, OnChipMemory, PeakSpec, Precision,
};
pub use catalog::{Catalog, Filter, Launching, NotFound, Selection, all, builtin, find};
pub use derive::Derived;
#[cfg(feature = "detect")]
pub use detect::{Cpu, Detected, Gpu, Vector, detect};
pub use device::Device;
pub use error::{DeviceFileError, Fault, Place};
pub use file::{MAX_BYTES, load, parse};
pub use precision::{UnknownPrecision, fallbacks, parse_precision};
pub use timing::{DeviceTiming, HostOverhead, KernelKind, KernelModel, KernelTime, SelectedModel};
