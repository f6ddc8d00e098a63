//! `Program`: the function that runs, its block, and the blocks inside its operators.
//!
//! Blocks are read one after another from a list of those still to read, so nesting costs no stack.

use std::collections::{HashMap, VecDeque};

use calipers_ir::assembly::Assembly;
use calipers_ir::{Attribute, AttributeValue, GraphId, GraphKind, NameId, NodeDraft};

use super::lower;
use super::operation::Operation;
use super::value::{Constant, Typed, named_type};
use crate::coreml::blobs::Blobs;
use crate::coreml::features::add_metadata;
use crate::coreml::fields::{entry, text};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// A program that is being read.
pub(super) struct Program<'b, 'a> {
    /// The model, and the graph that is being read.
    pub(super) assembly: Assembly<'b>,
    pub(super) blobs: &'b mut Blobs,
    /// Values that the file holds.
    pub(super) constants: HashMap<NameId, Held>,
    /// Types of all values so far.
    pub(super) types: HashMap<NameId, Typed>,
    pending: VecDeque<(GraphId, Part<'a>)>,
    unnamed: usize,
}

/// A value that the file holds, and whether a node reads it as a tensor.
pub(super) struct Held {
    pub(super) constant: Constant,
    graph: GraphId,
    is_stored: bool,
}

/// `Function`, as far as its block.
#[derive(Default)]
struct Function<'a> {
    inputs: Vec<(NameId, Typed)>,
    opset: String,
    blocks: Vec<(String, Option<Part<'a>>)>,
}

impl<'b, 'a> Program<'b, 'a> {
    pub(super) fn new(assembly: Assembly<'b>, blobs: &'b mut Blobs) -> Self {
        Self {
            assembly,
            blobs,
            constants: HashMap::new(),
            types: HashMap::new(),
            pending: VecDeque::new(),
            unnamed: 0,
        }
    }

