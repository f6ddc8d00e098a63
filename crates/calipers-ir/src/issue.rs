//! Problems found while the model is linked. None of them prevents a report.

use crate::{GraphId, NodeId, ValueId};

/// A violation of the ONNX specification in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issue {
    /// Nodes are not stored in topological order.
    OutOfOrder {
        /// The graph.
        graph: GraphId,
    },
    /// The graph has a cycle. Its `cyclic` lists the nodes.
    Cycle {
        /// The graph.
        graph: GraphId,
    },
    /// A node reads a name that nothing defines.
    UndefinedInput {
        /// The node.
        node: NodeId,
        /// The value that represents the name.
        value: ValueId,
    },
    /// A graph outputs a name that nothing defines.
    UndefinedOutput {
        /// The graph.
        graph: GraphId,
        /// The value that represents the name.
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
