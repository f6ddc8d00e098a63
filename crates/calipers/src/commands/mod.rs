//! The commands, one file each: a type with what it needs, and `run`.

mod completions;
mod demo;
mod inspect;
mod man;
mod schema;

pub(crate) use completions::Completions;
pub(crate) use demo::Demo;
pub(crate) use inspect::Inspect;
pub(crate) use man::Man;
pub(crate) use schema::Schema;
