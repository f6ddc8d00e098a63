#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// Timing of processors: measured kernels and the constants that are fitted to them.
pub mod processor {
    pub use calipers_perf::{
        CpuTiming, KernelMeasurement, KindTiming, ProcessorKernel, ProcessorKind, fit_cpu,
    };
}

mod compare;
mod error;
mod model;
mod options;
pub mod render;

pub use calipers_compare::{add_metrics, gates, is_error_metric, table};
pub use calipers_infer::{BindError, Bindings};
pub use calipers_ir::secrets;
pub use calipers_lint::{Selection, SelectionError, any_as_severe, finding_table, rules};
pub use calipers_measure::{LayerOrder, LayerQuery, Sweep, SweepError};
pub use calipers_perf::{Batch, HardwareQuery, devices};
pub use calipers_report as report;
pub use calipers_report::{GraphView, Report};
pub use calipers_summary::Audience;
pub use compare::{Compared, compare, compare_each, compare_graphs};
pub use error::Error;
pub use model::{Description, Model, NodePrediction};
pub use options::Options;
