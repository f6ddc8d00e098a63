//! Classical machine learning: what was learned stands in attributes.

use crate::AttributeUse::{Fitted, Learned};
use crate::row::Operator;
use crate::{ML, ONNX};

/// Rows of the family. Lists that are not named hold the structure of trees, classes and
/// vocabularies: tables, not parameters.
pub(crate) const ROWS: &[Operator] = &[
    Operator::new(ONNX, "TfIdfVectorizer", &[]).holding(&[("weights", Learned)]),
    Operator::new(ML, "CategoryMapper", &[]).holding(&[]),
    Operator::new(ML, "Imputer", &[])
        .holding(&[("imputed_value_floats", Fitted), ("imputed_value_int64s", Fitted)]),
    Operator::new(ML, "LinearClassifier", &[])
        .holding(&[("coefficients", Learned), ("intercepts", Learned)]),
    Operator::new(ML, "LinearRegressor", &[])
        .holding(&[("coefficients", Learned), ("intercepts", Learned)]),
    Operator::new(ML, "SVMClassifier", &[]).holding(&[
        ("coefficients", Learned),
        ("prob_a", Learned),
        ("prob_b", Learned),
        ("rho", Learned),
        ("support_vectors", Learned),
    ]),
    Operator::new(ML, "SVMRegressor", &[]).holding(&[
        ("coefficients", Learned),
        ("rho", Learned),
        ("support_vectors", Learned),
    ]),
    Operator::new(ML, "Scaler", &[]).holding(&[("offset", Fitted), ("scale", Fitted)]),
    Operator::new(ML, "TreeEnsemble", &[])
        .holding(&[("leaf_weights", Learned), ("nodes_splits", Learned)]),
    Operator::new(ML, "TreeEnsembleClassifier", &[]).holding(&[
        ("base_values", Learned),
        ("base_values_as_tensor", Learned),
        ("class_weights", Learned),
        ("class_weights_as_tensor", Learned),
        ("nodes_values", Learned),
        ("nodes_values_as_tensor", Learned),
    ]),
    Operator::new(ML, "TreeEnsembleRegressor", &[]).holding(&[
        ("base_values", Learned),
        ("base_values_as_tensor", Learned),
        ("nodes_values", Learned),
        ("nodes_values_as_tensor", Learned),
        ("target_weights", Learned),
        ("target_weights_as_tensor", Learned),
    ]),
];
