//! What was found wrong while the model was put together. None of it stops a report.

use crate::{GraphId, NodeId, ValueId};

/// Something in the graph that the standard forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// Nodes are stored in an order in which they cannot run.
    OutOfOrder {
        /// The graph.
        graph: GraphId,
    },
    /// Nodes wait for each other. The graph's `cyclic` lists them.
    Cycle {
        /// The graph.
        graph: GraphId,
    },
    /// A node reads a name that nothing defines.
    UndefinedInput {
        /// The node.
        node: NodeId,
        /// The value that is in for it.
        value: ValueId,
    },
    /// A graph gives out a name that nothing defines.
    UndefinedOutput {
        /// The graph.
        graph: GraphId,
        /// The value that is in for it.
        value: ValueId,
    },
    /// A name is defined twice in one graph. The first definition counts.
    DuplicateDefinition {
        /// The graph.
        graph: GraphId,
        /// The value of the later definition, which nothing refers to.
        value: ValueId,
    },
}
