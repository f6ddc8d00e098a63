//! Typed ids into the arenas of a model, and ranges of them.

use std::num::NonZeroU32;

/// An id is one more than its index, so `Option<Id>` takes four bytes.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The id of the element at `index`; `None` beyond what 32 bits can count.
            pub fn new(index: usize) -> Option<Self> {
                u32::try_from(index).ok()?.checked_add(1).and_then(NonZeroU32::new).map(Self)
            }

            /// Index into its arena.
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }
    )*};
}

ids! {
    /// A text in [`Names`](crate::Names).
    NameId
    /// A graph: the main one, a subgraph, or a function's body.
    GraphId
    /// A node of some graph.
    NodeId
    /// A value: what a node, an input or an initializer defines under a name.
    ValueId
    /// A tensor that the file stores.
    TensorId
    /// A sparse tensor that the file stores.
    SparseId
    /// A function that the model defines.
    FunctionId
    /// The type of a value.
    TypeId
    /// An order of the operands of nodes.
    LayoutId
}

/// A run of neighboring ids in an arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl IdRange {
    /// How many ids it holds.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it holds none.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The indices it covers.
    pub fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The nodes it covers.
    pub fn nodes(self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone {
        (self.start..self.end).map(node_at)
    }
}

/// The node at an index that is known to have an id already.
fn node_at(index: u32) -> NodeId {
    NodeId(NonZeroU32::MIN.saturating_add(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_compact_and_bounded() {
        assert_eq!(size_of::<Option<ValueId>>(), 4);
        assert_eq!(ValueId::new(0).unwrap().index(), 0);
        assert_eq!(ValueId::new(u32::MAX as usize - 1).unwrap().index(), u32::MAX as usize - 1);
        assert_eq!(ValueId::new(u32::MAX as usize), None);
    }

    #[test]
    fn a_range_names_its_nodes() {
        let nodes: Vec<_> = IdRange { start: 2, end: 4 }.nodes().map(NodeId::index).collect();
        assert_eq!(nodes, [2, 3]);
    }
}
