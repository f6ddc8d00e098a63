//! Classical machine learning: what was learned is in attributes.

mod features;
mod models;

use crate::AttributeUse::{Fitted, Learned};
use crate::InputRole::{Data, Table};
use crate::ML;
use crate::context::{Attr, OpContext};
use crate::cost::{self, Traffic};
use crate::fact::TensorFact;
use crate::row::Operator;
use crate::traits::{Class, KernelClass, Movement, Prediction, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Features,
    [
        Operator::new(ML, "ArrayFeatureExtractor", &[Table, Data])
            .passes(Movement::Gather)
            .since(&[1])
            .infer(features::array_feature_extractor)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::new(ML, "Binarizer", &[])
            .since(&[1])
            .infer(features::same_type)
            .costs(cost::per_output::<1>),
        Operator::new(ML, "CastMap", &[])
            .passes(Movement::Convert)
            .since(&[1])
            .infer(features::cast_map)
            .costs(cost::free),
        Operator::new(ML, "CategoryMapper", &[])
            .holding(&[])
            .since(&[1])
            .infer(features::category_mapper)
            .costs(cost::free),
        Operator::new(ML, "DictVectorizer", &[])
            .since(&[1])
            .infer(features::dict_vectorizer)
            .costs(cost::free),
        Operator::new(ML, "FeatureVectorizer", &[])
            .class(Class::Features)
            .passes(Movement::Join)
            .since(&[1])
            .infer(features::feature_vectorizer)
            .costs(cost::free),
        Operator::new(ML, "Imputer", &[])
            .holding(&[("imputed_value_floats", Fitted), ("imputed_value_int64s", Fitted)])
            .since(&[1])
            .infer(features::same_type)
            .costs(cost::per_output::<1>),
        Operator::new(ML, "LabelEncoder", &[])
            .since(&[1, 2, 4])
            .infer(features::label_encoder)
            .costs(cost::free),
        Operator::new(ML, "LinearClassifier", &[])
            .predicts(Prediction::Label)
            .class(Class::LinearModel)
            .contracts(KernelClass::Gemm, &[])
            .holding(&[("coefficients", Learned), ("intercepts", Learned)])
            .since(&[1])
            .infer(models::linear_classifier)
            .costs(cost::classical::linear),
        Operator::new(ML, "LinearRegressor", &[])
            .predicts(Prediction::Number)
            .class(Class::LinearModel)
            .contracts(KernelClass::Gemm, &[])
            .holding(&[("coefficients", Learned), ("intercepts", Learned)])
            .since(&[1])
            .infer(models::linear_regressor)
            .costs(cost::classical::linear),
        Operator::new(ML, "Normalizer", &[])
            .since(&[1])
            .infer(features::to_floats)
            .costs(cost::per_output::<3>),
        Operator::new(ML, "OneHotEncoder", &[])
            .since(&[1])
            .infer(features::one_hot_encoder)
            .costs(cost::free),
        Operator::new(ML, "SVMClassifier", &[])
            .predicts(Prediction::Label)
            .class(Class::SupportVectors)
            .contracts(KernelClass::Gemm, &[])
            .holding(&[
                ("coefficients", Learned),
                ("prob_a", Learned),
                ("prob_b", Learned),
                ("rho", Learned),
                ("support_vectors", Learned),
            ])
            .since(&[1])
            .infer(models::svm_classifier)
            .costs(cost::classical::support_vectors),
        Operator::new(ML, "SVMRegressor", &[])
            .predicts(Prediction::Number)
            .class(Class::SupportVectors)
            .contracts(KernelClass::Gemm, &[])
            .holding(&[("coefficients", Learned), ("rho", Learned), ("support_vectors", Learned)])
            .since(&[1])
            .infer(models::svm_regressor)
            .costs(cost::classical::support_vectors),
        Operator::new(ML, "Scaler", &[])
            .holding(&[("offset", Fitted), ("scale", Fitted)])
            .since(&[1])
            .infer(features::to_floats)
            .costs(cost::per_output::<2>),
        Operator::new(ML, "TreeEnsemble", &[])
            .predicts(Prediction::Number)
            .class(Class::Trees)
            .holding(&[("leaf_weights", Learned), ("nodes_splits", Learned)])
            .since(&[5])
            .infer(models::tree_ensemble)
            .costs(cost::classical::tree_ensemble),
        Operator::new(ML, "TreeEnsembleClassifier", &[])
            .predicts(Prediction::Label)
            .class(Class::Trees)
            .holding(&[
                ("base_values", Learned),
                ("base_values_as_tensor", Learned),
                ("class_weights", Learned),
                ("class_weights_as_tensor", Learned),
                ("nodes_values", Learned),
                ("nodes_values_as_tensor", Learned),
            ])
            .since(&[1, 3, 5])
            .infer(models::tree_classifier)
            .costs(cost::classical::trees),
        Operator::new(ML, "TreeEnsembleRegressor", &[])
            .predicts(Prediction::Number)
            .class(Class::Trees)
            .holding(&[
                ("base_values", Learned),
                ("base_values_as_tensor", Learned),
                ("nodes_values", Learned),
                ("nodes_values_as_tensor", Learned),
                ("target_weights", Learned),
                ("target_weights_as_tensor", Learned),
            ])
            .since(&[1, 3, 5])
            .infer(models::tree_ensemble)
            .costs(cost::classical::trees),
        Operator::new(ML, "ZipMap", &[])
            .class(Class::Sequence)
            .since(&[1])
            .infer(models::zip_map)
            .costs(cost::free),
    ],
);

/// How many elements a list in the attributes has; `None` when it is not given.
fn count(ctx: &OpContext<'_>, name: &str) -> Option<i64> {
    match ctx.attribute(name)? {
        Attr::Ints(list) => i64::try_from(list.len()).ok(),
        Attr::Floats(list) => i64::try_from(list.len()).ok(),
        Attr::Long(count) | Attr::Texts(count) => i64::try_from(count).ok(),
        Attr::Tensor(tensor) => i64::try_from(TensorFact::constant_count(&tensor)?).ok(),
        _ => None,
    }
}

/// Whether a list in the attributes has elements.
fn has(ctx: &OpContext<'_>, name: &str) -> bool {
    count(ctx, name).is_some_and(|count| count > 0)
}
