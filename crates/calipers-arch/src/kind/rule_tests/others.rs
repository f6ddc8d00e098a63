//! Networks of families that code outside of tables names: fixtures, and models of a few nodes.

use calipers_report::Family;
use calipers_samples::{Attribute, DataType, ModelBuilder, Node, Tensor};

use super::bytes;

const ML: &str = "ai.onnx.ml";
const CONTRIB: &str = "com.microsoft";

/// A network, and whether it is of a family.
pub(super) struct OtherCase {
    pub family: Family,
    pub is_positive: bool,
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

/// Networks of every such family, and close ones that are not.
pub(super) fn cases() -> Vec<OtherCase> {
    let mut cases = Vec::new();
    let mut add = |family: Family, is_positive: bool, name: &'static str, bytes: Vec<u8>| {
        cases.push(OtherCase { family, is_positive, name, bytes });
    };
    let both = mixed_cells();
    for (family, name, other) in [
        (Family::Lstm, "zoo/lstm_bi2_op17", "zoo/gru_op17"),
        (Family::Gru, "zoo/gru_op17", "zoo/rnn_op17"),
        (Family::Rnn, "zoo/rnn_op17", "zoo/lstm_bi2_op17"),
        (Family::Crnn, "crnn", "crnn-sound"),
        (Family::Crnn, "crnn", "crnn-cells"),
        (Family::MlpMixer, "mlp-mixer", "patches-mlp"),
        (Family::MlpMixer, "mlp-mixer", "mixer-gated"),
        (Family::IsolationForest, "zoo/isoforest", "zoo/rf_cls"),
        (Family::Mlp, "zoo/mlp", "zoo/logreg"),
    ] {
        add(family, true, name, bytes(name));
        add(family, false, other, bytes(other));
    }
    for family in [Family::Lstm, Family::Gru, Family::Rnn] {
        add(family, false, "an LSTM and a GRU", both.clone());
    }
    let softmax = [Attribute::string("post_transform", "SOFTMAX")];
    let classifier = |with: &[Attribute]| classical("LinearClassifier", &["label", "scores"], with);
    add(Family::Mlp, true, "two layers", layers(&[8, 3], true, None));
    add(Family::Mlp, false, "products among arithmetic", arithmetic());
    add(Family::LogisticRegression, true, "LinearClassifier with Softmax", classifier(&softmax));
    add(Family::LogisticRegression, false, "LinearClassifier", classifier(&[]));
    add(Family::LogisticRegression, true, "a layer, Softmax", layers(&[3], false, Some("Softmax")));
    add(Family::LogisticRegression, false, "a layer", layers(&[3], false, None));
    add(Family::LinearClassifier, true, "LinearClassifier", classifier(&[]));
    add(Family::LinearClassifier, false, "LinearClassifier with Softmax", classifier(&softmax));
    add(Family::LinearClassifier, true, "a layer, ArgMax", layers(&[3], false, Some("ArgMax")));
    add(Family::LinearClassifier, false, "a layer", layers(&[3], false, None));
    let regressor = classical("LinearRegressor", &["y"], &[]);
    add(Family::LinearRegression, true, "LinearRegressor", regressor.clone());
    add(Family::LinearRegression, false, "SVMRegressor", classical("SVMRegressor", &["y"], &[]));
    add(Family::LinearRegression, true, "a layer of one output", layers(&[1], false, None));
    add(Family::LinearRegression, false, "a layer of three outputs", layers(&[3], false, None));
    add(Family::Svm, true, "SVMRegressor", classical("SVMRegressor", &["y"], &[]));
    add(Family::Svm, false, "LinearRegressor", regressor);
    let (nearest, means) = (distances(true), distances(false));
    add(Family::KNearestNeighbors, true, "the smallest distances", nearest.clone());
    add(Family::KNearestNeighbors, false, "the nearest point", means.clone());
    add(Family::KMeans, true, "the nearest point", means);
    add(Family::KMeans, false, "the smallest distances", nearest);
    let mixture = likelihoods(true, false);
    add(Family::GaussianMixture, true, "squared distances", mixture.clone());
    add(Family::GaussianMixture, false, "no distances", likelihoods(false, false));
    add(Family::NaiveBayes, true, "likelihoods with labels", likelihoods(false, true));
    add(Family::NaiveBayes, false, "squared distances without labels", mixture);
    tree_cases(&mut add);
    cases
}

