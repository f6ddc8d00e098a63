//! Every message and every field of the ONNX representation, as release 1.23 lists them: a
//! well-formed one is known, one of a new number or of a wrong wire type is counted.

use Kind::*;
use calipers_ir::UnknownFields;

use crate::common::{Msg, model, msg, try_read};

/// How a field is written.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Text, bytes or a message.
    Bytes,
    /// An integer.
    Int,
    /// A 32-bit number.
    Float,
    /// Integers, packed or one by one.
    Ints,
    /// 32-bit numbers, packed or one by one.
    Floats,
    /// 64-bit numbers, packed or one by one.
    Doubles,
}

impl Kind {
    fn well_formed(self, number: u32) -> Vec<Msg> {
        match self {
            Bytes => vec![msg().bytes(number, b"")],
            Int => vec![msg().int(number, 1)],
            Float => vec![msg().float(number, 1.0)],
            Ints => vec![msg().ints(number, &[1, -1]), msg().each_int(number, &[1, -1])],
            Floats => vec![msg().bytes(number, &[0; 8]), msg().float(number, 1.0)],
            Doubles => vec![msg().bytes(number, &[0; 8]), msg().double(number, 1.0)],
        }
    }

    fn wrong(self, number: u32) -> Vec<Msg> {
        let int = msg().int(number, 1);
        let four = msg().fixed32(number, [0; 4]);
        let eight = msg().fixed64(number, [0; 8]);
        let bytes = msg().bytes(number, b"");
        let group = msg().group(number, msg());
        match self {
            Bytes => vec![int, four, eight, group],
            Int => vec![four, eight, bytes, group],
            Float => vec![int, eight, bytes, group],
            Ints => vec![four, eight, group],
            Floats => vec![int, eight, group],
            Doubles => vec![int, four, group],
        }
    }
}

/// A message: its name, how a model comes to hold it, and its fields.
type Row = (&'static str, fn(Msg) -> Msg, &'static [(u32, Kind)]);

fn in_node(inner: Msg) -> Msg {
    model(msg().msg(1, inner))
}

fn in_tensor(inner: Msg) -> Msg {
    model(msg().msg(5, inner))
}

fn in_type(inner: Msg) -> Msg {
    model(msg().msg(11, msg().msg(2, inner)))
}

fn in_sharding(inner: Msg) -> Msg {
    in_node(msg().msg(10, msg().msg(2, inner)))
}

