//! Models of Keras and arrays of NumPy.
//!
//! The files under `fixtures/keras` were written by Keras 3.15 with its JAX backend, and by h5py 3.16:
//!
//! - `twins.keras`: two inputs through one shared model of `Dense(3)` and `BatchNormalization`
//!   without scale, then `Subtract`, a product with a number, and `Dense(2)`. Keras counts
//!   4·3 + 3 + 3 + 2·3 + 3·2 + 2 = 32 parameters, 6 of them statistics. The weights are in the
//!   newest form of HDF5, the configuration is compressed.
//! - `whole.h5`: `Dense(2)` of 3 features in the form of Keras 2, in the oldest form of HDF5.
//! - `dense.keras`: weights alone, compressed: ten arrays of 3 × 2 in one group, and ten attributes,
//!   more than a header has.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use calipers_formats::{Error, read};
use calipers_ir::{DType, Data, Format, GraphOrigin, Hazard, Model, WeightRole};

const TWINS: &[u8] = include_bytes!("../fixtures/keras/twins.keras");
const WHOLE: &[u8] = include_bytes!("../fixtures/keras/whole.h5");
const DENSE: &[u8] = include_bytes!("../fixtures/keras/dense.keras");

/// Files that are damaged are reported at once, whatever they state.
const AT_ONCE: Duration = Duration::from_secs(5);

fn elements(model: &Model, role: WeightRole) -> u64 {
    let stored = model.stored_weights().iter().filter(|weight| weight.role == role);
    stored.map(|weight| weight.elements).sum()
}

/// The weights of `dense.keras`, unpacked.
fn dense() -> Vec<u8> {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(DENSE)).expect("it is well-formed");
    let mut bytes = Vec::new();
    zip.by_index(0).expect("it is well-formed").read_to_end(&mut bytes).expect("it is well-formed");
    bytes
}

/// The layers in the order in which they run.
fn layers(model: &Model) -> Vec<&str> {
    model.main().order.iter().map(|node| model.written_op(*node)).collect()
}

/// A `.keras` archive with a configuration and no weights.
fn archive(config: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("config.json", stored).expect("it is well-formed");
    zip.write_all(config.as_bytes()).expect("it is well-formed");
    zip.finish().expect("it is well-formed").into_inner()
}

fn of_config(config: &str) -> Model {
    read(archive(config), "model.keras").expect("it is well-formed")
}

#[test]
fn an_archive_is_read_with_its_weights_in_place() {
    let model = read(TWINS.to_vec(), "twins.keras").unwrap();
    assert_eq!(model.header.format, Format::Keras);
    assert_eq!(model.header.producer_version, "3.15.1");
    let mut counted = layers(&model);
    counted.sort_unstable();
    let wanted = [
        "BatchNormalization",
        "BatchNormalization",
        "Dense",
        "Dense",
        "Dense",
        "Multiply",
        "Subtract",
    ];
    assert_eq!(counted, wanted);
    assert_eq!(elements(&model, WeightRole::Weight), 26);
    assert_eq!(elements(&model, WeightRole::Statistic), 6);
    let inputs: Vec<&str> =
        model.main().inputs.iter().map(|input| model.name(model.value(*input).name)).collect();
    assert_eq!(inputs, ["a", "b"]);
    // Both calls of the shared model are linked to what follows.
    assert!(model.issues.is_empty());
    assert!(model.main().cyclic.is_empty());
    let kernel = model.tensors().find(|(_, it)| model.name(it.name) == "out/kernel").unwrap().1;
    assert_eq!(&*kernel.dims, [3, 2]);
    let Data::Raw(span) = kernel.data else { panic!("{:?}", kernel.data) };
    assert_eq!(span.len(), 24);
    assert!(span.end <= TWINS.len() as u64);
}

#[test]
fn older_files_state_layers_in_attributes() {
    let model = read(WHOLE.to_vec(), "whole.h5").unwrap();
    assert_eq!(layers(&model), ["Dense"]);
    assert_eq!(elements(&model, WeightRole::Weight), 8);
    let node = model.main().order[0];
    assert_eq!(model.name(model.node(node).op), "Linear");
    assert!(model.inputs(node).iter().all(Option::is_some));
}

#[test]
fn weights_alone_have_no_graph() {
    for (bytes, name, is_in_place) in
        [(dense(), "dense.weights.h5", true), (DENSE.to_vec(), "dense.keras", false)]
    {
        let model = read(bytes, name).unwrap();
        assert_eq!(model.header.graph_origin, GraphOrigin::Absent);
        assert_eq!(elements(&model, WeightRole::Weight), 60);
        assert_eq!(model.tensors().len(), 10);
        assert_eq!(model.nodes().len(), 0);
        let is_raw = |data: &Data| matches!(data, Data::Raw(_));
        assert!(model.tensors().all(|(_, tensor)| is_raw(&tensor.data) == is_in_place));
    }
}

