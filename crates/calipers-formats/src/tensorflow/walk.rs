//! From the outputs back to the inputs, through calls of functions.
//!
//! A call opens a frame: the function's body with what the caller hands it. References are followed
//! across frames until they end at a node that is not a call, so the nodes that are reached form one
//! graph. Both walks keep stacks of their own: no file can drive recursion.

use std::collections::HashMap;
use std::rc::Rc;

use super::body::{Body, Read};
use super::library::{Library, TOP};
use super::node::Node;
use crate::error::Trace;

/// Functions inside functions that are entered.
pub(super) const MAX_DEPTH: u32 = 64;

/// Nodes after which no further call is entered.
pub(super) const MAX_INSTANCES: usize = 1 << 18;

/// Inputs of all nodes that are reached.
const MAX_EDGES: usize = 1 << 22;

/// Steps across calls and arguments, over the whole walk.
const MAX_STEPS: u64 = 1 << 24;

/// Steps of one reference: more than any chain of calls has.
const MAX_STEPS_EACH: u64 = 1 << 12;

/// An output of a node in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Output {
    pub(super) frame: u32,
    pub(super) node: u32,
    pub(super) port: u32,
}

/// A node in a frame that is reached.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) frame: u32,
    pub(super) node: u32,
    /// Where its inputs come from; `None` where nothing of the name exists.
    pub(super) inputs: Vec<Option<Output>>,
}

/// The node among those of a frame that its arguments are outputs of, where the caller hands it
/// something else in every turn.
pub(super) const STATE: u32 = u32::MAX;

/// What a function finds in its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arguments {
    /// Inputs of the call, from this one on.
    Inputs(usize),
    /// The state of a loop.
    State,
    /// What the function of another frame returns.
    Returned(u32),
}

/// A body as one call has it.
#[derive(Debug)]
struct Frame {
    body: u32,
    depth: u32,
    /// The call: its frame and its node.
    caller: Option<(u32, u32)>,
    arguments: Arguments,
    /// What the call has the function for; empty where it has one.
    label: &'static str,
}

