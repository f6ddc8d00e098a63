//! The layout of every group, each with its inner groups collapsed.

use calipers_report::{GraphGroup, GraphView, GroupItem};

use super::labels::{self, Label};
use super::layered::{Sheet, Task, lay_out};

/// A group laid out.
#[derive(Clone, Debug, Default)]
pub struct LaidOut {
    /// What is in each box.
    pub labels: Vec<Label>,
    /// Where the boxes and the arrows are.
    pub sheet: Sheet,
}

/// Lays out every group. The time is in proportion to boxes and arrows, since each group is bounded.
pub fn lay_out_groups(view: &GraphView) -> Vec<LaidOut> {
    view.groups.iter().map(|group| lay_out_group(view, group)).collect()
}

/// Lays out a group.
pub fn lay_out_group(view: &GraphView, group: &GraphGroup) -> LaidOut {
    let labels: Vec<Label> = group.items.iter().map(|item| labels::label(view, *item)).collect();
    let sizes = group.items.iter().zip(&labels);
    let sizes = sizes.map(|(item, label)| labels::size(*item, label)).collect();
    LaidOut { sheet: lay_out(&task(group, sizes)), labels }
}

/// The boxes and arrows of a group to lay out, with these sizes.
pub fn task(group: &GraphGroup, sizes: Vec<(f64, f64)>) -> Task {
    let place = |wanted: GroupItem| group.items.iter().position(|item| *item == wanted);
    Task {
        sizes,
        arrows: group.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
        order: (0..group.items.len()).collect(),
        top: place(GroupItem::Entry),
        bottom: place(GroupItem::Exit),
    }
}
