//! Attributes of nodes, of every kind that ONNX knows.

use crate::wire::Message;
use crate::{Graph, SparseTensor, Tensor, Type};

/// What an attribute holds; the number is ONNX's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum AttributeKind {
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    Type = 13,
    Types = 14,
}

/// A named attribute of a node (`AttributeProto`).
///
/// ```
/// use calipers_samples::Attribute;
///
/// let attributes = [Attribute::ints("kernel_shape", &[3, 3]), Attribute::int("group", 1)];
/// # let _ = attributes;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute(Message);

impl Attribute {
    /// A number.
    pub fn float(name: &str, value: f32) -> Self {
        Self::new(name, AttributeKind::Float, |m| {
            m.float(2, value);
        })
    }

    /// A whole number.
    pub fn int(name: &str, value: i64) -> Self {
        Self::new(name, AttributeKind::Int, |m| {
            m.int(3, value);
        })
    }

    /// Text.
    pub fn string(name: &str, value: &str) -> Self {
        Self::new(name, AttributeKind::String, |m| {
            m.string(4, value);
        })
    }

    /// A tensor.
    pub fn tensor(name: &str, value: &Tensor) -> Self {
        Self::new(name, AttributeKind::Tensor, |m| {
            m.message(5, value.message());
        })
    }

    /// A subgraph, such as a branch of `If`.
    pub fn graph(name: &str, value: &Graph) -> Self {
        Self::new(name, AttributeKind::Graph, |m| {
            m.message(6, &value.message());
        })
    }

    /// Numbers.
    pub fn floats(name: &str, values: &[f32]) -> Self {
        Self::new(name, AttributeKind::Floats, |m| {
            for &value in values {
                m.float(7, value);
            }
        })
    }

    /// Whole numbers.
    pub fn ints(name: &str, values: &[i64]) -> Self {
        Self::new(name, AttributeKind::Ints, |m| {
            for &value in values {
                m.int(8, value);
            }
        })
    }

    /// Texts.
    pub fn strings(name: &str, values: &[&str]) -> Self {
        Self::new(name, AttributeKind::Strings, |m| {
            for value in values {
                m.string(9, value);
            }
        })
    }

    /// Tensors.
    pub fn tensors(name: &str, values: &[Tensor]) -> Self {
        Self::new(name, AttributeKind::Tensors, |m| {
            for value in values {
                m.message(10, value.message());
            }
        })
    }

    /// Subgraphs.
    pub fn graphs(name: &str, values: &[Graph]) -> Self {
        Self::new(name, AttributeKind::Graphs, |m| {
            for value in values {
                m.message(11, &value.message());
            }
        })
    }

    /// A type, such as the one `Optional` takes.
    pub fn type_proto(name: &str, value: &Type) -> Self {
        Self::new(name, AttributeKind::Type, |m| {
            m.message(14, value.message());
        })
    }

    /// Types.
    pub fn type_protos(name: &str, values: &[Type]) -> Self {
        Self::new(name, AttributeKind::Types, |m| {
            for value in values {
                m.message(15, value.message());
            }
        })
    }

    /// A sparse tensor.
    pub fn sparse_tensor(name: &str, value: &SparseTensor) -> Self {
        let mut attribute = Self::new(name, AttributeKind::SparseTensor, |_| {});
        attribute.0.message(22, value.message());
        attribute
    }

    /// Sparse tensors.
    pub fn sparse_tensors(name: &str, values: &[SparseTensor]) -> Self {
        let mut attribute = Self::new(name, AttributeKind::SparseTensors, |_| {});
        for value in values {
            attribute.0.message(23, value.message());
        }
        attribute
    }

    /// Inside a function's body: the value that the caller passes for the function's attribute
    /// `of_function`.
    pub fn reference(name: &str, kind: AttributeKind, of_function: &str) -> Self {
        let mut attribute = Self::new(name, kind, |_| {});
        attribute.0.string(21, of_function);
        attribute
    }

    pub(crate) fn message(&self) -> &Message {
        &self.0
    }

    fn new(name: &str, kind: AttributeKind, value: impl FnOnce(&mut Message)) -> Self {
        let mut message = Message::new();
        message.string(1, name);
        value(&mut message);
        message.int(20, i64::from(kind as u8));
        Self(message)
    }
}
