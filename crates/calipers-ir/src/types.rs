//! Types of values as a file declares them.

use crate::{DType, NameId, Names};

/// The type of a value: its element, and the containers around it.
///
/// Nesting is a list, not boxes in boxes, so that no depth of nesting can overflow the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueType {
    /// Wrappers, outermost first: `sequence(optional(x))` has two.
    pub containers: Vec<Container>,
    /// What is inside them.
    pub leaf: Leaf,
    /// What the type represents, in the standard's words, such as `IMAGE`.
    pub denotation: Option<NameId>,
}

/// A wrapper around a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Any number of them, in order.
    Sequence,
    /// One or none.
    Optional,
    /// One for each key.
    Map {
        /// Type of the keys.
        key: DType,
    },
}

/// A type without wrappers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A dense tensor.
    Tensor(TensorType),
    /// A sparse tensor.
    SparseTensor(TensorType),
    /// Something only its domain understands.
    Opaque {
        /// That domain.
        domain: NameId,
        /// Name of the type there.
        name: NameId,
    },
    /// The file does not say, or says it in a way this reader does not know.
    Unknown,
}

/// Element type and shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorType {
    /// Type of the elements.
    pub dtype: DType,
    /// Its dimensions; `None` when even their number is open.
    pub shape: Option<Vec<Dim>>,
}

impl Default for TensorType {
    fn default() -> Self {
        Self { dtype: DType::Undefined, shape: None }
    }
}

/// One dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A size. Some exporters write -1 or 0 for "any"; it is kept as written.
    Size(i64),
    /// A name, or an expression in names.
    Symbol(NameId),
    /// Open, and without a name.
    Unknown,
}

impl Default for ValueType {
    fn default() -> Self {
        Self { containers: Vec::new(), leaf: Leaf::Unknown, denotation: None }
    }
}

impl ValueType {
    /// The outermost kind, in one word.
    pub fn kind(&self) -> &'static str {
        match (self.containers.first(), &self.leaf) {
            (Some(Container::Sequence), _) => "sequence",
            (Some(Container::Optional), _) => "optional",
            (Some(Container::Map { .. }), _) => "map",
            (None, Leaf::Tensor(_)) => "tensor",
            (None, Leaf::SparseTensor(_)) => "sparse_tensor",
            (None, Leaf::Opaque { .. }) => "opaque",
            (None, Leaf::Unknown) => "unknown",
        }
    }

    /// The tensor at its heart, if there is just one: a map has keys too.
    pub fn tensor(&self) -> Option<&TensorType> {
        let map = self.containers.iter().any(|c| matches!(c, Container::Map { .. }));
        match &self.leaf {
            Leaf::Tensor(tensor) | Leaf::SparseTensor(tensor) if !map => Some(tensor),
            _ => None,
        }
    }

    /// The type in one line: `float32[batch, 3]`, `sequence(float32[?])`, `map(int64, float32)`.
    pub fn describe(&self, names: &Names) -> String {
        // A person reads a handful of wrappers; a file may hold a million.
        const SHOWN: usize = 8;
        let mut text = String::new();
        for container in self.containers.iter().take(SHOWN) {
            match container {
                Container::Sequence => text.push_str("sequence("),
                Container::Optional => text.push_str("optional("),
                Container::Map { key } => text.push_str(&format!("map({key}, ")),
            }
        }
        if self.containers.len() > SHOWN {
            text.push('…');
        } else {
            self.describe_leaf(names, &mut text);
        }
        text.extend(std::iter::repeat_n(')', self.containers.len().min(SHOWN)));
        text
    }

    fn describe_leaf(&self, names: &Names, text: &mut String) {
        match &self.leaf {
            Leaf::Tensor(tensor) => tensor.describe(names, text),
            Leaf::SparseTensor(tensor) => {
                text.push_str("sparse(");
                tensor.describe(names, text);
                text.push(')');
            }
            Leaf::Opaque { domain, name } => {
                text.push_str(&format!("opaque({}.{})", names.get(*domain), names.get(*name)));
            }
            Leaf::Unknown => text.push_str("unknown"),
        }
    }
}

impl TensorType {
    fn describe(&self, names: &Names, text: &mut String) {
        match self.dtype {
            DType::Undefined => text.push('?'),
            dtype => text.push_str(&dtype.to_string()),
        }
        let Some(shape) = &self.shape else {
            text.push_str("[…]");
            return;
        };
        let dims: Vec<_> = shape
            .iter()
            .map(|dim| match dim {
                Dim::Size(size) => size.to_string(),
                Dim::Symbol(name) => names.get(*name).to_owned(),
                Dim::Unknown => "?".to_owned(),
            })
            .collect();
        text.push_str(&format!("[{}]", dims.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_as_a_person_writes_them() {
        let mut names = Names::default();
        let batch = names.intern("batch");
        let tensor = TensorType {
            dtype: DType::Float32,
            shape: Some(vec![Dim::Symbol(batch), Dim::Size(3), Dim::Unknown]),
        };
        let plain = ValueType { leaf: Leaf::Tensor(tensor.clone()), ..ValueType::default() };
        assert_eq!(plain.describe(&names), "float32[batch, 3, ?]");
        let wrapped = ValueType {
            containers: vec![Container::Optional, Container::Map { key: DType::Int64 }],
            leaf: Leaf::SparseTensor(tensor),
            denotation: None,
        };
        assert_eq!(wrapped.describe(&names), "optional(map(int64, sparse(float32[batch, 3, ?])))");
        assert_eq!(wrapped.kind(), "optional");
        let deep = ValueType { containers: vec![Container::Sequence; 100_000], ..plain };
        assert!(deep.describe(&names).len() < 120);
    }
}
