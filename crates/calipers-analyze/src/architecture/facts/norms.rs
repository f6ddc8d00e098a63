//! Norms and activations.

use calipers_report::ArchitectureFacts;

use crate::net::Net;

pub(super) fn fill(net: &Net<'_>, facts: &mut ArchitectureFacts) {
    for kind in ["LayerNorm"] {
        let count = net.count(kind);
        if count > 0 {
            facts.norm.insert(kind.to_owned(), count);
        }
    }
}
