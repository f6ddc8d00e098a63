//! Models: linear, support vectors, trees.
//!
//! They take a table of rows, or one row. Classifiers give a label for each row and a score for
//! each class; regressors a number for each target.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::{count, has};
use crate::context::{Fail, OpContext, Outcome};
use crate::fact::Fact;

/// The number of rows of the input.
fn rows(ctx: &mut OpContext<'_>) -> Result<Expr, Fail> {
    Ok(match ctx.shape(0)? {
        Ok([_]) => Expr::from(1),
        Ok([rows, _]) => rows.clone(),
        Ok(_) | Err(_) => ctx.fresh("the number of rows"),
    })
}

/// Type and number of the class labels.
struct Labels {
    dtype: DType,
    count: Option<i64>,
}

impl Labels {
    fn from_context(ctx: &OpContext<'_>, integers: &str) -> Self {
        if has(ctx, "classlabels_strings") {
            return Self { dtype: DType::String, count: count(ctx, "classlabels_strings") };
        }
        let count = count(ctx, integers).filter(|count| *count > 0);
        Self { dtype: DType::Int64, count }
    }
}

/// A label for each row, and scores.
fn classified(ctx: &mut OpContext<'_>, labels: DType, classes: Option<i64>) -> Outcome {
    let rows = rows(ctx)?;
    let classes = match classes {
        Some(classes) => Expr::from(classes),
        None => ctx.fresh("the number of scores"),
    };
    Ok(vec![Fact::tensor(labels, [rows.clone()]), Fact::tensor(DType::Float32, [rows, classes])])
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html>: one set of coefficients
/// for each class, or one for two.
pub(super) fn linear_classifier(ctx: &mut OpContext<'_>) -> Outcome {
    let labels = Labels::from_context(ctx, "classlabels_ints");
    let sets = count(ctx, "intercepts").filter(|count| *count > 0);
    let scores = match (sets, labels.count) {
        (Some(1), Some(2)) => Some(2),
        (Some(sets), Some(labels)) => (sets == labels).then_some(sets),
        (sets, labels) => sets.or(labels),
    };
    classified(ctx, labels.dtype, scores)
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html>: one score for each class.
///
/// Runtimes score each pair of classes when there are support vectors and no probabilities.
pub(super) fn svm_classifier(ctx: &mut OpContext<'_>) -> Outcome {
    let labels = Labels::from_context(ctx, "classlabels_ints");
    let by_class = has(ctx, "prob_a") || !has(ctx, "vectors_per_class");
    // Two classes get two scores, and three make three pairs.
    let scores = labels.count.filter(|count| by_class || matches!(count, 2 | 3));
    classified(ctx, labels.dtype, scores)
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleClassifier.html>: one score for each
/// class.
pub(super) fn tree_classifier(ctx: &mut OpContext<'_>) -> Outcome {
    let labels = Labels::from_context(ctx, "classlabels_int64s");
    classified(ctx, labels.dtype, labels.count)
}

/// A number for each row and target.
fn regressed(ctx: &mut OpContext<'_>, dtype: DType, targets: Option<i64>) -> Outcome {
    let rows = rows(ctx)?;
    let targets = match targets {
        Some(targets) if targets > 0 => Expr::from(targets),
        _ => ctx.fresh("the number of targets"),
    };
    Ok(vec![Fact::tensor(dtype, [rows, targets])])
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_LinearRegressor.html>
pub(super) fn linear_regressor(ctx: &mut OpContext<'_>) -> Outcome {
    regressed(ctx, DType::Float32, Some(ctx.int_or("targets", 1)))
}

/// One number for each row: <https://onnx.ai/onnx/operators/onnx_aionnxml_SVMRegressor.html>.
pub(super) fn svm_regressor(ctx: &mut OpContext<'_>) -> Outcome {
    regressed(ctx, DType::Float32, Some(1))
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html>, whose numbers are
/// float32, and `onnx_aionnxml_TreeEnsemble`, whose numbers are of the input's type.
pub(super) fn tree_ensemble(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = if ctx.op == "TreeEnsemble" { ctx.dtype(0) } else { DType::Float32 };
    regressed(ctx, dtype, ctx.int("n_targets"))
}

/// For each row a map from label to score:
/// <https://onnx.ai/onnx/operators/onnx_aionnxml_ZipMap.html>.
pub(super) fn zip_map(ctx: &mut OpContext<'_>) -> Outcome {
    let key = Labels::from_context(ctx, "classlabels_int64s").dtype;
    let value = Box::new(Fact::tensor(DType::Float32, []));
    Ok(vec![Fact::sequence_of(Fact::Map { key, value })])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Attr, Rule};
    use crate::reduction::testing::{Try, dims};

    fn reported(ctx: &Try, rule: Rule) -> String {
        let facts = ctx.run(rule).unwrap();
        facts.iter().map(Fact::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn two_classes_may_share_their_coefficients() {
        let ctx = |sets: &'static [f32]| {
            let ctx = Try::new("LinearClassifier", 1).input(dims("n 4")).outputs(2);
            ctx.ints("classlabels_ints", &[0, 1]).with("intercepts", Attr::Floats(sets))
        };
        assert_eq!(reported(&ctx(&[0.5]), linear_classifier), "int64[n] float32[n, 2]");
        assert_eq!(reported(&ctx(&[0.5, 0.5]), linear_classifier), "int64[n] float32[n, 2]");
        assert_eq!(reported(&ctx(&[0.5; 3]), linear_classifier), "int64[n] float32[n, f1]");
    }

    #[test]
    fn support_vectors_score_classes_or_pairs() {
        let ctx = |classes: u64| {
            let ctx = Try::new("SVMClassifier", 1).input(dims("4")).outputs(2);
            ctx.with("classlabels_strings", Attr::Texts(classes)).ints("vectors_per_class", &[1, 1])
        };
        assert_eq!(reported(&ctx(3), svm_classifier), "string[1] float32[1, 3]");
        assert_eq!(reported(&ctx(4), svm_classifier), "string[1] float32[1, f1]");
        let probable = ctx(4).with("prob_a", Attr::Floats(&[1.0]));
        assert_eq!(reported(&probable, svm_classifier), "string[1] float32[1, 4]");
    }

    #[test]
    fn trees_give_a_number_for_each_target() {
        let ctx = Try::new("TreeEnsembleRegressor", 3).input(dims("n 4")).int("n_targets", 2);
        assert_eq!(reported(&ctx, tree_ensemble), "float32[n, 2]");
    }

    #[test]
    fn scores_become_maps() {
        let ctx = Try::new("ZipMap", 1).input(dims("n 2")).ints("classlabels_int64s", &[0, 1]);
        assert_eq!(reported(&ctx, zip_map), "sequence(map(int64, float32[]))");
    }
}
