//! The Gaussian error linear unit.
use super::Recogniser;
use crate::net::{Found, Net, UnitId};

pub(crate) const GELU: Recogniser =
    Recogniser { kind: "GELU", what: "Gaussian error linear unit.", ends: &["Gelu"], find };

fn find(_: &Net<'_>, end: UnitId) -> Option<Found> {
    Some(Found::of([end]))
}
