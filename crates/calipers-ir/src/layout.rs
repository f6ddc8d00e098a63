//! How the operands of a node are ordered, where that is not the order of its operator's row.
//!
//! TensorFlow convolves images with the channels last and kernels with the output channels last;
//! the row of `Conv` says what a convolution does for one order of the dimensions. A [`Layout`]
//! says, for each operand that differs, which of its dimensions the row finds at each place.

use crate::{DType, Model, NodeId, TensorId, ValueId};

/// The operands of a node whose dimensions are in another order than the operator's row expects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Inputs, by their place.
    pub inputs: Vec<(usize, Axes)>,
    /// Outputs, by their place.
    pub outputs: Vec<(usize, Axes)>,
}

/// An order of dimensions: what the row finds at each place is the product of these dimensions of the
/// file. Mostly it is one of them; kernels in groups have two for one, and an empty list is a dimension
/// of size 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axes(Box<[Box<[u8]>]>);

impl Axes {
    /// An order in which place `i` of the row is dimension `order[i]` of the file; `None` unless each
    /// number below the count is there once.
    pub fn new(order: &[u8]) -> Option<Self> {
        let places: Vec<&[u8]> = order.iter().map(std::slice::from_ref).collect();
        Self::grouped(&places)
    }

    /// An order in which place `i` of the row is the product of the dimensions `places[i]` of the file;
    /// `None` unless each dimension is in one place.
    pub fn grouped(places: &[&[u8]]) -> Option<Self> {
        let count = places.iter().map(|place| place.len()).sum::<usize>();
        let mut seen = [false; 256];
        for axis in places.iter().copied().flatten() {
            if usize::from(*axis) >= count || seen[usize::from(*axis)] {
                return None;
            }
            seen[usize::from(*axis)] = true;
        }
        Some(Self(places.iter().map(|place| (*place).into()).collect()))
    }

    /// Channels last to channels first: `[0, rank - 1, 1, …]`.
    pub fn channels_last(rank: u8) -> Option<Self> {
        let last = rank.checked_sub(1)?;
        let order: Vec<u8> = [0, last].into_iter().chain(1..last).collect();
        if rank < 2 { None } else { Self::new(&order) }
    }

    /// How many dimensions of the file it orders.
    fn count(&self) -> usize {
        self.0.iter().map(|place| place.len()).sum()
    }

    /// Dimensions of the file in the order of the row; as they are where their number is another.
    pub fn apply<T: Clone>(&self, dims: &[T], product: impl Fn(&[T]) -> T) -> Vec<T> {
        if dims.len() != self.count() {
            return dims.to_vec();
        }
        let of = |axis: &u8| dims[usize::from(*axis)].clone();
        let places = self.0.iter().map(|place| match &**place {
            [axis] => of(axis),
            several => product(&several.iter().map(of).collect::<Vec<T>>()),
        });
        places.collect()
    }

    /// The reverse of [`Axes::apply`]; of products there is none, and the dimensions stay.
    pub fn restore<T: Clone>(&self, dims: &[T]) -> Vec<T> {
        if dims.len() != self.count() || self.0.iter().any(|place| place.len() != 1) {
            return dims.to_vec();
        }
        let mut restored = dims.to_vec();
        for (dim, axis) in dims.iter().zip(self.0.iter().flatten()) {
            restored[usize::from(*axis)] = dim.clone();
        }
        restored
    }
}

/// Affine quantization that a file states of a value: `real = scale × (stored - zero point)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    /// How many scales there are.
    pub scales: u64,
    /// The dimension that they belong to, where there are several.
    pub axis: Option<u32>,
    /// Whether every zero point is zero.
    pub is_symmetric: bool,
}

/// What a stored tensor is to a model whose graph does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredWeight {
    /// The tensor.
    pub tensor: TensorId,
    /// What it is.
    pub role: WeightRole,
    /// Elements it represents: four-bit numbers may be packed into words of 32 bits.
    pub elements: u64,
    /// The type of those elements.
    pub dtype: DType,
}

/// What a stored tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WeightRole {
    /// Learned.
    Weight,
    /// Gathered during training and not learned, such as running means.
    Statistic,
    /// Scales, zero points and index tables of quantized weights.
    Quantization,
    /// Given: position indices, masks, tables.
    Constant,
}

impl Model {
    /// The order of the operands of a node, where it is not that of the operator's row.
    pub fn layout(&self, id: NodeId) -> Option<&Layout> {
        self.node(id).layout.map(|layout| &self.layouts[layout.index()])
    }

    /// The quantization that the file states of a value.
    pub fn affine(&self, value: ValueId) -> Option<&Affine> {
        let place = self.affine.binary_search_by_key(&value, |(value, _)| *value).ok()?;
        Some(&self.affine[place].1)
    }

    /// Every value that the file states a quantization of.
    pub fn affine_values(&self) -> &[(ValueId, Affine)] {
        &self.affine
    }

    /// What each stored tensor is, where the graph does not say: by the reader of the format.
    pub fn stored_weights(&self) -> &[StoredWeight] {
        &self.stored_weights
    }

    /// The operator of a node as the file calls it.
    pub fn written_op(&self, id: NodeId) -> &str {
        let node = self.node(id);
        self.name(node.written.unwrap_or(node.op))
    }

    /// The domain of a node's operator as the file, or its format, calls it.
    pub fn written_domain(&self, id: NodeId) -> &str {
        let node = self.node(id);
        match node.written {
            Some(_) => self.header.format.domain(),
            None => self.name(node.domain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_applied_and_restored() {
        let product = |dims: &[i64]| dims.iter().product();
        let last = Axes::channels_last(4).unwrap();
        // A batch of 2 images of 3 × 5 with 7 channels.
        assert_eq!(last.apply(&[2, 3, 5, 7], product), [2, 7, 3, 5]);
        assert_eq!(last.restore(&[2, 7, 3, 5]), [2, 3, 5, 7]);
        // Another rank is left alone.
        assert_eq!(last.apply(&[2, 3], product), [2, 3]);
        // Kernels of 3 × 3 for 8 channels, 2 of each: 16 kernels of one channel.
        let depthwise = Axes::grouped(&[&[2, 3], &[], &[0], &[1]]).unwrap();
        assert_eq!(depthwise.apply(&[3, 3, 8, 2], product), [16, 1, 3, 3]);
        assert_eq!(Axes::new(&[0, 0]), None);
        assert_eq!(Axes::new(&[0, 2]), None);
        assert_eq!(Axes::channels_last(1), None);
        assert_eq!(Axes::channels_last(2), Axes::new(&[0, 1]));
    }
}
