//! Core ML: programs, networks, pipelines, weights next to the model, and damaged files.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use calipers_formats::{Error, open, open_data, read};
use calipers_ir::{DType, Data, DataFileState, Format, Model};

use crate::common::{Msg, entry, msg};

/// `ArrayFeatureType`: a shape and a type. 65568 is FLOAT32.
fn array(dims: &[i64]) -> Msg {
    msg().msg(5, msg().ints(1, dims).int(2, 65_568))
}

/// `FeatureDescription`.
fn feature(name: &str, kind: Msg) -> Msg {
    msg().text(1, name).msg(3, kind)
}

/// `Model` with an input, an output, and a kind.
fn model(input: (&str, Msg), output: (&str, Msg), kind: u32, inside: Msg) -> Msg {
    let description = msg()
        .msg(1, feature(input.0, input.1))
        .msg(10, feature(output.0, output.1))
        .msg(100, msg().text(3, "Ada").text(4, "MIT").msg(100, entry("source", "made by hand")));
    msg().int(1, 6).msg(2, description).msg(kind, inside)
}

/// `WeightParams` with zeros of single precision.
fn weights(count: usize) -> Msg {
    msg().bytes(1, &vec![0; 4 * count])
}

/// `NeuralNetworkLayer`.
fn layer(name: &str, input: &str, output: &str, kind: u32, settings: Msg) -> Msg {
    msg().text(1, name).text(2, input).text(3, output).msg(kind, settings)
}

/// A convolution of 3 × 3 with a stride of 2, a pooling of all space, a flattening, and 10 outputs.
fn network() -> Msg {
    let edges = msg().msg(10, msg().int(1, 1).int(2, 1)).msg(10, msg().int(1, 1).int(2, 1));
    let convolution = msg()
        .int(1, 8)
        .int(2, 3)
        .int(10, 1)
        .ints(20, &[3, 3])
        .ints(30, &[2, 2])
        .msg(50, msg().msg(1, edges))
        .int(70, 1)
        .msg(90, weights(8 * 3 * 9))
        .msg(91, weights(8));
    let dense = msg().int(1, 8).int(2, 10).msg(20, weights(80));
    msg()
        .msg(1, layer("conv", "image", "a", 100, convolution))
        .msg(1, layer("relu", "a", "b", 130, msg().msg(10, msg())))
        .msg(1, layer("pool", "b", "c", 120, msg().int(1, 1).int(60, 1)))
        .msg(1, layer("flat", "c", "d", 301, msg()))
        .msg(1, layer("fc", "d", "y", 140, dense))
}

fn network_file() -> Vec<u8> {
    model(("image", array(&[3, 8, 8])), ("y", array(&[10])), 500, network()).0
}

fn written(model: &Model) -> Vec<&str> {
    model.nodes().map(|(id, _)| model.written_op(id)).collect()
}

fn tensor_names(model: &Model) -> Vec<(&str, &[i64])> {
    model.tensors().map(|(_, tensor)| (model.name(tensor.name), &*tensor.dims)).collect()
}

#[test]
fn networks_have_a_node_for_each_layer() {
    let model = read(network_file(), "net.mlmodel").expect("a model");
    assert_eq!(model.header.format, Format::CoreMl);
    assert_eq!(model.header.ir_version, Some(6));
    for pair in [("author", "Ada"), ("license", "MIT"), ("source", "made by hand")] {
        let pair = (pair.0.to_owned(), pair.1.to_owned());
        assert!(model.header.metadata.contains(&pair), "{pair:?}");
    }
    assert_eq!(
        written(&model),
        ["convolution", "activation", "pooling", "flatten", "innerProduct"]
    );
    let stored = tensor_names(&model);
    assert!(stored.contains(&("conv.weights", &[8, 3, 3, 3])), "{stored:?}");
    assert!(stored.contains(&("fc.weights", &[10, 8])), "{stored:?}");
    // Every element is in the file, where the file says.
    for (_, tensor) in model.tensors() {
        if let Data::Raw(span) = tensor.data {
            assert_eq!(Some(span.len()), tensor.bytes());
        }
    }
    let main = model.main();
    assert_eq!(model.name(model.value(main.inputs[0]).name), "image");
    assert_eq!(model.name(model.value(main.outputs[0]).name), "y");
}

