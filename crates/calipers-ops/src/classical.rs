//! Classical machine learning: what was learned stands in attributes.

use crate::AttributeUse::{Fitted, Learned};
use crate::ML;
use crate::Slot::{Data, Table};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::new(ML, "ArrayFeatureExtractor", &[Table, Data]).since(&[1]),
    Operator::new(ML, "Binarizer", &[]).since(&[1]),
    Operator::new(ML, "CastMap", &[]).since(&[1]),
    Operator::new(ML, "CategoryMapper", &[]).holding(&[]).since(&[1]),
    Operator::new(ML, "DictVectorizer", &[]).since(&[1]),
    Operator::new(ML, "FeatureVectorizer", &[]).since(&[1]),
    Operator::new(ML, "Imputer", &[])
        .holding(&[("imputed_value_floats", Fitted), ("imputed_value_int64s", Fitted)])
        .since(&[1]),
    Operator::new(ML, "LabelEncoder", &[]).since(&[1, 2, 4]),
    Operator::new(ML, "LinearClassifier", &[])
        .holding(&[("coefficients", Learned), ("intercepts", Learned)])
        .since(&[1]),
    Operator::new(ML, "LinearRegressor", &[])
        .holding(&[("coefficients", Learned), ("intercepts", Learned)])
        .since(&[1]),
    Operator::new(ML, "Normalizer", &[]).since(&[1]),
    Operator::new(ML, "OneHotEncoder", &[]).since(&[1]),
    Operator::new(ML, "SVMClassifier", &[])
        .holding(&[
            ("coefficients", Learned),
            ("prob_a", Learned),
            ("prob_b", Learned),
            ("rho", Learned),
            ("support_vectors", Learned),
        ])
        .since(&[1]),
    Operator::new(ML, "SVMRegressor", &[])
        .holding(&[("coefficients", Learned), ("rho", Learned), ("support_vectors", Learned)])
        .since(&[1]),
    Operator::new(ML, "Scaler", &[]).holding(&[("offset", Fitted), ("scale", Fitted)]).since(&[1]),
    Operator::new(ML, "TreeEnsemble", &[])
        .holding(&[("leaf_weights", Learned), ("nodes_splits", Learned)])
        .since(&[5]),
    Operator::new(ML, "TreeEnsembleClassifier", &[])
        .holding(&[
            ("base_values", Learned),
            ("base_values_as_tensor", Learned),
            ("class_weights", Learned),
            ("class_weights_as_tensor", Learned),
            ("nodes_values", Learned),
            ("nodes_values_as_tensor", Learned),
        ])
        .since(&[1, 3, 5]),
    Operator::new(ML, "TreeEnsembleRegressor", &[])
        .holding(&[
            ("base_values", Learned),
            ("base_values_as_tensor", Learned),
            ("nodes_values", Learned),
            ("nodes_values_as_tensor", Learned),
            ("target_weights", Learned),
            ("target_weights_as_tensor", Learned),
        ])
        .since(&[1, 3, 5]),
    Operator::new(ML, "ZipMap", &[]).since(&[1]),
];
