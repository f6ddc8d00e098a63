//! The device catalog: lookup by name, selection, and launch overheads of similar devices.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use calipers_report::{DeviceClass, suggestions};
use serde::{Deserialize, Serialize};

use crate::devices::device::Device;
use crate::devices::file;

static TEXT: &str = include_str!("../../devices/devices.toml");

static BUILTIN: LazyLock<Catalog> = LazyLock::new(|| Catalog {
    // A test reads the file that is compiled in; a table that could not be read would be empty.
    devices: file::parse(TEXT).unwrap_or_default(),
});

/// Suggestions in a [`NotFound`].
const NEAR: usize = 4;

/// Returns the built-in catalog.
pub fn builtin() -> &'static Catalog {
    &BUILTIN
}

/// The devices that are built in, sorted by `id`.
pub fn all() -> &'static [Device] {
    &BUILTIN.devices
}

/// The built-in device of an `id`; see [`Catalog::find`].
pub fn find(id: &str) -> Result<&'static Device, NotFound> {
    BUILTIN.find(id)
}

/// Devices to choose from, sorted by `id`.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalog {
    devices: Vec<Device>,
}

/// Which devices to select; a device whose figure is unknown does not pass a bound on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Of this class.
    pub class: Option<DeviceClass>,
    /// Of this vendor, in any case.
    pub vendor: Option<String>,
    /// With at least this memory, in GB (10⁹ bytes).
    pub min_memory_gb: Option<f64>,
}

/// The devices that pass a [`Filter`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Selection<'a> {
    /// By class, vendor and `id`.
    pub devices: Vec<&'a Device>,
    /// Devices that were left out only because their memory is not known.
    pub unknown_memory: usize,
}

/// Overheads of issuing work, and whose they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launching {
    /// From kernel to kernel on the device, in microseconds.
    pub device_us: Option<f64>,
    /// For the host to issue one operation, in microseconds.
    pub host_us: Option<f64>,
    /// The device that they were measured on, where it is another one.
    pub extrapolated_from: Option<String>,
    /// Their source.
    pub why: String,
}

/// The error of a device name that is not in the catalog, or is ambiguous.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("unknown device {id:?}")]
pub struct NotFound {
    /// The name.
    pub id: String,
    /// Ids that may have been meant, nearest first; none where nothing is near.
    pub near: Vec<String>,
}

impl Catalog {
    /// A table of these devices alone; of those with one `id`, the last.
    pub fn new(devices: Vec<Device>) -> Self {
        let mut all: BTreeMap<String, Device> = BTreeMap::new();
        all.extend(devices.into_iter().map(|device| (device.id.clone(), device)));
        Self { devices: all.into_values().collect() }
    }

    /// This table with a user's devices; one of the same `id` takes the place of ours.
    pub fn with(&self, devices: Vec<Device>) -> Self {
        Self::new(self.devices.iter().cloned().chain(devices).collect())
    }

    /// The devices, sorted by `id`.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Returns the device of an `id`. Where there is none, the one device with that `id`, name, alias
    /// or driver name, ignoring case and punctuation: `4090` and `RTX 4090` are `rtx-4090`.
    pub fn find(&self, id: &str) -> Result<&Device, NotFound> {
        if let Some(device) = self.devices.iter().find(|device| device.id == id) {
            return Ok(device);
        }
        let wanted = suggestions::folded(id);
        let mut same = self.devices.iter().filter(|device| {
            let names = [&device.id, &device.name].into_iter();
            let mut names = names.chain(&device.aliases).chain(&device.detect_as);
            !wanted.is_empty() && names.any(|name| suggestions::folded(name) == wanted)
        });
        match (same.next(), same.next()) {
            (Some(device), None) => Ok(device),
            // Of several, the near names are all that contain the word.
            _ => Err(NotFound { id: suggestions::shortened(id), near: self.near(&wanted) }),
        }
    }

    /// Ids that may have been meant: those that contain the word, then those a few typos away.
    fn near(&self, wanted: &str) -> Vec<String> {
        if wanted.chars().count() < 2 {
            return vec![];
        }
        let enough = suggestions::max_distance(wanted);
        let far = |device: &Device| {
            let id = suggestions::folded(&device.id);
            if id.contains(wanted) || suggestions::folded(&device.name).contains(wanted) {
                return Some(0);
            }
            Some(suggestions::distance(&id, wanted)).filter(|far| *far <= enough)
        };
        let mut near: Vec<(usize, &str)> = self
            .devices
            .iter()
            .filter_map(|device| far(device).map(|far| (far, device.id.as_str())))
            .collect();
        near.sort_unstable();
        near.into_iter().take(NEAR).map(|(_, id)| id.to_owned()).collect()
    }

