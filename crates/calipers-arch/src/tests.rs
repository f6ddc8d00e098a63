//! Decisions on models of a few nodes, and on the sample models.

use calipers_report::{Confidence, Family, ModelKind, Report, Style, TaskKind};
use calipers_samples::{Attribute, DataType, Graph, ModelBuilder, Node, Tensor};

const ML: &str = "ai.onnx.ml";

fn report(bytes: Vec<u8>) -> Report {
    let model = calipers_formats::read(bytes, "small.onnx").unwrap();
    crate::testing::report(&model)
}

/// A model that takes rows of four features.
fn rows() -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.opset(ML, 3);
    model.input("x", DataType::F32, &["n", "4"]);
    model
}

fn weight(model: &mut ModelBuilder, name: &str, dims: &[i64]) {
    let count = usize::try_from(dims.iter().product::<i64>()).unwrap();
    model.initializer(&Tensor::f32(name, dims, &vec![0.5; count]));
}

fn what(report: &Report) -> (Option<&str>, Option<&str>, &str) {
    let architecture = &report.architecture;
    (
        architecture.kind.map(ModelKind::id),
        architecture.family.map(Family::id),
        report.task.kind.id(),
    )
}

/// An ensemble of two trees of one split each, whose leaves hold these weights.
fn trees(op: &str, leaves: &[f32], with: &[Attribute]) -> Report {
    let mut model = rows();
    let classifies = op == "TreeEnsembleClassifier";
    let (leaf, outputs): (&str, &[&str]) =
        if classifies { ("class", &["label", "scores"]) } else { ("target", &["y"]) };
    let ids: Vec<i64> = (0..leaves.len()).map(|at| i64::from(at >= leaves.len() / 2)).collect();
    let zeros = vec![0; leaves.len()];
    let mut attributes = vec![
        Attribute::ints("nodes_treeids", &[0, 0, 0, 1, 1, 1]),
        Attribute::ints(&format!("{leaf}_treeids"), &ids),
        Attribute::ints(&format!("{leaf}_ids"), &zeros),
        Attribute::floats(&format!("{leaf}_weights"), leaves),
    ];
    if classifies {
        attributes.push(Attribute::ints("classlabels_int64s", &[0, 1]));
    }
    attributes.extend(with.iter().cloned());
    model.push(&Node::new(op, &["x"], outputs, &attributes).in_domain(ML));
    model.output(outputs[0], if classifies { DataType::I64 } else { DataType::F32 }, &["n"]);
    report(model.build())
}

#[test]
fn trees_are_reported_by_how_they_add_up() {
    let shares = trees("TreeEnsembleClassifier", &[0.5, 0.0, 0.25, 0.25], &[]);
    assert_eq!(
        what(&shares),
        (Some("tree-ensemble"), Some("random-forest"), "tabular-classification")
    );
    assert_eq!((shares.architecture.facts.trees, shares.task.classes), (Some(2), Some(2)));

    let activation = [Attribute::string("post_transform", "LOGISTIC")];
    let scores = trees("TreeEnsembleClassifier", &[1.5, -2.0, 0.1, 0.2], &activation);
    assert_eq!(scores.architecture.family, Some(Family::GradientBoosting));

    let base = [Attribute::floats("base_values", &[3.0])];
    let boosted = trees("TreeEnsembleRegressor", &[1.0, 2.0, 0.5, 0.1], &base);
    assert_eq!(
        what(&boosted),
        (Some("tree-ensemble"), Some("gradient-boosting"), "tabular-regression")
    );

    let mean = [Attribute::string("aggregate_function", "AVERAGE")];
    let forest = trees("TreeEnsembleRegressor", &[1.0, 2.0, 1.5, 1.1], &mean);
    assert_eq!(forest.architecture.family, Some(Family::RandomForest));

    // Two trees that add up say nothing of how they were grown.
    let plain = trees("TreeEnsembleRegressor", &[1.0, 2.0, 1.5, 1.1], &[]);
    assert_eq!(plain.architecture.family, None);
    assert_eq!(plain.architecture.confidence, Confidence::Low);
}

