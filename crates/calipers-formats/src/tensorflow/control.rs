//! Branches and loops, whose graphs are functions.
//!
//! `If` and `While` become those of ONNX, with a graph inside for each function. What a branch
//! takes as an argument is captured from the graph around it. A loop has one graph: the body, and
//! the condition on what the body returns. ONNX asks for the condition before the first turn too;
//! it is left out, so a loop that never runs is taken to run once.

use calipers_ir::{Attribute, AttributeValue, DType, GraphId, GraphKind, NameId, NodeDraft};

use super::graph::Graph;
use super::node::Node;
use super::operand::Operand;
use super::walk::{Arguments, Instance, Output, STATE};
use crate::error::Trace;

/// A graph inside a node.
pub(super) struct Pending {
    pub(super) graph: GraphId,
    kind: Kind,
}

enum Kind {
    /// What the function of this frame computes.
    Branch(u32),
    /// The frames of the body and of the condition, and how many values the state has.
    Turn { body: u32, condition: u32, state: u32 },
}

impl<'a> Graph<'_, 'a> {
    /// Adds a branch or a loop; false where the node is neither, or its functions are not entered.
    pub(super) fn control(
        &mut self,
        instance: &Instance,
        node: &Node<'a>,
        inputs: &[Operand],
    ) -> Result<bool, Trace> {
        let at = (instance.frame, instance.node);
        let graphs = match node.op {
            "If" | "StatelessIf" => {
                let mut graphs = Vec::new();
                for branch in ["then_branch", "else_branch"] {
                    let arguments = Arguments::Inputs(1);
                    let Some(frame) = self.walk.open_named(at, node, branch, arguments) else {
                        return Ok(false);
                    };
                    graphs.push((branch, Kind::Branch(frame)));
                }
                graphs
            }
            "While" | "StatelessWhile" => {
                let Some(body) = self.walk.open_named(at, node, "body", Arguments::State) else {
                    return Ok(false);
                };
                let arguments = Arguments::Returned(body);
                let Some(condition) = self.walk.open_named(at, node, "cond", arguments) else {
                    return Ok(false);
                };
                let state = u32::try_from(inputs.len()).unwrap_or(u32::MAX);
                vec![("body", Kind::Turn { body, condition, state })]
            }
            _ => return Ok(false),
        };
        let is_loop = graphs.len() == 1;
        let count = match graphs.first() {
            Some((_, Kind::Branch(frame))) => self.walk.returned(*frame)?.len(),
            _ => inputs.len(),
        };
        let mut outputs = Vec::new();
        for port in 0..u32::try_from(count).unwrap_or(u32::MAX) {
            outputs.push(self.value(Output { frame: at.0, node: at.1, port })?);
        }
        let none = self.assembly.none();
        let operands: Vec<NameId> = match is_loop {
            true => [none, none].into_iter().chain(inputs.iter().map(|it| it.name)).collect(),
            false => inputs.iter().take(1).map(|input| input.name).collect(),
        };
        let id = self.assembly.builder.next_node()?;
        let attributes_from = self.assembly.builder.attributes_so_far();
        for (name, kind) in graphs {
            let name = self.assembly.name(name);
            let inside = GraphKind::Subgraph { node: id, attribute: name };
            let graph = self.assembly.builder.add_graph(inside)?;
            let value = AttributeValue::Graph(graph);
            self.assembly.builder.add_attribute(Attribute { name, value });
            self.pending.push_back(Pending { graph, kind });
        }
        let path = self.path(instance.frame, node.name)?;
        let draft = NodeDraft {
            name: self.assembly.name(&path),
            op: self.assembly.name(if is_loop { "Loop" } else { "If" }),
            written: Some(self.assembly.name(node.op)),
            ..NodeDraft::default()
        };
        let graph = self.assembly.graph;
        self.assembly.builder.add_node_with_attributes(
            graph,
            draft,
            &operands,
            &outputs,
            attributes_from,
        )?;
        Ok(true)
    }

    /// Puts a graph inside a node together.
    pub(super) fn fill(&mut self, pending: &Pending) -> Result<(), Trace> {
        let ends = match pending.kind {
            Kind::Branch(frame) => self.walk.returned(frame)?,
            Kind::Turn { body, condition, state } => {
                for (hint, dtype) in [("turn", DType::Int64), ("goes on", DType::Bool)] {
                    let name = self.assembly.new_name(hint);
                    let ty = self.assembly.tensor_type(dtype, Some(Vec::new()))?;
                    self.assembly.add_input(name, Some(ty));
                }
                for port in 0..state {
                    let name = self.assembly.new_name("state");
                    self.assembly.add_input(name, None);
                    self.names.insert(Output { frame: body, node: STATE, port }, name);
                }
                let condition = self.walk.returned(condition)?.into_iter().next().flatten();
                [vec![condition], self.walk.returned(body)?].concat()
            }
        };
        let known: Vec<Output> = ends.iter().flatten().copied().collect();
        let names = &self.names;
        let instances = self.walk.reach(&known, |at| names.contains_key(at))?;
        self.add(&instances)?;
        for end in ends {
            let name = match end {
                Some(end) => self.value(end)?,
                None => self.assembly.new_name("missing"),
            };
            self.assembly.add_output(name, None);
        }
        Ok(())
    }
}
