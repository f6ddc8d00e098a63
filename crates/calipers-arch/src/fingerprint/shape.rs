//! Weight shapes in a form that does not depend on who wrote the file.
//!
//! The build script compiles the library with this file too, so both sides of a comparison are
//! brought to the same form.

/// Dimensions of a shape that are compared: five of a 3D convolution, no more.
const MAX_DIMS: usize = 5;

/// Bits of a dimension in the packed form.
const BITS: u32 = 24;

/// Rows of a table that make it a vocabulary.
pub(crate) const VOCABULARY: i64 = 5000;

/// What a stored sequence of shapes refers back with: `COPY | length`, then the distance.
pub(crate) const COPY: u16 = 0x8000;

/// The shape of a weight: its dimensions larger than 1, in ascending order.
///
/// Sorting makes a transposed matrix the same shape, and leaving ones out makes a 1×1 convolution
/// the same as a linear layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WeightShape(u128);

impl WeightShape {
    /// The shape of a tensor; `None` for a scalar, and for what no weight looks like.
    pub(crate) fn new(dims: &[i64]) -> Option<Self> {
        let mut kept: Vec<i64> = dims.iter().copied().filter(|dim| *dim != 1).collect();
        kept.sort_unstable();
        let fits = |dim: &i64| *dim > 1 && *dim < 1 << BITS;
        if kept.is_empty() || kept.len() > MAX_DIMS || !kept.iter().all(fits) {
            return None;
        }
        let pack = |packed: u128, dim: &i64| packed << BITS | u128::from(dim.unsigned_abs());
        Some(Self(kept.iter().fold(0, pack)))
    }

    /// The packed form.
    #[allow(dead_code, reason = "the build script writes it")]
    pub(crate) fn bits(self) -> u128 {
        self.0
    }

    /// The shape of a packed form.
    pub(crate) fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The dimensions in ascending order.
    pub(crate) fn dims(self) -> Vec<i64> {
        let places = (0..MAX_DIMS).rev().map(|at| self.0 >> (BITS as usize * at));
        let dims = places.map(|shifted| (shifted & ((1 << BITS) - 1)) as i64);
        dims.filter(|dim| *dim > 0).collect()
    }

    /// Whether it is more than a vector. Vectors are folded into other weights too often to count.
    pub(crate) fn is_matrix(self) -> bool {
        self.0 >> BITS != 0
    }

    /// The shapes that are compared in its place. One projection to queries, keys and values is
    /// three, as other exporters write it.
    pub(crate) fn split(self) -> (Self, usize) {
        match self.dims()[..] {
            [narrow, wide] if Some(wide) == narrow.checked_mul(3) => {
                (Self::new(&[narrow, narrow]).unwrap_or(self), 3)
            }
            _ => (self, 1),
        }
    }
}