#[test]
fn weights_are_halves_or_codes() {
    let layered = |weights: Msg| {
        let dense = msg().int(1, 4).int(2, 2).msg(20, weights);
        let inside = msg().msg(1, layer("fc", "x", "y", 140, dense));
        read(model(("x", array(&[4])), ("y", array(&[2])), 500, inside).0, "m").expect("a model")
    };
    let of = |model: &Model| model.tensors().map(|(_, tensor)| tensor.dtype).next();
    assert_eq!(of(&layered(msg().bytes(2, &[0; 16]))), Some(DType::Float16));
    let quantized = |bits: i64, bytes: usize| {
        let linear = msg().bytes(1, &[0; 8]).bytes(2, &[0; 8]);
        layered(msg().bytes(30, &vec![0; bytes]).msg(40, msg().int(1, bits).msg(101, linear)))
    };
    // Eight codes of four bits are four bytes; a scale for each of the two outputs.
    let model = quantized(4, 4);
    assert_eq!(of(&model), Some(DType::Uint4));
    let (_, affine) = model.affine_values()[0];
    assert_eq!((affine.scales, affine.axis, affine.is_symmetric), (2, Some(0), true));
    assert_eq!(of(&quantized(8, 8)), Some(DType::Uint8));
    // Six bits: eight codes in six bytes.
    let model = quantized(6, 6);
    let (_, tensor) = model.tensors().next().expect("a tensor");
    assert_eq!(tensor.bytes(), Some(6));
}

/// `ValueType` of a tensor.
fn tensor_type(dtype: i64, dims: &[i64]) -> Msg {
    let rank = i64::try_from(dims.len()).expect("a small rank");
    let ty = dims.iter().fold(msg().int(1, dtype).int(2, rank), |ty, dim| match dim {
        -1 => ty.msg(3, msg().msg(2, msg())),
        dim => ty.msg(3, msg().msg(1, msg().int(1, *dim))),
    });
    msg().msg(1, ty)
}

fn named(name: &str, ty: Msg) -> Msg {
    msg().text(1, name).msg(2, ty)
}

/// A `const` operator that holds integers.
fn integers(name: &str, dims: &[i64], values: &[i64]) -> Msg {
    let held = msg().msg(1, msg().msg(2, msg().ints(1, values)));
    constant(name, 23, dims, &msg().msg(3, held))
}

fn constant(name: &str, dtype: i64, dims: &[i64], value: &Msg) -> Msg {
    let value = msg().msg(2, tensor_type(dtype, dims)).and(value.clone());
    msg()
        .text(1, "const")
        .msg(3, named(name, tensor_type(dtype, dims)))
        .msg(5, msg().text(1, "val").msg(2, value))
}

/// A `const` operator whose value is in a file.
fn blob(name: &str, dims: &[i64], at: i64) -> Msg {
    let place = msg().text(1, "@model_path/weights/weight.bin").int(2, at);
    constant(name, 11, dims, &msg().msg(5, place))
}

/// An operator with arguments by name.
fn operation(kind: &str, arguments: &[(&str, &str)], output: (&str, &[i64])) -> Msg {
    let arguments = arguments.iter().fold(msg().text(1, kind), |operation, (key, value)| {
        let argument = msg().msg(1, msg().text(1, value));
        operation.msg(2, msg().text(1, key).msg(2, argument))
    });
    arguments.msg(3, named(output.0, tensor_type(11, output.1)))
}

/// `Program` with a function of one input.
fn program(block: Msg) -> Msg {
    let function = msg()
        .msg(1, named("x", tensor_type(11, &[1, 3, -1, 8])))
        .text(2, "CoreML6")
        .msg(3, msg().text(1, "CoreML6").msg(2, block));
    msg().int(1, 1).msg(2, msg().text(1, "main").msg(2, function))
}

fn program_file(block: Msg) -> Vec<u8> {
    model(("x", array(&[1, 3, 8, 8])), ("y", array(&[1, 4])), 502, program(block)).0
}

fn small_program() -> Vec<u8> {
    let block = msg()
        .msg(3, blob("w", &[4, 3, 2, 2], 64))
        .msg(3, integers("strides", &[2], &[2, 2]))
        .msg(3, integers("axes", &[2], &[2, 3]))
        .msg(
            3,
            operation(
                "conv",
                &[("x", "x"), ("weight", "w"), ("strides", "strides")],
                ("c", &[1, 4, 4, 4]),
            ),
        )
        .msg(3, operation("reduce_mean", &[("x", "c"), ("axes", "axes")], ("m", &[1, 4])))
        .msg(3, operation("of_the_future", &[("x", "m")], ("y", &[1, 4])))
        .text(2, "y");
    program_file(block)
}

#[test]
fn programs_have_a_node_for_each_operator_that_computes() {
    let model = read(small_program(), "m.mlmodel").expect("a model");
    assert_eq!(written(&model), ["conv", "reduce_mean", "of_the_future"]);
    let ops: Vec<&str> = model.nodes().map(|(_, node)| model.name(node.op)).collect();
    assert_eq!(ops, ["Conv", "ReduceMean", "of_the_future"]);
    let (id, _) = model.nodes().next().expect("a node");
    assert!(model.attribute(id, "strides").is_some());
    // Settings are attributes; the weight is a stored tensor, in a file that nobody looked for.
    let weights = model.tensors().filter(|(_, it)| matches!(it.data, Data::External(_)));
    assert_eq!(weights.count(), 1);
    assert_eq!(model.data_files[0].state, DataFileState::Unchecked);
    assert_eq!(model.name(model.data_files[0].location), "weights/weight.bin");
}

