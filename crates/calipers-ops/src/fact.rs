//! What is known of a value: its type, its shape, and its elements where they matter.

use std::fmt;
use std::sync::Arc;

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::elem::Elem;

/// Elements beyond this are not followed: no shape is computed from this many.
pub const MAX_ELEMENTS: usize = 1 << 14;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A dense tensor.
    Tensor(TensorFact),
    /// A sparse tensor.
    SparseTensor(TensorFact),
    /// Any number of values of one type.
    Sequence(SequenceFact),
    /// A value, or none.
    Optional(Box<Fact>),
    /// A value for each key.
    Map {
        /// Type of the keys.
        key: DType,
        /// What is known of the values.
        value: Box<Fact>,
    },
    /// Something only its domain understands.
    Opaque,
    /// Nothing, for this reason.
    Unknown(Reason),
}

/// Why something is not known, in words. Cheap to copy along a chain of nodes.
pub type Reason = Arc<str>;

/// Dimensions of a tensor.
pub type Shape = Arc<[Expr]>;

/// What is known of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorFact {
    /// Type of its elements; `Undefined` when not known.
    pub dtype: DType,
    /// Its dimensions, or why even their number is not known.
    pub shape: Result<Shape, Reason>,
    /// Its elements, row by row, when it is small, its shape is constant and they can be determined.
    pub value: Option<Arc<[Elem]>>,
}

/// What is known of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceFact {
    /// What is known of every element.
    pub element: Box<Fact>,
    /// What is known of each element, when their number is known.
    pub items: Option<Arc<[Fact]>>,
}

impl Fact {
    /// A tensor of these dimensions.
    pub fn tensor(dtype: DType, dims: impl IntoIterator<Item = Expr>) -> Self {
        Self::Tensor(TensorFact::new(dtype, dims))
    }

    /// A tensor whose type alone is known.
    pub fn unranked(dtype: DType, reason: impl Into<Reason>) -> Self {
        Self::Tensor(TensorFact { dtype, shape: Err(reason.into()), value: None })
    }

    /// Nothing known, for this reason.
    pub fn unknown(reason: impl Into<Reason>) -> Self {
        Self::Unknown(reason.into())
    }

    /// A sequence whose elements are all of one kind.
    pub fn sequence_of(element: Fact) -> Self {
        Self::Sequence(SequenceFact { element: Box::new(element), items: None })
    }

    /// The tensor, if it is one, dense or sparse.
    pub fn as_tensor(&self) -> Option<&TensorFact> {
        match self {
            Self::Tensor(tensor) | Self::SparseTensor(tensor) => Some(tensor),
            _ => None,
        }
    }
}

impl From<TensorFact> for Fact {
    fn from(tensor: TensorFact) -> Self {
        Self::Tensor(tensor)
    }
}

impl TensorFact {
    /// A tensor of these dimensions, its elements not known.
    pub fn new(dtype: DType, dims: impl IntoIterator<Item = Expr>) -> Self {
        let dims: Shape = dims.into_iter().collect();
        // No tensor is that large, and no runtime counts that far.
        let is_beyond = |dim: &&Expr| dim.is_const() && dim.as_const().is_none();
        let shape = match dims.iter().find(is_beyond) {
            Some(dim) => Err(format!("a dimension of {dim} does not fit 64 bits").into()),
            None => Ok(dims),
        };
        Self { dtype, shape, value: None }
    }

    /// A tensor with its elements. They are dropped when they are too many, when the shape is not
    /// constant, or when their number is not the shape's.
    pub fn with_value(mut self, elements: impl IntoIterator<Item = Elem>) -> Self {
        let Some(count) = self.constant_count().filter(|count| *count <= MAX_ELEMENTS) else {
            return self;
        };
        let elements: Arc<[Elem]> = elements.into_iter().collect();
        let reported =
            elements.is_empty() || elements.iter().any(|element| *element != Elem::Unknown);
        if elements.len() == count && reported {
            self.value = Some(elements);
        }
        self
    }

    /// Its dimensions, when their number is known.
    pub fn dims(&self) -> Option<&[Expr]> {
        self.shape.as_deref().ok()
    }

    /// Number of dimensions, when known.
    pub fn rank(&self) -> Option<usize> {
        self.dims().map(<[Expr]>::len)
    }

    /// Number of elements as an expression.
    pub fn count(&self) -> Option<Expr> {
        self.dims().map(product)
    }

    /// Number of elements, when every dimension is a number.
    pub fn constant_count(&self) -> Option<usize> {
        self.dims()?.iter().try_fold(1_usize, |count, dim| {
            count.checked_mul(usize::try_from(dim.as_const()?).ok()?)
        })
    }

    /// Its dimensions as numbers, when they all are.
    pub fn constant_dims(&self) -> Option<Vec<usize>> {
        self.dims()?.iter().map(|dim| usize::try_from(dim.as_const()?).ok()).collect()
    }
}

/// Product of dimensions; of none, 1.
pub fn product(dims: &[Expr]) -> Expr {
    multiplied(1, dims)
}

/// Product of a number and dimensions.
pub(crate) fn multiplied(by: i64, dims: &[Expr]) -> Expr {
    // Numbers first: they multiply without making a polynomial.
    let numbers = dims.iter().filter(|dim| dim.is_const());
    let number = numbers.fold(Expr::from(by), |product, dim| product * dim);
    dims.iter().filter(|dim| !dim.is_const()).fold(number, |product, dim| product * dim)
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(tensor) => tensor.fmt(f),
            Self::SparseTensor(tensor) => write!(f, "sparse({tensor})"),
            Self::Sequence(sequence) => write!(f, "sequence({})", sequence.element),
            Self::Optional(inner) => write!(f, "optional({inner})"),
            Self::Map { key, value } => write!(f, "map({key}, {value})"),
            Self::Opaque => f.write_str("opaque"),
            Self::Unknown(_) => f.write_str("unknown"),
        }
    }
}

impl fmt::Display for TensorFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype {
            DType::Undefined => f.write_str("?")?,
            dtype => dtype.fmt(f)?,
        }
        let Some(dims) = self.dims() else { return f.write_str("[…]") };
        f.write_str("[")?;
        for (index, dim) in dims.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            if dim.is_undefined() {
                f.write_str("?")?;
            } else {
                dim.fmt(f)?;
            }
        }
        f.write_str("]")
    }
}
