//! Reading the two files that are compiled in. An error in them is for a test to find.

use std::collections::BTreeMap;

use calipers_report::{DeviceClass, Precision};
use serde::Deserialize;

use super::{CAUTIOUS, KernelKind, KernelModel};

/// All constants of kernel timing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tables {
    pub(super) architectures: Vec<Architecture>,
    pub(super) defaults: Vec<Assumed>,
    pub(super) extrapolations: Vec<Extrapolation>,
}

/// Timing models of a measured architecture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Architecture {
    pub(super) name: String,
    pub(super) device: String,
    pub(super) framework: String,
    pub(super) models: BTreeMap<(KernelKind, Precision), KernelModel>,
    pub(super) kernel_rows: u32,
    pub(super) model_rows: u32,
    pub(super) held_out_error: f64,
    pub(super) range: f64,
    pub(super) range_holds_percent: f64,
    pub(super) host_us: f64,
    pub(super) host_range: f64,
}

/// Constants for a class of devices that was not measured.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Assumed {
    pub(super) class: DeviceClass,
    pub(super) model: KernelModel,
    pub(super) efficiency: BTreeMap<KernelKind, f64>,
    pub(super) range: f64,
    pub(super) why: String,
}

/// How much wider the range is where a measured GPU's constants are used for another one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Extrapolation {
    pub(super) to: Similarity,
    pub(super) range: f64,
    pub(super) why: String,
}

/// What a GPU has in common with the measured one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Similarity {
    SameArchitecture,
    SameVendor,
    Other,
}

impl Tables {
    pub(super) fn parse(architectures: &str, defaults: &str) -> Result<Self, toml::de::Error> {
        let measured: ArchitectureFile = toml::from_str(architectures)?;
        let assumed: DefaultFile = toml::from_str(defaults)?;
        Ok(Self {
            architectures: measured.architecture.into_iter().map(Architecture::from).collect(),
            defaults: assumed.default.into_iter().map(Assumed::from).collect(),
            extrapolations: assumed.carry,
        })
    }
}

/// `architectures.toml`, which `scripts/fit-latency` writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArchitectureFile {
    architecture: Vec<RawArchitecture>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the file documents its fit; not all of it is used")]
struct RawArchitecture {
    name: String,
    device: String,
    framework: String,
    kernel_rows: u32,
    model_rows: u32,
    models: u32,
    families: u32,
    held_out_error: f64,
    held_out_within_25_percent: f64,
    range: f64,
    range_holds_percent: f64,
    host_us: f64,
    host_error: f64,
    host_range: f64,
    in_model: BTreeMap<String, f64>,
    timing_model: Vec<RawModel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawModel {
    kind: KernelKind,
    precision: Precision,
    peak: Option<Precision>,
    launch_us: f64,
    // Kernels that only move data have neither an efficiency nor a depth.
    #[serde(default = "cautious_efficiency")]
    efficiency: f64,
    bandwidth: f64,
    #[serde(default)]
    depth_ns: f64,
    blend: f64,
    rows: u32,
    error: f64,
}

fn cautious_efficiency() -> f64 {
    CAUTIOUS.efficiency
}

impl From<RawArchitecture> for Architecture {
    fn from(raw: RawArchitecture) -> Self {
        let models =
            raw.timing_model.into_iter().map(|raw| ((raw.kind, raw.precision), raw.into()));
        Self {
            name: raw.name,
            device: raw.device,
            framework: raw.framework,
            models: models.collect(),
            kernel_rows: raw.kernel_rows,
            model_rows: raw.model_rows,
            held_out_error: raw.held_out_error,
            range: raw.range,
            range_holds_percent: raw.range_holds_percent,
            host_us: raw.host_us,
            host_range: raw.host_range,
        }
    }
}

impl From<RawModel> for KernelModel {
    fn from(raw: RawModel) -> Self {
        Self {
            launch_us: raw.launch_us,
            efficiency: raw.efficiency,
            bandwidth: raw.bandwidth,
            depth_ns: raw.depth_ns,
            blend: raw.blend,
            peak: raw.peak,
            rows: raw.rows,
            error: raw.error,
        }
    }
}

/// `defaults.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DefaultFile {
    carry: Vec<Extrapolation>,
    default: Vec<RawDefault>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDefault {
    class: DeviceClass,
    launch_us: f64,
    bandwidth: f64,
    blend: f64,
    efficiency: BTreeMap<KernelKind, f64>,
    range: f64,
    why: String,
}

impl From<RawDefault> for Assumed {
    fn from(raw: RawDefault) -> Self {
        let RawDefault { class, launch_us, bandwidth, blend, efficiency, range, why } = raw;
        let model = KernelModel { launch_us, bandwidth, blend, ..CAUTIOUS };
        Self { class, model, efficiency, range, why }
    }
}
