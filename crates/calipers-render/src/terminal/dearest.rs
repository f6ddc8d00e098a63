//! The nodes that cost most.
//!
//! ```text
//!   Dearest      /model.1/conv/Conv  1.89 G   2.3%  ██████████████
//! ```

use calipers_report::Report;

use super::chart::{self, Bar};
use super::page::Page;
use crate::{text, units};

/// Nodes that are shown.
const SHOWN: usize = 3;
/// Columns of a node's name.
const NAME: usize = 34;

/// The dearest few, where there are more than those.
pub(super) fn nodes(report: &Report, page: &mut Page) {
    let dearest = &report.cost.dearest;
    if dearest.len() <= SHOWN {
        return;
    }
    let bars: Vec<Bar> = dearest
        .iter()
        .take(SHOWN)
        .filter_map(|node| {
            let name = text::truncate(&text::name(&node.node, page.charset), NAME, page.charset);
            let macs = node.work.macs.filter(|macs| *macs > 0)?;
            let percent = node.percent.map(units::percent).unwrap_or_default();
            Some(Bar { name, figures: vec![units::magnitude(macs), percent], length: macs })
        })
        .collect();
    let lines = chart::bars(&bars, page);
    page.section("Dearest", "by MACs", lines);
}
