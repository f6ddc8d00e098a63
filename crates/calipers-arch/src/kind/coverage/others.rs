//! Networks of families that code outside of tables names, built a node at a time.

use calipers_report::Family;

/// A network, and whether it is of a family.
pub(super) struct OtherCase {
    pub family: Family,
    pub is_positive: bool,
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

pub(super) fn cases() -> Vec<OtherCase> {
    Vec::new()
}
