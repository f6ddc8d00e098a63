//! The samples hold what their modules say, counted in their bytes.

use std::collections::{BTreeMap, BTreeSet};

use calipers_samples::{SAMPLES, branches, detector, digits, encoder};

use crate::wire::{all, fields, ints, one, text};

/// Names of the tensors of a main graph, with their data type and number of elements.
fn initializers(graph: &[u8]) -> BTreeMap<String, (u64, u64)> {
    let tensors = all(graph, 5);
    let entry = |t: &&[u8]| (text(t, 8), (ints(t, 2)[0], ints(t, 1).iter().product()));
    let found: BTreeMap<_, _> = tensors.iter().map(entry).collect();
    assert_eq!(found.len(), tensors.len(), "two initializers of one name");
    found
}

/// Elements of the tensors whose names pass.
fn elements(graph: &[u8], keep: impl Fn(&str) -> bool) -> u64 {
    initializers(graph).iter().filter(|(name, _)| keep(name)).map(|(_, (_, count))| count).sum()
}

/// Subgraphs of a node.
fn subgraphs(node: &[u8]) -> Vec<&[u8]> {
    all(node, 5).into_iter().flat_map(|attribute| all(attribute, 6)).collect()
}

/// Nodes of a graph and of its subgraphs.
fn nodes_total(graph: &[u8]) -> u64 {
    let nodes = all(graph, 1);
    let below: u64 = nodes.iter().flat_map(|node| subgraphs(node)).map(nodes_total).sum();
    nodes.len() as u64 + below
}

/// How often each operator occurs in a graph, subgraphs left out.
fn operators(graph: &[u8]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for node in all(graph, 1) {
        *counts.entry(text(node, 4)).or_default() += 1;
    }
    counts
}

#[test]
fn every_sample_is_a_model() {
    for sample in SAMPLES {
        let bytes = (sample.model)();
        assert_eq!(bytes[..2], [0x08, 8], "{}: the IR version comes first", sample.name);
        assert_eq!(text(&bytes, 2), "calipers-samples");
        let order: Vec<u64> = fields(&bytes).into_iter().map(|(number, _)| number).collect();
        assert!(order.is_sorted(), "{}: fields {order:?}", sample.name);
        let opset = all(&bytes, 8)[0];
        assert_eq!((text(opset, 1).as_str(), ints(opset, 2)), ("", vec![17]));
        assert_eq!(text(one(&bytes, 7), 2), sample.name);
    }
}

#[test]
fn every_sample_is_the_same_every_time() {
    for sample in SAMPLES {
        assert!((sample.model)() == (sample.model)(), "{} varies", sample.name);
    }
}

#[test]
fn samples_are_sorted_by_name() {
    assert!(SAMPLES.is_sorted_by_key(|sample| sample.name));
}

#[test]
fn figures_are_those_in_the_bytes() {
    for sample in SAMPLES {
        let bytes = (sample.model)();
        let graph = one(&bytes, 7);
        assert_eq!(all(graph, 1).len() as u64, sample.nodes, "{}", sample.name);
        let functions: usize = all(&bytes, 25).iter().map(|f| all(f, 7).len()).sum();
        assert_eq!(nodes_total(graph) + functions as u64, sample.nodes_total, "{}", sample.name);
        assert_eq!(all(graph, 5).len() as u64, sample.initializers, "{}", sample.name);
    }
}

#[test]
fn raw_data_is_as_long_as_the_shape_says() {
    for sample in SAMPLES {
        for tensor in all(one(&(sample.model)(), 7), 5) {
            let size = match ints(tensor, 2)[0] {
                1 => 4,
                7 => 8,
                9 => 1,
                other => panic!("data type {other}"),
            };
            let count: u64 = ints(tensor, 1).iter().product();
            assert_eq!(one(tensor, 9).len() as u64, count * size, "{}", text(tensor, 8));
        }
    }
}

