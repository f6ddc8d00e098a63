//! References to stored tensors: what they are and where their elements are, never the elements.

use std::fmt;
use std::sync::Arc;

use crate::{DType, NameId, Span, TensorId};

/// A tensor that the file describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name; often empty in attributes.
    pub name: NameId,
    /// Type of its elements.
    pub dtype: DType,
    /// Its dimensions as written, possibly negative or absurd.
    pub dims: Box<[i64]>,
    /// Where its elements are.
    pub data: Data,
    /// Where the file describes it.
    pub described_at: Span,
    /// What holds it.
    pub stored_in: StoredIn,
    /// First and last element, when this is one segment of a larger tensor.
    pub segment: Option<(i64, i64)>,
}

/// What kind of place in the model holds a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredIn {
    /// An initializer of a graph.
    Initializer,
    /// An attribute of a node, as `Constant` has.
    Attribute,
    /// The values or indices of a sparse tensor.
    Sparse,
    /// A default of a function's attribute.
    FunctionAttribute,
}

/// Where a tensor's elements are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// The file stores no data.
    Absent,
    /// In the model file, as the little-endian bytes that the type packs to.
    Raw(Span),
    /// In the model file, in fields of the format's own; its decoder finds them again.
    Fields {
        /// Bytes of those fields' contents.
        bytes: u64,
        /// Elements in them, where that can be determined without reading them.
        elements: Option<u64>,
    },
    /// Nowhere: what a reader made of other fields, as little-endian bytes.
    Inline(Arc<[u8]>),
    /// In another file. Boxed: most tensors are not, and a file may describe millions.
    External(Box<External>),
}

/// A tensor's place in another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// Index into [`Model::data_files`](crate::Model::data_files).
    pub file: usize,
    /// First byte; `None` when what the model wrote is no number.
    pub offset: Option<u64>,
    /// Bytes, when the model says how many.
    pub length: Option<u64>,
    /// What is wrong with the reference, if anything.
    pub problem: Option<String>,
    /// Keys that the standard does not define.
    pub unknown_keys: Vec<NameId>,
}

/// A file next to the model that holds tensors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFile {
    /// Where the model says it is.
    pub location: NameId,
    /// What was found there.
    pub state: DataFileState,
}

/// What was found at the place of a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataFileState {
    /// A file of this many bytes, inside the model's folder.
    Present(u64),
    /// Nothing.
    Missing,
    /// The location is unsafe or malformed, so nothing was touched.
    Refused(String),
    /// There is no folder to look in.
    Unchecked,
}

/// A tensor given by its elements that are not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseTensor {
    /// The elements; their name is the sparse tensor's.
    pub values: Option<TensorId>,
    /// Where they are.
    pub indices: Option<TensorId>,
    /// Dimensions of the whole.
    pub dims: Box<[i64]>,
}

/// Why a number of elements cannot be determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SizeError {
    /// A dimension is negative.
    Negative(i64),
    /// The product does not fit 64 bits.
    Overflow,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Negative(dim) => write!(f, "a dimension is {dim}"),
            Self::Overflow => f.write_str("the product of its dimensions does not fit 64 bits"),
        }
    }
}

impl std::error::Error for SizeError {}

impl Tensor {
    /// Number of elements its dimensions give; a scalar has one.
    pub fn elements(&self) -> Result<u64, SizeError> {
        elements(&self.dims)
    }

    /// Bytes its elements take, packed; `None` when the size of an element or their number is not
    /// known.
    pub fn bytes(&self) -> Option<u64> {
        match (self.dtype, &self.data) {
            // Texts have no fixed size: what the file spends on them is the figure.
            (DType::String, Data::Fields { bytes, .. }) => Some(*bytes),
            _ => self.dtype.bytes(self.elements().ok()?),
        }
    }
}

/// Product of dimensions, exact or an error.
pub(crate) fn elements(dims: &[i64]) -> Result<u64, SizeError> {
    if let Some(negative) = dims.iter().find(|dim| **dim < 0) {
        return Err(SizeError::Negative(*negative));
    }
    // A zero anywhere makes the tensor empty, however large its other dimensions are.
    if dims.contains(&0) {
        return Ok(0);
    }
    dims.iter()
        .try_fold(1_u64, |product, dim| product.checked_mul(dim.unsigned_abs()))
        .ok_or(SizeError::Overflow)
}

impl SparseTensor {
    /// Number of elements of the whole, zeros included.
    pub fn elements(&self) -> Result<u64, SizeError> {
        elements(&self.dims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact_or_errors() {
        assert_eq!(elements(&[]), Ok(1));
        assert_eq!(elements(&[2, 3, 4]), Ok(24));
        assert_eq!(elements(&[i64::MAX, 0, i64::MAX]), Ok(0));
        assert_eq!(elements(&[1 << 62, 4]), Err(SizeError::Overflow));
        assert_eq!(elements(&[-1, -4]), Err(SizeError::Negative(-1)));
        assert_eq!(elements(&[0, -1]), Err(SizeError::Negative(-1)));
    }
}