#[test]
fn linear_models_and_support_vectors() {
    let of = |op: &str, attributes: &[Attribute], outputs: &[&str]| {
        let mut model = rows();
        model.push(&Node::new(op, &["x"], outputs, attributes).in_domain(ML));
        for output in outputs {
            model.output(output, DataType::F32, &["n", "1"]);
        }
        report(model.build())
    };
    let weights = Attribute::floats("coefficients", &[0.1; 8]);
    let labels = Attribute::ints("classlabels_ints", &[0, 1]);
    let activation = Attribute::string("post_transform", "SOFTMAX");
    let both = ["label", "scores"];
    let reported = of("LinearClassifier", &[weights.clone(), labels.clone(), activation], &both);
    assert_eq!(
        what(&reported),
        (Some("linear"), Some("logistic-regression"), "tabular-classification")
    );
    let reported = of("LinearClassifier", &[weights.clone(), labels], &both);
    assert_eq!(reported.architecture.family, Some(Family::LinearClassifier));
    let reported = of("LinearRegressor", std::slice::from_ref(&weights), &["y"]);
    assert_eq!(what(&reported), (Some("linear"), Some("linear-regression"), "tabular-regression"));
    let one = Attribute::int("one_class", 1);
    let reported = of("SVMRegressor", &[weights, one], &["y"]);
    assert_eq!(what(&reported), (Some("svm"), Some("svm"), "anomaly-detection"));
    let reported = of("Scaler", &[Attribute::floats("scale", &[1.0; 4])], &["y"]);
    assert_eq!(what(&reported), (Some("pipeline"), None, "unknown"));
}

#[test]
fn dense_layers_are_a_perceptron_or_a_linear_model() {
    let mut model = rows();
    weight(&mut model, "w", &[4, 8]);
    weight(&mut model, "b", &[8]);
    weight(&mut model, "v", &[8, 1]);
    model.node("Gemm", &["x", "w", "b"], &["h"], &[]);
    model.node("Relu", &["h"], &["r"], &[]);
    model.node("MatMul", &["r", "v"], &["y"], &[]);
    model.output("y", DataType::F32, &["n", "1"]);
    let reported = report(model.build());
    assert_eq!(what(&reported), (Some("mlp"), Some("mlp"), "tabular-regression"));

    let mut model = rows();
    weight(&mut model, "w", &[4, 3]);
    weight(&mut model, "b", &[3]);
    model.node("Gemm", &["x", "w", "b"], &["h"], &[]);
    model.node("Softmax", &["h"], &["y"], &[]);
    model.output("y", DataType::F32, &["n", "3"]);
    let reported = report(model.build());
    assert_eq!(
        what(&reported),
        (Some("linear"), Some("logistic-regression"), "tabular-classification")
    );
    assert_eq!(reported.task.classes, Some(3));
}

#[test]
fn graphs_without_weights_are_nothing_known() {
    let mut model = rows();
    model.node("Relu", &["x"], &["r"], &[]);
    model.node("Concat", &["r", "x"], &["y"], &[Attribute::int("axis", 1)]);
    model.output("y", DataType::F32, &["n", "8"]);
    let reported = report(model.build());
    assert_eq!(what(&reported), (None, None, "unknown"));
    assert_eq!(reported.architecture.confidence, Confidence::Low);
    assert_eq!(reported.architecture.words, "");
}

#[test]
fn the_samples_are_what_they_are() {
    let digits = report(calipers_samples::digits());
    assert_eq!(what(&digits).0, Some("cnn"));
    assert_eq!((what(&digits).2, digits.task.classes), ("image-classification", Some(10)));
    let encoder = report(calipers_samples::encoder());
    assert_eq!(what(&encoder), (Some("transformer"), Some("bert"), "text-embedding"));
    assert_eq!(encoder.architecture.style, Some(Style::Encoder));
    let detector = report(calipers_samples::detector());
    assert_eq!((what(&detector).0, what(&detector).2), (Some("cnn"), "object-detection"));
    assert_eq!(detector.task.classes, Some(3));
}

#[test]
fn recurrence_is_reported_by_its_cell() {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["steps", "n", "4"]);
    weight(&mut model, "w", &[1, 24, 4]);
    weight(&mut model, "r", &[1, 24, 8]);
    let hidden = [Attribute::int("hidden_size", 8)];
    model.node("GRU", &["x", "w", "r"], &["", "h"], &hidden);
    model.output("h", DataType::F32, &["1", "n", "8"]);
    let reported = report(model.build());
    assert_eq!(what(&reported), (Some("rnn"), Some("gru"), "unknown"));
}

