//! Resolving names: from what nodes call their operands to values, through the scopes.
//!
//! A subgraph sees the names of the graphs around it; a function sees only its own. The walk keeps
//! one table from name to value, with a log to undo on leaving a scope, and a stack of its own: a
//! file nested a million deep costs memory, not stack.

use hashbrown::HashMap;

use crate::builder::push;
use crate::renamed::Originals;
use crate::{
    Affine, Consumer, Graph, GraphId, GraphKind, Issue, Model, ModelBuilder, NameId, NodeId,
    Producer, TooLarge, TypedName, Value, ValueId, order,
};

/// Puts a model together. The builder must have a main graph.
pub(crate) fn link(builder: ModelBuilder) -> Result<Model, TooLarge> {
    let mut linker = Linker::new(&builder);
    linker.walk()?;
    let Linker { graphs, operands, values, mut captures, mut issues, .. } = linker;
    let affine = affine_values(&builder, &values);
    captures.sort_unstable();
    captures.dedup();
    let mut model = Model {
        header: builder.header,
        names: builder.names,
        data_files: builder.data_files,
        issues: Vec::new(),
        source: builder.source,
        unknown_fields: builder.unknown_fields,
        decoder: builder.decoder,
        graphs,
        functions: builder.functions,
        nodes: builder.nodes,
        operands,
        attributes: builder.attributes,
        values,
        types: builder.types,
        tensors: builder.tensors,
        sparse_tensors: builder.sparse_tensors,
        consumers: Vec::new(),
        consumer_starts: Vec::new(),
        captures,
        node_metadata: builder.node_metadata,
        layouts: builder.layouts,
        affine,
        stored_weights: builder.stored_weights,
        hazards: builder.hazards,
        originals: Originals::default(),
    };
    index_consumers(&mut model);
    order::order_all(&mut model, &mut issues);
    model.issues = issues;
    Ok(model)
}

/// The quantization that the file states, by value.
fn affine_values(builder: &ModelBuilder, values: &[Value]) -> Vec<(ValueId, Affine)> {
    if builder.affine.is_empty() {
        return Vec::new();
    }
    let stated: HashMap<(GraphId, NameId), Affine> =
        builder.affine.iter().map(|(graph, name, affine)| ((*graph, *name), *affine)).collect();
    let values = values.iter().enumerate().filter_map(|(index, value)| {
        Some((ValueId::new(index)?, *stated.get(&(value.graph, value.name))?))
    });
    values.collect()
}

struct Linker<'a> {
    builder: &'a ModelBuilder,
    graphs: Vec<Graph>,
    operands: Vec<Option<ValueId>>,
    values: Vec<Value>,
    captures: Vec<(NodeId, ValueId)>,
    issues: Vec<Issue>,
    /// What each name represents at this point of the walk.
    bound: Vec<Option<ValueId>>,
    /// What names stood for before the open scopes rebound them.
    undo: Vec<(NameId, Option<ValueId>)>,
    /// For each open graph, the node whose subgraph is being walked.
    owners: Vec<NodeId>,
    /// Whether names of the graphs being walked are judged: those of training graphs, and of
    /// graphs inside them, refer to weights of the main graph in ways of their own.
    judged: bool,
}

/// An open graph of the walk.
struct Frame {
    children: std::vec::IntoIter<GraphId>,
    undo_from: usize,
}

impl<'a> Linker<'a> {
    fn new(builder: &'a ModelBuilder) -> Self {
        let empty = builder.names.empty();
        let graphs = builder.graphs.iter().map(|draft| Graph {
            name: draft.name,
            kind: draft.kind,
            parent: match draft.kind {
                GraphKind::Subgraph { node, .. } => Some(builder.nodes[node.index()].graph),
                _ => None,
            },
            nesting: 0,
            nodes: draft.nodes,
            order: Vec::new(),
            stored_in_order: true,
            cyclic: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            initializers: draft.initializers.clone(),
            sparse_initializers: draft.sparse_initializers.clone(),
            quantization: draft.quantization.clone(),
            metadata: draft.metadata.clone(),
            doc: draft.doc,
        });
        debug_assert_eq!(empty.index(), 0, "the empty name is the first");
        Self {
            builder,
            graphs: graphs.collect(),
            operands: vec![None; builder.operand_names.len()],
            values: Vec::with_capacity(builder.nodes.len()),
            captures: Vec::new(),
            issues: Vec::new(),
            bound: vec![None; builder.names.len()],
            undo: Vec::new(),
            owners: Vec::new(),
            judged: true,
        }
    }

