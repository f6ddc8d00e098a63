//! What the walk does: control flow, functions, declared types, bindings, hostile graphs.
//!
//! Operators have their own tests; the models here are built so that the answer can be read off.
use std::collections::BTreeMap;

use calipers::{BindError, Bindings};
use calipers_infer::{Typed, infer};
use calipers_ir::Model;
use calipers_samples::DataType::{Bool, F32, I64};
use calipers_samples::{Attribute, AttributeKind, Function, Graph, ModelBuilder, Node, Tensor};
use calipers_testkit::fixture;

use crate::support;

calipers_testkit::tests! {
    test: [
        dimensions_stay_symbols_until_they_are_bound,
        bindings_that_cannot_be_are_refused,
        a_branch_is_taken_when_the_condition_is_known,
        a_loop_stacks_what_each_turn_gives,
        a_loop_whose_state_grows_is_widened,
        functions_are_looked_into_with_their_callers_attributes,
        what_is_declared_names_what_is_not_known,
        what_is_declared_wrongly_is_a_finding,
        inputs_that_cannot_go_together_are_a_finding,
        an_unknown_operator_leaves_the_rest_known,
        hostile_graphs_stay_linear,
        what_a_walk_holds_is_bounded,
        what_never_runs_need_not_be_able_to,
        weights_behind_blocks_show_how_many_channels_a_block_has,
        what_is_nested_too_deep_is_not_free,
    ];
}

fn read(builder: &ModelBuilder) -> Model {
    calipers_formats::read(builder.build(), "test.onnx").unwrap()
}

fn report(builder: &ModelBuilder) -> calipers::Report {
    let model = calipers::Model::read(builder.build(), "test.onnx").unwrap();
    support::analyze(&model)
}

/// What is known of a value of the main graph, in one line.
fn reported(model: &Model, typed: &Typed, name: &str) -> String {
    let (id, _) = model
        .values()
        .find(|(_, value)| value.graph == model.main_id() && model.name(value.name) == name)
        .unwrap();
    typed.fact(id).to_string()
}

fn reported_free(builder: &ModelBuilder, name: &str) -> String {
    let model = read(builder);
    reported(&model, &infer(&model, &Bindings::default()).unwrap(), name)
}

fn dims(pairs: &[(&str, i64)]) -> Bindings {
    let dims = pairs.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    Bindings { dims, ..Bindings::default() }
}

fn branch(name: &str, op: &str, input: &str) -> Graph {
    let mut graph = Graph::new(name);
    graph.node(op, &[input], &[name], &[]).output(name, F32, &["?", "?"]);
    graph
}

fn choose(then: &Graph, otherwise: &Graph) -> [Attribute; 2] {
    [Attribute::graph("then_branch", then), Attribute::graph("else_branch", otherwise)]
}

fn dimensions_stay_symbols_until_they_are_bound() {
    let mut model = ModelBuilder::new(17);
    model
        .input("a", F32, &["batch", "past + sequence"])
        .input("b", F32, &["batch", "3"])
        .node("Concat", &["a", "b"], &["c"], &[Attribute::int("axis", 1)])
        .output("c", F32, &["?", "?"]);
    assert_eq!(reported_free(&model, "c"), "float32[batch, past + sequence + 3]");
    let model = read(&model);
    let bound = infer(&model, &dims(&[("batch", 2), ("past", 5), ("sequence", 1)])).unwrap();
    assert_eq!(reported(&model, &bound, "c"), "float32[2, 9]");
    let half = infer(&model, &dims(&[("past", 5)])).unwrap();
    assert_eq!(reported(&model, &half, "c"), "float32[batch, sequence + 8]");
}

