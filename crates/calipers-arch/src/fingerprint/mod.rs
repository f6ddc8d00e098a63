//! Names networks by the shapes of their weights.
//!
//! [`Signature`] lists the shapes of a network's weights in order of execution, in a form that does
//! not depend on the exporter, the opset, transposition, fused projections, folded norms,
//! quantization or packing. [`matching`] compares it with the [`library`] of public networks.

mod identity;
mod library;
mod matching;
mod sequences;
mod shape;
mod signature;
mod structure;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text;

use calipers_report::units;
pub(crate) use identity::Identity;
use library::Library;
use matching::matches;
use signature::Signature;
use structure::Structure;

use crate::network::Network;

/// The families of the library's networks.
#[cfg(test)]
pub(crate) fn families() -> Vec<&'static str> {
    let mut families: Vec<&str> = Library::new().entries().map(library::Entry::family).collect();
    families.sort_unstable();
    families.dedup();
    families
}

/// The networks of the library that a network resembles, the best first, a line each; then its weights.
pub(crate) fn resemblances(net: &Network<'_>) -> Vec<String> {
    let library = Library::new();
    let signature = Signature::new(net, library);
    let structure = Structure::new(net);
    let found = matches(library, &signature).into_iter();
    let found = found
        .filter(|found| identity::family(found.entry).is_none_or(|it| !structure.contradicts(it)));
    let weights = format!("weights: {}", signature.text(library).join(" "));
    let found = found.map(|found| {
        format!(
            "{} ({}): {:?}, similarity {}, {} of {} weights, {} more, head {:?}, channels {:?}, \
                 other parameters: {:?}, in order: {}",
            found.entry.reference(),
            found.entry.variant(),
            found.relation,
            units::decimal(found.similarity),
            found.found,
            found.of,
            found.extra,
            found.head,
            found.channels,
            found.others,
            found.in_order,
        )
    });
    found.chain([weights]).collect()
}
