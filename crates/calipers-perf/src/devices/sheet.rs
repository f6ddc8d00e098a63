//! Devices as data for listings.

use calipers_report::{
    DeviceList, DeviceSheet, DeviceSpec, LaunchSource, Precision, PrecisionPeak,
};

use crate::devices::catalog::{Catalog, Launching, Selection};
use crate::devices::device::Device;

impl Catalog {
    /// A device in full. It need not be in the catalog.
    pub fn sheet(&self, device: &Device) -> DeviceSheet {
        let runs_at = |precision: &Precision| PrecisionPeak {
            precision: *precision,
            peak: device.runs_at(*precision),
        };
        DeviceSheet {
            found: vec![],
            matched: None,
            device: DeviceSpec::from(device),
            precisions: Precision::ALL.iter().map(runs_at).collect(),
            launching: self.launch(device).map(LaunchSource::from),
        }
    }
}

impl Selection<'_> {
    /// The selected devices as data.
    pub fn list(&self) -> DeviceList {
        DeviceList {
            devices: self.devices.iter().map(|device| DeviceSpec::from(*device)).collect(),
            unknown_memory: self.unknown_memory,
        }
    }
}

impl From<&Device> for DeviceSpec {
    fn from(device: &Device) -> Self {
        let device = device.clone();
        Self {
            id: device.id,
            name: device.name,
            vendor: device.vendor,
            class: device.class,
            architecture: device.architecture,
            memory_gb: device.memory_gb,
            memory_type: device.memory_type,
            bandwidth_gb_s: device.bandwidth_gb_s,
            on_chip: device.on_chip,
            peaks: device.peaks.into_iter().collect(),
            units: device.units,
            performance_cores: device.performance_cores,
            clock_mhz: device.clock_mhz,
            matrix_clock_mhz: device.matrix_clock_mhz,
            cache_mb: device.cache_mb,
            power_w: device.power_w,
            launch: device.launch,
            aliases: device.aliases,
            detect_as: device.detect_as,
            dense_checked: device.dense_checked,
            evidence: device.evidence,
            source: device.source,
            derivation: device.derivation,
            checked: device.checked,
            notes: device.notes,
        }
    }
}

impl From<Launching> for LaunchSource {
    fn from(launching: Launching) -> Self {
        Self {
            device_us: launching.device_us,
            host_us: launching.host_us,
            extrapolated_from: launching.extrapolated_from,
            why: launching.why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::catalog::builtin;

    #[test]
    fn a_listing_is_the_device_field_by_field() {
        for device in builtin().devices() {
            let spec = serde_json::to_string(&DeviceSpec::from(device)).unwrap();
            assert_eq!(spec, serde_json::to_string(device).unwrap());
        }
    }

    #[test]
    fn sheets_are_read_back_from_json() {
        for device in builtin().devices() {
            let sheet = builtin().sheet(device);
            let json = serde_json::to_string(&sheet).unwrap();
            assert_eq!(serde_json::from_str::<DeviceSheet>(&json).unwrap(), sheet);
        }
    }
}