/// A record of a weight: a mark, a type, the bytes and where they begin.
fn record(mark: u32, bytes: u64, start: u64) -> Vec<u8> {
    let mut record = [mark.to_le_bytes(), 2_u32.to_le_bytes()].concat();
    record.extend(bytes.to_le_bytes());
    record.extend(start.to_le_bytes());
    record.resize(64, 0);
    record
}

/// A package with this record at byte 64, and 192 bytes of elements behind it.
fn package(record: &[u8]) -> Model {
    package_in(&tempfile::tempdir().expect("a folder"), record).1
}

fn package_in(folder: &tempfile::TempDir, record: &[u8]) -> (PathBuf, Model) {
    let package = folder.path().join("net.mlpackage");
    let inside = package.join("Data/com.apple.CoreML");
    fs::create_dir_all(inside.join("weights")).expect("a folder");
    fs::write(inside.join("model.mlmodel"), small_program()).expect("written");
    let data = [&[0; 64][..], record, &[0; 192]].concat();
    fs::write(inside.join("weights/weight.bin"), data).expect("written");
    let model = open(&package).expect("a model");
    (package, model)
}

fn external(model: &Model) -> (Option<u64>, Option<u64>, String) {
    let places = model.tensors().find_map(|(_, tensor)| match &tensor.data {
        Data::External(external) => Some(external),
        _ => None,
    });
    let place = places.expect("a weight outside the file");
    (place.offset, place.length, place.problem.clone().unwrap_or_default())
}

#[test]
fn records_say_where_weights_are() {
    // 4 · 3 · 2 · 2 numbers of four bytes.
    let model = package(&record(0xDEAD_BEEF, 192, 128));
    assert_eq!(model.header.file_name, "net.mlpackage");
    assert_eq!(external(&model), (Some(128), Some(192), String::new()));
    assert_eq!(model.data_files[0].state, DataFileState::Present(320));
    let (.., problem) = external(&package(&record(0xDEAD_BEEF, 100, 128)));
    assert!(problem.contains("states 100 bytes, and the elements take 192"), "{problem}");
    let (.., problem) = external(&package(&record(0, 192, 128)));
    assert!(problem.contains("byte 64 does not start a record of a weight"), "{problem}");
    let (.., problem) = external(&package(&record(0xDEAD_BEEF, 192, u64::MAX)));
    assert!(problem.contains("reach past the file's 320 bytes"), "{problem}");
}

#[test]
fn weights_of_a_package_are_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, model) = package_in(&folder, &record(0xDEAD_BEEF, 192, 128));
    let opened = open_data(&path, &model).pop().expect("a file").expect("opened");
    assert_eq!(opened.size(), 320);
}

#[test]
fn settings_beyond_any_layer_are_refused() {
    let settings = msg().each_int(1, &[1; 5000]);
    let inside = msg().msg(1, layer("fc", "x", "y", 140, settings));
    let file = model(("x", array(&[4])), ("y", array(&[2])), 500, inside).0;
    let error = read(file, "m").expect_err("too many").to_string();
    assert!(error.contains("more than 4096 settings"), "{error}");
}

#[test]
fn weights_stay_in_the_folder_of_the_model() {
    let place = msg().text(1, "@model_path/../../secret").int(2, 64);
    let block = msg().msg(3, constant("w", 11, &[4], &msg().msg(5, place))).text(2, "w");
    let model = read(program_file(block), "m").expect("a model");
    assert!(matches!(model.data_files[0].state, DataFileState::Refused(_)));
}

#[test]
fn images_and_flexible_arrays_have_open_sizes() {
    let range = |low: i64, high: i64| msg().int(1, low).int(2, high);
    let ranges = msg().msg(1, range(1, 1)).msg(1, range(16, -1));
    let flexible = msg().msg(5, msg().ints(1, &[1, 32]).int(2, 65_552).msg(31, ranges));
    let image = msg().msg(4, msg().int(1, 20).int(2, 10).int(3, 20));
    let model = read(model(("x", flexible), ("y", image), 402, msg()).0, "m").expect("a model");
    let ty = |value| {
        let ty = model.value(value).ty.expect("a type");
        model.value_type(ty).describe(&model.names)
    };
    assert_eq!(ty(model.main().inputs[0]), "float16[1, ?]");
    assert!(ty(model.main().outputs[0]).contains("uint8[3, 10, 20]"));
    let sizes = ("sizes of input x".to_owned(), "1 × 16 or more".to_owned());
    assert!(model.header.metadata.contains(&sizes), "{:?}", model.header.metadata);
    let colors = ("sizes of output y".to_owned(), "RGB image of 10 × 20".to_owned());
    assert!(model.header.metadata.contains(&colors), "{:?}", model.header.metadata);
    assert_eq!(written(&model), ["treeEnsembleClassifier"]);
}

