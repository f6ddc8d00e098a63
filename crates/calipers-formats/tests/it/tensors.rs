//! Stored tensors: their type and shape, and where their elements are.

use std::fs;

use calipers_ir::{DType, Data, DataFileState, External, Model, Tensor};

use crate::common::{Msg, entry, model, msg, read_graph, read_tensor};

fn tensor_of(model: &Model) -> &Tensor {
    model.tensors().next().expect("a tensor").1
}

#[test]
fn every_data_type_has_its_name_and_size() {
    let types = [
        ("undefined", None),
        ("float32", Some(24)),
        ("uint8", Some(6)),
        ("int8", Some(6)),
        ("uint16", Some(12)),
        ("int16", Some(12)),
        ("int32", Some(24)),
        ("int64", Some(48)),
        ("string", None),
        ("bool", Some(6)),
        ("float16", Some(12)),
        ("float64", Some(48)),
        ("uint32", Some(24)),
        ("uint64", Some(48)),
        ("complex64", Some(48)),
        ("complex128", Some(96)),
        ("bfloat16", Some(12)),
        ("float8e4m3fn", Some(6)),
        ("float8e4m3fnuz", Some(6)),
        ("float8e5m2", Some(6)),
        ("float8e5m2fnuz", Some(6)),
        ("uint4", Some(3)),
        ("int4", Some(3)),
        ("float4e2m1", Some(3)),
        ("float8e8m0", Some(6)),
        ("uint2", Some(2)),
        ("int2", Some(2)),
        // Six elements of six bits: 36 bits.
        ("float6e2m3", Some(5)),
        ("float6e3m2", Some(5)),
        ("unknown(29)", None),
    ];
    for (number, (name, bytes)) in (0..).zip(types) {
        let model = read_tensor(msg().ints(1, &[2, 3]).int(2, number).text(8, "w"));
        let tensor = tensor_of(&model);
        assert_eq!((tensor.dtype.to_string().as_str(), tensor.bytes()), (name, bytes));
        assert_eq!(model.name(tensor.name), "w");
    }
    assert_eq!(tensor_of(&read_tensor(msg().int(2, -1))).dtype, DType::Unknown(-1));
    // Protobuf keeps the lower 32 bits of an enum.
    assert_eq!(tensor_of(&read_tensor(msg().int(2, (1 << 32) + 7))).dtype, DType::Int64);
}

#[test]
fn dims_packed_and_one_by_one() {
    for message in [
        msg().ints(1, &[2, -1, i64::MAX]),
        msg().each_int(1, &[2, -1, i64::MAX]),
        msg().int(1, 2).ints(1, &[]).ints(1, &[-1, i64::MAX]),
    ] {
        assert_eq!(*tensor_of(&read_tensor(message)).dims, [2, -1, i64::MAX]);
    }
}

#[test]
fn raw_data_is_found_and_left_where_it_is() {
    let model = read_tensor(msg().ints(1, &[4]).int(2, 2).bytes(9, b"DATA").text(12, "doc"));
    let tensor = tensor_of(&model);
    let Data::Raw(span) = tensor.data else { panic!("raw data") };
    assert_eq!(model.source.slice(span), Some(&b"DATA"[..]));
    assert!(model.source.slice(tensor.described_at).is_some_and(|b| b.ends_with(b"doc")));
    // A second raw field replaces the first.
    let model = read_tensor(msg().int(2, 2).bytes(9, b"OLD").bytes(9, b"NEW!"));
    assert!(matches!(tensor_of(&model).data, Data::Raw(span) if span.len() == 4));
}

#[test]
fn typed_data_is_measured() {
    let fields = |message: Msg| tensor_of(&read_tensor(message)).data.clone();
    let of = |bytes, elements| Data::Fields { bytes, elements };
    assert_eq!(fields(msg().int(2, 1)), Data::Absent);
    // Floats in one packed run are laid out as raw data is.
    assert!(matches!(fields(msg().int(2, 1).bytes(4, &[0; 8])), Data::Raw(s) if s.len() == 8));
    assert!(matches!(fields(msg().int(2, 14).bytes(4, &[0; 8])), Data::Raw(_)));
    assert!(matches!(fields(msg().int(2, 11).bytes(10, &[0; 8])), Data::Raw(_)));
    assert!(matches!(fields(msg().int(2, 15).bytes(10, &[0; 16])), Data::Raw(_)));
    assert_eq!(fields(msg().int(2, 11).bytes(4, &[0; 8])), of(8, Some(2)));
    assert_eq!(fields(msg().int(2, 1).bytes(4, &[0; 8]).float(4, 0.0)), of(12, Some(3)));
    assert_eq!(fields(msg().int(2, 11).double(10, 0.0).double(10, 0.0)), of(16, Some(2)));
    assert_eq!(fields(msg().int(2, 6).ints(5, &[1, 300])), of(3, None));
    assert_eq!(fields(msg().int(2, 6).each_int(5, &[1, 300])), of(2, Some(2)));
    assert_eq!(fields(msg().int(2, 7).ints(7, &[-1])), of(10, None));
    assert_eq!(fields(msg().int(2, 13).ints(11, &[1])), of(1, None));
    let texts = msg().ints(1, &[2]).int(2, 8).text(6, "one").text(6, "three");
    assert_eq!(fields(texts.clone()), of(8, Some(2)));
    assert_eq!(tensor_of(&read_tensor(texts)).bytes(), Some(8));
}

