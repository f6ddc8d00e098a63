//! The graph and the functions that it calls.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::body::{Body, first_text};
use super::message::parts;
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Functions that a graph may have.
const MAX_FUNCTIONS: usize = 1 << 18;

/// The graph, and its functions, which are read when they are first called.
#[derive(Debug)]
pub(super) struct Library<'a> {
    top: Rc<Body<'a>>,
    functions: Vec<(Part<'a>, OnceCell<Rc<Body<'a>>>)>,
    by_name: HashMap<&'a str, u32>,
    /// Version of TensorFlow's graphs that wrote it.
    pub(super) producer: Option<u64>,
}

/// The graph itself among the bodies of a library.
pub(super) const TOP: u32 = 0;

impl<'a> Library<'a> {
    /// Reads a `GraphDef`.
    pub(super) fn read(graph: &Message<'a>) -> Result<Self, Trace> {
        let mut library = Self {
            top: Rc::new(Body::of_graph(graph)?),
            functions: Vec::new(),
            by_name: HashMap::new(),
            producer: None,
        };
        for field in graph.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (2, Payload::Bytes(part)) => {
                    library.add_functions(part).map_err(|trace| trace.within("library"))?;
                }
                (4, Payload::Bytes(part)) => {
                    for field in Message::from(part).fields() {
                        if let (1, Payload::Varint(version)) = (field?.number, field?.payload) {
                            library.producer = Some(version);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(library)
    }

    fn add_functions(&mut self, part: Part<'a>) -> Result<(), Trace> {
        parts(part, |number, part| {
            if number != 1 {
                return Ok(());
            }
            if self.functions.len() >= MAX_FUNCTIONS {
                let problem = format!("there are more than {MAX_FUNCTIONS} functions");
                return Err(Trace::new(part.start(), problem));
            }
            self.functions.push((part, OnceCell::new()));
            let place = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
            let mut name = "";
            for field in Message::from(part).fields() {
                let field = field?;
                if let (1, Payload::Bytes(signature)) = (field.number, field.payload) {
                    name = first_text(signature)?;
                    break;
                }
            }
            self.by_name.insert(name, place);
            Ok(())
        })
    }

    /// How many functions there are.
    pub(super) fn functions(&self) -> usize {
        self.functions.len()
    }

    /// The graph and all functions.
    pub(super) fn bodies(&self) -> impl Iterator<Item = u32> {
        TOP..=u32::try_from(self.functions.len()).unwrap_or(u32::MAX)
    }

    /// A function by its name.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The graph, or a function.
    pub(super) fn body(&self, place: u32) -> Result<Rc<Body<'a>>, Trace> {
        let Some(index) = (place as usize).checked_sub(1) else { return Ok(Rc::clone(&self.top)) };
        let Some((part, cell)) = self.functions.get(index) else {
            return Err(Trace::new(0, format!("there is no function {index}")));
        };
        if let Some(body) = cell.get() {
            return Ok(Rc::clone(body));
        }
        let body = Body::of_function(*part)
            .map_err(|trace| trace.within_nth("function", index).within("library"))?;
        Ok(Rc::clone(cell.get_or_init(|| Rc::new(body))))
    }
}
