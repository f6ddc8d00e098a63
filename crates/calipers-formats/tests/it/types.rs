//! Types of values, plain and wrapped, whole and with parts left out.

use crate::common::{Msg, msg, read_graph, value_info};

fn describe(ty: Msg) -> (String, &'static str) {
    let model = read_graph(msg().msg(11, value_info("x").msg(2, ty)));
    assert!(model.unknown_fields.is_empty());
    let id = model.value(model.main().inputs[0]).ty.expect("a type");
    let ty = model.value_type(id);
    (ty.describe(&model.names), ty.kind())
}

fn shape(dims: &[Msg]) -> Msg {
    dims.iter().fold(msg(), |shape, dim| shape.msg(1, dim.clone()))
}

fn tensor(elem: i64, dims: &[Msg]) -> Msg {
    msg().int(1, elem).msg(2, shape(dims))
}

fn float() -> Msg {
    msg().msg(1, tensor(1, &[]))
}

#[test]
fn tensors_of_all_ranks() {
    let dims = [msg().text(2, "batch"), msg().int(1, 3), msg(), msg().int(1, -1), msg().int(1, 0)];
    assert_eq!(
        describe(msg().msg(1, tensor(1, &dims))),
        ("float32[batch, 3, ?, -1, 0]".to_owned(), "tensor")
    );
    assert_eq!(describe(float()).0, "float32[]");
    assert_eq!(describe(msg().msg(1, msg().int(1, 16))).0, "bfloat16[…]");
    assert_eq!(describe(msg().msg(1, msg())).0, "?[…]");
    assert_eq!(describe(msg().msg(1, msg().int(1, 77))).0, "unknown(77)[…]");
}

#[test]
fn every_other_kind() {
    let cases = [
        (msg().msg(8, tensor(11, &[msg().int(1, 4)])), "sparse(float64[4])", "sparse_tensor"),
        (msg().msg(7, msg().text(1, "org").text(2, "Blob")), "opaque(org.Blob)", "opaque"),
        (msg().msg(4, msg().msg(1, float())), "sequence(float32[])", "sequence"),
        (msg().msg(9, msg().msg(1, float())), "optional(float32[])", "optional"),
        (msg().msg(5, msg().int(1, 8).msg(2, float())), "map(string, float32[])", "map"),
        (msg(), "unknown", "unknown"),
        (msg().text(6, "IMAGE"), "unknown", "unknown"),
    ];
    for (ty, described, kind) in cases {
        assert_eq!(describe(ty), (described.to_owned(), kind));
    }
}

#[test]
fn wrappers_inside_wrappers() {
    let map = msg().msg(5, msg().int(1, 7).msg(2, float()));
    let sequence = msg().msg(4, msg().msg(1, map));
    let optional = msg().msg(9, msg().msg(1, sequence));
    assert_eq!(describe(optional).0, "optional(sequence(map(int64, float32[])))");
    assert_eq!(describe(msg().msg(4, msg())).0, "sequence(unknown)");
    assert_eq!(describe(msg().msg(5, msg())).0, "map(undefined, unknown)");
    assert_eq!(describe(msg().msg(9, msg().msg(1, msg()))).0, "optional(unknown)");
}

#[test]
fn a_value_without_a_type_has_none() {
    let model = read_graph(msg().msg(11, value_info("x")).msg(11, msg()));
    for input in &model.main().inputs {
        assert_eq!(model.value(*input).ty, None);
    }
}
