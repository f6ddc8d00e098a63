//! The tensors of a checkpoint, with names: dictionaries, lists and the states of objects, flattened.

use super::rebuilt::{Made, Pickled, Rebuilt};
use crate::pickle::{Id, Value, Values};

/// How deep containers are followed.
const MAX_DEPTH: usize = 64;

/// Longest name.
const MAX_NAME: usize = 1 << 10;

/// Containers and tensors that are visited: a container may be in many others.
const MAX_VISITS: usize = 1 << 21;

/// Bytes of all names that are made.
const MAX_NAMES: usize = 1 << 24;

/// Tensors that are read.
const MAX_TENSORS: usize = 1 << 17;

/// Facts that are kept, and the longest of them.
const MAX_FACTS: usize = 128;
const MAX_FACT: usize = 256;

/// A tensor with the name that its place gives it.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) tensor: Rebuilt,
    pub(super) kind: Kind,
    /// Whether it belongs to the model rather than to its training.
    pub(super) is_of_model: bool,
}

/// What a module calls a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Parameter,
    Buffer,
    /// The file does not say.
    Open,
}

/// What a checkpoint has in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pub(super) tensors: Vec<Named>,
    /// Numbers and texts beside the tensors.
    pub(super) facts: Vec<(String, String)>,
    /// The class of the outermost object.
    pub(super) class: Option<String>,
    /// Whether there is more than is read.
    pub(super) is_cut: bool,
}

/// What is visited next.
struct Visit {
    id: Id,
    name: String,
    depth: usize,
    kind: Kind,
    is_of_model: bool,
}

/// Keys under which training keeps what is not the model, wherever they are.
fn is_training(key: &str) -> bool {
    key.starts_with("optimizer")
        || key.starts_with("optim_")
        || key == "optim"
        || key.ends_with("_optimizer")
        || key.ends_with("_optimizer_state_dict")
}

/// Keys under which a checkpoint keeps the model.
fn is_model(key: &str) -> bool {
    const KEYS: &[&str] = &[
        "state_dict",
        "model_state_dict",
        "model",
        "module",
        "model_state",
        "net",
        "network",
        "weights",
        "params",
        "net_state_dict",
        "generator",
        "encoder",
        "decoder",
    ];
    KEYS.contains(&key)
}

/// Keys beside the model that hold a second copy of it, or the state of its training.
fn is_beside_model(key: &str) -> bool {
    const PARTS: &[&str] =
        &["ema", "scheduler", "schedulers", "rng", "scaler", "callbacks", "loops"];
    key.split('_').any(|part| PARTS.contains(&part))
}

/// Flattens what a pickle leaves at its end.
pub(super) fn flatten(pickled: Pickled<'_, '_>, top: Id) -> Contents {
    let mut walk = Walk {
        pickled,
        contents: Contents { class: class_of(pickled, top), ..Contents::default() },
        ahead: Vec::new(),
        names_left: MAX_NAMES,
        visited: vec![false; pickled.values.len()],
    };
    let (name, kind) = (String::new(), Kind::Open);
    walk.ahead.push(Visit { id: top, name, depth: 0, kind, is_of_model: true });
    for _ in 0..MAX_VISITS {
        match walk.ahead.pop() {
            Some(visit) if walk.contents.tensors.len() < MAX_TENSORS => walk.visit(visit),
            Some(_) => break,
            None => return walk.contents,
        }
    }
    walk.contents.is_cut = true;
    walk.contents
}

fn class_of(pickled: Pickled<'_, '_>, top: Id) -> Option<String> {
    let Value::Object(object) = pickled.values.get(top) else { return None };
    let import = pickled.global(object.callable)?;
    Some(format!("{}.{}", import.module, import.name))
}

struct Walk<'p, 'a> {
    pickled: Pickled<'p, 'a>,
    contents: Contents,
    /// What is still to be visited, the next one last.
    ahead: Vec<Visit>,
    /// Bytes of names that may still be made.
    names_left: usize,
    visited: Vec<bool>,
}

impl Walk<'_, '_> {
    fn visit(&mut self, visit: Visit) {
        match self.pickled.made(visit.id) {
            Some(Made::Tensor(tensor)) => {
                let Visit { name, kind, is_of_model, .. } = visit;
                let kind = if tensor.is_parameter { Kind::Parameter } else { kind };
                self.contents.tensors.push(Named { name, tensor, kind, is_of_model });
                return;
            }
            Some(Made::Parts(parts)) => {
                for (part, id) in parts.into_iter().rev() {
                    self.enter(&visit, part, id, visit.kind, visit.is_of_model);
                }
                return;
            }
            None => {}
        }
        let values = self.pickled.values;
        if self.note(&visit) {
            return;
        }
        // A container is entered once: by itself, or in a circle, it is the same tensors again.
        let Some(visited) = self.visited.get_mut(Values::index(visit.id)) else { return };
        if std::mem::replace(visited, true) {
            return;
        }
        match values.get(visit.id) {
            Value::Dict(items) => self.enter_items(&visit, items),
            Value::Tuple(elements) => self.enter_elements(&visit, elements),
            Value::List(elements) | Value::Set(elements) => self.enter_elements(&visit, elements),
            Value::Object(object) => {
                // Pushed in reverse: the state comes last in the file, and first where it is a module's.
                if object.state.is_none() && object.items.is_empty() {
                    let arguments = values.elements(object.arguments).unwrap_or_default();
                    self.enter_elements(&visit, arguments);
                }
                self.enter_elements(&visit, &object.elements);
                self.enter_items(&visit, &object.items);
                if let Some(state) = object.state {
                    self.enter_state(&visit, state);
                }
            }
            _ => {}
        }
    }

