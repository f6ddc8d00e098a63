//! Types and shapes of a model's values: how many are known, and the table of them all.

use std::collections::BTreeMap;

use calipers_ir::DType;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Binding, Dimension, ValueKind, ordered};

/// How much is known of the values of the main graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ShapeFacts {
    /// Values that nodes of the main graph give.
    pub values: u64,
    /// Of those, the ones whose data type is known.
    pub typed: u64,
    /// Of those, the ones whose every dimension is a number.
    pub fixed: u64,
    /// Of those, the ones with a dimension that is an expression in named dimensions.
    pub symbolic: u64,
    /// Of all, the ones whose number of dimensions is not known.
    pub unshaped: u64,
    /// Those, with the reason; the first ones where there are many.
    pub unknown: Vec<UnknownShape>,
    /// Dimensions that the data decides: their names in the shapes, and what decides them.
    pub data_dependent: BTreeMap<String, String>,
}

/// A value whose shape is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UnknownShape {
    /// The value.
    pub value: String,
    /// Why.
    pub reason: String,
}

/// Every value of a model with its type and shape: what `calipers shapes` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ShapeTable {
    /// Values of the main graph, in the order in which they come to be.
    #[serde(with = "ordered")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, ValueShape>"))]
    pub values: Vec<(String, ValueShape)>,
    /// Values of subgraphs, by the node and attribute that hold them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub subgraphs: BTreeMap<String, BTreeMap<String, ValueShape>>,
    /// Dimensions that the data decides, and what decides them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data_dependent: BTreeMap<String, String>,
    /// What each free dimension was bound to.
    pub bindings: BTreeMap<String, Binding>,
}

/// Type and shape of one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ValueShape {
    /// What it is; left out for a tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ValueKind>,
    /// Data type of the elements.
    pub dtype: Option<DType>,
    /// Dimensions: numbers, or expressions; null when their number is not known.
    pub shape: Option<Vec<Dimension>>,
    /// Why something above is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_order() {
        let value = |dtype| ValueShape { dtype: Some(dtype), ..ValueShape::default() };
        let table = ShapeTable {
            values: vec![("z".into(), value(DType::Float32)), ("a".into(), value(DType::Int64))],
            ..ShapeTable::default()
        };
        let json = serde_json::to_string(&table).unwrap();
        assert!(json.find("\"z\"") < json.find("\"a\""), "{json}");
        assert_eq!(serde_json::from_str::<ShapeTable>(&json).unwrap(), table);
    }
}