fn bindings_that_cannot_be_are_refused() {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "3"]).node("Relu", &["x"], &["y"], &[]).output(
        "y",
        F32,
        &["?", "?"],
    );
    let model = read(&model);
    let input = |shape: &[i64]| Bindings {
        inputs: BTreeMap::from([("x".to_owned(), shape.to_vec())]),
        ..Bindings::default()
    };
    assert!(infer(&model, &input(&[7, 3])).is_ok());
    assert!(matches!(
        infer(&model, &input(&[7])),
        Err(BindError::Rank { wanted: 2, given: 1, .. })
    ));
    assert!(matches!(infer(&model, &input(&[7, 4])), Err(BindError::Size { axis: 1, .. })));
    let unknown = infer(&model, &dims(&[("sequence", 1)]));
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "no input has a dimension named \"sequence\"; expected one of: batch"
    );
    let both = Bindings { dims: dims(&[("batch", 1)]).dims, ..input(&[7, 3]) };
    assert!(matches!(infer(&model, &both), Err(BindError::Twice { first: 1, second: 7, .. })));
}

fn a_branch_is_taken_when_the_condition_is_known() {
    let mut flat = Graph::new("flat");
    flat.node("Flatten", &["x"], &["flat"], &[Attribute::int("axis", 0)]);
    flat.output("flat", F32, &["?", "?"]);
    let attributes = choose(&flat, &branch("same", "Relu", "x"));
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["2", "3"]).input("cond", Bool, &[]);
    model.initializer(&Tensor::bool("yes", &[], &[true]));
    model.node("If", &["yes"], &["known"], &attributes);
    model.node("If", &["cond"], &["open"], &attributes);
    model.output("known", F32, &["?", "?"]).output("open", F32, &["?", "?"]);
    assert_eq!(reported_free(&model, "known"), "float32[1, 6]");
    let open = reported_free(&model, "open");
    assert!(open.starts_with("float32[If_"), "both dimensions differ between branches: {open}");
}

fn a_loop_stacks_what_each_turn_gives() {
    let mut body = Graph::new("body");
    body.input("turn", I64, &[]).input("on", Bool, &[]).input("state", F32, &["2"]);
    body.node("Identity", &["on"], &["go"], &[]);
    body.node("Relu", &["state"], &["next"], &[]);
    body.node("Identity", &["next"], &["seen"], &[]);
    body.output("go", Bool, &[]).output("next", F32, &["2"]).output("seen", F32, &["2"]);
    let attributes = [Attribute::graph("body", &body)];
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["2"]).input("n", I64, &[]);
    model.initializer(&Tensor::i64("five", &[], &[5]));
    model.initializer(&Tensor::bool("yes", &[], &[true]));
    model.node("Loop", &["five", "yes", "x"], &["last", "all"], &attributes);
    model.node("Loop", &["n", "yes", "x"], &["end", "some"], &attributes);
    model.output("all", F32, &["?", "?"]).output("some", F32, &["?", "?"]);
    assert_eq!(reported_free(&model, "last"), "float32[2]");
    assert_eq!(reported_free(&model, "all"), "float32[5, 2]");
    assert_eq!(reported_free(&model, "some"), "float32[n, 2]");
}

fn a_loop_whose_state_grows_is_widened() {
    let mut body = Graph::new("body");
    body.input("turn", I64, &[]).input("on", Bool, &[]).input("state", F32, &["?", "2"]);
    body.node("Identity", &["on"], &["go"], &[]);
    body.node("Concat", &["state", "state"], &["next"], &[Attribute::int("axis", 0)]);
    body.output("go", Bool, &[]).output("next", F32, &["?", "2"]);
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["1", "2"]).input("n", I64, &[]).input("on", Bool, &[]);
    model.node("Loop", &["n", "on", "x"], &["y"], &[Attribute::graph("body", &body)]);
    model.output("y", F32, &["?", "2"]);
    let y = reported_free(&model, "y");
    assert!(y.starts_with("float32[Loop_") && y.ends_with(", 2]"), "{y}");
}

fn functions_are_looked_into_with_their_callers_attributes() {
    let mut stack = Function::new("my", "Stack", &["a"], &["b"]);
    stack.opset("", 17).attribute("along");
    let axis = Attribute::reference("axis", AttributeKind::Int, "along");
    stack.node("Concat", &["a", "a"], &["b"], &[axis]);
    let mut model = ModelBuilder::new(17);
    model.opset("my", 1).function(&stack).input("x", F32, &["2", "3"]);
    for (along, output) in [(0, "rows"), (1, "columns")] {
        let along = [Attribute::int("along", along)];
        model.push(&Node::new("Stack", &["x"], &[output], &along).in_domain("my"));
        model.output(output, F32, &["?", "?"]);
    }
    assert_eq!(reported_free(&model, "rows"), "float32[4, 3]");
    assert_eq!(reported_free(&model, "columns"), "float32[2, 6]");
}

