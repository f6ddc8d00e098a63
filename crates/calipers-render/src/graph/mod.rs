//! Drawings of a graph that is cut into rooms: layout, SVG, DOT.
//!
//! [`layered`] lays out the boxes of one room. [`rooms`] does so for every room of a view, each
//! closed; the page opens them in place. [`scene`] opens rooms down to a depth, for pictures that do
//! not move.

mod dot;
pub mod labels;
pub mod layered;
mod order;
mod places;
pub mod rooms;
pub mod scene;
mod svg;

pub use dot::dot;
pub use layered::{Band, Place, Sheet, Task, lay_out};
pub use svg::svg;
