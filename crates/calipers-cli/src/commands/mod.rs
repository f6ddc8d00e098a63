//! The commands, one file each: a type with what it needs, and `run`.

mod bench;
mod calibrate;
mod card;
mod check;
mod compare;
mod completions;
mod demo;
pub(crate) mod devices;
mod diagram;
mod explain;
mod graph;
mod hardware;
mod index;
mod inspect;
mod layers;
mod man;
pub(crate) mod model;
mod places;
mod reading;
mod report;
#[cfg(feature = "apply")]
mod run;
#[cfg(not(feature = "apply"))]
#[path = "no_run.rs"]
mod run;
pub(crate) mod saved;
pub(crate) mod scan;
mod schema;
mod shapes;
mod summary;
mod sweep;
mod verify;

pub(crate) use bench::Bench;
pub(crate) use calibrate::Calibrate;
pub(crate) use card::{Assets, Card, Day, Form};
pub(crate) use check::{Check, Gate};
pub(crate) use compare::Compare;
pub(crate) use completions::Completions;
pub(crate) use demo::Demo;
pub(crate) use devices::{Asked, Devices};
pub(crate) use diagram::Diagram;
pub(crate) use explain::Explain;
pub(crate) use graph::Graph;
pub(crate) use hardware::{Chosen, Hardware, Wanted};
pub(crate) use index::Index;
pub(crate) use inspect::Inspect;
pub(crate) use layers::Layers;
pub(crate) use man::Man;
pub(crate) use reading::Reading;
pub(crate) use report::ReportPage;
pub(crate) use run::Run;
#[cfg(feature = "apply")]
pub(crate) use run::RunFile;
pub(crate) use scan::Scan;
pub(crate) use schema::Schema;
pub(crate) use shapes::Shapes;
pub(crate) use summary::Summarizing;
pub(crate) use sweep::Sweeping;
pub(crate) use verify::Verify;

pub(crate) use crate::privacy::Privacy;
