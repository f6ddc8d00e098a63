//! Residuals, and what convolutional networks are made of.

use calipers_report::ArchitectureFacts;

use crate::net::Net;

pub(super) fn fill(net: &Net<'_>, facts: &mut ArchitectureFacts) {
    // Of a network without products, such as a tree, nothing is said.
    if net.units().any(|(_, unit)| unit.contractions() > 0) {
        facts.residuals = Some(net.count("ResidualAdd"));
    }
}