    /// Notes a number or a text; `false` for anything else.
    fn note(&mut self, visit: &Visit) -> bool {
        let values = self.pickled.values;
        let text = match values.get(visit.id) {
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Text(text) => text.get().unwrap_or_default().to_owned(),
            Value::Dict(_) | Value::Tuple(_) | Value::List(_) => return false,
            Value::Set(_) | Value::Object(_) => return false,
            _ => return true,
        };
        let is_kept = !visit.name.is_empty()
            && visit.depth <= 3
            && visit.is_of_model
            && text.len() <= MAX_FACT
            && !text.is_empty()
            && self.contents.facts.len() < MAX_FACTS;
        if is_kept {
            self.contents.facts.push((visit.name.clone(), text));
        }
        true
    }

    fn enter(&mut self, from: &Visit, part: &str, id: Id, kind: Kind, is_of_model: bool) {
        let name = match (from.name.is_empty(), part.is_empty()) {
            (true, _) => part.to_owned(),
            (false, true) => from.name.clone(),
            (false, false) => format!("{}.{part}", from.name),
        };
        let names_left = self.names_left.checked_sub(name.len());
        if from.depth < MAX_DEPTH
            && name.len() <= MAX_NAME
            && let Some(names_left) = names_left
        {
            self.names_left = names_left;
            let depth = from.depth + 1;
            self.ahead.push(Visit { id, name, depth, kind, is_of_model });
        } else {
            self.contents.is_cut = true;
        }
    }

    fn enter_elements(&mut self, from: &Visit, elements: &[Id]) {
        // Lists of numbers hold no tensors, and can be long.
        let values = self.pickled.values;
        for (place, id) in elements.iter().enumerate().rev() {
            if matches!(values.get(*id), Value::Object(_))
                || values.elements(*id).is_some()
                || matches!(values.get(*id), Value::Dict(_))
            {
                self.enter(from, &place.to_string(), *id, from.kind, from.is_of_model);
            }
        }
    }

    fn enter_items(&mut self, from: &Visit, items: &[(Id, Id)]) {
        let values = self.pickled.values;
        let key = |id: Id| match values.get(id) {
            Value::Text(text) => text.get().map(str::to_owned),
            Value::Int(number) => Some(number.to_string()),
            Value::Bool(value) => Some(value.to_string()),
            _ => None,
        };
        let is_container = |id: Id| {
            matches!(values.get(id), Value::Dict(_) | Value::List(_))
                || matches!(values.get(id), Value::Object(_)) && self.pickled.made(id).is_none()
        };
        let has = |wanted: &dyn Fn(&str) -> bool| {
            items
                .iter()
                .any(|(name, value)| values.text(*name).is_some_and(wanted) && is_container(*value))
        };
        let has_model = has(&is_model);
        // What an optimizer returns as its state.
        let is_optimizer = has(&|key| key == "state") && has(&|key| key == "param_groups");
        let mut parts = Vec::with_capacity(items.len());
        for (place, (name, value)) in items.iter().enumerate() {
            let part = key(*name).unwrap_or_else(|| place.to_string());
            let beside = is_training(&part) || has_model && is_beside_model(&part);
            // A tensor whose own name is such is a tensor of the model.
            let is_of_model = !(is_optimizer || beside && is_container(*value));
            parts.push((part, *value, is_of_model));
        }
        for (part, value, is_of_model) in parts.into_iter().rev() {
            self.enter(from, &part, value, from.kind, from.is_of_model && is_of_model);
        }
    }

    /// The attributes of an object. Those of a module keep its parameters, buffers and submodules
    /// in dictionaries whose names are not part of the tensors' names.
    fn enter_state(&mut self, from: &Visit, state: Id) {
        let values = self.pickled.values;
        let state = match values.get(state) {
            // Attributes in a dictionary, and those in slots.
            Value::Tuple(pair) if pair.len() == 2 => pair.clone(),
            _ => Box::from([state]),
        };
        for state in state.iter().rev() {
            let Some(items) = values.items(*state) else { continue };
            let is_module = values.item(*state, "_parameters").is_some();
            if !is_module {
                self.enter_items(from, items);
                continue;
            }
            for (part, kind) in [
                ("_modules", Kind::Open),
                ("_buffers", Kind::Buffer),
                ("_parameters", Kind::Parameter),
            ] {
                let items = values.item(*state, part).and_then(|part| values.items(part));
                for (name, value) in items.unwrap_or_default().iter().rev() {
                    let name = values.text(*name).unwrap_or("?").to_owned();
                    self.enter(from, &name, *value, kind, from.is_of_model);
                }
            }
        }
    }
}