#[test]
fn pipelines_show_the_graph_of_their_first_network() {
    let trees = model(("a", array(&[2])), ("b", array(&[1])), 302, msg());
    let net = model(("image", array(&[3, 8, 8])), ("y", array(&[10])), 403, network());
    let stages = msg().msg(1, trees).msg(1, net).text(2, "trees").text(2, "net");
    let file = model(("a", array(&[2])), ("y", array(&[10])), 200, msg().msg(1, stages));
    let model = read(file.0, "m").expect("a model");
    assert_eq!(written(&model).len(), 5);
    let found = model.header.metadata.iter().find(|(key, _)| key == "stages");
    assert_eq!(
        found.expect("stages").1,
        "trees: treeEnsembleRegressor, net: neuralNetworkClassifier"
    );
}

#[test]
fn branches_are_subgraphs() {
    let branch = |kind: &str, output: &str| {
        msg().msg(3, operation(kind, &[("x", "x")], (output, &[1]))).text(2, output)
    };
    let conditional = operation("cond", &[("pred", "p")], ("y", &[1]))
        .msg(4, branch("relu", "a"))
        .msg(4, branch("tanh", "b"));
    let block = msg()
        .msg(3, operation("greater", &[("x", "x"), ("y", "x")], ("p", &[])))
        .msg(3, conditional)
        .text(2, "y");
    let model = read(program_file(block), "m").expect("a model");
    assert_eq!(written(&model), ["greater", "cond", "relu", "tanh"]);
    assert_eq!(model.graphs().len(), 3);
}

#[test]
fn compiled_models_have_a_hint() {
    let folder = tempfile::tempdir().expect("a folder");
    let compiled = folder.path().join("Net.mlmodelc");
    fs::create_dir(&compiled).expect("a folder");
    fs::write(compiled.join("coremldata.bin"), [0x33, 0, 0, 0, 7]).expect("written");
    for text in [None, Some("program(1.0)\n{\n    func main<ios16>(tensor<fp32, [1]> x) {}\n}")] {
        if let Some(text) = text {
            fs::write(compiled.join("model.mil"), text).expect("written");
        }
        let error = open(&compiled).expect_err("no graph");
        let hint = error.hint().expect("a hint");
        assert!(hint.contains(".mlpackage that it was compiled from"), "{hint}");
    }
}

#[test]
fn damaged_files_are_errors_or_models() {
    for bytes in [network_file(), small_program()] {
        for end in 0..bytes.len() {
            let start = bytes.get(..end).expect("within").to_vec();
            let result = read(start, "m.mlmodel");
            assert!(result.is_err() || end > 2, "{end}");
        }
        let cut = bytes.get(..bytes.len() - 1).expect("within").to_vec();
        assert!(matches!(read(cut, "m"), Err(Error::Malformed { .. })));
        for place in 0..bytes.len() {
            for value in [0, 0x7f, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                *bytes.get_mut(place).expect("within") = value;
                let _ = read(bytes, "m.mlmodel");
            }
        }
    }
}

#[test]
fn nested_blocks_cost_no_stack() {
    let mut block = msg().text(2, "x");
    for _ in 0..2000 {
        block = msg().msg(3, operation("while_loop", &[], ("y", &[])).msg(4, block));
    }
    let started = Instant::now();
    let model = read(program_file(block), "m").expect("a model");
    assert_eq!(model.nodes().len(), 2000);
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn absurd_sizes_are_reported_as_they_are() {
    let block = msg()
        .msg(3, blob("w", &[i64::MAX, i64::MAX], i64::MAX))
        .msg(3, blob("v", &[4], -1))
        .msg(3, integers("shape", &[1], &[i64::MIN]))
        .msg(3, operation("reshape", &[("x", "w"), ("shape", "shape")], ("y", &[1])))
        .msg(3, operation("pad", &[("x", "y"), ("pad", "shape")], ("y", &[1])))
        .text(2, "y");
    let program = read(program_file(block), "m").expect("a model");
    assert_eq!(written(&program), ["reshape", "pad"]);
    let convolution = msg().int(1, -1).int(2, i64::MAX).int(10, -5).ints(20, &[i64::MAX; 2]);
    let inside = msg().msg(1, layer("", "y", "y", 100, convolution.msg(90, weights(1))));
    read(model(("x", array(&[-1])), ("y", array(&[])), 500, inside).0, "m").expect("a model");
}
