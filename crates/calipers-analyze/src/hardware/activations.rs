//! How much memory activations take while a framework runs the kernels.

use calipers_devices::Precision;
use calipers_ir::NodeId;

use super::estimate::NoEstimate;
use super::kernels;
use crate::net::Net;

/// What is alive when most is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ActivationPeak {
    /// Results of kernels that are still needed, without the caller's inputs and without workspace.
    pub(crate) activations: u64,
    /// What a kernel takes beside its inputs and outputs while it runs, at that moment.
    pub(crate) workspace: u64,
    /// The caller's inputs, which are there all the time.
    pub(crate) inputs: u64,
    /// The node whose kernel runs then.
    pub(crate) at: Option<NodeId>,
}

impl ActivationPeak {
    /// All of it.
    pub(crate) fn total(self) -> u64 {
        self.activations.saturating_add(self.workspace).saturating_add(self.inputs)
    }
}

/// Results of kernels with their lives. Found once, evaluated at every size.
#[derive(Clone, Debug)]
pub(crate) struct Activations {
    kernels: Vec<kernels::Kernel>,
}

impl Activations {
    pub(crate) fn of(net: &Net<'_>) -> Self {
        Self { kernels: kernels::find(net) }
    }

    /// The peak. `size` gives each free dimension its size.
    pub(crate) fn peak(
        &self,
        size: &dyn Fn(&str) -> Option<i64>,
        precision: Precision,
    ) -> Result<ActivationPeak, NoEstimate> {
        let mut most = ActivationPeak { activations: 0, workspace: 0, inputs: 0, at: None };
        for kernel in &self.kernels {
            let elements = kernel.activations.evaluate_wide(size).map_err(|e| e.to_string())?;
            let bytes = u64::try_from(elements).unwrap_or(0) * u64::from(precision.bits()) / 8;
            if bytes > most.activations {
                most = ActivationPeak { activations: bytes, at: Some(kernel.node), ..most };
            }
        }
        Ok(most)
    }
}