    /// The devices that pass, by class, vendor and `id`.
    pub fn select(&self, filter: &Filter) -> Selection<'_> {
        let mut selection = Selection::default();
        for device in &self.devices {
            let class = filter.class.is_none_or(|class| class == device.class);
            let vendor =
                filter.vendor.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(&device.vendor));
            if !(class && vendor) {
                continue;
            }
            match (filter.min_memory_gb, device.memory_gb) {
                (None, _) => selection.devices.push(device),
                (Some(least), Some(memory)) if memory >= least => selection.devices.push(device),
                // That there is none is known.
                (Some(_), None) if !device.is_on_chip_only() => selection.unknown_memory += 1,
                _ => {}
            }
        }
        selection.devices.sort_by(|one, other| {
            (one.class, &one.vendor, &one.id).cmp(&(other.class, &other.vendor, &other.id))
        });
        selection
    }

    /// Vendors in the table, sorted.
    pub fn vendors(&self) -> Vec<&str> {
        let mut vendors: Vec<&str> = self.devices.iter().map(|device| &*device.vendor).collect();
        vendors.sort_unstable();
        vendors.dedup();
        vendors
    }

    /// Overheads of issuing work to a device: its own, else those of a device of its architecture,
    /// else those of another GPU that was measured. `None` for what is not issued
    /// kernel by kernel, and where nothing was measured at all.
    pub fn launch(&self, device: &Device) -> Option<Launching> {
        let is_known =
            |one: &Device| one.launch.device_us.is_some() || one.launch.host_us.is_some();
        let of = |from: &Device, why: String| Launching {
            device_us: from.launch.device_us,
            host_us: from.launch.host_us,
            extrapolated_from: (from.id != device.id).then(|| from.id.clone()),
            why,
        };
        if is_known(device) {
            return Some(of(device, "measured on this device".to_owned()));
        }
        if !device.class.launches_kernels() {
            return None;
        }
        let mut known = self.devices.iter().filter(|other| is_known(other));
        let same = known.clone().find(|other| other.architecture == device.architecture);
        if let Some(from) = same {
            let why = format!("extrapolated from {}, of the same architecture", from.name);
            return Some(of(from, why));
        }
        let from = known.find(|other| other.class.launches_kernels())?;
        Some(of(from, format!("extrapolated from {}, of another architecture", from.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_found_by_what_people_call_it() {
        for (asked, id) in [
            ("h100-sxm", "h100-sxm"),
            ("RTX 4090", "rtx-4090"),
            ("RTX 4050 Laptop", "rtx-4050-mobile"),
            ("NVIDIA GeForce RTX 4090", "rtx-4090"),
            ("rtx4090", "rtx-4090"),
            ("NVIDIA H200", "h200-sxm"),
            ("H200", "h200-sxm"),
            ("h100", "h100-sxm"),
            ("a100", "a100-80-sxm"),
            ("4090", "rtx-4090"),
            ("orin", "jetson-agx-orin-64"),
            ("2080ti", "rtx-2080-ti"),
        ] {
            assert_eq!(find(asked).unwrap().id, id, "{asked}");
        }
    }

    #[test]
    fn what_is_not_found_has_neighbors() {
        let near = |id: &str| find(id).unwrap_err().near;
        assert_eq!(near("h100-p"), ["h100-pcie"]);
        assert_eq!(near("hailo"), ["hailo-10h", "hailo-8", "hailo-8l"]);
        assert_eq!(near("rtx-4909")[0], "rtx-4090");
        assert_eq!(near("abacus"), [""; 0]);
        assert_eq!(near(""), [""; 0]);
        assert_eq!(near("-"), [""; 0]);
        let long = "x".repeat(100_000);
        assert!(find(&long).unwrap_err().to_string().len() < 200);
    }

    #[test]
    fn selections_say_whom_they_leave_out() {
        let filter = Filter { class: Some(DeviceClass::Soc), ..Filter::default() };
        let soc = builtin().select(&filter);
        assert!(soc.devices.iter().all(|device| device.vendor == "apple"));
        let filter = Filter { min_memory_gb: Some(32.0), ..filter };
        let large = builtin().select(&filter);
        // Every Apple chip has 32 GB or more but the M2, which has 24.
        assert_eq!((large.devices.len(), large.unknown_memory), (soc.devices.len() - 1, 0));
        let filter =
            Filter { class: Some(DeviceClass::Npu), min_memory_gb: Some(1.0), vendor: None };
        let npu = builtin().select(&filter);
        // The Hailo-10H has its own memory, Coral and two Hailo-8 have none, laptops differ.
        assert_eq!((npu.devices.len(), npu.unknown_memory), (1, 4));
    }

    #[test]
    fn a_users_device_takes_the_place_of_ours() {
        let mut mine = find("l4").unwrap().clone();
        mine.memory_gb = Some(23.0);
        let catalog = builtin().with(vec![mine]);
        assert_eq!(catalog.devices().len(), all().len());
        assert_eq!(catalog.find("l4").unwrap().memory_gb, Some(23.0));
        assert_eq!(find("l4").unwrap().memory_gb, Some(24.0));
    }

    #[test]
    fn extrapolated_overheads_name_their_source() {
        let launch = |id: &str| builtin().launch(find(id).unwrap());
        let own = launch("h200-sxm").unwrap();
        assert_eq!((own.extrapolated_from, &*own.why), (None, "measured on this device"));
        let same = launch("h100-pcie").unwrap();
        assert_eq!(same.extrapolated_from.as_deref(), Some("h200-sxm"));
        assert!(same.why.ends_with("of the same architecture"));
        assert!(launch("rtx-4090").unwrap().why.ends_with("of another architecture"));
        assert_eq!(launch("rpi5"), None);
        assert_eq!(launch("hailo-8"), None);
    }
}