fn tree_cases(add: &mut impl FnMut(Family, bool, &'static str, Vec<u8>)) {
    let one = trees("TreeEnsembleRegressor", &[0, 0, 0], &[1.0, 2.0], &[]);
    let shares = trees("TreeEnsembleClassifier", &[0, 1], &[0.5, 0.25], &[]);
    let logistic = [Attribute::string("post_transform", "LOGISTIC")];
    let boosted = trees("TreeEnsembleClassifier", &[0, 1], &[0.5, 0.25], &logistic);
    let negative = trees("TreeEnsembleClassifier", &[0, 1], &[0.5, -0.25], &[]);
    let based = [Attribute::floats("base_values", &[3.0])];
    let based = trees("TreeEnsembleRegressor", &[0, 1], &[1.0, 1.0], &based);
    let shrinking = trees("TreeEnsembleRegressor", &[0, 1, 2, 3], &[1.0, 0.5, 0.2, 0.1], &[]);
    let level = trees("TreeEnsembleRegressor", &[0, 1, 2, 3], &[1.0, 0.9, 1.1, 1.0], &[]);
    let mean = [Attribute::string("aggregate_function", "AVERAGE")];
    let averaged = trees("TreeEnsembleRegressor", &[0, 1], &[1.0, 1.0], &mean);
    let plain = trees("TreeEnsembleRegressor", &[0, 1], &[1.0, 1.0], &[]);
    add(Family::DecisionTree, true, "one tree", one);
    add(Family::DecisionTree, false, "two trees", plain.clone());
    for (name, bytes, forest, boosting) in [
        ("shares of classes", shares, true, false),
        ("scores through LOGISTIC", boosted, false, true),
        ("negative scores", negative, false, true),
        ("a base value", based, false, true),
        ("shrinking leaves", shrinking, false, true),
        ("leaves of one size", level, true, false),
        ("an average", averaged, true, false),
        ("two trees that add up", plain, false, false),
    ] {
        add(Family::RandomForest, forest, name, bytes.clone());
        add(Family::GradientBoosting, boosting, name, bytes);
    }
    let (averaged, voting) = (several(false), several(true));
    add(Family::Bagging, true, "averaged trees", averaged.clone());
    add(Family::Bagging, false, "voting trees", voting.clone());
    add(Family::Adaboost, true, "voting trees", voting);
    add(Family::Adaboost, false, "averaged trees", averaged);
}

/// A model that takes rows of four features.
fn rows() -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.opset(ML, 3).opset(CONTRIB, 1);
    model.input("x", DataType::F32, &["n", "4"]);
    model
}

fn weight(model: &mut ModelBuilder, name: &str, dims: &[i64]) {
    let count = usize::try_from(dims.iter().product::<i64>()).unwrap();
    model.initializer(&Tensor::f32(name, dims, &vec![0.5; count]));
}

/// An LSTM and a GRU after it.
fn mixed_cells() -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["7", "2", "4"]);
    model.initializer(&Tensor::i64("axes", &[1], &[1]));
    let hidden = [Attribute::int("hidden_size", 6)];
    for (op, gates, from, x, y) in [("LSTM", 24, 4, "x", "a"), ("GRU", 18, 6, "b", "c")] {
        let (w, r) = (format!("w{op}"), format!("r{op}"));
        weight(&mut model, &w, &[1, gates, from]);
        weight(&mut model, &r, &[1, gates, 6]);
        model.node(op, &[x, &w, &r], &[y], &hidden);
        if y == "a" {
            model.node("Squeeze", &["a", "axes"], &["b"], &[]);
        }
    }
    model.output("c", DataType::F32, &["7", "1", "2", "6"]);
    model.build()
}

/// Linear layers of these widths, activated or not, and an operator after them.
fn layers(widths: &[i64], activated: bool, last: Option<&str>) -> Vec<u8> {
    let mut model = rows();
    let (mut x, mut from) = ("x".to_owned(), 4);
    for (at, width) in widths.iter().enumerate() {
        let [w, b, y] = ["w", "b", "y"].map(|name| format!("{name}{at}"));
        weight(&mut model, &w, &[from, *width]);
        weight(&mut model, &b, &[*width]);
        model.node("Gemm", &[&x, &w, &b], &[&y], &[]);
        (x, from) = (y, *width);
        if activated {
            let y = format!("r{at}");
            model.node("Relu", &[&x], &[&y], &[]);
            x = y;
        }
    }
    if let Some(op) = last {
        model.node(op, &[&x], &["last"], &[Attribute::int("axis", 1)]);
        "last".clone_into(&mut x);
    }
    let dtype = if last == Some("ArgMax") { DataType::I64 } else { DataType::F32 };
    model.output(&x, dtype, &["n", "k"]);
    model.build()
}

/// Products that are not layers: their results are centered.
fn arithmetic() -> Vec<u8> {
    let mut model = rows();
    weight(&mut model, "w", &[4, 8]);
    weight(&mut model, "v", &[8, 2]);
    model.node("MatMul", &["x", "w"], &["h"], &[]);
    model.node("ReduceSum", &["h"], &["s"], &[]);
    model.node("Sub", &["h", "s"], &["m"], &[]);
    model.node("MatMul", &["m", "v"], &["y"], &[]);
    model.output("y", DataType::F32, &["n", "2"]);
    model.build()
}

/// One operator of classical machine learning.
fn classical(op: &str, outputs: &[&str], with: &[Attribute]) -> Vec<u8> {
    let mut model = rows();
    let mut attributes = vec![Attribute::floats("coefficients", &[0.1; 8])];
    attributes.extend(with.iter().cloned());
    model.push(&Node::new(op, &["x"], outputs, &attributes).in_domain(ML));
    for output in outputs {
        model.output(output, DataType::F32, &["n", "1"]);
    }
    model.build()
}

