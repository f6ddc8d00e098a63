//! Everything that is said of one device, settled, so that whoever shows it computes nothing.

use serde::{Deserialize, Serialize};

use crate::catalog::{Catalog, Launching};
use crate::device::Device;
use crate::precision::{Peak, Precision};

/// One device in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceSheet {
    /// What was found on this machine, a sentence each; nothing for a device that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// The row of the table that a found device is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// The device.
    pub device: Device,
    /// At which peak each precision runs, widest first.
    pub precisions: Vec<Running>,
    /// Overheads of issuing work, where they are known or carried over.
    pub launching: Option<Launching>,
}

/// A precision on a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Running {
    /// What was asked for.
    pub precision: Precision,
    /// What it gets; `None` where no peak of it or of a fallback is known.
    pub peak: Option<Peak>,
}

impl Catalog {
    /// A device in full. It need not be in the table.
    pub fn sheet(&self, device: &Device) -> DeviceSheet {
        let running = |precision| Running { precision, peak: device.runs_at(precision) };
        DeviceSheet {
            found: vec![],
            matched: None,
            device: device.clone(),
            precisions: Precision::ALL.map(running).to_vec(),
            launching: self.launch(device),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::builtin;

    #[test]
    fn sheets_are_read_back_from_json() {
        for device in builtin().devices() {
            let sheet = builtin().sheet(device);
            let json = serde_json::to_string(&sheet).unwrap();
            let read: DeviceSheet = serde_json::from_str(&json).unwrap();
            assert_eq!(read.device, *device);
            assert_eq!((read.launching, read.found), (sheet.launching, sheet.found));
        }
    }
}
