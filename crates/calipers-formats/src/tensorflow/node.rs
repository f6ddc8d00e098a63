//! `NodeDef` and `AttrValue`.

use super::message::{entry, integer, shape, text};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Attributes of a node that are read: operators have a dozen.
const MAX_ATTRIBUTES: usize = 128;

/// Elements of a list that are read: lists have one per dimension, output or function.
const MAX_LISTED: usize = 256;

/// A node.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    pub(super) op: &'a str,
    /// Inputs that carry data, as the node names them.
    pub(super) inputs: Vec<&'a str>,
    /// Nodes that must run before it, and hand it nothing.
    pub(super) controls: Vec<&'a str>,
    attributes: Vec<(&'a str, Attr<'a>)>,
}

/// A value of an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attr<'a> {
    Text(Part<'a>),
    Int(i64),
    Float(f32),
    Bool(bool),
    Type(i64),
    Shape(Part<'a>),
    Tensor(Part<'a>),
    List(Part<'a>),
    Function(Part<'a>),
}

impl<'a> Node<'a> {
    pub(super) fn read(part: Part<'a>) -> Result<Self, Trace> {
        let mut node = Self {
            name: "",
            op: "",
            inputs: Vec::new(),
            controls: Vec::new(),
            attributes: Vec::new(),
        };
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => node.name = text(part)?,
                (2, Payload::Bytes(part)) => node.op = text(part)?,
                (3, Payload::Bytes(part)) => {
                    let input = text(part)?;
                    match input.strip_prefix('^') {
                        Some(before) => node.controls.push(before),
                        None => node.inputs.push(input),
                    }
                }
                (5, Payload::Bytes(part)) if node.attributes.len() < MAX_ATTRIBUTES => {
                    let (key, value) = entry(part).map_err(|trace| trace.within("attr"))?;
                    if let Some(value) = Attr::read(value)? {
                        node.attributes.push((key, value));
                    }
                }
                _ => {}
            }
        }
        Ok(node)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<Attr<'a>> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    pub(super) fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attr::Int(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn float(&self, name: &str) -> Option<f32> {
        match self.attribute(name)? {
            Attr::Float(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn bool(&self, name: &str) -> bool {
        matches!(self.attribute(name), Some(Attr::Bool(true)))
    }

    /// The number of a type.
    pub(super) fn type_number(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attr::Type(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        match self.attribute(name)? {
            Attr::Text(part) => text(part).ok(),
            _ => None,
        }
    }

    /// Integers of a list; none where the list is missing.
    pub(super) fn ints(&self, name: &str) -> Vec<i64> {
        let Some(Attr::List(part)) = self.attribute(name) else { return Vec::new() };
        let mut values = Vec::new();
        for field in Message::from(part).fields().map_while(Result::ok) {
            match (field.number, field.payload) {
                (3, Payload::Varint(value)) => values.push(integer(value)),
                (3, Payload::Bytes(part)) if part.len() <= MAX_LISTED as u64 * 10 => {
                    // What is not a number ends the list.
                    let _ = crate::onnx::packed_integers(part, |value| values.push(value));
                }
                _ => {}
            }
            if values.len() > MAX_LISTED {
                break;
            }
        }
        values.truncate(MAX_LISTED);
        values
    }

    /// Texts of a list.
    pub(super) fn texts(&self, name: &str) -> Vec<&'a str> {
        self.listed(name, 2).filter_map(|part| text(part).ok()).collect()
    }

    /// Shapes of a list, in its order; `None` where the rank of one is open.
    pub(super) fn shapes(&self, name: &str) -> Vec<Option<Vec<i64>>> {
        self.listed(name, 7).map(|part| shape(part).ok().flatten()).collect()
    }

    fn listed(&self, name: &str, wanted: u32) -> impl Iterator<Item = Part<'a>> {
        let list = match self.attribute(name) {
            Some(Attr::List(part)) => part,
            _ => Part::new(&[], 0),
        };
        let mut found = Vec::new();
        for field in Message::from(list).fields().map_while(Result::ok) {
            if let (number, Payload::Bytes(part)) = (field.number, field.payload)
                && number == wanted
                && found.len() < MAX_LISTED
            {
                found.push(part);
            }
        }
        found.into_iter()
    }

    /// The name of a function.
    pub(super) fn function(&self, name: &str) -> Option<&'a str> {
        let Some(Attr::Function(part)) = self.attribute(name) else { return None };
        let mut fields = Message::from(part)
            .fields()
            .map_while(Result::ok)
            .filter_map(|field| match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => text(part).ok(),
                _ => None,
            })
            .collect::<Vec<_>>();
        fields.pop()
    }
}

impl<'a> Attr<'a> {
    fn read(part: Part<'a>) -> Result<Option<Self>, Trace> {
        let mut value = None;
        for field in Message::from(part).fields() {
            let field = field?;
            let read = match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => Self::List(part),
                (2, Payload::Bytes(part)) => Self::Text(part),
                (3, Payload::Varint(value)) => Self::Int(integer(value)),
                (4, Payload::Fixed32(bits)) => Self::Float(f32::from_bits(bits)),
                (5, Payload::Varint(value)) => Self::Bool(value != 0),
                (6, Payload::Varint(value)) => Self::Type(integer(value)),
                (7, Payload::Bytes(part)) => Self::Shape(part),
                (8, Payload::Bytes(part)) => Self::Tensor(part),
                (10, Payload::Bytes(part)) => Self::Function(part),
                _ => continue,
            };
            value = Some(read);
        }
        Ok(value)
    }
}
