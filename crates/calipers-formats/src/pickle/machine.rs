//! The stack machine, whose calls only note what would be called.

use std::collections::HashMap;

use calipers_ir::{Source, Span};

use super::cursor::{Cursor, Problem};
use super::value::{Id, MAX_VALUES, Object, Text, Value, Values};
use super::{Op, Payload};

/// Entries of the stack, of the memo and of the marks.
const MAX_ENTRIES: usize = 1 << 20;

/// Different imports that are noted; real checkpoints have dozens.
const MAX_IMPORTS: usize = 1 << 12;

/// Longest name of a module or of what is in it.
const MAX_NAME: usize = 512;

/// A function or a class that a pickle imports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Import {
    pub(crate) module: String,
    pub(crate) name: String,
    /// Whether the names are computed by the pickle, so that they are not known here.
    pub(crate) is_computed: bool,
}

/// What a pickle comes to.
#[derive(Debug)]
pub(crate) struct Outcome<'a> {
    pub(crate) values: Values<'a>,
    /// What it leaves at its end; where it breaks, what it was working on.
    pub(crate) top: Option<Id>,
    /// What it imports, each once, in order.
    pub(crate) imports: Vec<Import>,
    /// Where it ends, in bytes from the start of the source.
    pub(crate) end: u64,
    /// Why it breaks.
    pub(crate) problem: Option<String>,
}

/// Follows the pickle at the start of a segment down to its end.
pub(crate) fn run(source: &Source, span: Span) -> Outcome<'_> {
    run_within(source, span, MAX_VALUES)
}

/// The same with another limit on values.
pub(super) fn run_within(source: &Source, span: Span, max_values: usize) -> Outcome<'_> {
    let mut machine = Machine::with_limit(max_values);
    let mut cursor = Cursor::new(source, span);
    let problem = loop {
        let at = cursor.at();
        let step = Op::read(&mut cursor).and_then(|op| match op {
            Op::Stop => Ok(true),
            op => machine.step(op).map(|()| false),
        });
        match step {
            Ok(false) => {}
            Ok(true) => break None,
            Err(problem) => break Some(format!("byte {at}: {}", problem.what)),
        }
    };
    let top = match &problem {
        None => machine.stack.last(),
        // The outermost value is the lowest.
        Some(_) => machine.stack.first(),
    };
    let empty = problem.is_none() && top.is_none();
    Outcome {
        top: top.copied(),
        problem: problem.or_else(|| empty.then(|| "it ends without a value".to_owned())),
        values: machine.values,
        imports: machine.imports,
        end: cursor.at(),
    }
}

struct Machine<'a> {
    values: Values<'a>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: HashMap<u64, Id>,
    imports: Vec<Import>,
    known: HashMap<Import, Id>,
    /// Items of lists that may still be copied into dictionaries.
    copies_left: usize,
}

impl Machine<'_> {
    fn with_limit(max_values: usize) -> Self {
        Self {
            values: Values::new(max_values),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: HashMap::new(),
            imports: Vec::new(),
            known: HashMap::new(),
            copies_left: MAX_ENTRIES,
        }
    }
}

type Step<T = ()> = Result<T, Problem>;

