//! How elements reach an output.

/// How the elements of the first input reach the first output, of an operator that does not
/// compute new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Movement {
    /// All of them in the same order, under the same or another shape.
    View,
    /// All of them with the axes permuted.
    Transpose,
    /// All of them in another order within or across axes.
    Rearrange,
    /// All of them, broadcast along axes.
    Expand,
    /// All of them, repeated in memory.
    Repeat,
    /// Ranges of them along axes.
    Slice,
    /// Those at given indices.
    Gather,
    /// All of them, with others around.
    Pad,
    /// All of them, next to those of other inputs.
    Join,
    /// All of them, some overwritten by those of another input.
    Scatter {
        /// The input that is written.
        updates: usize,
    },
    /// Each of them converted to another type or scale.
    Convert,
}

impl Movement {
    /// Whether it changes only how the elements are arranged: none is dropped, added or converted,
    /// and no block crosses an axis.
    pub const fn is_layout(self) -> bool {
        matches!(self, Self::View | Self::Transpose | Self::Expand)
    }

    /// Whether every element of the output is one of the input, perhaps converted.
    pub const fn keeps_elements(self) -> bool {
        self.is_layout() || matches!(self, Self::Convert | Self::Gather | Self::Slice)
    }
}