#[test]
fn several_trees_vote_or_are_averaged() {
    let leaves = |name: &str, op: &str| {
        let leaf = if op.ends_with("Classifier") { "class" } else { "target" };
        let mut with = vec![
            Attribute::ints("nodes_treeids", &[0]),
            Attribute::ints(&format!("{leaf}_treeids"), &[0]),
            Attribute::ints(&format!("{leaf}_ids"), &[0]),
            Attribute::floats(&format!("{leaf}_weights"), &[1.0]),
        ];
        let score = format!("{name}_score");
        let outputs: Vec<&str> = if leaf == "class" { vec![name, &score] } else { vec![&score] };
        if leaf == "class" {
            with.push(Attribute::ints("classlabels_int64s", &[0, 1]));
        }
        Node::new(op, &["x"], &outputs, &with).in_domain(ML)
    };
    let mut model = rows();
    for name in ["a", "b"] {
        model.push(&leaves(name, "TreeEnsembleRegressor"));
    }
    model.node("Concat", &["a_score", "b_score"], &["all"], &[Attribute::int("axis", 1)]);
    model.node("ReduceMean", &["all"], &["y"], &[]);
    model.output("y", DataType::F32, &["n", "1"]);
    let reported = report(model.build());
    assert_eq!(reported.architecture.family, Some(Family::Bagging));

    let mut model = rows();
    model.initializer(&Tensor::i64("one", &[1], &[1]));
    for name in ["a", "b"] {
        model.push(&leaves(name, "TreeEnsembleClassifier"));
        let [score, best, vote] = ["score", "best", "vote"].map(|it| format!("{name}_{it}"));
        model.node("ArgMax", &[&score], &[&best], &[Attribute::int("axis", 1)]);
        model.node("Equal", &[&best, "one"], &[&format!("{vote}d")], &[]);
        model.node("Cast", &[&format!("{vote}d")], &[&vote], &[Attribute::int("to", 1)]);
    }
    model.node("Sum", &["a_vote", "b_vote"], &["votes"], &[]);
    model.node("ArgMax", &["votes"], &["y"], &[]);
    model.output("y", DataType::I64, &["n"]);
    let reported = report(model.build());
    assert_eq!(reported.architecture.family, Some(Family::Adaboost));
}

#[test]
fn products_among_arithmetic_are_no_perceptron() {
    let mut model = rows();
    weight(&mut model, "w", &[4, 8]);
    weight(&mut model, "v", &[8, 2]);
    model.node("MatMul", &["x", "w"], &["h"], &[]);
    model.node("ReduceSum", &["h"], &["s"], &[]);
    model.node("Sub", &["h", "s"], &["m"], &[]);
    model.node("MatMul", &["m", "v"], &["y"], &[]);
    model.output("y", DataType::F32, &["n", "2"]);
    assert_eq!(what(&report(model.build())).0, None);
}

#[test]
fn products_of_computed_values_are_no_perceptron() {
    // Layers over a sequence, whose steps may be related to each other by a product.
    let kind = |related: bool| {
        let mut model = ModelBuilder::new(17);
        model.input("x", DataType::F32, &["n", "16", "8"]);
        for name in ["a", "b", "c"] {
            weight(&mut model, name, &[8, 8]);
        }
        model.node("MatMul", &["x", "a"], &["q"], &[]).node("Relu", &["q"], &["r"], &[]);
        model.node("MatMul", &["r", "b"], &["k"], &[]).node("Relu", &["k"], &["l"], &[]);
        let mut last = "l";
        if related {
            let turned = Attribute::ints("perm", &[0, 2, 1]);
            model.node("Transpose", &["l"], &["t"], &[turned]);
            model.node("MatMul", &["r", "t"], &["m"], &[]);
            model.node("MatMul", &["m", "l"], &["o"], &[]);
            last = "o";
        }
        model.node("MatMul", &[last, "c"], &["y"], &[]);
        model.output("y", DataType::F32, &["n", "16", "8"]);
        report(model.build()).architecture.kind
    };
    assert_eq!(kind(false), Some(ModelKind::Mlp));
    assert_eq!(kind(true), None);
}