#[test]
fn segments_are_kept() {
    let model = read_tensor(msg().msg(3, msg().int(1, 100).int(2, 200)));
    assert_eq!(tensor_of(&model).segment, Some((100, 200)));
    assert_eq!(tensor_of(&read_tensor(msg().msg(3, msg()))).segment, Some((0, 0)));
    assert_eq!(tensor_of(&read_tensor(msg())).segment, None);
}

fn external(entries: &[(&str, &str)]) -> Msg {
    let tensor = msg().ints(1, &[2]).int(2, 1).int(14, 1);
    entries.iter().fold(tensor, |tensor, (key, value)| tensor.msg(13, entry(key, value)))
}

fn place(tensor: &Tensor) -> &External {
    match &tensor.data {
        Data::External(external) => external,
        other => panic!("{other:?}"),
    }
}

#[test]
fn external_data_in_memory_is_not_looked_for() {
    let entries =
        [("location", "w.bin"), ("offset", "4"), ("length", "8"), ("checksum", "00"), ("odd", "1")];
    let model = read_tensor(external(&entries));
    let found = place(tensor_of(&model));
    assert_eq!((found.offset, found.length, &found.problem), (Some(4), Some(8), &None));
    assert_eq!(found.unknown_keys.iter().map(|k| model.name(*k)).collect::<Vec<_>>(), ["odd"]);
    assert_eq!(model.data_files[found.file].state, DataFileState::Unchecked);
    // A location is refused by its spelling alone.
    for location in ["/etc/passwd", "../w.bin", "a/../../w", "C:\\w", "http://x/y", "", "a\0"] {
        let model = read_tensor(external(&[("location", location)]));
        assert!(matches!(model.data_files[0].state, DataFileState::Refused(_)), "{location:?}");
    }
    // Entries without the mark of external data are no reference, and raw data is what counts.
    let inline = msg().int(2, 2).bytes(9, b"x").msg(13, entry("location", "w.bin"));
    assert!(matches!(tensor_of(&read_tensor(inline)).data, Data::Raw(_)));
}

#[test]
fn external_data_next_to_the_file_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("w.bin"), [0; 100]).expect("written");
    let graph = [
        external(&[("location", "w.bin"), ("offset", "0"), ("length", "100")]),
        external(&[("location", "w.bin"), ("offset", "96"), ("length", "8")]),
        external(&[("location", "w.bin"), ("offset", "-1")]),
        external(&[("location", "gone.bin")]),
        external(&[("location", "./w.bin")]),
    ];
    let graph = graph.into_iter().fold(msg(), |graph, tensor| graph.msg(5, tensor));
    let path = folder.path().join("m.onnx");
    fs::write(&path, model(graph).0).expect("written");
    let model = calipers_formats::open(&path).expect("a model");
    assert_eq!(model.header.file_name, "m.onnx");
    let problems: Vec<_> =
        model.tensors().map(|(_, tensor)| place(tensor).problem.is_some()).collect();
    assert_eq!(problems, [false, true, true, false, false]);
    let states: Vec<_> = model.data_files.iter().map(|file| file.state.clone()).collect();
    let present = DataFileState::Present(100);
    assert_eq!(states, [present.clone(), DataFileState::Missing, present]);
}

#[test]
fn sparse_tensors_hold_two() {
    let sparse = msg()
        .msg(1, msg().ints(1, &[2]).int(2, 1).text(8, "w").bytes(9, &[0; 8]))
        .msg(2, msg().ints(1, &[2]).int(2, 7).ints(7, &[0, 5]))
        .ints(3, &[3, 4]);
    let model = read_graph(msg().msg(15, sparse).msg(15, msg()));
    let [full, empty] = model.main().sparse_initializers[..] else { panic!("two") };
    let full = model.sparse_tensor(full);
    assert_eq!(full.elements(), Ok(12));
    let indices = full.indices.expect("there");
    assert_eq!(model.integers(indices, 2), Ok(vec![0, 5]));
    let empty = model.sparse_tensor(empty);
    assert_eq!((empty.values, empty.indices, empty.dims.len()), (None, None, 0));
    let named = |name: &str| model.values().any(|(_, v)| model.name(v.name) == name);
    assert!(named("w"));
}
