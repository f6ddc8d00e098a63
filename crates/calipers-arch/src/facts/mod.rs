//! Figures of the network, from its blocks. Each file fills in what it knows.

mod convolutions;
mod layers;
mod norms;
mod resolutions;
mod sequences;

use calipers_report::{ArchitectureFacts, Memory, Parameters};
pub use norms::is_norm_folded;
pub(crate) use resolutions::measure_resolutions;

use crate::network::Network;

/// The figures.
pub(crate) fn measure(
    net: &Network<'_>,
    parameters: &Parameters,
    memory: &Memory,
) -> ArchitectureFacts {
    let mut facts = ArchitectureFacts::default();
    layers::fill(net, parameters, &mut facts);
    norms::fill(net, &mut facts);
    convolutions::fill(net, &mut facts);
    sequences::fill(net, &mut facts);
    facts.kv_cache = Some(memory.kv_cache.is_some());
    if let Some(cache) = &memory.kv_cache {
        facts.kv_bytes_per_token = cache.bytes_per_token.and_then(|bytes| bytes.try_into().ok());
    }
    facts
}
