//! Diagrams of a graph that is cut into groups: layout, SVG, DOT.
//!
//! [`layered`] lays out the boxes of one group. [`groups`] does so for every group of a view, each
//! collapsed; the page expands them in place. [`scene`] expands groups down to a depth, for charts that do
//! not move.

mod dot;
pub mod groups;
pub mod labels;
pub mod layered;
mod order;
mod places;
pub mod scene;
mod svg;

pub use dot::dot;
pub use layered::{Band, Place, Sheet, Task, lay_out};
pub use svg::svg;