fn what_is_declared_names_what_is_not_known() {
    let mut model = ModelBuilder::new(17);
    model.opset("com.acme", 1).input("x", F32, &["2", "3"]);
    model.push(&Node::new("Fancy", &["x"], &["y"], &[]).in_domain("com.acme"));
    model.value("y", F32, &["detections", "6"]);
    model.node("Relu", &["y"], &["z"], &[]).output("z", F32, &["?", "?"]);
    assert_eq!(reported_free(&model, "z"), "float32[detections, 6]");
}

fn what_is_declared_wrongly_is_a_finding() {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["2", "3"]).node("Relu", &["x"], &["a"], &[]);
    model.value("a", F32, &["9", "9", "9"]);
    model.node("Neg", &["a"], &["y"], &[]).output("y", F32, &["2", "3"]);
    assert_eq!(reported_free(&model, "y"), "float32[2, 3]", "the graph is believed");
    let report = report(&model);
    let ids: Vec<_> = report.findings.iter().map(|finding| finding.id.as_str()).collect();
    assert_eq!(ids, ["declared-type-wrong"]);
    assert!(report.findings[0].detail.contains("float32[9, 9, 9]"));
}

fn inputs_that_cannot_go_together_are_a_finding() {
    let mut model = ModelBuilder::new(17);
    model.input("a", F32, &["2", "3"]).input("b", F32, &["2", "4"]);
    model.node("Add", &["a", "b"], &["y"], &[]).output("y", F32, &["?", "?"]);
    let report = report(&model);
    assert_eq!(report.findings[0].id, "shapes-contradict");
    assert!(
        report.findings[0].detail.contains("cannot broadcast 3 with 4"),
        "{:?}",
        report.findings
    );
}

fn an_unknown_operator_leaves_the_rest_known() {
    let mut model = ModelBuilder::new(17);
    model.opset("com.acme", 1).input("x", F32, &["2", "3"]);
    model.push(&Node::new("Fancy", &["x"], &["y"], &[]).in_domain("com.acme"));
    model.node("Relu", &["y"], &["after"], &[]).node("Relu", &["x"], &["next to"], &[]);
    model.output("after", F32, &[]).output("next to", F32, &["?", "?"]);
    assert_eq!(reported_free(&model, "next to"), "float32[2, 3]");
    let report = report(&model);
    assert_eq!((report.shapes.values, report.shapes.fixed), (3, 2));
    let unknown = &report.shapes.unknown;
    assert!(unknown[0].reason.contains("com.acme"), "{unknown:?}");
}

/// Chains that double their paths, and functions that call the one before twice, are looked at
/// node by node, not path by path.
fn hostile_graphs_stay_linear() {
    let mut model = ModelBuilder::new(17);
    model.input("v0", F32, &["batch", "8"]);
    for index in 0..2000 {
        let (from, to) = (format!("v{index}"), format!("v{}", index + 1));
        model.node("Add", &[&from, &from], &[&to], &[]);
    }
    model.output("v2000", F32, &["?", "?"]);
    assert_eq!(reported_free(&model, "v2000"), "float32[batch, 8]");
    for name in ["function_bomb_2pow60", "deep_if_20", "local_functions_nested"] {
        let path = fixture(format!("hostile/{name}.onnx"));
        let report = support::report(&path).unwrap();
        assert_eq!(report.shapes.fixed, report.shapes.values, "{name}");
    }
}

