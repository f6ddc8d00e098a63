//! Operators that need attention before a model runs: deprecated ones, and those that run code
//! which is not in the graph.

use crate::{ML, ONNX, canonical_domain};

/// An operator that later versions of its operator set lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// The first version without it.
    pub since: i64,
    /// What to use instead.
    pub replacement: &'static str,
}

/// Deprecated operators, by domain and name. Some were experimental and have no row.
const DEPRECATED: &[(&str, &str, i64, &str)] = &[
    (ONNX, "ATen", 1, "a standard operator"),
    (ONNX, "Affine", 1, "Mul and Add"),
    (ONNX, "ConstantFill", 1, "ConstantOfShape"),
    (ONNX, "Crop", 1, "Slice"),
    (ONNX, "DynamicSlice", 1, "Slice"),
    (ONNX, "GRUUnit", 1, "GRU"),
    (ONNX, "GivenTensorFill", 1, "Constant"),
    (ONNX, "ImageScaler", 1, "Mul and Add"),
    (ONNX, "ParametricSoftplus", 1, "Softplus"),
    (ONNX, "Scale", 1, "Mul"),
    (ONNX, "ScaledTanh", 1, "Tanh"),
    (ONNX, "Scatter", 11, "ScatterElements"),
    (ONNX, "Upsample", 10, "Resize"),
    (ML, "TreeEnsembleClassifier", 5, "TreeEnsemble"),
    (ML, "TreeEnsembleRegressor", 5, "TreeEnsemble"),
];

/// Returns when an operator was deprecated and what replaces it.
pub fn deprecation(domain: &str, name: &str) -> Option<Deprecation> {
    let domain = canonical_domain(domain);
    let row = DEPRECATED.iter().find(|row| row.0 == domain && row.1 == name)?;
    Some(Deprecation { since: row.2, replacement: row.3 })
}

/// Code outside of the graph that an operator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForeignCode {
    /// A compiled program that the model holds or names.
    Program,
    /// A Python function.
    Python,
    /// A service on another machine.
    Service,
}

/// Operators of any domain that run code outside of the graph, by name.
const FOREIGN: &[(&str, ForeignCode)] = &[
    ("ATen", ForeignCode::Program),
    ("EPContext", ForeignCode::Program),
    ("EagerPyFunc", ForeignCode::Python),
    ("ExternalLibrary", ForeignCode::Program),
    ("PyCustomOp", ForeignCode::Python),
    ("PyFunc", ForeignCode::Python),
    ("PyFuncStateless", ForeignCode::Python),
    ("PyFunction", ForeignCode::Python),
    ("PyOp", ForeignCode::Python),
    ("PythonOp", ForeignCode::Python),
    ("PythonOpGrad", ForeignCode::Python),
    ("TRTEngineOp", ForeignCode::Program),
    ("TritonOp", ForeignCode::Program),
    ("XlaLaunch", ForeignCode::Program),
];

/// Returns what code an operator runs that is not in the graph. Names count in every domain, for
/// converters put them into domains of their own; services are looked for outside of the standard.
pub fn foreign_code(domain: &str, name: &str) -> Option<ForeignCode> {
    match FOREIGN.binary_search_by(|(known, _)| (*known).cmp(name)) {
        Ok(place) => Some(FOREIGN[place].1),
        Err(_) if name.starts_with("Azure") && canonical_domain(domain) != ONNX => {
            Some(ForeignCode::Service)
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        // Domains in the order of the sets: the standard, then classical machine learning.
        let key = |row: &(&str, &'static str, i64, &str)| (row.0 == ML, row.1);
        assert!(DEPRECATED.is_sorted_by(|a, b| key(a) < key(b)));
        assert!(FOREIGN.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn services_are_not_of_the_standard() {
        assert_eq!(
            foreign_code("com.microsoft.extensions", "AzureTextToText"),
            Some(ForeignCode::Service)
        );
        assert_eq!(foreign_code("", "AzureTextToText"), None);
        assert_eq!(foreign_code("", "PyOp"), Some(ForeignCode::Python));
        assert_eq!(foreign_code("", "Relu"), None);
    }
}
