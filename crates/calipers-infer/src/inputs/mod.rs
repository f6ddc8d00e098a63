//! What the inputs of a model are, and how their dimensions are named.

mod layout;
mod names;
mod reads;
mod values;

pub use layout::{AxisRole, InputKind, InputLayout, layout};
pub(super) use names::{Names, is_anonymous};
pub(super) use values::{ValueMistake, ValueNames, with_symbols, with_values};
