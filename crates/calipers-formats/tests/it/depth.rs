//! Nesting costs memory and no stack: each test runs in a thread with 128 KiB of it.

use calipers_ir::{AttributeValue, Container, Leaf};

use crate::common::{Msg, model, msg, read, try_read, varint, with_small_stack};

/// Wraps a message in itself `levels` times, in time proportional to the result: what is before
/// the inner message is written from the inside out, backwards.
fn nest(levels: usize, innermost: &[u8], prefix: impl Fn(usize) -> Vec<u8>, suffix: &[u8]) -> Msg {
    let mut reversed = Vec::new();
    let mut length = innermost.len();
    for _ in 0..levels {
        let before = prefix(length);
        reversed.extend(before.iter().rev());
        length += before.len() + suffix.len();
    }
    reversed.reverse();
    reversed.extend(innermost);
    for _ in 0..levels {
        reversed.extend(suffix);
    }
    Msg(reversed)
}

/// The tag of a message field and the length of its contents.
fn header(number: u64, length: usize) -> Vec<u8> {
    [varint(number << 3 | 2), varint(length as u64)].concat()
}

/// A graph in an attribute in a node in a graph, and so on.
fn nested_graphs(levels: usize, innermost: &[u8]) -> Msg {
    let wrap = |length: usize| {
        let graph = header(6, length);
        let attribute = header(5, graph.len() + length);
        let node = header(1, attribute.len() + graph.len() + length);
        [node, attribute, graph].concat()
    };
    nest(levels, innermost, wrap, b"")
}

#[test]
fn a_hundred_thousand_nested_subgraphs() {
    with_small_stack(|| {
        let levels = 100_000;
        let innermost = msg().msg(1, crate::common::node("Relu", &["x"], &["y"])).0;
        let model = read(model(nested_graphs(levels, &innermost)));
        assert_eq!(model.graphs().len(), levels + 1);
        let (last, graph) = model.graphs().last().expect("a graph");
        assert_eq!(graph.nesting, levels);
        assert_eq!(model.depth(last), Some(1));
        let (first, _) = model.nodes().next().expect("a node");
        assert!(matches!(model.attributes(first)[0].value, AttributeValue::Graph(_)));
        drop(model);
    });
}

#[test]
fn damage_below_a_hundred_thousand_subgraphs_is_found() {
    with_small_stack(|| {
        let message = model(nested_graphs(100_000, &[0x0f]));
        let end = message.0.len();
        let error = try_read(message).expect_err("damage").to_string();
        assert!(error.starts_with(&format!("byte {}: ", end - 1)), "{error}");
        assert!(error.len() < 500);
    });
}

#[test]
fn a_million_nested_types() {
    with_small_stack(|| {
        let levels = 1_000_000;
        let tensor = msg().msg(1, msg().int(1, 7)).0;
        for (kind, inner, container) in
            [(4, 1, Some(Container::Sequence)), (9, 1, Some(Container::Optional)), (5, 2, None)]
        {
            let wrap = |length: usize| {
                let element = header(inner, length);
                [header(kind, element.len() + length), element].concat()
            };
            let ty = nest(levels, &tensor, wrap, b"");
            let model = read(model(msg().msg(11, crate::common::value_info("x").msg(2, ty))));
            let id = model.value(model.main().inputs[0]).ty.expect("a type");
            let ty = model.value_type(id);
            assert_eq!(ty.containers.len(), levels);
            assert!(container.is_none_or(|container| ty.containers[levels - 1] == container));
            assert!(matches!(&ty.leaf, Leaf::Tensor(tensor) if tensor.dtype.bits() == Some(64)));
            assert!(ty.describe(&model.names).len() < 200);
        }
    });
}

#[test]
fn a_million_nested_groups() {
    with_small_stack(|| {
        let levels = 1_000_000;
        let start = [vec![0x5b; levels], vec![0x5c; levels]].concat();
        for graph in [start.clone(), [&start[..], &[0x12, 0x01, b'g']].concat()] {
            let model = read(model(Msg(graph)));
            assert_eq!(model.unknown_fields.get(&("GraphProto", 11)), Some(&1));
        }
        // One end too few, one too many, one of another number.
        let cut = model(Msg(start[..start.len() - 1].to_vec()));
        assert!(try_read(cut).is_err());
        assert!(try_read(model(Msg([start, vec![0x5c]].concat()))).is_err());
        let crossed = [vec![0x5b; levels], vec![0x64]].concat();
        assert!(try_read(model(Msg(crossed))).is_err());
    });
}

#[test]
fn fifty_thousand_functions_of_nested_graphs() {
    with_small_stack(|| {
        let body = crate::common::graph_attribute("body", nested_graphs(2, b""));
        let function = msg().text(1, "f").msg(7, msg().msg(5, body)).0;
        let count = 50_000;
        let mut bytes = model(msg()).0;
        for _ in 0..count {
            bytes.extend(header(25, function.len()));
            bytes.extend(&function);
        }
        let model = read(Msg(bytes));
        assert_eq!(model.functions().len(), count);
        // Each has its body and three graphs one inside the other.
        assert_eq!(model.graphs().len(), 1 + 4 * count);
    });
}
