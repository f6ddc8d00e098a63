//! SavedModels and graphs of TensorFlow, written byte by byte.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use calipers_formats::Error;
use calipers_ir::{DType, Data, DataFileState, Format, Hazard, Model, WeightRole};

use crate::common::{Msg, msg, varint, with_small_stack};

/// Numbers of `DataType`.
const FLOAT: i64 = 1;
const INT32: i64 = 3;
const RESOURCE: i64 = 20;

fn node(op: &str, name: &str, inputs: &[&str]) -> Msg {
    inputs.iter().fold(msg().text(1, name).text(2, op), |node, input| node.text(3, input))
}

/// A node with one more attribute.
fn with(node: Msg, name: &str, value: Msg) -> Msg {
    node.msg(5, msg().text(1, name).msg(2, value))
}

fn typed(number: i64) -> Msg {
    msg().int(6, number)
}

fn ints(values: &[i64]) -> Msg {
    msg().msg(1, msg().ints(3, values))
}

fn text(value: &str) -> Msg {
    msg().text(2, value)
}

fn function(name: &str) -> Msg {
    msg().msg(10, msg().text(1, name))
}

fn shape(dims: &[i64]) -> Msg {
    dims.iter().fold(msg(), |shape, dim| shape.msg(2, msg().int(1, *dim)))
}

fn constant(name: &str, dtype: i64, dims: &[i64], content: &[u8]) -> Msg {
    let tensor = msg().int(1, dtype).msg(2, shape(dims)).bytes(4, content);
    with(with(node("Const", name, &[]), "dtype", typed(dtype)), "value", msg().msg(8, tensor))
}

fn placeholder(name: &str, dims: &[i64]) -> Msg {
    let node = with(node("Placeholder", name, &[]), "dtype", typed(FLOAT));
    with(node, "shape", msg().msg(7, shape(dims)))
}

fn variable(name: &str, dims: &[i64]) -> Msg {
    let node = with(node("VarHandleOp", name, &[]), "dtype", typed(FLOAT));
    let node = with(node, "shape", msg().msg(7, shape(dims)));
    with(node, "shared_name", text(name))
}

fn graph(nodes: &[Msg]) -> Msg {
    nodes.iter().fold(msg(), |graph, node| graph.msg(1, node.clone()))
}

/// `FunctionDef`: its arguments, its nodes, and what its outputs are.
fn definition(name: &str, arguments: &[&str], nodes: &[Msg], outputs: &[(&str, &str)]) -> Msg {
    let argument =
        |signature: Msg, name: &&str| signature.msg(2, msg().text(1, name).int(3, RESOURCE));
    let signature = arguments.iter().fold(msg().text(1, name), argument);
    let signature = outputs.iter().fold(signature, |signature, (name, _)| {
        signature.msg(3, msg().text(1, name).int(3, FLOAT))
    });
    let function = nodes.iter().fold(msg().msg(1, signature), |it, node| it.msg(3, node.clone()));
    outputs.iter().fold(function, |it, (name, read)| it.msg(4, msg().text(1, name).text(2, read)))
}

fn library(functions: &[Msg]) -> Msg {
    functions.iter().fold(msg(), |library, function| library.msg(1, function.clone()))
}

fn call(name: &str, of: &str, inputs: &[&str]) -> Msg {
    with(node("StatefulPartitionedCall", name, inputs), "f", function(of))
}

fn tensor_info(name: &str, dims: &[i64]) -> Msg {
    msg().text(1, name).int(2, FLOAT).msg(3, shape(dims))
}

