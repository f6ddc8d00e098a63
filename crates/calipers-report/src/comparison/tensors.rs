//! Stored weights of two files whose graphs cannot be matched.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learned tensors of two files, matched by shape. The order of the dimensions, and those of size 1, are left
/// out: formats store one weight in different layouts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TensorMatch {
    /// Learned tensors of the first file.
    pub tensors_a: u64,
    /// Learned tensors of the second file.
    pub tensors_b: u64,
    /// Tensors of the first file that have one of the same shape in the second; each is matched once.
    pub matched: u64,
    /// Matched tensors that also have the same name.
    pub same_name: u64,
    /// Names of tensors of the first file without a match; the first ones.
    pub only_a: Vec<String>,
    /// Names of tensors of the second file without a match; the first ones.
    pub only_b: Vec<String>,
}
