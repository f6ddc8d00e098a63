//! `SavedObjectGraph`: the variables of a model, and where the checkpoint has them.

use std::collections::{HashMap, VecDeque};

use calipers_ir::DType;

use super::bundle::Bundle;
use super::message::{dtype, entry, integer, parts, shape, text};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Objects of a model that are read, and references between them.
const MAX_OBJECTS: usize = 1 << 20;

/// Bytes of all paths to objects: each holds those of the objects around it.
const MAX_PATHS: usize = 1 << 25;

/// What the checkpoint appends to the path of a variable.
const VALUE: &str = "/.ATTRIBUTES/VARIABLE_VALUE";

/// A variable of the object graph.
#[derive(Clone, Debug)]
pub(super) struct Variable<'a> {
    pub(super) name: &'a str,
    pub(super) dtype: DType,
    pub(super) dims: Vec<i64>,
    pub(super) is_trainable: bool,
    /// Its object.
    pub(super) object: usize,
    /// Its name in the checkpoint; empty where no path leads to it.
    pub(super) key: String,
}

#[derive(Debug, Default)]
struct Object<'a> {
    /// Objects that it holds, by their names in it.
    children: Vec<(usize, &'a str)>,
    /// What an optimizer has for variables: variable, name, and the optimizer's own variable.
    slots: Vec<(usize, &'a str, usize)>,
}

/// The objects of a model.
#[derive(Debug, Default)]
pub(super) struct Objects<'a> {
    objects: Vec<Object<'a>>,
    pub(super) variables: Vec<Variable<'a>>,
    /// Objects that a function captures, by its name.
    captures: HashMap<&'a str, Vec<i64>>,
    references: usize,
}

impl<'a> Objects<'a> {
    pub(super) fn read(graph: &Message<'a>) -> Result<Self, Trace> {
        let mut objects = Self::default();
        for field in graph.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => {
                    let place = objects.objects.len();
                    objects.object(part).map_err(|trace| trace.within_nth("nodes", place))?;
                }
                (2, Payload::Bytes(part)) => {
                    let (name, function) = entry(part)?;
                    let captured = captured(function)?;
                    objects.captures.insert(name, captured);
                }
                _ => {}
            }
        }
        Ok(objects)
    }

    fn object(&mut self, part: Part<'a>) -> Result<(), Trace> {
        let place = self.objects.len();
        let mut object = Object::default();
        parts(part, |number, part| {
            match number {
                1 => {
                    let (child, name, _) = reference(part)?;
                    object.children.push((child, name));
                }
                3 => {
                    let (variable, name, slot) = reference(part)?;
                    object.slots.push((variable, name, slot));
                }
                7 => self.variables.push(variable(part, place)?),
                _ => {}
            }
            Ok(())
        })?;
        self.references += object.children.len() + object.slots.len();
        if place >= MAX_OBJECTS || self.references > 4 * MAX_OBJECTS {
            let problem = format!("the model has more than {MAX_OBJECTS} objects");
            return Err(Trace::new(part.start(), problem));
        }
        self.objects.push(object);
        Ok(())
    }

    /// Objects that a function captures: what its last arguments are.
    pub(super) fn captures(&self, function: &str) -> &[i64] {
        self.captures.get(function).map_or(&[], Vec::as_slice)
    }

    /// Gives each variable its name in the checkpoint: the shortest path of names that leads to it.
    pub(super) fn name_keys(&mut self, bundle: &Bundle) {
        let paths = self.paths();
        let is_known = |key: &String| bundle.entries.contains_key(key);
        for variable in &mut self.variables {
            if let Some(Some(path)) = paths.get(variable.object) {
                variable.key = format!("{path}{VALUE}");
            }
        }
        let places: HashMap<usize, usize> =
            self.variables.iter().enumerate().map(|(place, it)| (it.object, place)).collect();
        // Slots have the path of their variable and that of their optimizer.
        let mut bytes = 0_usize;
        for (optimizer, object) in self.objects.iter().enumerate() {
            for (variable, name, slot) in &object.slots {
                let of = |object: usize| paths.get(object).and_then(Option::as_deref);
                let (Some(variable), Some(optimizer)) = (of(*variable), of(optimizer)) else {
                    continue;
                };
                let slash = if optimizer.is_empty() { "" } else { "/" };
                let name = escaped(name);
                bytes += variable.len() + optimizer.len();
                if bytes > MAX_PATHS {
                    return;
                }
                let key = format!("{variable}/.OPTIMIZER_SLOT{slash}{optimizer}/{name}{VALUE}");
                if let Some(slot) = places.get(slot).and_then(|slot| self.variables.get_mut(*slot))
                    && !is_known(&slot.key)
                {
                    slot.key = key;
                }
            }
        }
        // An object may be held under several names; the checkpoint has one of them.
        for (holder, object) in self.objects.iter().enumerate() {
            let Some(Some(path)) = paths.get(holder) else { continue };
            for (child, name) in &object.children {
                if let Some(variable) =
                    places.get(child).and_then(|place| self.variables.get_mut(*place))
                    && !is_known(&variable.key)
                {
                    bytes += path.len();
                    if bytes > MAX_PATHS {
                        return;
                    }
                    let key = format!("{}{VALUE}", joined(path, name));
                    if is_known(&key) {
                        variable.key = key;
                    }
                }
            }
        }
    }

    /// The shortest path to each object, the first among those.
    fn paths(&self) -> Vec<Option<String>> {
        let mut paths: Vec<Option<String>> = vec![None; self.objects.len()];
        let mut queue = VecDeque::new();
        let mut bytes = 0_usize;
        if let Some(root) = paths.first_mut() {
            *root = Some(String::new());
            queue.push_back((0_usize, String::new()));
        }
        while let Some((place, path)) = queue.pop_front() {
            for (child, name) in self.objects.get(place).map_or(&[][..], |it| &it.children) {
                let Some(free @ None) = paths.get_mut(*child) else { continue };
                let own = joined(&path, name);
                bytes = bytes.saturating_add(own.len());
                if bytes > MAX_PATHS {
                    return paths;
                }
                *free = Some(own.clone());
                queue.push_back((*child, own));
            }
        }
        paths
    }
}