/// Distances to stored points: the smallest of them, or the number of the nearest point.
fn distances(smallest: bool) -> Vec<u8> {
    let mut model = rows();
    weight(&mut model, "points", &[9, 4]);
    model.initializer(&Tensor::i64("k", &[1], &[3]));
    model.push(&Node::new("CDist", &["x", "points"], &["d"], &[]).in_domain(CONTRIB));
    if smallest {
        model.node("TopK", &["d", "k"], &["y", "at"], &[Attribute::int("largest", 0)]);
        model.output("y", DataType::F32, &["n", "3"]);
    } else {
        model.node("ArgMin", &["d"], &["y"], &[Attribute::int("axis", 1)]);
        model.output("y", DataType::I64, &["n", "1"]);
    }
    model.build()
}

/// Likelihoods that are summed in the logarithm and compared, of squared distances or of scores, and
/// labels of the classes.
fn likelihoods(squared: bool, labeled: bool) -> Vec<u8> {
    let mut model = rows();
    weight(&mut model, "means", &[4]);
    weight(&mut model, "w", &[4, 3]);
    model.node("Sub", &["x", "means"], &["apart"], &[]);
    let features = if squared {
        model.node("ReduceSumSquare", &["apart"], &["squares"], &[]);
        model.node("Sub", &["apart", "squares"], &["features"], &[]);
        "features"
    } else {
        "apart"
    };
    model.node("MatMul", &[features, "w"], &["scores"], &[]);
    let axis = [Attribute::ints("axes", &[1])];
    model.node("ReduceLogSumExp", &["scores"], &["sum"], &axis);
    model.node("Sub", &["scores", "sum"], &["likelihoods"], &[]);
    model.node("ArgMax", &["likelihoods"], &["best"], &[Attribute::int("axis", 1)]);
    if labeled {
        model.initializer(&Tensor::i64("labels", &[1, 3], &[4, 5, 6]));
        let label = Node::new("ArrayFeatureExtractor", &["labels", "best"], &["y"], &[]);
        model.push(&label.in_domain(ML));
        model.output("y", DataType::I64, &["1", "n"]);
    } else {
        model.output("best", DataType::I64, &["n", "1"]);
    }
    model.build()
}

/// An ensemble whose leaves belong to these trees and hold these weights.
fn trees(op: &str, ids: &[i64], leaves: &[f32], with: &[Attribute]) -> Vec<u8> {
    let mut model = rows();
    model.push(&ensemble(op, "y", ids, leaves, with));
    model.output("y", DataType::F32, &["n", "1"]);
    model.build()
}

fn ensemble(op: &str, output: &str, ids: &[i64], leaves: &[f32], with: &[Attribute]) -> Node {
    let classifies = op == "TreeEnsembleClassifier";
    let leaf = if classifies { "class" } else { "target" };
    let label = format!("{output}_label");
    let outputs: &[&str] = if classifies { &[&label, output] } else { &[output] };
    let mut attributes = vec![
        Attribute::ints("nodes_treeids", ids),
        Attribute::ints(&format!("{leaf}_treeids"), ids.get(..leaves.len()).unwrap()),
        Attribute::ints(&format!("{leaf}_ids"), &vec![0; leaves.len()]),
        Attribute::floats(&format!("{leaf}_weights"), leaves),
    ];
    if classifies {
        attributes.push(Attribute::ints("classlabels_int64s", &[0, 1]));
    }
    attributes.extend(with.iter().cloned());
    Node::new(op, &["x"], outputs, &attributes).in_domain(ML)
}

/// Two trees that vote, or whose outputs are averaged.
fn several(votes: bool) -> Vec<u8> {
    let mut model = rows();
    model.initializer(&Tensor::i64("one", &[1], &[1]));
    let op = if votes { "TreeEnsembleClassifier" } else { "TreeEnsembleRegressor" };
    for name in ["a", "b"] {
        model.push(&ensemble(op, name, &[0], &[1.0], &[]));
        if votes {
            let [best, equal, vote] = ["best", "equal", "vote"].map(|it| format!("{name}_{it}"));
            model.node("ArgMax", &[name], &[&best], &[Attribute::int("axis", 1)]);
            model.node("Equal", &[&best, "one"], &[&equal], &[]);
            model.node("Cast", &[&equal], &[&vote], &[Attribute::int("to", 1)]);
        }
    }
    if votes {
        model.node("Sum", &["a_vote", "b_vote"], &["votes"], &[]);
        model.node("ArgMax", &["votes"], &["y"], &[]);
        model.output("y", DataType::I64, &["n"]);
    } else {
        model.node("Concat", &["a", "b"], &["all"], &[Attribute::int("axis", 1)]);
        model.node("ReduceMean", &["all"], &["y"], &[]);
        model.output("y", DataType::F32, &["n", "1"]);
    }
    model.build()
}