#[test]
fn a_file_that_is_cut_is_an_error_or_a_model() {
    let (dense, twins) = (dense(), TWINS.to_vec());
    for (bytes, step) in [(dense, 7), (WHOLE.to_vec(), 7), (DENSE.to_vec(), 1), (twins, 7)] {
        for length in (0..bytes.len()).step_by(step) {
            let _ = read(bytes[..length].to_vec(), "cut.keras");
        }
    }
}

#[test]
fn bytes_that_are_changed_are_an_error_or_a_model() {
    for bytes in [dense(), WHOLE.to_vec(), TWINS.to_vec()] {
        for place in (0..bytes.len()).step_by(2) {
            let mut changed = bytes.clone();
            changed[place] = if changed[place] == 0 { 0xff } else { 0 };
            let start = Instant::now();
            let _ = read(changed, "changed.h5");
            assert!(start.elapsed() < AT_ONCE, "byte {place}");
        }
    }
}

#[test]
fn data_beyond_the_file_is_misstated() {
    let mut bytes = dense();
    // Version 3 of a layout message: contiguous, at an address, of 24 bytes.
    let size = 24_u64.to_le_bytes();
    let message = |window: &[u8]| window[..2] == [3, 1] && window[10..18] == size;
    let at = bytes.windows(18).position(message).or_else(|| {
        let newer = |window: &[u8]| window[..2] == [4, 1] && window[10..18] == size;
        bytes.windows(18).position(newer)
    });
    let at = at.unwrap();
    bytes[at + 2..at + 10].copy_from_slice(&(1_u64 << 62).to_le_bytes());
    let model = read(bytes, "far.weights.h5").unwrap();
    let absent = model.tensors().filter(|(_, tensor)| tensor.data == Data::Absent).count();
    assert_eq!(absent, 1);
    assert!(matches!(&model.hazards[..], [Hazard::Misstated { what }] if what.contains("layers/")));
}

#[test]
fn tables_that_refer_to_themselves_end() {
    // Every address of the file in turn becomes that of the first group, or of the file's start.
    let whole = dense();
    for target in [48_u64, 0] {
        for place in (0..whole.len() - 8).step_by(4) {
            let mut bytes = whole.clone();
            bytes[place..place + 8].copy_from_slice(&target.to_le_bytes());
            let one = Instant::now();
            let _ = read(bytes, "circle.weights.h5");
            assert!(one.elapsed() < AT_ONCE);
        }
    }
}

#[test]
fn other_hdf5_files_are_not_models() {
    // A file of the newest form whose first group has no members.
    let mut bytes = b"\x89HDF\r\n\x1a\n\x03\x08\x08\x00".to_vec();
    for word in [0_u64, u64::MAX, 100, 48] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0; 4]);
    bytes.extend(b"OHDR\x02\x00\x04");
    bytes.resize(100, 0);
    let error = read(bytes, "data.h5").unwrap_err();
    assert!(matches!(error, Error::Foreign { .. }), "{error}");
}

#[test]
fn code_in_layers_is_reported() {
    let model = of_config(
        r#"{"class_name": "Sequential", "config": {"name": "s", "layers": [
            {"class_name": "InputLayer", "config": {"name": "x", "batch_shape": [null, 4]}},
            {"class_name": "Lambda", "config": {"name": "double", "function":
                {"class_name": "__lambda__", "config": {"code": "4wEAAAA="}}}}]}}"#,
    );
    assert_eq!(model.hazards, [Hazard::CodeInLayer { layer: "double".to_owned() }]);
    assert_eq!(layers(&model), ["Lambda"]);
    let node = model.main().order[0];
    assert_eq!(model.written_domain(node), "keras");
}

#[test]
fn weights_that_are_missing_have_the_dimensions_that_follow() {
    let model = of_config(
        r#"{"class_name": "Sequential", "config": {"name": "s", "layers": [
            {"class_name": "Dense", "config": {"name": "d", "units": 5, "use_bias": true},
             "build_config": {"input_shape": [null, 4]}}]}}"#,
    );
    let dims: Vec<&[i64]> = model.tensors().map(|(_, tensor)| &*tensor.dims).collect();
    assert_eq!(dims, [&[4_i64, 5][..], &[5]]);
    assert!(model.tensors().all(|(_, tensor)| tensor.data == Data::Absent));
}

/// A layer of a functional model, in the form of Keras 2.
fn layer(class: &str, name: &str, calls: &str) -> String {
    format!(
        r#"{{"class_name": "{class}", "name": "{name}",
            "config": {{"name": "{name}", "batch_input_shape": [null, 8]}},
            "inbound_nodes": {calls}}}"#
    )
}

fn functional(layers: &[String], output: &str) -> String {
    format!(
        r#"{{"class_name": "Functional", "config": {{"name": "f", "layers": [{}],
            "input_layers": [["x", 0, 0]], "output_layers": [["{output}", 0, 0]]}}}}"#,
        layers.join(",")
    )
}

