//! Scopes, order and random graphs.

mod common;
mod linking;
mod ordering;
mod random_graphs;
