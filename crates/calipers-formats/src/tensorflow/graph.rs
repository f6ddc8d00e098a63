//! The nodes that are reached, as nodes of the model.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{DType, GraphId, NameId, StoredWeight, TensorId, WeightRole};

use super::control::Pending;
use super::message::{declared, dtype};
use super::node::{Attr, Node};
use super::operand::{Known, Operand};
use super::ops::{self, Op};
use super::tensor::{Budget, Constant, elements};
use super::variables::Variables;
use super::walk::{Instance, Output, Walk, is_variable};
use crate::error::Trace;

/// Bytes of all names. Each call inside a call repeats the names of those around it.
const MAX_NAMES: usize = 1 << 25;

/// Outputs of a node that are named though nothing reads them.
const MAX_OUTPUTS: u32 = 1 << 12;

/// Types that are declared, in dimensions.
const MAX_DECLARED: usize = 1 << 21;

/// The shapes that a node states of its outputs.
type Shapes = Rc<[Option<Vec<i64>>]>;

/// Puts the graph together.
pub(super) struct Graph<'b, 'a> {
    pub(super) assembly: Assembly<'b>,
    pub(super) walk: Walk<'a>,
    pub(super) variables: Variables<'a>,
    /// Whether constants are given rather than learned: they are, where a model has variables too.
    pub(super) constants_are_given: bool,
    /// Graphs inside nodes that are still to be put together.
    pub(super) pending: VecDeque<Pending>,
    /// The main graph, which has all stored tensors.
    main: GraphId,
    /// Names of values.
    pub(super) names: HashMap<Output, NameId>,
    /// Names of inputs, outputs and variables.
    pub(super) taken: HashSet<NameId>,
    known: HashMap<NameId, Known>,
    /// Constants by body and node: a function that is called twice has them once.
    constants: HashMap<(u32, u32), NameId>,
    shapes: HashMap<(u32, u32), Shapes>,
    /// Names of frames' calls.
    prefixes: HashMap<u32, Rc<str>>,
    named: usize,
    declared: usize,
    /// Operators whose arithmetic is a compiled module.
    modules: u64,
    budget: Budget,
}

impl<'b, 'a> Graph<'b, 'a> {
    pub(super) fn new(assembly: Assembly<'b>, walk: Walk<'a>, variables: Variables<'a>) -> Self {
        let main = assembly.graph;
        Self {
            assembly,
            walk,
            variables,
            constants_are_given: false,
            pending: VecDeque::new(),
            main,
            names: HashMap::new(),
            taken: HashSet::new(),
            known: HashMap::new(),
            constants: HashMap::new(),
            shapes: HashMap::new(),
            prefixes: HashMap::new(),
            named: 0,
            declared: 0,
            modules: 0,
            budget: Budget::default(),
        }
    }

    /// Adds an input of the model for what the caller feeds.
    pub(super) fn add_input(
        &mut self,
        at: Output,
        name: &str,
        number: i64,
        dims: Option<&[i64]>,
    ) -> Result<(), Trace> {
        let name = self.assembly.name(name);
        let ty = self.assembly.tensor_type(dtype(number), dims.map(declared))?;
        self.assembly.add_input(name, Some(ty));
        self.names.insert(at, name);
        self.taken.insert(name);
        self.know(name, dims);
        Ok(())
    }

    fn know(&mut self, name: NameId, dims: Option<&[i64]>) {
        if let Some(dims) = dims {
            self.known.entry(name).or_default().dims = Some(Rc::from(dims));
        }
    }

    /// Names a value that is an output of the model; one that has a name already keeps it.
    pub(super) fn name_output(&mut self, at: Output, name: &str) -> Result<(), Trace> {
        let node = self.walk.node(at.frame, at.node)?;
        let is_stored = node.op == "Const" || is_variable(&node);
        if !is_stored && !self.names.contains_key(&at) {
            let name = self.assembly.name(name);
            // Of an input or a variable and an output with one name, the output has its node's.
            if self.taken.insert(name) {
                self.names.insert(at, name);
            }
        }
        Ok(())
    }

    /// Adds an output of the model.
    pub(super) fn add_output(
        &mut self,
        at: Output,
        number: i64,
        dims: Option<&[i64]>,
    ) -> Result<(), Trace> {
        let name = self.value(at)?;
        let ty = self.assembly.tensor_type(dtype(number), dims.map(declared))?;
        self.assembly.add_output(name, Some(ty));
        Ok(())
    }