    /// Reads the function of a name; `main` or the first one where the file does not say.
    pub(super) fn read(&mut self, part: Part<'a>, wanted: &str) -> Result<(), Trace> {
        let mut functions = Vec::new();
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (2, Payload::Bytes(part)) => functions.push(entry(part)?),
                (3, Payload::Bytes(part)) if self.assembly.builder.header.doc.is_empty() => {
                    self.assembly.builder.header.doc = text(part);
                }
                _ => {}
            }
        }
        let wanted = if wanted.is_empty() { "main" } else { wanted };
        let place = functions.iter().position(|(name, _)| name == wanted).unwrap_or(0);
        if functions.len() > 1 {
            let names: Vec<&str> = functions.iter().map(|(name, _)| name.as_str()).collect();
            add_metadata(self.assembly.builder, "functions", names.join(", "));
        }
        let Some((name, Some(part))) = functions.get(place) else { return Ok(()) };
        self.function(*part).map_err(|trace| trace.within(&format!("functions[{name:?}]")))?;
        while let Some((graph, part)) = self.pending.pop_front() {
            self.assembly.graph = graph;
            self.block(part).map_err(|trace| trace.within("a block of an operator"))?;
        }
        Ok(())
    }

    /// `Function`: the block for the set of operators that it is written in.
    fn function(&mut self, part: Part<'a>) -> Result<(), Trace> {
        let mut function = Function::default();
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => {
                    let (name, typed) = named_type(part)?;
                    function.inputs.push((self.name(name)?, typed));
                }
                (2, Payload::Bytes(part)) => function.opset = text(part),
                (3, Payload::Bytes(part)) => function.blocks.push(entry(part)?),
                _ => {}
            }
        }
        add_metadata(self.assembly.builder, "operator set", function.opset.clone());
        for (name, typed) in function.inputs {
            self.add_input(name, typed)?;
        }
        let is_wanted = |(opset, _): &&(String, _)| *opset == function.opset;
        let block = function.blocks.iter().find(is_wanted).or(function.blocks.first());
        let Some((_, Some(block))) = block else { return Ok(()) };
        self.block(*block)
    }

    fn add_input(&mut self, name: NameId, typed: Typed) -> Result<(), Trace> {
        let ty = match typed.is_tensor {
            true => Some(self.assembly.tensor_type(typed.dtype, typed.dims.clone())?),
            false => None,
        };
        self.assembly.add_input(name, ty);
        self.types.insert(name, typed);
        Ok(())
    }

    /// `Block`: its operators become nodes, its constants stored tensors.
    fn block(&mut self, part: Part<'a>) -> Result<(), Trace> {
        let (mut outputs, mut place) = (Vec::new(), 0);
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => {
                    let (name, typed) = named_type(part)?;
                    let name = self.name(name)?;
                    self.add_input(name, typed)?;
                }
                (2, Payload::Bytes(part)) => outputs.push(self.name(part)?),
                (3, Payload::Bytes(part)) => {
                    let operation = self.operation(part);
                    let added = operation.and_then(|operation| self.add(operation));
                    added.map_err(|trace| trace.within_nth("operations", place))?;
                    place += 1;
                }
                _ => {}
            }
        }
        for name in outputs {
            // A constant may be given out as it is.
            self.store(name)?;
            self.assembly.add_output(name, None);
        }
        Ok(())
    }

    /// Adds a value that has no name in the file.
    pub(super) fn add_unnamed(&mut self, constant: Constant) -> NameId {
        let name = self.assembly.builder.names.intern(&format!("(value {})", self.unnamed));
        self.unnamed += 1;
        let held = Held { constant, graph: self.assembly.graph, is_stored: false };
        self.constants.insert(name, held);
        name
    }

    /// Makes a value that the file holds a stored tensor, once.
    pub(super) fn store(&mut self, name: NameId) -> Result<(), Trace> {
        if let Some(held) = self.constants.get_mut(&name).filter(|held| !held.is_stored) {
            held.is_stored = true;
            let Constant { dtype, dims, data, .. } = &held.constant;
            // A block inside may be the first to read it.
            let here = std::mem::replace(&mut self.assembly.graph, held.graph);
            let added = self.assembly.add_stored(name, *dtype, dims, data.clone());
            self.assembly.graph = here;
            added?;
        }
        Ok(())
    }

    /// Adds an operator to the graph.
    fn add(&mut self, mut operation: Operation<'a>) -> Result<(), Trace> {
        if let (Some(constant), Some((name, _))) =
            (operation.held.take(), operation.outputs.first())
        {
            let name = *name;
            let is_weight = matches!(constant.data, calipers_ir::Data::External(_));
            self.constants
                .insert(name, Held { constant, graph: self.assembly.graph, is_stored: false });
            // Settings become attributes of the nodes that read them, and weights are kept.
            return if is_weight { self.store(name) } else { Ok(()) };
        }
        if operation.blocks.is_empty() {
            let call = lower::call(self, &operation)?;
            self.assembly.add(&call)?;
        } else {
            self.add_with_blocks(&operation)?;
        }
        for (name, typed) in operation.outputs {
            if typed.is_tensor {
                let ty = self.assembly.tensor_type(typed.dtype, typed.dims.clone())?;
                self.assembly.declare(name, ty);
            }
            self.types.insert(name, typed);
        }
        Ok(())
    }

    /// An operator with blocks. `cond` is `If` of ONNX; what others do with theirs differs.
    fn add_with_blocks(&mut self, operation: &Operation<'a>) -> Result<(), Trace> {
        let is_branch = operation.kind == "cond" && operation.blocks.len() == 2;
        let inputs: Vec<NameId> = match is_branch {
            true => operation.given("pred").to_vec(),
            false => operation.arguments.iter().flat_map(|(_, values)| values.clone()).collect(),
        };
        for name in &inputs {
            self.store(*name)?;
        }
        let graph = self.assembly.graph;
        let builder = &mut *self.assembly.builder;
        let node = builder.next_node()?;
        let from = builder.attributes_so_far();
        for (place, block) in operation.blocks.iter().enumerate() {
            let attribute = match (is_branch, place) {
                (true, 0) => "then_branch".to_owned(),
                (true, _) => "else_branch".to_owned(),
                (false, place) => format!("block_{place}"),
            };
            let attribute = builder.names.intern(&attribute);
            let block_graph = builder.add_graph(GraphKind::Subgraph { node, attribute })?;
            builder.add_attribute(Attribute {
                name: attribute,
                value: AttributeValue::Graph(block_graph),
            });
            self.pending.push_back((block_graph, *block));
        }
        let written = builder.names.intern(&operation.kind);
        let (op, domain) = if is_branch { ("If", "") } else { (&*operation.kind, "coreml") };
        let draft = NodeDraft {
            name: builder.names.intern(&operation.name),
            op: builder.names.intern(op),
            domain: builder.names.intern(domain),
            written: is_branch.then_some(written),
            ..NodeDraft::default()
        };
        let outputs: Vec<NameId> = operation.outputs.iter().map(|(name, _)| *name).collect();
        builder.add_node_with_attributes(graph, draft, &inputs, &outputs, from)?;
        Ok(())
    }
}