/// A walk over a graph.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) library: Library<'a>,
    frames: Vec<Frame>,
    /// Frames of calls; `None` for one that is not entered.
    calls: HashMap<(u32, u32), Option<u32>>,
    steps: u64,
    edges: usize,
    found: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(library: Library<'a>) -> Self {
        Self {
            library,
            frames: vec![Frame {
                body: TOP,
                depth: 0,
                caller: None,
                arguments: Arguments::Inputs(0),
                label: "",
            }],
            calls: HashMap::new(),
            steps: 0,
            edges: 0,
            found: 0,
        }
    }

    /// The body of a frame, by its place in the library.
    pub(super) fn body_of(&self, frame: u32) -> u32 {
        self.frames.get(frame as usize).map_or(TOP, |frame| frame.body)
    }

    /// The frame and the node of the call that opened a frame.
    pub(super) fn caller(&self, frame: u32) -> Option<(u32, u32)> {
        self.frames.get(frame as usize)?.caller
    }

    fn body(&self, frame: u32) -> Result<Rc<Body<'a>>, Trace> {
        self.library.body(self.body_of(frame))
    }

    /// A node of a frame.
    pub(super) fn node(&self, frame: u32, node: u32) -> Result<Rc<Node<'a>>, Trace> {
        self.body(frame)?.node(node)
    }

    /// The node's output that a name in a frame ends at.
    pub(super) fn resolve(
        &mut self,
        frame: u32,
        reference: &'a str,
    ) -> Result<Option<Output>, Trace> {
        match self.body(frame)?.find(reference)? {
            Some(read) => self.follow(frame, read),
            None => Ok(None),
        }
    }

    fn follow(&mut self, mut frame: u32, mut read: Read<'a>) -> Result<Option<Output>, Trace> {
        for _ in 0..MAX_STEPS_EACH {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(Trace::new(0, format!("calls take more than {MAX_STEPS} steps")));
            }
            let reference = match read {
                Read::Argument(place) => {
                    let Some(port) = u32::try_from(place).ok() else { return Ok(None) };
                    let Some((outer, call)) = self.caller(frame) else { return Ok(None) };
                    match self.arguments(frame) {
                        Arguments::Inputs(from) => {
                            frame = outer;
                            let place = place.saturating_add(from);
                            self.node(outer, call)?.inputs.get(place).copied()
                        }
                        Arguments::State => {
                            let body = self.body(frame)?;
                            let returned = body.returned(port).map(|name| body.find(name));
                            // What every turn hands on as it is, is what the loop was given.
                            if returned.transpose()?.flatten() != Some(read) {
                                return Ok(Some(Output { frame, node: STATE, port }));
                            }
                            frame = outer;
                            self.node(outer, call)?.inputs.get(place).copied()
                        }
                        Arguments::Returned(other) => {
                            frame = other;
                            self.body(other)?.returned(port)
                        }
                    }
                }
                Read::Output { node: place, output, index } => {
                    let body = self.body(frame)?;
                    let node = body.node(place)?;
                    let port = self.port(&body, &node, place, (output, index))?;
                    if let Some(inner) = self.enter(frame, place, &node)? {
                        frame = inner;
                        self.body(inner)?.returned(port)
                    } else if node.op == "ReadVariableOp" && self.reads_variable(frame, &node)? {
                        node.inputs.first().copied()
                    } else {
                        return Ok(Some(Output { frame, node: place, port }));
                    }
                }
            };
            let Some(reference) = reference else { return Ok(None) };
            let Some(next) = self.body(frame)?.find(reference)? else { return Ok(None) };
            read = next;
        }
        Ok(None)
    }

    /// What an output of a node of the top graph ends at, by the name of the node.
    pub(super) fn output(&mut self, (name, port): (&'a str, u32)) -> Result<Option<Output>, Trace> {
        let body = self.library.body(TOP)?;
        let Some(place) = body.place(name) else { return Ok(None) };
        self.follow(0, Read::Output { node: place, output: "", index: port })
    }

    /// Outputs of a node of the top graph, where it calls a function.
    pub(super) fn outputs_of_call(&self, node: &Node<'a>) -> Result<Option<usize>, Trace> {
        match self.called(node) {
            Some(function) => Ok(Some(self.library.body(function)?.outputs())),
            None => Ok(None),
        }
    }

    /// Whether the handle that a node reads is that of a variable. Handles come through arguments.
    fn reads_variable(&mut self, frame: u32, node: &Node<'a>) -> Result<bool, Trace> {
        let (mut frame, mut handle) = (frame, node.inputs.first().copied());
        for _ in 0..=MAX_DEPTH {
            self.steps += 1;
            let Some(reference) = handle else { return Ok(false) };
            match self.body(frame)?.find(reference)? {
                None => return Ok(false),
                Some(Read::Argument(place)) => {
                    let Some((outer, call)) = self.caller(frame) else { return Ok(false) };
                    // Loops hand variables through their state, and do not change which they are.
                    let from = match self.arguments(frame) {
                        Arguments::Inputs(from) => from,
                        Arguments::State | Arguments::Returned(_) => 0,
                    };
                    let place = place.saturating_add(from);
                    handle = self.node(outer, call)?.inputs.get(place).copied();
                    frame = outer;
                }
                Some(Read::Output { node, .. }) => {
                    return Ok(is_variable(&*self.node(frame, node)?));
                }
            }
        }
        Ok(false)
    }

    fn port(
        &self,
        body: &Body<'a>,
        node: &Node<'a>,
        place: u32,
        (output, index): (&'a str, u32),
    ) -> Result<u32, Trace> {
        if !output.is_empty()
            && let Some(function) = self.library.find(node.op)
            && let Some(port) = self.library.body(function)?.output(output)
        {
            return Ok(u32::try_from(port).unwrap_or(u32::MAX).saturating_add(index));
        }
        body.port(place, output, index)
    }

    /// The function that a node calls.
    fn called(&self, node: &Node<'a>) -> Option<u32> {
        let name = match node.op {
            "PartitionedCall" | "StatefulPartitionedCall" => node.function("f")?,
            op => op,
        };
        self.library.find(name)
    }

    /// The frame that a node opens, if it is a call that is entered.
    fn enter(&mut self, frame: u32, place: u32, node: &Node<'a>) -> Result<Option<u32>, Trace> {
        let Some(function) = self.called(node) else { return Ok(None) };
        if let Some(known) = self.calls.get(&(frame, place)) {
            return Ok(*known);
        }
        let opened = self.open((frame, place), function, Arguments::Inputs(0), "");
        self.calls.insert((frame, place), opened);
        Ok(opened)
    }

    /// Opens a frame for a function that a node calls, unless that goes too deep.
    fn open(
        &mut self,
        (frame, place): (u32, u32),
        function: u32,
        arguments: Arguments,
        label: &'static str,
    ) -> Option<u32> {
        let depth = self.frames.get(frame as usize).map_or(0, |frame| frame.depth) + 1;
        let is_deep = depth > MAX_DEPTH
            || self.found >= MAX_INSTANCES
            || self.frames.len() >= MAX_INSTANCES
            || self.is_open(frame, function);
        if is_deep {
            return None;
        }
        let inner = u32::try_from(self.frames.len()).ok();
        let caller = Some((frame, place));
        self.frames.push(Frame { body: function, depth, caller, arguments, label });
        inner
    }

    /// Opens a frame for a function that a node has in an attribute.
    pub(super) fn open_named(
        &mut self,
        at: (u32, u32),
        node: &Node<'a>,
        attribute: &'static str,
        arguments: Arguments,
    ) -> Option<u32> {
        let function = self.library.find(node.function(attribute)?)?;
        self.open(at, function, arguments, attribute)
    }

    /// What the function of a frame returns.
    pub(super) fn returned(&mut self, frame: u32) -> Result<Vec<Option<Output>>, Trace> {
        let body = self.body(frame)?;
        let mut outputs = Vec::new();
        for port in 0..u32::try_from(body.outputs()).unwrap_or(u32::MAX) {
            outputs.push(match body.returned(port) {
                Some(reference) => self.resolve(frame, reference)?,
                None => None,
            });
        }
        self.edges += outputs.len();
        Ok(outputs)
    }

    fn arguments(&self, frame: u32) -> Arguments {
        self.frames.get(frame as usize).map_or(Arguments::Inputs(0), |frame| frame.arguments)
    }

    /// What the caller of a frame has its function for.
    pub(super) fn label(&self, frame: u32) -> &'static str {
        self.frames.get(frame as usize).map_or("", |frame| frame.label)
    }

    /// Whether a frame is inside a call of this function: it would call itself.
    fn is_open(&self, frame: u32, function: u32) -> bool {
        let mut next = Some(frame);
        while let Some(frame) = next {
            if self.body_of(frame) == function {
                return true;
            }
            next = self.caller(frame).map(|(outer, _)| outer);
        }
        false
    }

    /// Every node that the outputs need, each after those that it reads where there is no cycle.
    /// `is_end` says which outputs nothing is read behind: what the caller feeds.
    pub(super) fn reach(
        &mut self,
        outputs: &[Output],
        is_end: impl Fn(&Output) -> bool,
    ) -> Result<Vec<Instance>, Trace> {
        let mut seen: HashMap<(u32, u32), ()> = HashMap::new();
        let mut order = Vec::new();
        let mut stack: Vec<(Instance, usize)> = Vec::new();
        for output in outputs {
            let mut next = Some(*output);
            loop {
                if let Some(output) = next.take()
                    && output.node != STATE
                    && !is_end(&output)
                    && seen.insert((output.frame, output.node), ()).is_none()
                {
                    stack.push((self.instance(output)?, 0));
                }
                let Some((instance, place)) = stack.last_mut() else { break };
                match instance.inputs.get(*place) {
                    Some(input) => {
                        *place += 1;
                        next = *input;
                    }
                    None => order.extend(stack.pop().map(|(instance, _)| instance)),
                }
            }
        }
        Ok(order)
    }

    fn instance(&mut self, at: Output) -> Result<Instance, Trace> {
        let node = self.node(at.frame, at.node)?;
        self.found += 1;
        self.edges += node.inputs.len();
        if self.edges > MAX_EDGES {
            let problem = format!("nodes read more than {MAX_EDGES} values");
            return Err(Trace::new(0, problem));
        }
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for input in &node.inputs {
            inputs.push(self.resolve(at.frame, input)?);
        }
        Ok(Instance { frame: at.frame, node: at.node, inputs })
    }
}

/// Whether a node is a variable.
pub(super) fn is_variable(node: &Node<'_>) -> bool {
    matches!(node.op, "VarHandleOp" | "VariableV2" | "Variable")
}