    /// Adds the nodes that are reached, and then the graphs inside them.
    pub(super) fn add_all(&mut self, instances: &[Instance]) -> Result<(), Trace> {
        self.add(instances)?;
        while let Some(pending) = self.pending.pop_front() {
            self.assembly.graph = pending.graph;
            self.fill(&pending)?;
        }
        self.assembly.graph = self.main;
        if self.modules > 0 {
            let text = format!(
                "{} XlaCallModule operators hold StableHLO as bytecode, which is not read",
                self.modules
            );
            self.assembly.builder.header.metadata.push(("stablehlo".to_owned(), text));
        }
        Ok(())
    }

    /// Adds the nodes that are reached.
    pub(super) fn add(&mut self, instances: &[Instance]) -> Result<(), Trace> {
        let read: HashSet<Output> =
            instances.iter().flat_map(|it| &it.inputs).flatten().copied().collect();
        let named: Vec<Output> = self.names.keys().copied().collect();
        let mut used: Vec<Output> = read.into_iter().chain(named).collect();
        used.sort_unstable();
        used.dedup();
        for instance in instances {
            let node = self.walk.node(instance.frame, instance.node)?;
            self.node(instance, &node, &used)?;
        }
        Ok(())
    }

    fn node(&mut self, instance: &Instance, node: &Node<'a>, used: &[Output]) -> Result<(), Trace> {
        let at = |port| Output { frame: instance.frame, node: instance.node, port };
        match node.op {
            "Const" | "NoOp" => return Ok(()),
            _ if is_variable(node) => return Ok(()),
            "Placeholder" | "PlaceholderV2" | "_Arg" => return self.placeholder(at(0), node),
            _ => {}
        }
        let mut inputs = Vec::with_capacity(instance.inputs.len());
        for input in &instance.inputs {
            let name = match input {
                Some(input) => self.value(*input)?,
                None => self.assembly.none(),
            };
            let known = self.known.get(&name).cloned().unwrap_or_default();
            inputs.push(Operand { name, known });
        }
        // Outputs that something reads; of the others, those that the operator is known to have.
        let from = used.partition_point(|output| *output < at(0));
        let ports: Vec<u32> = used
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|output| (output.frame, output.node) == (instance.frame, instance.node))
            .map(|output| output.port)
            .collect();
        self.modules += u64::from(node.op == "XlaCallModule");
        if self.control(instance, node, &inputs)? {
            return Ok(());
        }
        let path = self.path(instance.frame, node.name)?;
        let call = Call { written: node.op.to_owned(), name: path, ..Call::default() };
        let shapes = self.shapes(instance, node);
        let mut op = Op {
            node,
            inputs: &inputs,
            output_dims: shapes.iter().map(Option::as_deref).collect(),
            call,
            produced: None,
            assembly: &mut self.assembly,
        };
        let is_mapped = ops::map(&mut op)?;
        let (mut call, produced) = (op.call, op.produced);
        let outputs: Vec<u32> = if is_mapped {
            let least = ops::outputs(node).clamp(1, MAX_OUTPUTS);
            let most = ports.last().map_or(0, |port| port.saturating_add(1));
            (0..least.max(most.min(MAX_OUTPUTS))).collect()
        } else {
            ports
        };
        for port in outputs {
            let name = self.value(at(port))?;
            call.outputs.push(name);
            let stated = shapes.get(port as usize).and_then(Option::as_deref);
            let produced = produced.as_ref().filter(|_| port == 0);
            match (stated, produced) {
                (_, Some(known)) if stated.is_none() => _ = self.known.insert(name, known.clone()),
                (Some(dims), known) => {
                    self.know(name, Some(dims));
                    let integers = known.and_then(|known| known.integers.clone());
                    self.known.entry(name).or_default().integers = integers;
                }
                _ => {}
            }
            self.declare(name, ops::output_type(node, port), stated)?;
        }
        self.assembly.add(&call)?;
        Ok(())
    }

    fn declare(&mut self, name: NameId, dtype: DType, dims: Option<&[i64]>) -> Result<(), Trace> {
        self.declared += dims.map_or(1, |dims| dims.len() + 1);
        if self.declared > MAX_DECLARED || dtype == DType::Undefined && dims.is_none() {
            return Ok(());
        }
        let ty = self.assembly.tensor_type(dtype, dims.map(declared))?;
        self.assembly.declare(name, ty);
        Ok(())
    }

    /// What nothing feeds but the caller.
    fn placeholder(&mut self, at: Output, node: &Node<'a>) -> Result<(), Trace> {
        if self.names.contains_key(&at) {
            // It is an output too.
            return Ok(());
        }
        let name = self.path(at.frame, node.name)?;
        let number = node.type_number("dtype").or(node.type_number("T")).unwrap_or(0);
        let dims = match node.attribute("shape") {
            Some(Attr::Shape(part)) => super::message::shape(part)?,
            _ => None,
        };
        let dims = dims.or_else(|| node.shapes("_output_shapes").into_iter().next().flatten());
        self.add_input(at, &name, number, dims.as_deref())
    }

    /// The name of a value. Stored tensors are added when they are first asked for.
    pub(super) fn value(&mut self, at: Output) -> Result<NameId, Trace> {
        if let Some(name) = self.names.get(&at) {
            return Ok(*name);
        }
        let node = self.walk.node(at.frame, at.node)?;
        let name = if node.op == "Const" {
            self.constant(at, &node)?
        } else if is_variable(&node) {
            let graph = std::mem::replace(&mut self.assembly.graph, self.main);
            let named = self.variables.name(&mut self.assembly, at, &node);
            self.assembly.graph = graph;
            let (name, dims) = named?;
            self.know(name, Some(&dims));
            name
        } else if matches!(node.op, "Placeholder" | "PlaceholderV2" | "_Arg") {
            self.placeholder(at, &node)?;
            self.names.get(&at).copied().unwrap_or(self.assembly.none())
        } else {
            let path = self.path(at.frame, node.name)?;
            self.assembly.name(&format!("{path}:{}", at.port))
        };
        self.names.insert(at, name);
        Ok(name)
    }

    /// A constant, as a stored tensor.
    fn constant(&mut self, at: Output, node: &Node<'a>) -> Result<NameId, Trace> {
        let key = (self.walk.body_of(at.frame), at.node);
        if let Some(name) = self.constants.get(&key) {
            return Ok(*name);
        }
        let path = self.path(at.frame, node.name)?;
        let mut name = self.assembly.name(&path);
        if self.taken.contains(&name) {
            name = self.assembly.name(&format!("{path}:0"));
        }
        self.constants.insert(key, name);
        let Some(Attr::Tensor(part)) = node.attribute("value") else { return Ok(name) };
        let constant =
            Constant::read(part, &mut self.budget).map_err(|trace| trace.within(node.name))?;
        let known = Known {
            integers: constant.integers.as_deref().map(Rc::from),
            dims: Some(Rc::from(constant.dims.as_slice())),
        };
        self.known.insert(name, known);
        let (dtype, dims) = (constant.dtype, constant.dims);
        let graph = std::mem::replace(&mut self.assembly.graph, self.main);
        let tensor = self.assembly.add_stored(name, dtype, &dims, constant.data);
        self.assembly.graph = graph;
        let tensor = tensor?;
        if self.constants_are_given {
            self.state(tensor, dtype, &dims);
        }
        Ok(name)
    }

    fn state(&mut self, tensor: TensorId, dtype: DType, dims: &[i64]) {
        if let Some(elements) = elements(dims) {
            let role = WeightRole::Constant;
            let stated = StoredWeight { tensor, role, elements, dtype };
            self.assembly.builder.stored_weights.push(stated);
        }
    }

    /// The name of a node behind those of the calls around it.
    pub(super) fn path(&mut self, frame: u32, name: &str) -> Result<String, Trace> {
        let prefix = self.prefix(frame)?;
        if self.named > MAX_NAMES {
            let problem =
                format!("the names of nodes inside functions have more than {MAX_NAMES} bytes");
            return Err(Trace::new(0, problem));
        }
        self.named += prefix.len() + name.len();
        Ok(if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") })
    }

    /// The name of the call that opened a frame. Its length is bounded by that of the names inside.
    fn prefix(&mut self, frame: u32) -> Result<Rc<str>, Trace> {
        let mut outer = Vec::new();
        let mut next = frame;
        let mut prefix: Rc<str> = loop {
            if let Some(known) = self.prefixes.get(&next) {
                break Rc::clone(known);
            }
            let Some((caller, call)) = self.walk.caller(next) else { break Rc::from("") };
            outer.push((next, caller, call));
            next = caller;
        };
        for (frame, caller, call) in outer.into_iter().rev() {
            let node = self.walk.node(caller, call)?;
            let mut text = match prefix.is_empty() {
                true => node.name.to_owned(),
                false => format!("{prefix}/{}", node.name),
            };
            let label = self.walk.label(frame);
            if !label.is_empty() {
                text = format!("{text}/{label}");
            }
            self.named += text.len();
            prefix = Rc::from(text);
            self.prefixes.insert(frame, Rc::clone(&prefix));
        }
        Ok(prefix)
    }

    fn shapes(&mut self, instance: &Instance, node: &Node<'a>) -> Shapes {
        let key = (self.walk.body_of(instance.frame), instance.node);
        // The shape of a list is that of its handle, and says nothing of its items.
        let read = || match ops::makes_list(node) {
            true => Shapes::default(),
            false => node.shapes("_output_shapes").into(),
        };
        Rc::clone(self.shapes.entry(key).or_insert_with(read))
    }
}