#[test]
fn features_of_both_ends_of_edges_make_a_graph_network() {
    let kind = |list: &str| {
        let mut model = ModelBuilder::new(17);
        model.input("x", DataType::F32, &["nodes", "8"]).input(
            list,
            DataType::I64,
            &["2", "edges"],
        );
        weight(&mut model, "a", &[8, 8]);
        weight(&mut model, "b", &[16, 2]);
        model.node("MatMul", &["x", "a"], &["h"], &[]).node("Relu", &["h"], &["r"], &[]);
        for (end, index) in [("from", 0), ("to", 1)] {
            let (at, picked) = (format!("at_{end}"), format!("of_{end}"));
            model.initializer(&Tensor::i64(&at, &[], &[index]));
            model.node("Gather", &[list, &at], &[end], &[Attribute::int("axis", 0)]);
            model.node("Gather", &["r", end], &[&picked], &[]);
        }
        model.node("Concat", &["of_from", "of_to"], &["ends"], &[Attribute::int("axis", 1)]);
        model.node("MatMul", &["ends", "b"], &["y"], &[]);
        model.output("y", DataType::F32, &["edges", "2"]);
        report(model.build()).architecture.kind
    };
    assert_eq!(kind("edge_index"), Some(ModelKind::Gnn));
    assert_ne!(kind("pairs"), Some(ModelKind::Gnn));
}

#[test]
fn a_scan_with_a_state_is_recurrent() {
    let kind = |scans: bool| {
        let mut model = ModelBuilder::new(17);
        model.input("x", DataType::F32, &["n", "4", "16"]);
        weight(&mut model, "w", &[4, 1, 3]);
        let with = [Attribute::int("group", 4), Attribute::ints("pads", &[1, 1])];
        model.node("Conv", &["x", "w"], &["c"], &with);
        model.node("Transpose", &["c"], &["t"], &[Attribute::ints("perm", &[2, 0, 1])]);
        let mut last = "t";
        if scans {
            let mut body = Graph::new("body");
            body.input("state", DataType::F32, &["n", "4"]).input(
                "now",
                DataType::F32,
                &["n", "4"],
            );
            body.node("Mul", &["state", "now"], &["kept"], &[]);
            body.node("Add", &["kept", "now"], &["next"], &[]);
            body.node("Identity", &["next"], &["out"], &[]);
            body.output("next", DataType::F32, &["n", "4"]).output(
                "out",
                DataType::F32,
                &["n", "4"],
            );
            model.input("first", DataType::F32, &["n", "4"]);
            let with = [Attribute::graph("body", &body), Attribute::int("num_scan_inputs", 1)];
            model.node("Scan", &["first", "t"], &["final", "steps"], &with);
            last = "steps";
        }
        model.node("Identity", &[last], &["y"], &[]);
        model.output("y", DataType::F32, &["16", "n", "4"]);
        report(model.build()).architecture.kind
    };
    assert_eq!(kind(true), Some(ModelKind::Rnn));
    assert_eq!(kind(false), Some(ModelKind::Cnn));
}

#[test]
fn outputs_are_asked_for_their_own_type() {
    // The product is one of whole numbers; what comes out are floats, by another name.
    let mut model = ModelBuilder::new(17);
    model.input("ids", DataType::I64, &["n", "s"]);
    weight(&mut model, "table", &[90, 16]);
    model.initializer(&Tensor::raw("w", DataType::U8, &[16, 90], &[7; 1440]));
    model.initializer(&Tensor::f32("scale", &[], &[0.1]));
    model.node("Gather", &["table", "ids"], &["x"], &[]);
    model.node("DynamicQuantizeLinear", &["x"], &["q", "s", "z"], &[]);
    model.node("MatMulInteger", &["q", "w", "z"], &["sums"], &[]);
    model.node("Cast", &["sums"], &["cast"], &[Attribute::int("to", 1)]);
    model.node("Mul", &["s", "scale"], &["both"], &[]);
    model.node("Mul", &["cast", "both"], &["logits"], &[]);
    model.output("logits", DataType::F32, &["n", "s", "90"]);
    let reported = report(model.build());
    assert_eq!(reported.task.kind, TaskKind::TextGeneration);
    assert!(reported.task.evidence.iter().any(|words| words.contains("`logits`")));
}

#[test]
fn a_list_of_places_is_no_larger_image() {
    let grown = |dims: &[i64], shape: &[&str]| {
        let mut model = ModelBuilder::new(17);
        model.input("image", DataType::F32, &["1", "3", "8", "8"]);
        weight(&mut model, "w", &[4, 3, 1, 1]);
        model.initializer(&Tensor::i64("dims", &[i64::try_from(dims.len()).unwrap()], dims));
        model.node("Conv", &["image", "w"], &["c"], &[]);
        model.node("Reshape", &["c", "dims"], &["y"], &[]);
        model.output("y", DataType::F32, shape);
        report(model.build()).task.kind
    };
    assert_eq!(grown(&[1, 16, 16], &["1", "16", "16"]), TaskKind::SuperResolution);
    assert_ne!(grown(&[1, 4, 64], &["1", "4", "64"]), TaskKind::SuperResolution);
}