/// A dense layer in a function that another function calls.
fn saved_model() -> Msg {
    let kernel = node("ReadVariableOp", "kernel/Read", &["w"]);
    let bias = node("ReadVariableOp", "bias/Read", &["b"]);
    let product = node("MatMul", "MatMul", &["x", "kernel/Read:value:0"]);
    let sum = node("BiasAdd", "BiasAdd", &["MatMul:product:0", "bias/Read:value:0"]);
    let nodes = [kernel, bias, product, sum, node("Relu", "Relu", &["BiasAdd:output:0"])];
    let dense = definition("dense", &["x", "w", "b"], &nodes, &[("y", "Relu:activations:0")]);
    let inner = call("inner", "dense", &["input", "w", "b"]);
    let wrapper =
        definition("wrapper", &["input", "w", "b"], &[inner], &[("out", "inner:output:0")]);
    let top = graph(&[
        placeholder("serving_input", &[-1, 4]),
        variable("dense/kernel", &[4, 3]),
        variable("dense/bias", &[3]),
        call("Call", "wrapper", &["serving_input", "dense/kernel", "dense/bias", "^NoOp"]),
        node("NoOp", "NoOp", &[]),
    ])
    .msg(2, library(&[dense, wrapper]))
    .msg(4, msg().int(1, 1000));
    let input = msg().text(1, "images").msg(2, tensor_info("serving_input:0", &[-1, 4]));
    let output = msg().text(1, "scores").msg(2, tensor_info("Call:0", &[-1, 3]));
    let signature = msg().msg(1, input).msg(2, output).text(3, "tensorflow/serving/predict");
    // `OpList`: what the operators are.
    let operator = msg().msg(1, msg().text(1, "MatMul").msg(2, msg().text(1, "a").text(4, "T")));
    let meta = msg()
        .msg(1, msg().msg(2, operator).text(4, "serve").text(5, "2.16.1"))
        .msg(2, top)
        .msg(5, msg().text(1, "serving_default").msg(2, signature))
        .msg(7, objects());
    msg().int(1, 1).msg(2, meta)
}

fn saved_variable(name: &str, dims: &[i64], trainable: bool) -> Msg {
    let variable = msg().int(1, FLOAT).msg(2, shape(dims)).int(3, i64::from(trainable));
    msg().msg(7, variable.text(6, name))
}

fn child(object: i64, name: &str) -> Msg {
    msg().int(1, object).text(2, name)
}

/// A root with a layer, which has a kernel and a bias, and an optimizer with a slot for the kernel.
fn objects() -> Msg {
    let root = msg().msg(1, child(1, "layer")).msg(1, child(2, "optimizer"));
    let layer = msg().msg(1, child(3, "kernel")).msg(1, child(4, "bias"));
    let slot = msg().int(1, 3).text(2, "m").int(3, 5);
    msg()
        .msg(1, root)
        .msg(1, layer)
        .msg(1, msg().msg(3, slot))
        .msg(1, saved_variable("dense/kernel", &[4, 3], true))
        .msg(1, saved_variable("dense/bias", &[3], true))
        .msg(1, saved_variable("Adam/m", &[4, 3], false))
}

fn read(message: &Msg) -> Model {
    calipers_formats::read(message.0.clone(), "model.pb").expect("a model")
}

fn operators(model: &Model) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for (id, _) in model.nodes() {
        *counts.entry(model.written_op(id)).or_insert(0) += 1;
    }
    counts
}

fn names(model: &Model, values: &[calipers_ir::ValueId]) -> Vec<String> {
    values.iter().map(|value| model.name(model.value(*value).name).to_owned()).collect()
}

#[test]
fn functions_are_entered_and_variables_are_tensors() {
    let model = read(&saved_model());
    assert_eq!(model.header.format, Format::SavedModel);
    assert_eq!(model.header.producer_version, "2.16.1");
    assert_eq!(operators(&model), BTreeMap::from([("BiasAdd", 1), ("MatMul", 1), ("Relu", 1)]));
    assert_eq!(names(&model, &model.main().inputs), ["images"]);
    assert_eq!(names(&model, &model.main().outputs), ["scores"]);
    let nodes: Vec<String> = model.nodes().map(|(id, _)| model.node_label(id)).collect();
    assert_eq!(nodes, ["Call/inner/MatMul", "Call/inner/BiasAdd", "Call/inner/Relu"]);
    let tensors: Vec<(&str, &[i64])> =
        model.tensors().map(|(_, it)| (model.name(it.name), &*it.dims)).collect();
    assert_eq!(tensors, [("dense/kernel", &[4, 3][..]), ("dense/bias", &[3]), ("Adam/m", &[4, 3])]);
    // 4 · 3 + 3 are learned; the optimizer has 4 · 3 of its own.
    let sum = |role: WeightRole| {
        let of_role = model.stored_weights().iter().filter(|it| it.role == role);
        of_role.map(|it| it.elements).sum::<u64>()
    };
    assert_eq!((sum(WeightRole::Weight), sum(WeightRole::Statistic)), (15, 12));
    assert_eq!(model.issues, []);
}