    fn walk(&mut self) -> Result<(), TooLarge> {
        let mut children: Vec<Vec<GraphId>> = vec![Vec::new(); self.graphs.len()];
        let mut roots = Vec::new();
        for index in 0..self.graphs.len() {
            let id = GraphId::new(index).ok_or(TooLarge)?;
            match self.graphs[index].parent {
                Some(parent) => children[parent.index()].push(id),
                None => roots.push(id),
            }
        }
        for root in roots {
            self.judged = self.graphs[root.index()].kind != GraphKind::Training;
            let mut frames = vec![self.enter(root, &mut children)?];
            while let Some(frame) = frames.last_mut() {
                if let Some(child) = frame.children.next() {
                    if let GraphKind::Subgraph { node, .. } = self.graphs[child.index()].kind {
                        self.owners.push(node);
                    }
                    frames.push(self.enter(child, &mut children)?);
                } else {
                    self.leave(frame.undo_from);
                    frames.pop();
                    self.owners.pop();
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, id: GraphId, children: &mut [Vec<GraphId>]) -> Result<Frame, TooLarge> {
        let undo_from = self.undo.len();
        self.graphs[id.index()].nesting = self.owners.len();
        self.define_inputs(id)?;
        self.define_initializers(id)?;
        self.define_outputs_of_nodes(id)?;
        for typed in &self.builder.graphs[id.index()].value_types {
            self.declare(id, *typed);
        }
        self.resolve_inputs_of_nodes(id)?;
        self.resolve_outputs(id)?;
        let children = std::mem::take(&mut children[id.index()]).into_iter();
        Ok(Frame { children, undo_from })
    }

    fn leave(&mut self, undo_from: usize) {
        for (name, before) in self.undo.drain(undo_from..).rev() {
            self.bound[name.index()] = before;
        }
    }

    /// The value that a name has in this very graph, not in one around it.
    fn own(&self, graph: GraphId, name: NameId) -> Option<ValueId> {
        self.bound[name.index()].filter(|value| self.values[value.index()].graph == graph)
    }

    fn define(
        &mut self,
        graph: GraphId,
        name: NameId,
        producer: Producer,
    ) -> Result<ValueId, TooLarge> {
        let value =
            Value { name, graph, producer, ty: None, initializer: None, sparse_initializer: None };
        let taken = self.own(graph, name).is_some();
        let id = push(&mut self.values, value, ValueId::new)?;
        if taken {
            self.note(Issue::DuplicateDefinition { graph, value: id });
        } else {
            self.undo.push((name, self.bound[name.index()]));
            self.bound[name.index()] = Some(id);
        }
        Ok(id)
    }

    fn declare(&mut self, graph: GraphId, typed: TypedName) {
        if let Some(value) = self.own(graph, typed.name) {
            let ty = &mut self.values[value.index()].ty;
            *ty = ty.or(typed.ty);
        }
    }

    fn define_inputs(&mut self, id: GraphId) -> Result<(), TooLarge> {
        for typed in &self.builder.graphs[id.index()].inputs {
            let value = self.define(id, typed.name, Producer::Input)?;
            self.values[value.index()].ty = typed.ty;
            self.graphs[id.index()].inputs.push(value);
        }
        Ok(())
    }

    /// An initializer with the name of an input is its default; otherwise it is a separate value.
    fn define_initializers(&mut self, id: GraphId) -> Result<(), TooLarge> {
        let builder = self.builder;
        let draft = &builder.graphs[id.index()];
        for tensor in &draft.initializers {
            let value = self.filled(id, builder.tensors[tensor.index()].name)?;
            self.values[value.index()].initializer = Some(*tensor);
        }
        for sparse in &draft.sparse_initializers {
            let values = builder.sparse_tensors[sparse.index()].values;
            let name = values.map_or(builder.names.empty(), |t| builder.tensors[t.index()].name);
            let value = self.filled(id, name)?;
            self.values[value.index()].sparse_initializer = Some(*sparse);
        }
        Ok(())
    }

    fn filled(&mut self, graph: GraphId, name: NameId) -> Result<ValueId, TooLarge> {
        match self.own(graph, name) {
            Some(value) if self.is_unfilled_input(value) => Ok(value),
            _ => self.define(graph, name, Producer::Initializer),
        }
    }

    fn is_unfilled_input(&self, value: ValueId) -> bool {
        let value = &self.values[value.index()];
        value.producer == Producer::Input
            && value.initializer.is_none()
            && value.sparse_initializer.is_none()
    }

    fn define_outputs_of_nodes(&mut self, id: GraphId) -> Result<(), TooLarge> {
        let builder = self.builder;
        let empty = builder.names.empty();
        for node in self.graphs[id.index()].nodes.nodes() {
            let [_, middle, end] = builder.nodes[node.index()].operands;
            for (slot, operand) in (middle..end).enumerate() {
                let name = builder.operand_names[operand as usize];
                if name != empty {
                    let slot = u32::try_from(slot).map_err(|_| TooLarge)?;
                    let value = self.define(id, name, Producer::Node { node, slot })?;
                    self.operands[operand as usize] = Some(value);
                }
            }
        }
        Ok(())
    }

    fn resolve_inputs_of_nodes(&mut self, id: GraphId) -> Result<(), TooLarge> {
        let builder = self.builder;
        let empty = builder.names.empty();
        for node in self.graphs[id.index()].nodes.nodes() {
            let [start, middle, _] = builder.nodes[node.index()].operands;
            for operand in start as usize..middle as usize {
                let name = builder.operand_names[operand];
                if name == empty {
                    continue;
                }
                let value = match self.bound[name.index()] {
                    Some(value) => value,
                    None => {
                        let value = self.define(id, name, Producer::Nobody)?;
                        self.note(Issue::UndefinedInput { node, value });
                        value
                    }
                };
                self.note_capture(id, value);
                self.operands[operand] = Some(value);
            }
        }
        Ok(())
    }

    fn resolve_outputs(&mut self, id: GraphId) -> Result<(), TooLarge> {
        for typed in &self.builder.graphs[id.index()].outputs {
            let value = match self.bound[typed.name.index()] {
                Some(value) => value,
                None => {
                    let value = self.define(id, typed.name, Producer::Nobody)?;
                    self.note(Issue::UndefinedOutput { graph: id, value });
                    value
                }
            };
            self.note_capture(id, value);
            self.declare(id, *typed);
            self.graphs[id.index()].outputs.push(value);
        }
        Ok(())
    }

    fn note(&mut self, issue: Issue) {
        if self.judged {
            self.issues.push(issue);
        }
    }

    /// A value from a graph further out makes the node there that holds this graph depend on it.
    fn note_capture(&mut self, graph: GraphId, value: ValueId) {
        let home = self.values[value.index()].graph;
        if home != graph {
            let owner = self.owners[self.graphs[home.index()].nesting];
            if self.captures.last() != Some(&(owner, value)) {
                self.captures.push((owner, value));
            }
        }
    }
}

fn index_consumers(model: &mut Model) {
    let mut starts = vec![0_usize; model.values.len() + 1];
    let uses = |model: &Model, visit: &mut dyn FnMut(ValueId, Consumer)| {
        for (node, _) in model.nodes() {
            for (slot, value) in (0_u32..).zip(model.inputs(node)) {
                if let Some(value) = value {
                    visit(*value, Consumer { node, slot });
                }
            }
        }
    };
    uses(model, &mut |value, _| starts[value.index() + 1] += 1);
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let Some(first) = NodeId::new(0) else { return };
    let mut consumers = vec![Consumer { node: first, slot: 0 }; starts[model.values.len()]];
    let mut next = starts.clone();
    uses(model, &mut |value, consumer| {
        consumers[next[value.index()]] = consumer;
        next[value.index()] += 1;
    });
    model.consumers = consumers;
    model.consumer_starts = starts;
}