/// Copies of a constant, made again at every node, are not all held; and a rank that doubles at
/// every node ends somewhere.
fn what_a_walk_holds_is_bounded() {
    let mut copies = ModelBuilder::new(17);
    copies.initializer(&Tensor::i64("v0", &[128, 128], &[7; 128 * 128]));
    let mut ranks = ModelBuilder::new(17);
    ranks.input("v0", I64, &["2", "2"]);
    for index in 0..1000 {
        let (from, to) = (format!("v{index}"), format!("v{}", index + 1));
        copies.node("Transpose", &[&from], &[&to], &[]);
        ranks.node("Gather", &[&from, &from], &[&to], &[]);
    }
    copies.output("v1000", I64, &["?", "?"]);
    ranks.output("v1000", I64, &[]);
    assert_eq!(reported_free(&copies, "v1000"), "int64[128, 128]");
    let report = report(&ranks);
    assert!(report.shapes.unshaped > 900, "{:?}", report.shapes);
}

fn what_never_runs_need_not_be_able_to() {
    let mut broken = Graph::new("broken");
    broken.node("Add", &["x", "four"], &["broken"], &[]).output("broken", F32, &["?"]);
    let mut same = Graph::new("same");
    same.node("Relu", &["x"], &["same"], &[]).output("same", F32, &["3"]);
    let attributes = choose(&broken, &same);
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["3"]).initializer(&Tensor::f32("four", &[4], &[0.0; 4]));
    model.initializer(&Tensor::bool("no", &[], &[false]));
    model.node("If", &["no"], &["y"], &attributes).output("y", F32, &["3"]);
    let report = report(&model);
    assert!(report.findings.iter().all(|r| r.id == "control-flow"), "{:?}", report.findings);
}

fn weights_behind_blocks_show_how_many_channels_a_block_has() {
    // 24 channels fill three blocks of 8, or two of 16 with group for 8.
    let blocked = |weights: &[i64], group: i64| {
        let nchwc = |op: &str, inputs: &[&str], output: &str, attributes: &[Attribute]| {
            Node::new(op, inputs, &[output], attributes).in_domain("com.microsoft.nchwc")
        };
        let count = usize::try_from(weights.iter().product::<i64>()).unwrap();
        let mut model = ModelBuilder::new(17);
        let kernel = Attribute::ints("kernel_shape", &[1, 1]);
        model
            .opset("com.microsoft.nchwc", 1)
            .input("x", F32, &["N", "24", "8", "8"])
            .initializer(&Tensor::f32("w", weights, &vec![0.0; count]))
            .push(&nchwc("ReorderInput", &["x"], "b", &[]))
            .push(&nchwc("MaxPool", &["b"], "p", std::slice::from_ref(&kernel)))
            .push(&nchwc("Conv", &["p", "w"], "c", &[Attribute::int("group", group), kernel]))
            .output("c", F32, &["?", "?", "?", "?"]);
        reported_free(&model, "b")
    };
    assert_eq!(blocked(&[16, 32, 1, 1], 1), "float32[N, 32, 8, 8]");
    assert_eq!(blocked(&[16, 24, 1, 1], 1), "float32[N, 24, 8, 8]");
    // A kernel for each channel: the groups count them.
    assert_eq!(blocked(&[32, 1, 1, 1], 32), "float32[N, 32, 8, 8]");
}

/// What cannot be looked into has no cost, which is not a cost of nothing.
fn what_is_nested_too_deep_is_not_free() {
    let mut then = branch("b0", "Relu", "x");
    for depth in 1..60 {
        let (name, inner) = (format!("b{depth}"), format!("b{}", depth - 1));
        let otherwise = branch(&format!("e{inner}"), "Neg", "x");
        let mut graph = Graph::new(&name);
        graph.node("If", &["cond"], &[&name], &choose(&then, &otherwise));
        graph.output(&name, F32, &["?", "?"]);
        then = graph;
    }
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["2", "3"]).input("cond", Bool, &[]);
    model.node("If", &["cond"], &["y"], &choose(&then, &branch("other", "Relu", "x")));
    model.output("y", F32, &["?", "?"]);
    let cost = report(&model).cost;
    assert!(cost.lower_bound && cost.unknown_count > 0 && cost.coverage < 100.0, "{cost:?}");
    assert!(cost.unknown[0].reason.contains("nested deeper"), "{:?}", cost.unknown);
}