/// A block without compression: its entries, one place of a whole key, and a checksum.
fn block(entries: &[(usize, &str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (shared, own, value) in entries {
        for number in [*shared, own.len(), value.len()] {
            bytes.extend(varint(number as u64));
        }
        bytes.extend(own.as_bytes());
        bytes.extend(*value);
    }
    bytes.extend([0; 4]);
    bytes.extend(1_u32.to_le_bytes());
    bytes
}

/// A table with one block.
fn table(entries: &[(usize, &str, &[u8])], compression: u8) -> Vec<u8> {
    let data = block(entries);
    let handle = [varint(0), varint(data.len() as u64)].concat();
    let index = block(&[(0, "z", &handle)]);
    let index_at = data.len() as u64 + 5;
    let mut bytes = data;
    bytes.extend([compression, 0, 0, 0, 0]);
    bytes.extend(&index);
    bytes.extend([0; 5]);
    let mut footer = [varint(0), varint(0), varint(index_at), varint(index.len() as u64)].concat();
    footer.resize(40, 0);
    footer.extend(0xdb47_7524_8b80_fb57_u64.to_le_bytes());
    bytes.extend(footer);
    bytes
}

fn entry(dims: &[i64], offset: i64, size: i64) -> Vec<u8> {
    msg().int(1, FLOAT).msg(2, shape(dims)).int(4, offset).int(5, size).0
}

fn index() -> Vec<u8> {
    let header = msg().int(1, 1).0;
    let (bias, kernel, slot) = (entry(&[3], 0, 12), entry(&[4, 3], 12, 48), entry(&[4, 3], 60, 48));
    // What a key shares with the one before is left out: "layer/".
    table(
        &[
            (0, "", &header),
            (0, "layer/bias/.ATTRIBUTES/VARIABLE_VALUE", &bias),
            (6, "kernel/.ATTRIBUTES/VARIABLE_VALUE", &kernel),
            (13, ".OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE", &slot),
        ],
        0,
    )
}

#[test]
fn variables_are_found_in_the_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let variables = folder.path().join("variables");
    fs::create_dir(&variables).unwrap();
    fs::write(folder.path().join("saved_model.pb"), saved_model().0).unwrap();
    fs::write(variables.join("variables.index"), index()).unwrap();
    fs::write(variables.join("variables.data-00000-of-00001"), [0; 108]).unwrap();
    for path in [folder.path().to_owned(), folder.path().join("saved_model.pb")] {
        let model = calipers_formats::open(&path).unwrap();
        let places: Vec<(u64, u64)> = model
            .tensors()
            .map(|(_, tensor)| match &tensor.data {
                Data::External(external) => {
                    assert_eq!(external.problem, None);
                    (external.offset.unwrap(), external.length.unwrap())
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(places, [(12, 48), (0, 12), (60, 48)]);
        assert_eq!(model.data_files.len(), 1);
        assert_eq!(model.data_files[0].state, DataFileState::Present(108));
        assert_eq!(model.hazards, []);
    }
    // Without the file, the places are known, and it is missing.
    fs::remove_file(variables.join("variables.data-00000-of-00001")).unwrap();
    let model = calipers_formats::open(folder.path()).unwrap();
    assert_eq!(model.data_files[0].state, DataFileState::Missing);
    // Without an index, nothing is known of them.
    fs::remove_file(variables.join("variables.index")).unwrap();
    let model = calipers_formats::open(folder.path()).unwrap();
    assert!(model.tensors().all(|(_, tensor)| tensor.data == Data::Absent));
}

#[test]
fn damaged_indices_are_hazards() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("variables")).unwrap();
    fs::write(folder.path().join("saved_model.pb"), saved_model().0).unwrap();
    let open = |index: &[u8]| {
        fs::write(folder.path().join("variables/variables.index"), index).unwrap();
        calipers_formats::open(folder.path()).unwrap()
    };
    let misstated = |model: &Model| match model.hazards.as_slice() {
        [Hazard::Misstated { what }] => what.clone(),
        other => panic!("{other:?}"),
    };
    let whole = index();
    for length in 0..whole.len() {
        misstated(&open(&whole[..length]));
    }
    let value = entry(&[3], 0, 12);
    let key = "layer/bias/.ATTRIBUTES/VARIABLE_VALUE";
    assert!(misstated(&open(&table(&[(0, key, &value)], 1))).contains("compressed"));
    // A key that shares more than there is.
    assert!(misstated(&open(&table(&[(7, key, &value)], 0))).contains("damaged"));
    // Another shape than the graph has.
    let other = entry(&[5], 0, 20);
    assert!(misstated(&open(&table(&[(0, key, &other)], 0))).contains("dense/bias"));
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0xff;
        open(&bytes);
    }
}

/// A convolution with the channels last, and what follows it.
fn frozen() -> Msg {
    let kernel: Vec<u8> = (0..3 * 3 * 2 * 5).flat_map(|_| 1_f32.to_le_bytes()).collect();
    let conv = with(node("Conv2D", "conv", &["x", "kernel/read"]), "strides", ints(&[1, 2, 2, 1]));
    let conv = with(with(conv, "padding", text("SAME")), "data_format", text("NHWC"));
    let axes: Vec<u8> = [1_i32, 2].iter().flat_map(|axis| axis.to_le_bytes()).collect();
    let mean = with(node("Mean", "mean", &["conv", "axes"]), "keep_dims", msg().int(5, 0));
    graph(&[
        placeholder("x", &[-1, 8, 8, 2]),
        constant("kernel", FLOAT, &[3, 3, 2, 5], &kernel),
        node("Identity", "kernel/read", &["kernel"]),
        conv,
        constant("axes", INT32, &[2], &axes),
        mean,
        node("Identity", "anchor", &["kernel"]),
        node("NoOp", "done", &["^mean"]),
        node("Softmax", "probabilities", &["mean", "^anchor"]),
    ])
}

#[test]
fn graphs_without_variables() {
    let model = read(&frozen());
    assert_eq!(model.header.format, Format::TensorFlowGraph);
    let expected = [("Conv2D", 1), ("Identity", 1), ("Mean", 1), ("Softmax", 1)];
    assert_eq!(operators(&model), BTreeMap::from(expected));
    assert_eq!(names(&model, &model.main().inputs), ["x"]);
    assert_eq!(names(&model, &model.main().outputs), ["probabilities:0"]);
    let kernel = model.tensors().find(|(_, it)| model.name(it.name) == "kernel").unwrap();
    assert_eq!(kernel.1.bytes(), Some(360)); // 3 · 3 · 2 · 5 floats
    assert!(matches!(kernel.1.data, Data::Raw(span) if span.len() == 360));
    let (conv, _) = model.nodes().find(|(id, _)| model.written_op(*id) == "Conv2D").unwrap();
    let layout = model.layout(conv).unwrap();
    assert_eq!(layout.inputs.len(), 2);
    assert_eq!(layout.inputs[1].1.restore(&[5, 2, 3, 3]), [3, 3, 2, 5]);
    assert_eq!(model.stored_weights(), []);
}

#[test]
fn short_fields_repeat_their_last_element() {
    // `int_val` with two numbers for five elements.
    let tensor = msg().int(1, INT32).msg(2, shape(&[5])).ints(7, &[7, -1]);
    let node_of = with(node("Const", "c", &[]), "value", msg().msg(8, tensor));
    let model = read(&graph(&[node("Identity", "y", &["c"]), node_of]));
    let (id, tensor) = model.tensors().next().unwrap();
    assert_eq!(tensor.dtype, DType::Int32);
    assert_eq!(model.integers(id, 16).unwrap(), [7, -1, -1, -1, -1]);
}

#[test]
fn branches_and_loops_are_looked_into() {
    let double = node("AddV2", "double", &["a", "a"]);
    let then = definition("then", &["a"], &[double], &[("y", "double:z:0")]);
    let same = definition("otherwise", &["a"], &[], &[("y", "a")]);
    let one = constant("one", INT32, &[], &1_i32.to_le_bytes());
    let next = node("AddV2", "next", &["i", "one:output:0"]);
    let body = definition("body", &["i"], &[one, next], &[("i", "next:z:0")]);
    let five = constant("five", INT32, &[], &5_i32.to_le_bytes());
    let less = node("Less", "less", &["i", "five:output:0"]);
    let goes_on = definition("condition", &["i"], &[five, less], &[("go", "less:z:0")]);
    let branch = with(node("StatelessIf", "if", &["c", "x"]), "then_branch", function("then"));
    let branch = with(branch, "else_branch", function("otherwise"));
    let turns = with(node("While", "while", &["zero"]), "body", function("body"));
    let turns = with(turns, "cond", function("condition"));
    let top = graph(&[
        placeholder("x", &[2]),
        placeholder("c", &[]),
        constant("zero", INT32, &[], &0_i32.to_le_bytes()),
        branch,
        turns,
        node("Identity", "y", &["if"]),
        node("Identity", "n", &["while"]),
    ]);
    let model = read(&top.msg(2, library(&[then, same, body, goes_on])));
    assert_eq!(model.graphs().len(), 4); // main, two branches, the body with the condition
    let counts = [("AddV2", 2), ("Identity", 2), ("Less", 1), ("StatelessIf", 1), ("While", 1)];
    assert_eq!(operators(&model), BTreeMap::from(counts));
    assert_eq!(model.issues, []);
    // The branch that only hands on what it captures has no node.
    assert!(model.graphs().any(|(_, graph)| graph.nodes.is_empty() && graph.outputs.len() == 1));
}

#[test]
fn what_a_loop_hands_on_is_captured() {
    let kernel = node("ReadVariableOp", "kernel", &["w"]);
    let product = node("MatMul", "product", &["x", "kernel:value:0"]);
    let outputs = [("x", "product:product:0"), ("w", "w")];
    let body = definition("body", &["x", "w"], &[kernel, product], &outputs);
    let goes_on = constant("yes", 10, &[], &[1]);
    let goes_on = definition("condition", &["x", "w"], &[goes_on], &[("go", "yes:output:0")]);
    let turns = with(node("While", "while", &["x", "weights"]), "body", function("body"));
    let turns = with(turns, "cond", function("condition"));
    let top = graph(&[
        placeholder("x", &[2, 4]),
        variable("weights", &[4, 4]),
        turns,
        node("Identity", "y", &["while"]),
    ]);
    let model = read(&top.msg(2, library(&[body, goes_on])));
    let (product, _) = model.nodes().find(|(id, _)| model.written_op(*id) == "MatMul").unwrap();
    let weights = model.value(model.inputs(product)[1].unwrap());
    assert_eq!(model.name(weights.name), "weights");
    assert!(weights.initializer.is_some());
}

#[test]
fn operators_that_reach_out_are_hazards() {
    let read_file = node("ReadFile", "secret", &["name"]);
    let hidden = definition("hidden", &["name"], &[read_file], &[("y", "secret:contents:0")]);
    let top = graph(&[placeholder("x", &[1]), node("PyFunc", "code", &["x"])]);
    let model = read(&top.msg(2, library(&[hidden])));
    let reported: Vec<&str> = model
        .hazards
        .iter()
        .map(|hazard| match hazard {
            Hazard::CallsOut { what } => what.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(reported, ["PyFunc in the node code", "ReadFile in the node secret"]);
}

#[test]
fn other_protobuf_files_are_not_taken() {
    // `ModelProto` with a producer, and with a domain alone.
    for model in [
        msg().int(1, 1).text(2, "pytorch").msg(7, msg()),
        msg().int(1, 8).text(2, "\nfake name that begins as a message").msg(7, msg()),
        msg().msg(7, msg().msg(1, node("x", "y", &[]))),
    ] {
        let model = calipers_formats::read(model.0, "saved_model.pb").unwrap();
        assert_eq!(model.header.format, Format::Onnx);
    }
}

#[test]
fn every_truncation_is_an_error_or_a_model() {
    for whole in [saved_model().0, frozen().0] {
        for length in 1..whole.len() {
            match calipers_formats::read(whole[..length].to_vec(), "saved_model.pb") {
                Ok(_) | Err(Error::Malformed { .. } | Error::NoGraph { .. }) => {}
                Err(other) => panic!("{length}: {other}"),
            }
        }
        for place in 0..whole.len() {
            for flipped in [0x01, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] ^= flipped;
                let _ = calipers_formats::read(bytes, "saved_model.pb");
            }
        }
    }
}

fn in_time(what: &str, message: Msg) -> Model {
    let start = Instant::now();
    let model = calipers_formats::read(message.0, "model.pb").expect("a model");
    // Tests run unoptimized, and next to others.
    assert!(start.elapsed() < Duration::from_secs(20), "{what} took {:?}", start.elapsed());
    model
}

#[test]
fn functions_that_call_themselves_stay_calls() {
    let mine = definition("mine", &["x"], &[call("again", "mine", &["x"])], &[("y", "again:o:0")]);
    let top = graph(&[placeholder("x", &[1]), call("c", "mine", &["x"])]);
    let model = read(&top.msg(2, library(&[mine])));
    assert_eq!(operators(&model), BTreeMap::from([("StatefulPartitionedCall", 1)]));
    // What is handed around and never made.
    let echo = definition("echo", &["x"], &[], &[("y", "x")]);
    let top = graph(&[call("c", "echo", &["c"]), node("Relu", "r", &["c"])]);
    let model = read(&top.msg(2, library(&[echo])));
    assert_eq!(operators(&model), BTreeMap::from([("Relu", 1)]));
}

#[test]
fn functions_that_double_each_other_end() {
    let name = |level: usize| format!("f{level}");
    let leaf =
        definition(&name(0), &["x"], &[node("Relu", "r", &["x"])], &[("y", "r:activations:0")]);
    let mut functions = vec![leaf];
    for level in 1..40 {
        let inner = name(level - 1);
        let nodes = [call("a", &inner, &["x"]), call("b", &inner, &["a:output:0"])];
        functions.push(definition(&name(level), &["x"], &nodes, &[("y", "b:output:0")]));
    }
    let top = graph(&[placeholder("x", &[1]), call("c", &name(39), &["x"])]);
    let start = Instant::now();
    let _ = calipers_formats::read(top.msg(2, library(&functions)).0, "model.pb");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn deep_graphs_need_no_stack() {
    with_small_stack(|| {
        let mut nodes = vec![placeholder("n0", &[1])];
        for place in 1..50_000 {
            nodes.push(node("Relu", &format!("n{place}"), &[&format!("n{}", place - 1)]));
        }
        let model = in_time("a chain of nodes", graph(&nodes));
        assert_eq!(model.nodes().len(), 49_999);
        // Functions one inside another, beyond what is entered.
        let name = |level: usize| format!("f{level}");
        let mut functions =
            vec![definition(&name(0), &["x"], &[node("Relu", "r", &["x"])], &[("y", "r:a:0")])];
        for level in 1..2000 {
            let inner = call("c", &name(level - 1), &["x"]);
            functions.push(definition(&name(level), &["x"], &[inner], &[("y", "c:output:0")]));
        }
        let top = graph(&[placeholder("x", &[1]), call("c", &name(1999), &["x"])]);
        let model = in_time("a chain of functions", top.msg(2, library(&functions)));
        assert_eq!(operators(&model), BTreeMap::from([("StatefulPartitionedCall", 1)]));
        // Dimensions and elements that no file has.
        let huge = constant("c", FLOAT, &[i64::MAX, i64::MAX], &[0; 4]);
        let negative = constant("d", FLOAT, &[-5, 3], &[0; 4]);
        let sum = node("AddV2", "y", &["c", "d"]);
        in_time("absurd dimensions", graph(&[huge, negative, sum]));
        // Nodes that wait for each other.
        let ring = graph(&[node("Relu", "a", &["b"]), node("Relu", "b", &["a"])]);
        assert_eq!(read(&ring.msg(1, node("Relu", "out", &["a"]))).nodes().len(), 3);
    });
}
