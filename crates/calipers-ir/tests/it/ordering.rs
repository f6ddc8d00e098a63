//! Nodes in an order of execution, and how long the longest chain of them is.

use calipers_ir::{GraphKind, Issue};

use crate::common::{Writer, order, with_small_stack};

#[test]
fn a_stored_order_that_works_is_kept() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    w.node(main, "B", &["x"], &["b"]);
    w.node(main, "A", &["x"], &["a"]);
    w.node(main, "C", &["a", "b"], &["c"]);
    let model = w.finish();
    assert_eq!(order(&model, main), ["B", "A", "C"]);
    assert!(model.main().stored_in_order);
    assert_eq!(model.depth(main), Some(2));
    assert_eq!(model.issues, []);
}

#[test]
fn unsorted_nodes_are_sorted_and_reported() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    w.node(main, "C", &["b"], &["c"]);
    w.node(main, "Free", &["x"], &["f"]);
    w.node(main, "B", &["a", "a"], &["b"]);
    w.node(main, "A", &["x"], &["a"]);
    let model = w.finish();
    // Among those that can run, the one stored first.
    assert_eq!(order(&model, main), ["Free", "A", "B", "C"]);
    assert!(!model.main().stored_in_order);
    assert_eq!(model.main().cyclic, []);
    assert_eq!(model.issues, [Issue::OutOfOrder { graph: main }]);
    assert_eq!(model.depth(main), Some(3));
}

#[test]
fn nodes_that_wait_for_each_other_are_last() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    let p = w.node(main, "P", &["q"], &["p"]);
    let q = w.node(main, "Q", &["p"], &["q"]);
    let after = w.node(main, "After", &["q"], &["r"]);
    w.node(main, "Fine", &["x"], &["f"]);
    let own = w.node(main, "Own", &["own"], &["own"]);
    let model = w.finish();
    assert_eq!(order(&model, main), ["Fine", "P", "Q", "After", "Own"]);
    assert_eq!(model.main().cyclic, [p, q, after, own]);
    assert_eq!(model.issues, [Issue::Cycle { graph: main }]);
    assert_eq!(model.depth(main), None);
}

#[test]
fn captures_at_any_depth_hold_a_node_back() {
    for depth in 1..5 {
        let mut w = Writer::new();
        let main = w.main;
        w.inputs(main, &["x"]);
        let holder = w.node(main, "If", &["x"], &["y"]);
        w.node(main, "Give", &["x"], &["captured"]);
        let mut node = holder;
        let mut inner = main;
        for _ in 1..depth {
            inner = w.inside(node);
            node = w.node(inner, "If", &["x"], &["z"]);
        }
        let body = w.inside(node);
        // Once by a node, once by the body giving it out as it is.
        if depth % 2 == 0 {
            w.node(body, "Use", &["captured"], &["u"]);
        } else {
            w.outputs(body, &["captured"]);
        }
        let model = w.finish();
        assert_eq!(order(&model, main), ["Give", "If"], "{depth} deep");
        assert_eq!(model.issues, [Issue::OutOfOrder { graph: main }]);
        assert_eq!(model.depth(main), Some(2));
        assert!(depth == 1 || model.depth(inner) == Some(1));
    }
}

#[test]
fn a_subgraph_that_reads_its_own_node_is_a_cycle() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    let holder = w.node(main, "If", &["x"], &["y"]);
    let body = w.inside(holder);
    let deeper = w.node(body, "If", &["x"], &["z"]);
    let inside = w.inside(deeper);
    w.node(inside, "Use", &["y"], &["u"]);
    let model = w.finish();
    assert_eq!(model.main().cyclic, [holder]);
    assert_eq!(model.issues, [Issue::Cycle { graph: main }]);
    assert_eq!(model.depth(main), None);
    assert_eq!(model.depth(body), Some(1));
}

#[test]
fn depth_counts_nodes_and_not_what_they_hold() {
    let mut w = Writer::new();
    let main = w.main;
    w.inputs(main, &["x"]);
    w.initializer(main, "w");
    w.node(main, "Constant", &[], &["c"]);
    w.node(main, "Add", &["c", "w"], &["a"]);
    let holder = w.node(main, "Loop", &["x"], &["l"]);
    w.node(main, "Mul", &["l", "a"], &["m"]);
    let body = w.inside(holder);
    w.node(body, "One", &["a"], &["b1"]);
    w.node(body, "Two", &["b1"], &["b2"]);
    w.node(body, "Three", &["b2", "x"], &["b3"]);
    let model = w.finish();
    // Constant, Add, Loop (which captures `a`), Mul.
    assert_eq!(model.depth(main), Some(4));
    assert_eq!(model.depth(body), Some(3));
}

#[test]
fn empty_graphs_have_no_depth() {
    let mut w = Writer::new();
    let main = w.main;
    let id = w.builder.next_function().unwrap();
    let body = w.builder.add_graph(GraphKind::Function(id)).unwrap();
    let function = w.builder.draft_function(body);
    w.builder.add_function(function, 0).unwrap();
    let model = w.finish();
    assert_eq!([model.depth(main), model.depth(body)], [Some(0); 2]);
    assert!(model.main().stored_in_order);
}

#[test]
fn two_hundred_thousand_levels_cost_no_stack() {
    with_small_stack(|| {
        let levels = 200_000;
        let mut w = Writer::new();
        let main = w.main;
        w.inputs(main, &["x"]);
        let mut node = w.node(main, "If", &["x"], &["y"]);
        // Stored after its user: the capture at the bottom must reach the top.
        w.node(main, "Give", &["x"], &["captured"]);
        let mut graph = main;
        for _ in 0..levels {
            graph = w.inside(node);
            node = w.node(graph, "If", &["x"], &["y"]);
        }
        w.node(graph, "Use", &["captured", "y"], &["u"]);
        let model = w.finish();
        assert_eq!(model.graphs().len(), levels + 1);
        assert_eq!(model.graph(graph).nesting, levels);
        assert_eq!(order(&model, main), ["Give", "If"]);
        assert_eq!(model.depth(graph), Some(2));
        drop(model);
    });
}

#[test]
fn a_long_chain_stored_backwards_is_sorted() {
    let mut w = Writer::new();
    let main = w.main;
    let length = 100_000;
    for index in (0..length).rev() {
        w.node(main, "N", &[&format!("v{index}")], &[&format!("v{}", index + 1)]);
    }
    w.inputs(main, &["v0"]);
    let model = w.finish();
    assert_eq!(model.depth(main), Some(length));
    assert_eq!(model.issues, [Issue::OutOfOrder { graph: main }]);
}