#[test]
fn layers_are_in_any_order_and_called_several_times() {
    let layers_of = [
        layer("Add", "sum", r#"[[["twice", 0, 0, {}], ["twice", 1, 0, {}]]]"#),
        layer("ReLU", "twice", r#"[[["x", 0, 0, {}]], [["twice", 0, 0, {}]]]"#),
        layer("InputLayer", "x", "[]"),
    ];
    let model = of_config(&functional(&layers_of, "sum"));
    assert_eq!(layers(&model), ["ReLU", "ReLU", "Add"]);
    assert_eq!(model.depth(model.main_id()), Some(3));
}

#[test]
fn models_of_keras_2_count_their_own_graph_as_a_call() {
    let inside = functional(
        &[layer("InputLayer", "x", "[]"), layer("ReLU", "r", r#"[[["x", 0, 0, {}]]]"#)],
        "r",
    );
    let inside = inside.replacen("Functional\", ", "Functional\", \"name\": \"m\", ", 1);
    let calls = r#""inbound_nodes": [[["x", 0, 0, {}]], [["m", 1, 0, {}]]]}"#;
    let called = format!("{}, {calls}", &inside[..inside.len() - 1]);
    let sum = layer("Add", "sum", r#"[[["m", 1, 0, {}], ["m", 2, 0, {}]]]"#);
    let model = of_config(&functional(&[layer("InputLayer", "x", "[]"), called, sum], "sum"));
    assert_eq!(layers(&model), ["ReLU", "ReLU", "Add"]);
    assert_eq!(model.depth(model.main_id()), Some(3));
    let names: Vec<&str> =
        model.main().order.iter().map(|node| model.name(model.node(*node).name)).collect();
    assert_eq!(names, ["m/r", "m (call 1)/r", "sum"]);
}

#[test]
fn calls_that_wait_for_themselves_are_reported() {
    let layers_of = [
        layer("InputLayer", "x", "[]"),
        layer("Add", "a", r#"[[["x", 0, 0, {}], ["b", 0, 0, {}]]]"#),
        layer("ReLU", "b", r#"[[["a", 0, 0, {}]]]"#),
    ];
    let model = of_config(&functional(&layers_of, "b"));
    assert_eq!(model.nodes().len(), 2);
    assert!(!model.main().cyclic.is_empty());
}

#[test]
fn models_inside_models_end() {
    // Each model calls the one inside twice: 2^40 calls, were they all made.
    let mut config = functional(
        &[layer("InputLayer", "x", "[]"), layer("ReLU", "r", r#"[[["x", 0, 0, {}]]]"#)],
        "r",
    );
    for _ in 0..40 {
        let inside = config.replacen("Functional\", ", "Functional\", \"name\": \"m\", ", 1);
        let twice = r#""inbound_nodes": [[["x", 0, 0, {}]], [["m", 1, 0, {}]]]}"#;
        let called = format!("{}, {twice}", &inside[..inside.len() - 1]);
        config = functional(&[layer("InputLayer", "x", "[]"), called], "m");
    }
    let start = Instant::now();
    let error = read(archive(&config), "deep.keras").unwrap_err();
    assert!(error.to_string().contains("configuration"), "{error}");
    assert!(start.elapsed() < AT_ONCE);
}

#[test]
fn arrays_are_found_by_their_headers() {
    let array = |descr: &str, shape: &str, data: usize| {
        let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(vec![0; data]);
        bytes
    };
    let model = read(array("'<f4'", "(2, 3)", 24), "a.npy").unwrap();
    assert_eq!(model.header.format, Format::Numpy);
    assert_eq!(model.header.graph_origin, GraphOrigin::Absent);
    let tensor = model.tensors().next().unwrap().1;
    assert_eq!((tensor.dtype, &*tensor.dims), (DType::Float32, &[2, 3][..]));
    assert!(matches!(tensor.data, Data::Raw(span) if span.len() == 24));
    // One byte too few, and sizes whose product does not fit.
    for (shape, data) in [("(2, 3)", 23), ("(9223372036854775807, 9)", 8)] {
        let model = read(array("'<f4'", shape, data), "a.npy").unwrap();
        assert!(matches!(model.hazards[..], [Hazard::Misstated { .. }]));
    }
    let model = read(array("'|O'", "(1,)", 10), "a.npy").unwrap();
    let [Hazard::Import { module, is_dangerous, .. }] = &model.hazards[..] else {
        panic!("{:?}", model.hazards);
    };
    assert_eq!((module.as_str(), *is_dangerous), ("numpy", true));
    let whole = array("'<f4'", "(2, 3)", 24);
    for length in 0..whole.len() {
        let _ = read(whole[..length].to_vec(), "cut.npy");
    }
}

#[test]
fn archives_of_arrays_list_each() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, method) in
        [("a", zip::CompressionMethod::Stored), ("b", zip::CompressionMethod::Deflated)]
    {
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        let text = b"{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }\n";
        zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
        zip.write_all(&u16::try_from(text.len()).unwrap().to_le_bytes()).unwrap();
        zip.write_all(text).unwrap();
        zip.write_all(&[0; 8]).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    let model = read(bytes, "arrays.npz").unwrap();
    let names: Vec<&str> = model.tensors().map(|(_, tensor)| model.name(tensor.name)).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(elements(&model, WeightRole::Weight), 8);
}
