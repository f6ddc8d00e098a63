//! The nodes of a graph or of a function, and how they name what they read.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::message::{entry, parts, text};
use super::node::Node;
use super::ports;
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Nodes that one graph or function may have.
const MAX_NODES: usize = 1 << 20;

/// A graph or a function.
#[derive(Debug, Default)]
pub(super) struct Body<'a> {
    nodes: Vec<Entry<'a>>,
    by_name: HashMap<&'a str, u32>,
    arguments: HashMap<&'a str, usize>,
    /// What a function returns, by the names of its outputs.
    returned: HashMap<&'a str, &'a str>,
    /// Names of a function's outputs.
    outputs: Vec<&'a str>,
    is_function: bool,
    /// Outputs of nodes whose operators are not known, by the order in which they are named.
    named: RefCell<HashMap<u32, Vec<&'a str>>>,
}

#[derive(Debug)]
struct Entry<'a> {
    part: Part<'a>,
    node: OnceCell<Rc<Node<'a>>>,
}

/// What a node reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read<'a> {
    /// The argument of the function with this number.
    Argument(usize),
    /// An output of a node.
    Output {
        /// The node.
        node: u32,
        /// The name that its operator has for the output; empty in graphs, which count outputs.
        output: &'a str,
        /// The place among the outputs of that name.
        index: u32,
    },
}

impl<'a> Body<'a> {
    /// The graph in a `GraphDef`.
    pub(super) fn of_graph(graph: &Message<'a>) -> Result<Self, Trace> {
        let mut body = Self::default();
        for field in graph.fields() {
            let field = field?;
            if let (1, Payload::Bytes(part)) = (field.number, field.payload) {
                body.add(part)?;
            }
        }
        Ok(body)
    }

    /// The function in a `FunctionDef`.
    pub(super) fn of_function(part: Part<'a>) -> Result<Self, Trace> {
        let mut body = Self { is_function: true, ..Self::default() };
        parts(part, |number, part| {
            match number {
                1 => body.signature(part)?,
                3 => body.add(part)?,
                4 => {
                    let (output, read) = entry(part)?;
                    body.returned.insert(output, text(read)?);
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(body)
    }

    fn signature(&mut self, part: Part<'a>) -> Result<(), Trace> {
        parts(part, |number, part| {
            let name = match number {
                2 | 3 => first_text(part)?,
                _ => return Ok(()),
            };
            if number == 2 {
                let place = self.arguments.len();
                self.arguments.insert(name, place);
            } else {
                self.outputs.push(name);
            }
            Ok(())
        })
    }

    fn add(&mut self, part: Part<'a>) -> Result<(), Trace> {
        let place = self.nodes.len();
        if place >= MAX_NODES {
            let problem = format!("a graph has more than {MAX_NODES} nodes");
            return Err(Trace::new(part.start(), problem));
        }
        let name = first_text(part).map_err(|trace| trace.within_nth("node", place))?;
        self.by_name.insert(name, u32::try_from(place).unwrap_or(u32::MAX));
        self.nodes.push(Entry { part, node: OnceCell::new() });
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A node, read when it is first asked for.
    pub(super) fn node(&self, place: u32) -> Result<Rc<Node<'a>>, Trace> {
        let index = place as usize;
        let Some(entry) = self.nodes.get(index) else {
            return Err(Trace::new(0, format!("there are fewer than {place} nodes")));
        };
        if let Some(node) = entry.node.get() {
            return Ok(Rc::clone(node));
        }
        let node = Node::read(entry.part).map_err(|trace| trace.within_nth("node", index))?;
        Ok(Rc::clone(entry.node.get_or_init(|| Rc::new(node))))
    }

    /// The name and the operator of a node; nothing else of it is read.
    pub(super) fn head(&self, place: u32) -> Result<(&'a str, &'a str), Trace> {
        let index = place as usize;
        let Some(entry) = self.nodes.get(index) else { return Ok(("", "")) };
        let (mut name, mut op) = ("", "");
        for field in Message::from(entry.part).fields() {
            let field = field.map_err(|error| Trace::from(error).within_nth("node", index))?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => name = text(part)?,
                (2, Payload::Bytes(part)) => {
                    op = text(part)?;
                    break;
                }
                _ => {}
            }
        }
        Ok((name, op))
    }

    /// What a name among a node's inputs refers to: `node`, `node:1`, and in functions `argument`
    /// and `node:output:1`.
    pub(super) fn find(&self, reference: &'a str) -> Result<Option<Read<'a>>, Trace> {
        let (name, rest) = reference.split_once(':').unwrap_or((reference, ""));
        if let Some(place) = self.arguments.get(name) {
            return Ok(Some(Read::Argument(*place)));
        }
        let Some(node) = self.by_name.get(name) else { return Ok(None) };
        let (output, index) = match rest.split_once(':') {
            Some((output, index)) => (output, index),
            None if self.is_function && rest.parse::<u32>().is_err() => (rest, ""),
            None => ("", rest),
        };
        let index = index.parse::<u32>().unwrap_or(0);
        Ok(Some(Read::Output { node: *node, output, index }))
    }

    /// The number of an output by the name that its operator has for it.
    pub(super) fn port(&self, place: u32, output: &'a str, index: u32) -> Result<u32, Trace> {
        if output.is_empty() {
            return Ok(index);
        }
        let node = self.node(place)?;
        if let Some(port) = ports::port(&node, output) {
            return Ok(port.saturating_add(index));
        }
        let mut named = self.named.borrow_mut();
        let names = named.entry(place).or_default();
        let known = names.iter().position(|name| *name == output).unwrap_or_else(|| {
            names.push(output);
            names.len() - 1
        });
        Ok(u32::try_from(known).unwrap_or(u32::MAX).saturating_add(index))
    }

    /// What a function returns as its output of this number.
    pub(super) fn returned(&self, port: u32) -> Option<&'a str> {
        let name = self.outputs.get(port as usize)?;
        self.returned.get(name).copied()
    }

    /// How many outputs a function has.
    pub(super) fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The number of a function's output by its name.
    pub(super) fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| *output == name)
    }

    /// The place of a node by its name.
    pub(super) fn place(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }
}

/// The text in the first field, which is the name in every message that has one.
pub(super) fn first_text<'a>(part: Part<'a>) -> Result<&'a str, Trace> {
    for field in Message::from(part).fields() {
        let field = field?;
        if let (1, Payload::Bytes(part)) = (field.number, field.payload) {
            return text(part);
        }
    }
    Ok("")
}
