//! Names become values: in one graph, through nested ones, and not into functions.

use calipers_ir::{Consumer, GraphKind, Issue, Producer, TypedName, ValueType};

use crate::common::{Writer, gives, reads};

#[test]
fn a_chain_has_producers_and_consumers() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    let a = w.node(main, "A", &["x"], &["y"]);
    let b = w.node(main, "B", &["y", "x", "y"], &["z"]);
    w.outputs(main, &["z"]);
    let model = w.finish();
    let [x, y] = [reads(&model, a), reads(&model, b)];
    assert_eq!(model.main().inputs, [x]);
    assert_eq!(model.value(x).producer, Producer::Input);
    assert_eq!(model.value(y).producer, Producer::Node { node: a, slot: 0 });
    assert_eq!(model.consumers(x), [Consumer { node: a, slot: 0 }, Consumer { node: b, slot: 1 }]);
    assert_eq!(model.consumers(y), [Consumer { node: b, slot: 0 }, Consumer { node: b, slot: 2 }]);
    assert_eq!(model.consumers(gives(&model, b)), []);
    assert_eq!(model.main().outputs, [gives(&model, b)]);
    assert_eq!(model.issues, []);
}

#[test]
fn operands_left_out_are_none() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x", "roi"]);
    let resize = w.node(main, "Resize", &["x", "", "roi"], &["", "y", ""]);
    let model = w.finish();
    assert!(matches!(model.inputs(resize), [Some(_), None, Some(_)]));
    let [None, Some(y), None] = model.outputs(resize) else { panic!("the middle one is there") };
    assert_eq!(model.value(*y).producer, Producer::Node { node: resize, slot: 1 });
    let roi = model.inputs(resize)[2].expect("an input");
    assert_eq!(model.consumers(roi), [Consumer { node: resize, slot: 2 }]);
    assert_eq!(model.values().len(), 3);
    assert_eq!(model.issues, []);
}

#[test]
fn initializers_fill_inputs_of_their_name() {
    // The MNIST model of the zoo: nine inputs; eight of them have initializers.
    let mut w = Writer::new();
    let main = w.main;
    let names: Vec<String> = (0..8).map(|index| format!("Parameter{index}")).collect();
    w.inputs(main, &["Input3"]);
    for name in &names {
        w.inputs(main, &[name]);
    }
    let tensors: Vec<_> = names.iter().map(|name| w.initializer(main, name)).collect();
    let own = w.initializer(main, "Own");
    let model = w.finish();
    let graph = model.main();
    assert_eq!(graph.inputs.len(), 9);
    let unfilled = |v: &&calipers_ir::ValueId| model.value(**v).initializer.is_none();
    let free: Vec<_> = graph.inputs.iter().filter(unfilled).collect();
    assert_eq!(free, [&graph.inputs[0]]);
    for (value, tensor) in graph.inputs[1..].iter().zip(tensors) {
        assert_eq!(model.value(*value).initializer, Some(tensor));
        assert_eq!(model.value(*value).producer, Producer::Input);
    }
    let alone: Vec<_> =
        model.values().filter(|(_, v)| v.producer == Producer::Initializer).collect();
    assert_eq!(alone.len(), 1);
    assert_eq!(alone[0].1.initializer, Some(own));
    assert_eq!(model.issues, []);
}

#[test]
fn sparse_initializers_are_named_by_their_values() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["filled"]);
    w.sparse_initializer(main, Some("filled"));
    w.sparse_initializer(main, Some("alone"));
    w.sparse_initializer(main, None);
    let node = w.node(main, "Use", &["alone"], &["y"]);
    let model = w.finish();
    let input = model.value(model.main().inputs[0]);
    assert!(input.sparse_initializer.is_some() && input.initializer.is_none());
    let alone = model.value(reads(&model, node));
    assert_eq!(alone.producer, Producer::Initializer);
    let sparse = model.sparse_tensor(alone.sparse_initializer.expect("it is sparse"));
    assert_eq!(sparse.elements(), Ok(4));
    assert_eq!(model.main().sparse_initializers.len(), 3);
    assert_eq!(model.issues, []);
}

