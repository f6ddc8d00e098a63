//! The parameters' section: what was learned, and what is stored next to it.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::DType;

/// Learned weights, each stored tensor once, wherever it is stored.
///
/// Elements are logical: eight 4-bit weights in four bytes are eight elements. A count is null
/// when it does not fit 64 bits or a tensor's size is not known; `unknown` then says why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Parameters {
    /// Learned elements: weights, biases, embeddings, normalization scales and statistics.
    pub total: Option<u64>,
    /// Of those, the ones that training changes by gradient.
    pub trainable: Option<u64>,
    /// The others: running statistics of batch normalization and fitted statistics.
    pub non_trainable: Option<u64>,
    /// Learned elements by the data type they are stored in.
    pub by_dtype: BTreeMap<DType, u64>,
    /// Bytes that the learned elements take as stored.
    pub bytes: Option<u64>,
    /// Tensors that hold learned elements.
    pub tensors: u64,
    /// Learned elements that the file does not store but fills at load time (`ConstantOfShape`);
    /// part of `total`, not of `bytes`.
    pub generated: u64,
    /// Elements that are not parameters: shapes, indices, tables, scalars of the arithmetic.
    pub constants: Option<u64>,
    /// Elements that are scales and zero points.
    pub quantization: Option<u64>,
    /// Bytes of all stored tensors: learned, constants, scales and zero points together.
    pub stored_bytes: Option<u64>,
    /// Learned elements by the operator that uses them first, most bytes first. Sums to the total.
    /// Bytes are null where an element's size is not known; `unknown` then says why.
    pub by_op: Vec<OperatorMemory>,
}

/// Learned elements used by one kind of operator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OperatorMemory {
    /// The operator.
    pub op: String,
    /// Bytes as stored.
    pub bytes: Option<u64>,
    /// Elements.
    pub elements: u64,
}
