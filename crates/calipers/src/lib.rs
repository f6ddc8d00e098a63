#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

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
pub use calipers_perf::{HardwareQuery, devices};
pub use calipers_report as report;
pub use calipers_report::{GraphView, Report};
pub use calipers_summary::Audience;
pub use compare::{Compared, compare, compare_each, compare_graphs};
pub use error::Error;
pub use model::Model;
pub use options::Options;
