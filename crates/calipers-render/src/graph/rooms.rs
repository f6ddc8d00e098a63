//! The layout of every room, each with what is in it closed.

use calipers_report::{GraphView, Room, RoomItem};

use super::labels::{self, Label};
use super::layered::{Sheet, Task, lay_out};

/// A room laid out.
#[derive(Clone, Debug, Default)]
pub struct LaidOut {
    /// What stands in each box.
    pub labels: Vec<Label>,
    /// Where the boxes and the arrows are.
    pub sheet: Sheet,
}

/// Lays out every room. The time is in proportion to boxes and arrows, since each room is bounded.
pub fn lay_out_rooms(view: &GraphView) -> Vec<LaidOut> {
    view.rooms
        .iter()
        .map(|room| {
            let labels: Vec<Label> =
                room.items.iter().map(|item| labels::label(view, *item)).collect();
            let sizes = room.items.iter().zip(&labels);
            let sizes = sizes.map(|(item, label)| labels::size(*item, label)).collect();
            LaidOut { sheet: lay_out(&task(room, sizes)), labels }
        })
        .collect()
}

/// What is to be laid out of a room, when its boxes have these sizes.
pub fn task(room: &Room, sizes: Vec<(f64, f64)>) -> Task {
    let place = |wanted: RoomItem| room.items.iter().position(|item| *item == wanted);
    Task {
        sizes,
        arrows: room.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
        order: (0..room.items.len()).collect(),
        top: place(RoomItem::Entry),
        bottom: place(RoomItem::Exit),
    }
}