fn joined(path: &str, name: &str) -> String {
    let name = escaped(name);
    if path.is_empty() { name } else { format!("{path}/{name}") }
}

/// A name as a part of a path.
fn escaped(name: &str) -> String {
    name.replace('.', "..").replace('/', ".S")
}

/// A reference to one object, or to two: their ids, and the name between.
fn reference<'a>(part: Part<'a>) -> Result<(usize, &'a str, usize), Trace> {
    let (mut first, mut name, mut second) = (0, "", 0);
    let id = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Varint(value)) => first = id(value),
            (2, Payload::Bytes(part)) => name = text(part)?,
            (3, Payload::Varint(value)) => second = id(value),
            _ => {}
        }
    }
    Ok((first, name, second))
}

fn variable<'a>(part: Part<'a>, object: usize) -> Result<Variable<'a>, Trace> {
    let mut variable = Variable {
        name: "",
        dtype: DType::Undefined,
        dims: Vec::new(),
        is_trainable: false,
        object,
        key: String::new(),
    };
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (1, Payload::Varint(value)) => variable.dtype = dtype(integer(value)),
            (2, Payload::Bytes(part)) => variable.dims = shape(part)?.unwrap_or_default(),
            (3, Payload::Varint(value)) => variable.is_trainable = value != 0,
            (6, Payload::Bytes(part)) => variable.name = text(part)?,
            _ => {}
        }
    }
    Ok(variable)
}

/// `SavedConcreteFunction.bound_inputs`.
fn captured(part: Part<'_>) -> Result<Vec<i64>, Trace> {
    let mut captured = Vec::new();
    for field in Message::from(part).fields() {
        let field = field?;
        match (field.number, field.payload) {
            (2, Payload::Varint(value)) => captured.push(integer(value)),
            (2, Payload::Bytes(part)) => {
                crate::onnx::packed_integers(part, |value| captured.push(value))?;
            }
            _ => {}
        }
    }
    Ok(captured)
}
