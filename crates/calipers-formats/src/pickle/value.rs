//! Values of a pickle, in an arena.

use std::borrow::Cow;

use calipers_ir::Span;

/// The index of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Id(u32);

/// A text, or where it is if it is long.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Text<'a> {
    Short(Cow<'a, str>),
    Long(Span),
}

/// What a pickle puts together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    None,
    Bool(bool),
    Int(i64),
    /// A whole number of more than 64 bits.
    Long,
    Float(f64),
    Text(Text<'a>),
    Bytes(Span),
    Tuple(Box<[Id]>),
    List(Vec<Id>),
    Set(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// A function or class that would be imported: its place among the imports.
    Global(u32),
    /// What a call would return.
    Object(Box<Object>),
    /// An object kept outside the pickle.
    Persistent(Id),
    /// Something that the pickle does not determine.
    Unknown,
}

/// What a call would return, and what is done to it afterwards.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    /// What is called.
    pub(crate) callable: Id,
    /// Its arguments, a tuple.
    pub(crate) arguments: Id,
    /// The state it is given.
    pub(crate) state: Option<Id>,
    /// Elements that are appended.
    pub(crate) elements: Vec<Id>,
    /// Items that are set.
    pub(crate) items: Vec<(Id, Id)>,
}

/// Every value of a pickle.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    all: Vec<Value<'a>>,
    /// Values that may still be added; calls count more than once.
    left: usize,
}

/// Values that a pickle may have: at 32 bytes each, with what they hold, the limit on memory.
pub(super) const MAX_VALUES: usize = 1 << 20;

/// Small numbers that exist once.
const SMALL: u8 = u8::MAX;

impl<'a> Text<'a> {
    /// Bytes as text; what is not UTF-8 is replaced.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self::Short(String::from_utf8_lossy(bytes))
    }

    /// A text with the escapes of Python.
    pub(crate) fn escaped(bytes: &'a [u8]) -> Self {
        if !bytes.contains(&b'\\') {
            return Self::new(bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        let mut plain = String::with_capacity(text.len());
        let mut rest = &*text;
        while let Some((before, after)) = rest.split_once('\\') {
            plain.push_str(before);
            let (character, length) = escape(after);
            plain.extend(character);
            rest = after.get(length..).unwrap_or_default();
        }
        plain.push_str(rest);
        Self::Short(Cow::Owned(plain))
    }

    /// The text, where it is short.
    pub(crate) fn get(&self) -> Option<&str> {
        match self {
            Self::Short(text) => Some(text),
            Self::Long(_) => None,
        }
    }
}

/// The character that an escape gives, and the bytes after the backslash that belong to it.
fn escape(after: &str) -> (Option<char>, usize) {
    let Some(first) = after.chars().next() else { return (Some('\\'), 0) };
    let code = |digits: usize| {
        let hex = after.get(1..digits + 1)?;
        let code = u32::from_str_radix(hex, 16).ok()?;
        Some((Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)), digits + 1))
    };
    let found = match first {
        'n' => Some((Some('\n'), 1)),
        't' => Some((Some('\t'), 1)),
        'r' => Some((Some('\r'), 1)),
        '\\' | '\'' | '"' => Some((Some(first), 1)),
        '\n' => Some((None, 1)),
        'x' => code(2),
        'u' => code(4),
        'U' => code(8),
        '0'..='7' => {
            let digits = after.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte));
            let digits = digits.count();
            let octal = after.get(..digits).and_then(|text| u32::from_str_radix(text, 8).ok());
            octal.and_then(char::from_u32).map(|character| (Some(character), digits))
        }
        _ => None,
    };
    // What is not an escape stays as it is.
    found.unwrap_or((Some('\\'), 0))
}

impl<'a> Values<'a> {
    /// The constants that exist once, and a limit to what is added.
    pub(super) fn new(limit: usize) -> Self {
        let mut all = vec![
            Value::None,
            Value::Bool(false),
            Value::Bool(true),
            Value::Tuple(Box::default()),
            Value::Unknown,
        ];
        all.extend((0..=SMALL).map(|small| Value::Int(i64::from(small))));
        Self { all, left: limit }
    }

    /// `None`.
    pub(crate) const NONE: Id = Id(0);
    /// The empty tuple.
    pub(crate) const EMPTY: Id = Id(3);
    /// What the pickle does not determine.
    pub(crate) const UNKNOWN: Id = Id(4);

    /// Adds a value; `None` when there are too many.
    pub(crate) fn add(&mut self, value: Value<'a>) -> Option<Id> {
        match &value {
            Value::None => return Some(Self::NONE),
            Value::Bool(false) => return Some(Id(1)),
            Value::Bool(true) => return Some(Id(2)),
            Value::Tuple(elements) if elements.is_empty() => return Some(Self::EMPTY),
            Value::Unknown => return Some(Self::UNKNOWN),
            Value::Int(small) => {
                if let Ok(small) = u8::try_from(*small) {
                    return Some(Id(5 + u32::from(small)));
                }
            }
            _ => {}
        }
        // What a call is takes as much memory again beside its place in the arena, twice.
        let places = if matches!(value, Value::Object(_)) { 3 } else { 1 };
        self.left = self.left.checked_sub(places)?;
        let id = Id(u32::try_from(self.all.len()).ok()?);
        self.all.push(value);
        Some(id)
    }

    /// A value.
    pub(crate) fn get(&self, id: Id) -> &Value<'a> {
        self.all.get(id.0 as usize).unwrap_or(&Value::Unknown)
    }

    /// A value to be changed; the constants are not.
    pub(crate) fn get_mut(&mut self, id: Id) -> Option<&mut Value<'a>> {
        self.all.get_mut(id.0 as usize)
    }

    /// Every value.
    pub(crate) fn all(&self) -> &[Value<'a>] {
        &self.all
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The value at a place.
    pub(crate) fn id(place: usize) -> Option<Id> {
        u32::try_from(place).ok().map(Id)
    }

    /// A place for each, to note which were visited.
    pub(crate) fn index(id: Id) -> usize {
        id.0 as usize
    }

    /// A short text.
    pub(crate) fn text(&self, id: Id) -> Option<&str> {
        match self.get(id) {
            Value::Text(text) => text.get(),
            _ => None,
        }
    }

    /// A whole number.
    pub(crate) fn int(&self, id: Id) -> Option<i64> {
        match self.get(id) {
            Value::Int(value) => Some(*value),
            Value::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// The elements of a tuple or a list.
    pub(crate) fn elements(&self, id: Id) -> Option<&[Id]> {
        match self.get(id) {
            Value::Tuple(elements) => Some(elements),
            Value::List(elements) | Value::Set(elements) => Some(elements),
            _ => None,
        }
    }

    /// The items of a dictionary.
    pub(crate) fn items(&self, id: Id) -> Option<&[(Id, Id)]> {
        match self.get(id) {
            Value::Dict(items) => Some(items),
            Value::Object(object) if !object.items.is_empty() => Some(&object.items),
            _ => None,
        }
    }

    /// What a dictionary has under a text.
    pub(crate) fn item(&self, id: Id, key: &str) -> Option<Id> {
        let found = self.items(id)?.iter().find(|(name, _)| self.text(*name) == Some(key));
        found.map(|(_, value)| *value)
    }
}
