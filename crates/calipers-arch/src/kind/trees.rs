//! Tree ensembles: the number of trees, and how they were trained.
//!
//! | family | evidence |
//! |---|---|
//! | isolation-forest | trees of leaf ids, and 2 to the power of the negative mean depth |
//! | gradient-boosting | scores that pass through an activation, a base value, or leaves that shrink from tree to tree |
//! | adaboost | several ensembles whose votes are weighted, or whose weighted median is taken |
//! | bagging | several ensembles whose results are averaged |
//! | random-forest | leaves hold class probabilities, or values of the same magnitude in all trees |
//! | decision-tree | one tree |

use calipers_ir::{AttributeValue, List, NodeId};
use calipers_ops::Prediction;
use calipers_report::Confidence::{self, High, Low, Medium};
use calipers_report::Family;
use hashbrown::HashMap;

use crate::network::{Network, NetworkOp};

/// Trees of a model.
pub(super) struct Forest {
    /// How many, where they can be counted.
    pub(super) trees: Option<i64>,
    pub(super) family: Option<Family>,
    pub(super) confidence: Confidence,
    pub(super) evidence: String,
}

/// The trees of these units.
pub(super) fn inspect(net: &Network<'_>, units: &[&NetworkOp]) -> Forest {
    let counts: Option<Vec<i64>> = units.iter().map(|unit| count(net, unit)).collect();
    let trees: Option<i64> = counts.map(|counts| counts.iter().sum());
    let (family, confidence, evidence) = family(net, units, trees);
    Forest { trees, family, confidence, evidence }
}

fn family(
    net: &Network<'_>,
    units: &[&NetworkOp],
    trees: Option<i64>,
) -> (Option<Family>, Confidence, String) {
    if is_isolation(net) {
        let words = "the anomaly score is 2 to the power of the negative mean tree depth";
        return (Some(Family::IsolationForest), High, words.to_owned());
    }
    let [unit] = units else { return together(net, units) };
    if trees == Some(1) {
        return (Some(Family::DecisionTree), High, "a single tree".to_owned());
    }
    let transform = net.setting(unit, "post_transform").unwrap_or("NONE");
    let classifies = gives_label(unit);
    if transform != "NONE" {
        let words = format!("tree scores are summed and passed through {transform}");
        return (Some(Family::GradientBoosting), High, words);
    }
    if net.setting(unit, "aggregate_function") == Some("AVERAGE") {
        return (Some(Family::RandomForest), High, "tree outputs are averaged".to_owned());
    }
    let model = net.model;
    let based = ["base_values", "base_values_as_tensor"]
        .iter()
        .any(|name| model.attribute(unit.node, name).is_some());
    if based {
        let words = "tree outputs are added to a base value";
        return (Some(Family::GradientBoosting), High, words.to_owned());
    }
    let Some(leaves) = leaves(net, unit) else {
        return (None, Low, "too many leaves to inspect".to_owned());
    };
    by_leaves(&leaves, classifies, trees)
}

/// The family of several ensembles, from how they are combined.
fn together(net: &Network<'_>, units: &[&NetworkOp]) -> (Option<Family>, Confidence, String) {
    let count = |op: &str| net.all().filter(|unit| unit.is(op)).count();
    let votes = count("ArgMax") > units.len() && count("Equal") >= units.len();
    let median = count("TopK") > 0 && count("CumSum") > 0;
    let (family, words) = match (votes, median, count("ReduceMean") > 0) {
        (true, ..) => (Some(Family::Adaboost), "each tree casts a weighted vote for a class"),
        (_, true, _) => (Some(Family::Adaboost), "the output is the weighted median of the trees"),
        (.., true) => (Some(Family::Bagging), "outputs of several ensembles are averaged"),
        _ => (None, "several tree ensembles"),
    };
    (family, Medium, words.to_owned())
}

