//! Recognizes the blocks of tiny models.

use calipers_arch::blocks;
use calipers_arch::network::Network;
use calipers_infer::{Bindings, infer};
pub(crate) use calipers_testkit::{Tiny, TinyModel as Seen};

/// Access to the network of a tiny model.
pub(crate) trait WithNetwork {
    /// Recognizes the blocks and calls a function with the network.
    fn with_network<T>(&self, use_network: impl FnOnce(&Network<'_>) -> T) -> T;
}

impl WithNetwork for Seen {
    fn with_network<T>(&self, use_network: impl FnOnce(&Network<'_>) -> T) -> T {
        let model = calipers_formats::read(self.bytes(), "tiny.onnx").unwrap();
        let typed = infer(&model, &Bindings::default()).unwrap();
        let mut net = Network::build(&model, &typed);
        blocks::recognize(&mut net);
        use_network(&net)
    }
}
