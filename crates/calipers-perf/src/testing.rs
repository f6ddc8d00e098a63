//! Recognizes the blocks of tiny models.

use calipers_arch::blocks;
use calipers_arch::network::Network;
use calipers_infer::{Bindings, infer};
pub(crate) use calipers_testkit::{Tiny, TinyModel as Seen};

/// Looks at the network of a tiny model.
pub(crate) trait Look {
    /// Recognizes the blocks and looks at the network.
    fn look<T>(&self, look: impl FnOnce(&Network<'_>) -> T) -> T;
}

impl Look for Seen {
    fn look<T>(&self, look: impl FnOnce(&Network<'_>) -> T) -> T {
        let model = calipers_formats::read(self.bytes(), "tiny.onnx").unwrap();
        let typed = infer(&model, &Bindings::default()).unwrap();
        let mut net = Network::build(&model, &typed);
        blocks::recognize(&mut net);
        look(&net)
    }
}
