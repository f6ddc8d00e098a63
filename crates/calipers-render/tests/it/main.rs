//! Renderings of reports: reviewed snapshots, and what must hold for every report.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod cards;
#[cfg(feature = "png")]
mod charts;
mod fixtures;
mod layout;
mod page;
mod snapshots;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut suites = vec![cards::tests(), layout::tests(), page::tests(), snapshots::tests()];
    #[cfg(feature = "png")]
    suites.extend(charts::tests());
    calipers_testkit::main(suites)
}