#[test]
fn an_inner_definition_shadows_an_outer_one() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    let outer = w.node(main, "Outer", &["x"], &["t"]);
    let holder = w.node(main, "If", &["x"], &["y"]);
    let after = w.node(main, "After", &["t"], &["z"]);
    let body = w.inside(holder);
    let inner = w.node(body, "Inner", &["x"], &["t"]);
    let user = w.node(body, "User", &["t"], &["u"]);
    let other = w.inside(holder);
    let captor = w.node(other, "Captor", &["t"], &["u"]);
    let model = w.finish();
    assert_eq!(reads(&model, user), gives(&model, inner));
    // The sibling and the rest of the main graph see the outer one again.
    assert_eq!(reads(&model, captor), gives(&model, outer));
    assert_eq!(reads(&model, after), gives(&model, outer));
    assert_eq!(model.issues, []);
}

#[test]
fn captures_belong_to_the_node_of_the_graph_they_come_from() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    let give = w.node(main, "Give", &["x"], &["a"]);
    let loop_0 = w.node(main, "Loop", &["x"], &["y"]);
    let body_1 = w.inside(loop_0);
    w.inputs(body_1, &["b"]);
    let loop_1 = w.node(body_1, "Loop", &["b"], &["c"]);
    let body_2 = w.inside(loop_1);
    let loop_2 = w.node(body_2, "Loop", &["c", "a"], &["d"]);
    let body_3 = w.inside(loop_2);
    let deep = w.node(body_3, "Add", &["a", "b", "a"], &["e"]);
    w.outputs(body_3, &["x"]);
    let model = w.finish();
    assert_eq!(model.graph(body_3).nesting, 3);
    assert_eq!(model.graph(body_3).parent, Some(body_2));
    let a = gives(&model, give);
    let b = model.graph(body_1).inputs[0];
    // From the main graph: `a` read two levels and three levels down, `x` given out by the last.
    let from_main: Vec<_> = model.captures(loop_0).collect();
    let mut expected = vec![a, model.main().inputs[0]];
    expected.sort_unstable();
    assert_eq!(from_main, expected);
    // `c` is an output of the node itself: a cycle, and still its capture.
    let from_body_1: Vec<_> = model.captures(loop_1).collect();
    assert_eq!(from_body_1, [b, gives(&model, loop_1)]);
    assert_eq!(model.captures(loop_2).count(), 0);
    assert_eq!(
        model.consumers(a),
        [
            Consumer { node: loop_2, slot: 1 },
            Consumer { node: deep, slot: 0 },
            Consumer { node: deep, slot: 2 }
        ]
    );
}

#[test]
fn functions_do_not_see_the_main_graph() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    w.initializer(main, "weight");
    w.node(main, "OpContext", &["x"], &["y"]);
    let id = w.builder.next_function().unwrap();
    let body = w.builder.add_graph(GraphKind::Function(id)).unwrap();
    w.inputs(body, &["p"]);
    let node = w.node(body, "Mul", &["p", "weight"], &["q"]);
    w.outputs(body, &["q", "y"]);
    let function = w.builder.draft_function(body);
    w.builder.add_function(function, 0).unwrap();
    let model = w.finish();
    let weight = model.inputs(node)[1].expect("an operand");
    assert_eq!(model.value(weight).producer, Producer::Nobody);
    assert_eq!(model.value(weight).graph, body);
    let y = model.graph(body).outputs[1];
    assert_eq!(
        model.issues,
        [
            Issue::UndefinedInput { node, value: weight },
            Issue::UndefinedOutput { graph: body, value: y },
        ]
    );
    assert_eq!(model.graph(body).nesting, 0);
    assert_eq!(model.graph(body).parent, None);
}