/// The family of summed trees, from their leaf values.
fn by_leaves(
    leaves: &[(i64, f64)],
    classifies: bool,
    trees: Option<i64>,
) -> (Option<Family>, Confidence, String) {
    if classifies {
        if leaves.iter().any(|(_, weight)| *weight < 0.0) {
            let words = "leaves hold negative scores that are summed";
            return (Some(Family::GradientBoosting), Medium, words.to_owned());
        }
        #[expect(clippy::cast_precision_loss, reason = "trees are few")]
        let share = trees.map_or(1.0, |trees| 1.0 / trees as f64);
        if leaves.iter().all(|(_, weight)| *weight <= share * 1.001) {
            // Extremely randomized trees are stored the same way.
            let words = "leaves hold class probabilities that are averaged";
            return (Some(Family::RandomForest), Medium, words.to_owned());
        }
        return (None, Low, "leaves do not hold class probabilities".to_owned());
    }
    match shrinking(leaves) {
        Some(true) => {
            let words = "leaf values shrink from the first tree to the last, as in boosting";
            (Some(Family::GradientBoosting), Medium, words.to_owned())
        }
        Some(false) => {
            let words = "leaf values have the same magnitude in all trees and sum to a mean";
            (Some(Family::RandomForest), Medium, words.to_owned())
        }
        None => (None, Low, "leaf values do not show how the trees were trained".to_owned()),
    }
}

/// Whether the last trees' leaves are much smaller than the first trees'.
fn shrinking(leaves: &[(i64, f64)]) -> Option<bool> {
    let mut sizes: HashMap<i64, (f64, f64)> = HashMap::new();
    for (tree, weight) in leaves {
        let entry = sizes.entry(*tree).or_insert((0.0, 0.0));
        entry.0 += weight.abs();
        entry.1 += 1.0;
    }
    let mut means: Vec<(i64, f64)> =
        sizes.into_iter().map(|(tree, (sum, count))| (tree, sum / count)).collect();
    means.sort_by_key(|(tree, _)| *tree);
    let quarter = means.len() / 4;
    if quarter == 0 {
        return None;
    }
    let mean = |part: &[(i64, f64)]| part.iter().map(|(_, size)| size).sum::<f64>();
    let (first, last) = (mean(means.get(..quarter)?), mean(means.get(means.len() - quarter..)?));
    Some(last < 0.6 * first)
}

/// Each leaf's tree and weight; `None` when the file's lists are too long to be held.
fn leaves(net: &Network<'_>, unit: &NetworkOp) -> Option<Vec<(i64, f64)>> {
    let (trees, weights) = match gives_label(unit) {
        true => ("class_treeids", "class_weights"),
        false => ("target_treeids", "target_weights"),
    };
    let trees = ints(net, unit.node, trees)?;
    let weights = match net.model.attribute(unit.node, weights)? {
        AttributeValue::Floats(List::Held(weights)) => weights,
        _ => return None,
    };
    Some(trees.iter().copied().zip(weights.iter().map(|weight| f64::from(*weight))).collect())
}

fn gives_label(unit: &NetworkOp) -> bool {
    unit.has_trait(|traits| traits.prediction == Some(Prediction::Label))
}

/// How many trees an ensemble has.
fn count(net: &Network<'_>, unit: &NetworkOp) -> Option<i64> {
    if unit.is("TreeEnsemble") {
        return match net.model.attribute(unit.node, "tree_roots")? {
            AttributeValue::Ints(list) => i64::try_from(list.len()).ok(),
            _ => None,
        };
    }
    let ids = ints(net, unit.node, "nodes_treeids")?;
    let mut ids: Vec<i64> = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    i64::try_from(ids.len()).ok().filter(|count| *count > 0)
}

fn ints<'n>(net: &'n Network<'_>, node: NodeId, name: &str) -> Option<&'n [i64]> {
    match net.model.attribute(node, name)? {
        AttributeValue::Ints(List::Held(values)) => Some(values),
        _ => None,
    }
}

/// Whether a score is 2 to the power of something that follows from the data.
fn is_isolation(net: &Network<'_>) -> bool {
    net.all().any(|unit| {
        unit.is("Pow")
            && unit.input(0).is_some_and(|base| !net.is_data(base) && net.is_number(base, 2.0))
            && unit.input(1).is_some_and(|power| net.is_data(power))
    })
}
