//! Attributes of nodes.

use std::borrow::Cow;

use crate::{GraphId, NameId, Span, SparseId, TensorId, TypeId};

/// A named attribute of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name, such as `kernel_shape`.
    pub name: NameId,
    /// Its value.
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// A number.
    Float(f32),
    /// An integer.
    Int(i64),
    /// Bytes, mostly text.
    Text(AttributeText),
    /// A tensor.
    Tensor(TensorId),
    /// A sparse tensor.
    SparseTensor(SparseId),
    /// A subgraph.
    Graph(GraphId),
    /// A type.
    Type(TypeId),
    /// Numbers.
    Floats(List<f32>),
    /// Integers.
    Ints(List<i64>),
    /// Texts: how many there are, and the first few.
    Texts {
        /// How many.
        count: u64,
        /// Bytes of all of them.
        bytes: u64,
        /// The first ones.
        first: Vec<NameId>,
        /// The part of the file that holds them, in the format's own way.
        at: Span,
    },
    /// Tensors.
    Tensors(Vec<TensorId>),
    /// Sparse tensors.
    SparseTensors(Vec<SparseId>),
    /// Subgraphs.
    Graphs(Vec<GraphId>),
    /// Types.
    Types(Vec<TypeId>),
    /// The value that the calling node passes for this attribute of the function.
    Reference(NameId),
    /// A value of unknown type; the number is the declared type.
    Unknown(i32),
}

/// The text of an attribute: what operators read, and what is shown of it.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeText {
    bytes: List<u8>,
    shown: Option<Box<str>>,
}

impl AttributeText {
    /// A text that is shown as it is.
    pub fn new(bytes: List<u8>) -> Self {
        Self { bytes, shown: None }
    }

    /// The same text, with another one shown for it.
    pub(crate) fn shown_as(&self, shown: &str) -> Self {
        Self { bytes: self.bytes.clone(), shown: Some(shown.into()) }
    }

    /// The bytes of the file, for the rules of operators. What is printed is [`AttributeText::shown`].
    pub fn setting(&self) -> &List<u8> {
        &self.bytes
    }

    /// The text to show; `None` where the file has too much of it to hold.
    pub fn shown(&self) -> Option<Cow<'_, str>> {
        match (&self.shown, self.bytes.held()) {
            (Some(shown), _) => Some(Cow::Borrowed(shown)),
            (None, bytes) => bytes.map(String::from_utf8_lossy),
        }
    }
}

/// Elements of an attribute: held when few, found again in the file when many.
///
/// Tokenizers and the largest tree ensembles keep megabytes in attributes; those stay where they
/// are.
#[derive(Clone, Debug, PartialEq)]
pub enum List<T> {
    /// All of them.
    Held(Box<[T]>),
    /// Too many to hold.
    Stored {
        /// How many there are.
        count: u64,
        /// The part of the file that holds them, in the format's own way.
        at: Span,
    },
}

impl<T> List<T> {
    /// Number of elements.
    pub fn len(&self) -> u64 {
        match self {
            Self::Held(elements) => elements.len() as u64,
            Self::Stored { count, .. } => *count,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, when they are few enough to be held.
    pub fn held(&self) -> Option<&[T]> {
        match self {
            Self::Held(elements) => Some(elements),
            Self::Stored { .. } => None,
        }
    }
}