#[test]
fn what_nothing_defines_is_reported_once_a_name() {
    let mut w = Writer::new();
    let main = w.main;
    let first = w.node(main, "First", &["ghost"], &["a"]);
    let second = w.node(main, "Second", &["ghost"], &["b"]);
    let body = w.inside(second);
    let third = w.node(body, "Third", &["ghost"], &["c"]);
    w.outputs(main, &["ghost", "spirit"]);
    let model = w.finish();
    let ghost = reads(&model, first);
    assert_eq!([reads(&model, second), reads(&model, third)], [ghost; 2]);
    assert_eq!(model.main().outputs[0], ghost);
    let spirit = model.main().outputs[1];
    assert_eq!(
        model.issues,
        [
            Issue::UndefinedInput { node: first, value: ghost },
            Issue::UndefinedOutput { graph: main, value: spirit },
        ]
    );
}

#[test]
fn a_name_given_inside_is_not_seen_outside() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    let holder = w.node(main, "If", &["x"], &["y"]);
    let after = w.node(main, "After", &["inner"], &["z"]);
    let body = w.inside(holder);
    let inner = w.node(body, "Inner", &["x"], &["inner"]);
    let model = w.finish();
    assert_ne!(reads(&model, after), gives(&model, inner));
    // The ghost that represents the undefined name must not hide the real one inside.
    assert_eq!(model.value(gives(&model, inner)).graph, body);
    let value = reads(&model, after);
    assert_eq!(model.issues, [Issue::UndefinedInput { node: after, value }]);
}

#[test]
fn of_two_definitions_the_first_counts() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x", "x"]);
    let kept = w.initializer(main, "w");
    w.initializer(main, "w");
    let first = w.node(main, "First", &["x"], &["y", "y"]);
    let second = w.node(main, "Second", &["w"], &["y"]);
    let clash = w.node(main, "Clash", &["y"], &["x", "w"]);
    let model = w.finish();
    assert_eq!(reads(&model, first), model.main().inputs[0]);
    assert_eq!(model.value(reads(&model, second)).initializer, Some(kept));
    assert_eq!(reads(&model, clash), gives(&model, first));
    let later = |issue: &Issue| match issue {
        Issue::DuplicateDefinition { value, .. } => model.name(model.value(*value).name).to_owned(),
        other => panic!("{other:?}"),
    };
    let reported: Vec<_> = model.issues.iter().map(later).collect();
    assert_eq!(reported, ["x", "w", "y", "y", "x", "w"]);
    assert_eq!(model.consumers(gives(&model, second)), []);
}

#[test]
fn declared_types_stay_in_their_graph() {
    let mut w = Writer::new();
    let main = w.main;
    let ty = w.builder.add_type(ValueType::default()).unwrap();
    let late = w.builder.add_type(ValueType::default()).unwrap();
    let [x, t, y] = ["x", "t", "y"].map(|name| w.name(name));
    w.builder.graph_mut(main).inputs.push(TypedName { name: x, ty: Some(ty) });
    w.builder.graph_mut(main).value_types.push(TypedName { name: x, ty: Some(late) });
    w.builder.graph_mut(main).value_types.push(TypedName { name: t, ty: Some(ty) });
    w.builder.graph_mut(main).outputs.push(TypedName { name: y, ty: Some(ty) });
    let a = w.node(main, "A", &["x"], &["t"]);
    let b = w.node(main, "B", &["t"], &["y"]);
    let body = w.inside(b);
    let inner = w.node(body, "C", &["x"], &["u"]);
    w.builder.graph_mut(body).value_types.push(TypedName { name: t, ty: Some(late) });
    let model = w.finish();
    // The first declaration counts, and one inside says nothing of a value from outside.
    for value in [reads(&model, a), gives(&model, a), gives(&model, b)] {
        assert_eq!(model.value(value).ty, Some(ty));
    }
    assert_eq!(model.value(gives(&model, inner)).ty, None);
}

#[test]
fn names_in_training_graphs_are_not_judged() {
    let mut w = Writer::new();
    let main = w.main;
    w.initializer(main, "weight");
    let step = w.builder.add_graph(GraphKind::Training).unwrap();
    let node = w.node(step, "Step", &["weight"], &["new"]);
    let body = w.inside(node);
    w.node(body, "Inner", &["bias"], &["out"]);
    w.outputs(body, &["nothing"]);
    let model = w.finish();
    assert_eq!(model.value(reads(&model, node)).producer, Producer::Nobody);
    assert_eq!(model.issues, []);
}