const MESSAGES: &[Row] = &[
    (
        "ModelProto",
        |inner| inner.msg(7, msg()),
        &[
            (1, Int),
            (2, Bytes),
            (3, Bytes),
            (4, Bytes),
            (5, Int),
            (6, Bytes),
            (7, Bytes),
            (8, Bytes),
            (14, Bytes),
            (20, Bytes),
            (25, Bytes),
            (26, Bytes),
        ],
    ),
    (
        "GraphProto",
        model,
        &[
            (1, Bytes),
            (2, Bytes),
            (5, Bytes),
            (10, Bytes),
            (11, Bytes),
            (12, Bytes),
            (13, Bytes),
            (14, Bytes),
            (15, Bytes),
            (16, Bytes),
        ],
    ),
    (
        "NodeProto",
        in_node,
        &[
            (1, Bytes),
            (2, Bytes),
            (3, Bytes),
            (4, Bytes),
            (5, Bytes),
            (6, Bytes),
            (7, Bytes),
            (8, Bytes),
            (9, Bytes),
            (10, Bytes),
        ],
    ),
    (
        "AttributeProto",
        |inner| in_node(msg().msg(5, inner)),
        &[
            (1, Bytes),
            (2, Float),
            (3, Int),
            (4, Bytes),
            (5, Bytes),
            (6, Bytes),
            (7, Floats),
            (8, Ints),
            (9, Bytes),
            (10, Bytes),
            (11, Bytes),
            (13, Bytes),
            (14, Bytes),
            (15, Bytes),
            (20, Int),
            (21, Bytes),
            (22, Bytes),
            (23, Bytes),
        ],
    ),
    (
        "TensorProto",
        in_tensor,
        &[
            (1, Ints),
            (2, Int),
            (3, Bytes),
            (4, Floats),
            (5, Ints),
            (6, Bytes),
            (7, Ints),
            (8, Bytes),
            (9, Bytes),
            (10, Doubles),
            (11, Ints),
            (12, Bytes),
            (13, Bytes),
            (14, Int),
            (16, Bytes),
        ],
    ),
    ("TensorProto.Segment", |inner| in_tensor(msg().msg(3, inner)), &[(1, Int), (2, Int)]),
    (
        "SparseTensorProto",
        |inner| model(msg().msg(15, inner)),
        &[(1, Bytes), (2, Bytes), (3, Ints)],
    ),
    (
        "ValueInfoProto",
        |inner| model(msg().msg(13, inner)),
        &[(1, Bytes), (2, Bytes), (3, Bytes), (4, Bytes)],
    ),
    (
        "TypeProto",
        in_type,
        &[(1, Bytes), (4, Bytes), (5, Bytes), (6, Bytes), (7, Bytes), (8, Bytes), (9, Bytes)],
    ),
    ("TypeProto.Tensor", |inner| in_type(msg().msg(1, inner)), &[(1, Int), (2, Bytes)]),
    // The two kinds of tensor have the same fields and share a line in the count.
    ("TypeProto.Tensor", |inner| in_type(msg().msg(8, inner)), &[(1, Int), (2, Bytes)]),
    ("TypeProto.Sequence", |inner| in_type(msg().msg(4, inner)), &[(1, Bytes)]),
    ("TypeProto.Optional", |inner| in_type(msg().msg(9, inner)), &[(1, Bytes)]),
    ("TypeProto.Map", |inner| in_type(msg().msg(5, inner)), &[(1, Int), (2, Bytes)]),
    ("TypeProto.Opaque", |inner| in_type(msg().msg(7, inner)), &[(1, Bytes), (2, Bytes)]),
    ("TensorShapeProto", |inner| in_type(msg().msg(1, msg().msg(2, inner))), &[(1, Bytes)]),
    (
        "TensorShapeProto.Dimension",
        |inner| in_type(msg().msg(1, msg().msg(2, msg().msg(1, inner)))),
        &[(1, Int), (2, Bytes), (3, Bytes)],
    ),
    ("OperatorSetIdProto", |inner| model(msg()).msg(8, inner), &[(1, Bytes), (2, Int)]),
    ("StringStringEntryProto", |inner| model(msg()).msg(14, inner), &[(1, Bytes), (2, Bytes)]),
    ("TensorAnnotation", |inner| model(msg().msg(14, inner)), &[(1, Bytes), (2, Bytes)]),
    (
        "FunctionProto",
        |inner| model(msg()).msg(25, inner),
        &[
            (1, Bytes),
            (4, Bytes),
            (5, Bytes),
            (6, Bytes),
            (7, Bytes),
            (8, Bytes),
            (9, Bytes),
            (10, Bytes),
            (11, Bytes),
            (12, Bytes),
            (13, Bytes),
            (14, Bytes),
        ],
    ),
    (
        "TrainingInfoProto",
        |inner| model(msg()).msg(20, inner),
        &[(1, Bytes), (2, Bytes), (3, Bytes), (4, Bytes)],
    ),
    (
        "DeviceConfigurationProto",
        |inner| model(msg()).msg(26, inner),
        &[(1, Bytes), (2, Int), (3, Bytes)],
    ),
    (
        "NodeDeviceConfigurationProto",
        |inner| in_node(msg().msg(10, inner)),
        &[(1, Bytes), (2, Bytes), (3, Int)],
    ),
    ("ShardingSpecProto", in_sharding, &[(1, Bytes), (2, Ints), (3, Bytes), (4, Bytes)]),
    ("IntIntListEntryProto", |inner| in_sharding(msg().msg(3, inner)), &[(1, Int), (2, Ints)]),
    ("ShardedDimProto", |inner| in_sharding(msg().msg(4, inner)), &[(1, Int), (2, Bytes)]),
    (
        "SimpleShardedDimProto",
        |inner| in_sharding(msg().msg(4, msg().msg(2, inner))),
        &[(1, Int), (2, Bytes), (3, Int)],
    ),
];

fn unknown_fields(bytes: Msg, what: &str) -> UnknownFields {
    match try_read(bytes) {
        Ok(model) => model.unknown_fields,
        Err(error) => panic!("{what}: {error}"),
    }
}

#[test]
fn every_field_of_the_standard_is_known() {
    for (name, place, fields) in MESSAGES {
        for (number, kind) in *fields {
            for field in kind.well_formed(*number) {
                let what = format!("{name}.{number}");
                assert_eq!(unknown_fields(place(field), &what), UnknownFields::new(), "{what}");
            }
        }
    }
}

#[test]
fn every_other_number_is_counted() {
    for (name, place, fields) in MESSAGES {
        let known = |number: &u32| fields.iter().any(|(field, _)| field == number);
        let numbers = (1..32).chain([1000, (1 << 29) - 1]).filter(|number| !known(number));
        for number in numbers {
            for field in [msg().int(number, 7), msg().bytes(number, b"x"), msg().float(number, 0.0)]
            {
                let what = format!("{name}.{number}");
                let counted = unknown_fields(place(field.clone().and(field)), &what);
                assert_eq!(counted, UnknownFields::from([((*name, number), 2)]), "{what}");
            }
        }
    }
}

#[test]
fn a_wrong_wire_type_is_counted_and_not_fatal() {
    for (name, place, fields) in MESSAGES {
        for (number, kind) in *fields {
            for field in kind.wrong(*number) {
                let what = format!("{name}.{number} as {:02x?}", field.0);
                let counted = unknown_fields(place(field), &what);
                assert_eq!(counted, UnknownFields::from([((*name, *number), 1)]), "{what}");
            }
        }
    }
}

#[test]
fn a_model_without_a_graph_is_reported_apart_from_other_messages() {
    // A TensorFlow graph: field 1 holds nodes, where a model has its version.
    let other = try_read(msg().bytes(1, b"\x0a\x01x")).expect_err("no graph");
    assert_eq!(other.to_string(), "the file contains no graph");
    assert!(other.hint().is_some_and(|hint| hint.contains("another protobuf message")));
    let cut = try_read(msg().int(1, 8)).expect_err("no graph");
    assert!(cut.hint().is_some_and(|hint| hint.contains("cut short")));
}
