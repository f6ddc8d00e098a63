//! The commands, one file each: a type with what it needs, and `run`.

mod completions;
mod demo;
mod inspect;
mod man;
mod model;
mod schema;
mod shapes;

pub(crate) use completions::Completions;
pub(crate) use demo::Demo;
pub(crate) use inspect::Inspect;
pub(crate) use man::Man;
pub(crate) use schema::Schema;
pub(crate) use shapes::Shapes;
