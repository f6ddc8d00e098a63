//! What a graph shows of a network that the shapes of its weights do not.

use calipers_report::Family;

use crate::network::Network;

/// What a graph shows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Structure {
    /// Whether layers divide by lengths: cosine attention, or a norm of responses over an image.
    pub divides_by_length: bool,
}

/// Families of the same shapes: layers of the first divide by lengths, layers of the second do not.
const BY_LENGTH: [(&[Family], &[Family]); 2] = [
    (&[Family::Swinv2, Family::Swinv2Cr], &[Family::Swin]),
    (&[Family::Convnextv2], &[Family::Convnext, Family::Dinov3Convnext]),
];

impl Structure {
    /// The structure of a network whose blocks are not folded yet.
    pub(crate) fn new(net: &Network<'_>) -> Self {
        /// An embedding that ends in a norm has one or two.
        const FEWEST: i64 = 4;
        let lengths = net.count("ReduceL2") + net.count("LpNormalization");
        Self { divides_by_length: lengths + net.count("ReduceSumSquare") >= FEWEST }
    }

    /// Whether networks of a family are built otherwise.
    pub(crate) fn contradicts(self, family: Family) -> bool {
        let differs = |(with, without): &(&[Family], &[Family])| {
            (if self.divides_by_length { without } else { with }).contains(&family)
        };
        BY_LENGTH.iter().any(differs)
    }
}