impl<'a> Machine<'a> {
    fn step(&mut self, op: Op<'a>) -> Step {
        match op {
            Op::Push(payload) => {
                let value = match payload {
                    Payload::None => Value::None,
                    Payload::Bool(value) => Value::Bool(value),
                    Payload::Int(value) => Value::Int(value),
                    Payload::Long => Value::Long,
                    Payload::Float(value) => Value::Float(value),
                    Payload::Text(text) => Value::Text(text),
                    Payload::Bytes(span) => Value::Bytes(span),
                };
                self.push_new(value)
            }
            Op::Global { module, name } => self.import_of(Some(&module), Some(&name)),
            Op::StackGlobal => self.stack_global(),
            Op::Inst { module, name } => {
                let arguments = self.above_mark()?;
                let arguments = self.made(Value::Tuple(arguments.into()))?;
                self.import_of(Some(&module), Some(&name))?;
                let callable = self.pop()?;
                self.call(callable, arguments)
            }
            Op::Obj => {
                let mut above = self.above_mark()?;
                if above.is_empty() {
                    return Err(Problem::new("a call lacks what is called"));
                }
                let callable = above.remove(0);
                let arguments = self.made(Value::Tuple(above.into()))?;
                self.call(callable, arguments)
            }
            Op::Ext(code) => {
                // The registry is the loading program's: what the code names is not known.
                let module = "copyreg".to_owned();
                let name = format!("extension {code}");
                self.import(Import { module, name, is_computed: true })
            }
            Op::Reduce | Op::NewObj => {
                let arguments = self.pop()?;
                let callable = self.pop()?;
                self.call(callable, arguments)
            }
            Op::NewObjEx => {
                let named = self.pop()?;
                let arguments = self.pop()?;
                let callable = self.pop()?;
                self.call(callable, arguments)?;
                let top = self.top()?;
                if let Some(Value::Object(object)) = self.values.get_mut(top) {
                    object.state = Some(named);
                }
                Ok(())
            }
            Op::Build => self.build(),
            Op::Persid(name) => {
                let name = self.made(Value::Text(name))?;
                self.push_new(Value::Persistent(name))
            }
            Op::BinPersid => {
                let name = self.pop()?;
                self.push_new(Value::Persistent(name))
            }
            Op::EmptyList => self.push_new(Value::List(Vec::new())),
            Op::EmptyDict => self.push_new(Value::Dict(Vec::new())),
            Op::EmptySet => self.push_new(Value::Set(Vec::new())),
            Op::Tuple(count) => {
                let from = self.stack.len().checked_sub(count).filter(|from| *from >= self.base());
                let from = from.ok_or_else(underflow)?;
                let elements = self.stack.split_off(from);
                self.push_new(Value::Tuple(elements.into()))
            }
            Op::TupleOfMark => {
                let elements = self.above_mark()?;
                self.push_new(Value::Tuple(elements.into()))
            }
            Op::List => {
                let elements = self.above_mark()?;
                self.push_new(Value::List(elements))
            }
            Op::FrozenSet => {
                let elements = self.above_mark()?;
                self.push_new(Value::Set(elements))
            }
            Op::Dict => {
                let items = pairs(&self.above_mark()?)?;
                self.push_new(Value::Dict(items))
            }
            Op::Append => {
                let element = self.pop()?;
                self.extend(&[element])
            }
            Op::Appends | Op::AddItems => {
                let elements = self.above_mark()?;
                self.extend(&elements)
            }
            Op::SetItem => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set_items(&[(key, value)])
            }
            Op::SetItems => {
                let items = pairs(&self.above_mark()?)?;
                self.set_items(&items)
            }
            Op::Mark => {
                if self.marks.len() >= MAX_ENTRIES {
                    return Err(Problem::new("more marks than are read; the rest was not checked"));
                }
                self.marks.push(self.stack.len());
                Ok(())
            }
            // A mark is what is popped, where it is on top.
            Op::Pop if self.marks.last() == Some(&self.stack.len()) => {
                self.marks.pop();
                Ok(())
            }
            Op::Pop => self.pop().map(drop),
            Op::PopMark => self.above_mark().map(drop),
            Op::Dup => {
                let top = self.top()?;
                self.push(top)
            }
            Op::Get(place) => {
                let value = self.memo.get(&place).copied();
                let missing = || Problem::new(format!("entry {place} of the memo is not set"));
                self.push(value.ok_or_else(missing)?)
            }
            Op::Put(place) => self.memoize(place),
            Op::Memoize => self.memoize(self.memo.len() as u64),
            Op::NextBuffer => self.push(Values::UNKNOWN),
            Op::Nothing | Op::Stop => Ok(()),
        }
    }

    fn made(&mut self, value: Value<'a>) -> Step<Id> {
        let added = self.values.add(value);
        added.ok_or_else(|| Problem::new("more objects than are read; the rest was not checked"))
    }

    fn push_new(&mut self, value: Value<'a>) -> Step {
        let id = self.made(value)?;
        self.push(id)
    }

    fn push(&mut self, id: Id) -> Step {
        if self.stack.len() >= MAX_ENTRIES {
            return Err(Problem::new("a larger stack than is read; the rest was not checked"));
        }
        self.stack.push(id);
        Ok(())
    }

    /// The place that the last mark protects the stack below of.
    fn base(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Step<Id> {
        if self.stack.len() <= self.base() {
            return Err(underflow());
        }
        self.stack.pop().ok_or_else(underflow)
    }

    fn top(&self) -> Step<Id> {
        match self.stack.len() > self.base() {
            true => self.stack.last().copied().ok_or_else(underflow),
            false => Err(underflow()),
        }
    }

    fn above_mark(&mut self) -> Step<Vec<Id>> {
        let mark = self.marks.pop().ok_or_else(|| Problem::new("a mark is missing"))?;
        match mark <= self.stack.len() {
            true => Ok(self.stack.split_off(mark)),
            false => Err(underflow()),
        }
    }

    fn memoize(&mut self, place: u64) -> Step {
        if self.memo.len() >= MAX_ENTRIES {
            return Err(Problem::new("a larger memo than is read; the rest was not checked"));
        }
        let top = self.top()?;
        self.memo.insert(place, top);
        Ok(())
    }

    fn stack_global(&mut self) -> Step {
        let name = self.pop()?;
        let module = self.pop()?;
        let text = |id: Id| match self.values.get(id) {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        let (module, name) = (text(module), text(name));
        self.import_of(module.as_ref(), name.as_ref())
    }

    fn import_of(&mut self, module: Option<&Text<'_>>, name: Option<&Text<'_>>) -> Step {
        let text = |text: Option<&Text<'_>>| {
            let text = text.and_then(Text::get).filter(|text| text.len() <= MAX_NAME);
            text.map(str::to_owned)
        };
        let (module, name) = (text(module), text(name));
        let is_computed = module.is_none() || name.is_none();
        let unknown = || "(computed)".to_owned();
        self.import(Import {
            module: module.unwrap_or_else(unknown),
            name: name.unwrap_or_else(unknown),
            is_computed,
        })
    }

    fn import(&mut self, import: Import) -> Step {
        if let Some(id) = self.known.get(&import) {
            return self.push(*id);
        }
        if self.imports.len() >= MAX_IMPORTS {
            return Err(Problem::new("more imports than are read; the rest was not checked"));
        }
        let place = u32::try_from(self.imports.len()).unwrap_or(u32::MAX);
        let id = self.made(Value::Global(place))?;
        self.imports.push(import.clone());
        self.known.insert(import, id);
        self.push(id)
    }

    /// What a call returns: a container where it makes one, otherwise the call itself.
    fn call(&mut self, callable: Id, arguments: Id) -> Step {
        let first = self.values.elements(arguments).map(|all| all.first().copied());
        match (self.builtin(callable), first) {
            (Some("OrderedDict" | "dict"), Some(first)) => {
                let items = first.map(|pairs| self.items_of(pairs)).unwrap_or_default();
                self.push_new(Value::Dict(items))
            }
            (Some("list" | "set"), Some(None)) => self.push_new(Value::List(Vec::new())),
            // What only changes the kind of a list is that list.
            (Some(_), Some(Some(list))) if self.values.elements(list).is_some() => self.push(list),
            _ => {
                let (state, elements, items) = (None, Vec::new(), Vec::new());
                let object = Object { callable, arguments, state, elements, items };
                self.push_new(Value::Object(Box::new(object)))
            }
        }
    }

    /// Items given as pairs, as version 2 of Python writes them.
    fn items_of(&mut self, pairs: Id) -> Vec<(Id, Id)> {
        let pairs = self.values.elements(pairs).unwrap_or_default();
        // Each call copies: a pickle could ask for the same copy again and again.
        let pairs = match pairs.len() <= self.copies_left {
            true => pairs,
            false => &[],
        };
        self.copies_left -= pairs.len();
        let items = pairs.iter().filter_map(|pair| match self.values.elements(*pair)? {
            [key, value] => Some((*key, *value)),
            _ => None,
        });
        items.collect()
    }

    /// The name of a container's class.
    fn builtin(&self, callable: Id) -> Option<&str> {
        let Value::Global(place) = self.values.get(callable) else { return None };
        let import = self.imports.get(*place as usize)?;
        let is_container = match import.module.as_str() {
            "collections" => import.name == "OrderedDict",
            "builtins" | "__builtin__" => {
                ["dict", "set", "frozenset", "list", "tuple"].contains(&import.name.as_str())
            }
            "torch" => import.name == "Size",
            _ => false,
        };
        is_container.then_some(import.name.as_str())
    }

    fn build(&mut self) -> Step {
        let state = self.pop()?;
        let target = self.top()?;
        if let Some(Value::Object(object)) = self.values.get_mut(target) {
            object.state = Some(state);
        }
        Ok(())
    }

    fn extend(&mut self, added: &[Id]) -> Step {
        let target = self.top()?;
        match self.values.get_mut(target) {
            Some(Value::List(elements) | Value::Set(elements)) => elements.extend(added),
            Some(Value::Object(object)) => object.elements.extend(added),
            _ => {}
        }
        Ok(())
    }

    fn set_items(&mut self, added: &[(Id, Id)]) -> Step {
        let target = self.top()?;
        match self.values.get_mut(target) {
            Some(Value::Dict(items)) => items.extend(added),
            Some(Value::Object(object)) => object.items.extend(added),
            _ => {}
        }
        Ok(())
    }
}

fn underflow() -> Problem {
    Problem::new("the stack has too few values")
}

fn pairs(values: &[Id]) -> Step<Vec<(Id, Id)>> {
    let (pairs, rest) = values.as_chunks::<2>();
    match rest.is_empty() {
        true => Ok(pairs.iter().map(|[key, value]| (*key, *value)).collect()),
        false => Err(Problem::new("a key has no value")),
    }
}