/// Every node reads what is there already, and no name is given twice.
#[test]
fn nodes_are_in_an_order_in_which_they_can_run() {
    fn walk(graph: &[u8], outer: &BTreeSet<String>) {
        let mut known = outer.clone();
        known.extend(all(graph, 11).iter().map(|input| text(input, 1)));
        known.extend(initializers(graph).into_keys());
        for node in all(graph, 1) {
            for input in all(node, 1) {
                let input = String::from_utf8(input.to_vec()).unwrap();
                assert!(input.is_empty() || known.contains(&input), "{input} comes too late");
            }
            for subgraph in subgraphs(node) {
                walk(subgraph, &known);
            }
            for output in all(node, 2) {
                let output = String::from_utf8(output.to_vec()).unwrap();
                assert!(known.insert(output.clone()), "{output} is given twice");
            }
        }
        for output in all(graph, 12) {
            assert!(known.contains(&text(output, 1)), "nothing gives {}", text(output, 1));
        }
    }
    for sample in SAMPLES {
        walk(one(&(sample.model)(), 7), &BTreeSet::new());
    }
}

#[test]
fn digits_holds_its_parameters_and_nothing_else() {
    let bytes = digits::model();
    let graph = one(&bytes, 7);
    assert_eq!(elements(graph, |_| true), digits::PARAMETERS);
    assert_eq!(elements(graph, |name| !name.contains("running")), digits::TRAINABLE);
    let expected = [
        ("BatchNormalization", 2),
        ("Conv", 2),
        ("Flatten", 1),
        ("Gemm", 1),
        ("MaxPool", 2),
        ("Relu", 2),
    ];
    assert_eq!(operators(graph), expected.map(|(op, count)| (op.to_owned(), count)).into());
}

#[test]
fn encoder_keeps_constants_apart_from_parameters() {
    let bytes = encoder::model();
    let graph = one(&bytes, 7);
    let learned = |name: &str| name.ends_with(".weight") || name.ends_with(".bias");
    assert_eq!(elements(graph, learned), encoder::PARAMETERS);
    // 64 positions, six scalars, and lists of 1, 1, 2, 4 and 3.
    assert_eq!(elements(graph, |name| !learned(name)), 64 + 6 + 11);
    let counts = operators(graph);
    assert_eq!((counts["Softmax"], counts["Erf"], counts["LayerNormalization"]), (2, 2, 5));
    // Query, key, value, output, two of the feed-forward, and two of the attention itself.
    assert_eq!(counts["MatMul"], 2 * 8);
}

#[test]
fn detector_keeps_constants_apart_from_parameters() {
    let bytes = detector::model();
    let graph = one(&bytes, 7);
    let learned = |name: &str| name.ends_with(".weight") || name.ends_with(".bias");
    assert_eq!(elements(graph, learned), detector::PARAMETERS);
    let counts = operators(graph);
    assert_eq!(counts["Conv"], 19 + 18 + 12 + 1);
    // Every convolution but the six that end a head and the expectation has its activation.
    assert_eq!(counts["Mul"], 43 + 1);
    assert_eq!((counts["MaxPool"], counts["Resize"], counts["Split"]), (3, 2, 7 + 2));
    assert_eq!(all(&bytes, 14).len(), 3, "pairs of metadata");
}

#[test]
fn branches_spreads_its_parameters() {
    let bytes = branches::model();
    let graph = one(&bytes, 7);
    let main = elements(graph, |name| name != "go");
    let nodes = all(graph, 1);
    assert_eq!(nodes.iter().map(|n| text(n, 4)).collect::<Vec<_>>(), ["Affine", "If", "Loop"]);
    let branches = subgraphs(nodes[1]);
    let then = elements(branches[0], |_| true);
    let constant = all(branches[1], 1)[0];
    let bias: u64 = ints(one(one(constant, 5), 5), 1).iter().product();
    assert_eq!((main, then, bias), (144, 64, 8));
    assert_eq!(main + then + bias, branches::PARAMETERS);
    assert_eq!(subgraphs(nodes[2]).len(), 1);
    let function = one(&bytes, 25);
    assert_eq!((text(function, 1), text(function, 10)), ("Affine".into(), branches::DOMAIN.into()));
}
