//! Models of classical machine learning, by the operators that hold them.
//!
//! | kind, family | evidence |
//! |---|---|
//! | `tree-ensemble` | `TreeEnsemble…`; the family from how trees add up, see [`trees`] |
//! | `linear`, logistic-regression | `LinearClassifier` whose scores become probabilities |
//! | `linear`, linear-classifier | `LinearClassifier` without probabilities |
//! | `linear`, linear-regression | `LinearRegressor` |
//! | `svm` | `SVMClassifier`, `SVMRegressor` |
//! | `nearest-neighbors` | `TopK` of the smallest distances to stored points |
//! | `naive-bayes` | log-likelihoods of the classes are summed and compared |
//! | `clustering`, gaussian-mixture | squared distances and a log-sum-exp |
//! | `clustering`, k-means | `ArgMin` over the distances to stored points |
//! | `pipeline` | preprocessing only, or several models |

use calipers_ops::{Class, Traits};
use calipers_report::Confidence::{High, Medium};
use calipers_report::units;
use calipers_report::{ArchitectureFacts, Family, ModelKind};

use super::Decision;
use super::trees;
use crate::network::{BlockKind, Network, NetworkOp, Origin};

/// Whether an operator prepares features.
fn prepares(traits: &Traits) -> bool {
    matches!(traits.class, Class::Features | Class::Text)
}

/// What a model of classical machine learning is; `None` for others.
pub(super) fn decide(net: &Network<'_>, facts: &mut ArchitectureFacts) -> Option<Decision> {
    let of =
        |class: Class| net.all().filter(|unit| unit.is_class(class)).collect::<Vec<&NetworkOp>>();
    let (forests, linear, support) =
        (of(Class::Trees), of(Class::LinearModel), of(Class::SupportVectors));
    let prepared = preparation(net);
    let families = [&forests, &linear, &support].iter().filter(|units| !units.is_empty()).count();
    let mut decision = if families > 1 {
        let words = format!(
            "{} tree ensembles, {} linear models and {} support vector machines",
            forests.len(),
            linear.len(),
            support.len()
        );
        Decision::new(ModelKind::Pipeline, None, Medium, words)
    } else if !forests.is_empty() {
        let forest = trees::inspect(net, &forests);
        facts.trees = forest.trees;
        let words = match forest.trees {
            Some(1) => "1 tree".to_owned(),
            Some(trees) => format!("{} trees", units::signed(trees)),
            None => "a tree ensemble".to_owned(),
        };
        let mut decision =
            Decision::new(ModelKind::TreeEnsemble, forest.family, forest.confidence, words);
        decision.evidence.push(forest.evidence);
        decision
    } else if let Some(first) = linear.first() {
        of_linear(net, first)
    } else if let Some(first) = support.first() {
        let words = match net.setting(first, "kernel_type") {
            Some(kernel) => format!("support vectors with {kernel} kernel"),
            None => "support vectors".to_owned(),
        };
        Decision::new(ModelKind::Svm, Some(Family::Svm), High, words)
    } else {
        by_arithmetic(net).or_else(|| {
            let bare =
                net.all().all(|unit| !unit.is_contraction() && !unit.is(BlockKind::Attention));
            (!prepared.is_empty() && bare).then(|| {
                let words = "preprocessing only, without a model";
                Decision::new(ModelKind::Pipeline, None, Medium, words.to_owned())
            })
        })?
    };
    if !prepared.is_empty() {
        decision.evidence.push(format!("preprocessing with {}", prepared.join(", ")));
    }
    Some(decision)
}

/// Operators that prepare features, each once, in order.
pub(crate) fn preparation(net: &Network<'_>) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for unit in net.all().filter(|unit| unit.has_trait(prepares)) {
        if !found.contains(&unit.op.id()) {
            found.push(unit.op.id());
        }
    }
    found
}

fn of_linear(net: &Network<'_>, unit: &NetworkOp) -> Decision {
    if unit.is("LinearRegressor") {
        let words = "a weighted sum of the features".to_owned();
        return Decision::new(ModelKind::Linear, Some(Family::LinearRegression), High, words);
    }
    let transform = net.setting(unit, "post_transform").unwrap_or("NONE");
    let activation =
        net.all().find(|unit| unit.has_trait(Traits::is_probability)).map(|unit| unit.op);
    match (transform, activation) {
        ("NONE", None) => {
            let words = "weighted sums of the features, then argmax".to_owned();
            Decision::new(ModelKind::Linear, Some(Family::LinearClassifier), Medium, words)
        }
        ("NONE", Some(activation)) => {
            let words =
                format!("weighted sums of the features with {activation} for probabilities");
            Decision::new(ModelKind::Linear, Some(Family::LogisticRegression), High, words)
        }
        (transform, _) => {
            let words = format!("weighted sums of the features with {transform} for probabilities");
            Decision::new(ModelKind::Linear, Some(Family::LogisticRegression), High, words)
        }
    }
}

/// Models that exporters write out in plain operators, marked by those of feature preparation.
fn by_arithmetic(net: &Network<'_>) -> Option<Decision> {
    const MARKS: &[&str] = &["ArrayFeatureExtractor", "CDist", "LabelEncoder", "ZipMap"];
    let distances = net.all().any(|unit| unit.is("CDist"))
        || net.all().any(|unit| {
            unit.is(["ReduceSumSquare", "ReduceL1", "ReduceL2"])
                && unit.input(0).and_then(|val| net.made_by(val, "Sub")).is_some_and(|sub| {
                    let mut inputs = net.unit(sub).inputs.iter().flatten();
                    inputs.any(|val| net.origin(*val) == Origin::Constant)
                })
        });
    let nearest = net.all().any(|unit| unit.is("TopK") && net.int(unit, "largest") == Some(0));
    let marked = net.all().any(|unit| unit.is(MARKS));
    if distances && (nearest || marked && net.all().any(|unit| unit.is("TopK"))) {
        let words = "selects the smallest distances to stored points".to_owned();
        // A comparison with a threshold detects outliers, by this or a similar rule.
        let limited = net.all().any(|unit| unit.is(["Greater", "Less", "Sign"]));
        let sure = if limited { Medium } else { High };
        let family = Some(Family::KNearestNeighbors);
        return Some(Decision::new(ModelKind::NearestNeighbors, family, sure, words));
    }
    let has = |op: &str| net.all().any(|unit| unit.is(op));
    if has("ArgMin") && (distances || has("ReduceSumSquare")) {
        let words = "selects the nearest stored point".to_owned();
        return Some(Decision::new(ModelKind::Clustering, Some(Family::KMeans), Medium, words));
    }
    if !marked && has("ReduceLogSumExp") && has("ReduceSumSquare") && has("ArgMax") {
        let words = "distances to stored means give Gaussian likelihoods that are compared";
        return Some(Decision::new(
            ModelKind::Clustering,
            Some(Family::GaussianMixture),
            Medium,
            words.to_owned(),
        ));
    }
    if marked && has("ReduceLogSumExp") && has("ArgMax") {
        let words = "log-likelihoods of the classes are summed and compared".to_owned();
        return Some(Decision::new(ModelKind::NaiveBayes, Some(Family::NaiveBayes), Medium, words));
    }
    None
}
