//! TensorFlow Lite: subgraphs, operators, buffers and quantization; damaged and malicious files.

use std::time::{Duration, Instant};

use calipers_formats::{Error, read};
use calipers_ir::{Affine, AttributeValue, DType, Data, Dim, Format, GraphKind, Hazard, Model};

use crate::common::flatbuffers::{Table, table};

const FLOAT: u8 = 0;
const INT32: u8 = 2;
const INT8: u8 = 9;
const RESOURCE: u8 = 13;

/// A tensor; the first buffer is that of tensors without elements.
fn tensor(name: &str, dtype: u8, shape: &[i32], buffer: i32) -> Table {
    table().ints(0, shape).byte(1, dtype).int(2, buffer).bytes(3, name).byte(8, 1)
}

fn code(number: i32) -> Table {
    table().byte(0, u8::try_from(number.min(127)).expect("it fits")).int(3, number)
}

fn operator(code: i32, inputs: &[i32], outputs: &[i32]) -> Table {
    table().int(0, code).ints(1, inputs).ints(2, outputs)
}

fn subgraph(
    name: &str,
    tensors: Vec<Table>,
    [inputs, outputs]: [&[i32]; 2],
    operators: Vec<Table>,
) -> Table {
    table().tables(0, tensors).ints(1, inputs).ints(2, outputs).tables(3, operators).bytes(4, name)
}

fn model_of(codes: Vec<Table>, subgraphs: Vec<Table>, buffers: &[Vec<u8>]) -> Table {
    let buffers = buffers.iter().map(|data| match data.is_empty() {
        true => table(),
        false => table().bytes(0, data),
    });
    table()
        .int(0, 3)
        .tables(1, codes)
        .tables(2, subgraphs)
        .bytes(3, "made by hand")
        .tables(4, buffers.collect::<Vec<_>>())
}

fn opened(file: &Table) -> Model {
    read(file.file(b"TFL3"), "test.tflite").expect("a model")
}

/// One operator on constants and inputs, the last tensor being its output.
fn single(number: i32, tensors: Vec<Table>, options: Option<Table>, buffers: &[Vec<u8>]) -> Model {
    let last = i32::try_from(tensors.len()).expect("it fits") - 1;
    let inputs: Vec<i32> = (0..last).collect();
    let mut op = operator(0, &inputs, &[last]);
    if let Some(options) = options {
        op = op.table(4, options);
    }
    let graph = subgraph("main", tensors, [&[0], &[last]], vec![op]);
    opened(&model_of(vec![code(number)], vec![graph], buffers))
}

fn ops(model: &Model) -> Vec<(&str, &str)> {
    let name = |node: &calipers_ir::Node| (model.name(node.domain), model.name(node.op));
    model.nodes().map(|(_, node)| name(node)).collect()
}

/// A convolution of images of 8 × 8 with 3 channels, at stride 2 along the height and 1 along the
/// width, in `int8` with a scale for each of 4 kernels of 3 × 3.
fn convolution() -> Table {
    let scales = |values: &[f32], zeros: &[i64], axis: i32| {
        table().floats(2, values).longs(3, zeros).int(6, axis)
    };
    let tensors = vec![
        tensor("image", INT8, &[1, 8, 8, 3], 0)
            .ints(7, &[-1, 8, 8, 3])
            .table(4, scales(&[0.5], &[-128], 0)),
        tensor("kernel", INT8, &[4, 3, 3, 3], 1).table(4, scales(&[0.1; 4], &[0; 4], 0)),
        tensor("bias", INT32, &[4], 2).table(4, scales(&[0.05; 4], &[0; 4], 0)),
        tensor("out;fused", INT8, &[1, 4, 8, 4], 0).table(4, scales(&[0.25], &[3], 0)),
    ];
    // Conv2DOptions: SAME, strides of width and height, RELU6.
    let options = table().byte(0, 0).int(1, 1).int(2, 2).byte(3, 3);
    let op = operator(0, &[0, 1, 2], &[3]).table(4, options);
    let graph = subgraph("main", tensors, [&[0], &[3]], vec![op]);
    model_of(vec![code(3)], vec![graph], &[vec![], vec![1; 108], vec![0; 16]])
}

#[test]
fn a_convolution_keeps_its_layout_and_its_codes() {
    let model = opened(&convolution());
    assert_eq!(model.header.format, Format::Tflite);
    assert_eq!((model.header.ir_version, model.header.doc.as_str()), (Some(3), "made by hand"));
    assert_eq!(ops(&model), [("com.microsoft", "FusedConv")]);
    let (id, node) = model.nodes().next().unwrap();
    assert_eq!((model.written_op(id), model.written_domain(id)), ("CONV_2D", "tflite"));
    assert_eq!(model.name(node.name), "out");
    let layout = model.layout(id).unwrap();
    // The channels of images are last; kernels are [O, H, W, I].
    assert_eq!(layout.inputs[0].1.restore(&["n", "c", "h", "w"]), ["n", "h", "w", "c"]);
    assert_eq!(layout.inputs[1].1.restore(&["o", "i", "h", "w"]), ["o", "h", "w", "i"]);
    assert!(matches!(model.attribute(id, "strides"), Some(AttributeValue::Ints(list))
            if list.held() == Some(&[2, 1])));
    let inputs: Vec<_> = model.inputs(id).iter().map(|value| value.unwrap()).collect();
    let affine = |place: usize| *model.affine(inputs[place]).unwrap();
    assert_eq!(affine(0), Affine { scales: 1, axis: None, is_symmetric: false });
    assert_eq!(affine(1), Affine { scales: 4, axis: Some(0), is_symmetric: true });
    let ty = model.value(inputs[0]).ty.unwrap();
    let shape = model.value_type(ty).tensor().unwrap().shape.clone().unwrap();
    assert_eq!(shape, [Dim::Unknown, Dim::Size(8), Dim::Size(8), Dim::Size(3)]);
    let kernel = model.tensor(model.value(inputs[1]).initializer.unwrap());
    assert_eq!((kernel.dtype, kernel.bytes()), (DType::Int8, Some(108)));
    assert!(matches!(kernel.data, Data::Raw(span) if span.len() == 108));
    assert_eq!(model.issues, []);
    assert_eq!(model.hazards, []);
}

#[test]
fn operators_have_the_name_that_the_file_gives_them() {
    // The wide number counts where the narrow one is too small; old files have the narrow one alone.
    let codes = vec![
        table().byte(0, 127).int(3, 150),
        table().byte(0, 19),
        table().byte(0, 32).bytes(1, "TFLite_Detection_PostProcess").int(3, 32),
        table().byte(0, 127).int(3, 9999),
    ];
    let tensors = (0..5).map(|index| tensor(&format!("t{index}"), FLOAT, &[2], 0)).collect();
    let operators = (0..4).map(|place| operator(place, &[place], &[place + 1])).collect();
    let graph = subgraph("main", tensors, [&[0], &[4]], operators);
    let model = opened(&model_of(codes, vec![graph], &[vec![]]));
    let names = ["Gelu", "Relu", "TFLite_Detection_PostProcess", "BUILTIN_9999"];
    let domains = ["", "", "tflite", "tflite"];
    let wanted: Vec<_> = domains.into_iter().zip(names).collect();
    assert_eq!(ops(&model), wanted);
    let written: Vec<_> = model.nodes().map(|(id, _)| model.written_op(id)).collect();
    assert_eq!(written, ["GELU", "RELU", "TFLite_Detection_PostProcess", "BUILTIN_9999"]);
}

#[test]
fn settings_that_onnx_takes_as_inputs_are_constants() {
    // TRANSPOSE: the order is an attribute, and its edge stays.
    let order = [2_i32, 0, 1].iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    let tensors = vec![
        tensor("x", FLOAT, &[2, 3, 4], 0),
        tensor("order", INT32, &[3], 1),
        tensor("y", FLOAT, &[4, 2, 3], 0),
    ];
    let model = single(39, tensors, None, &[vec![], order]);
    let (id, _) = model.nodes().next().unwrap();
    assert!(matches!(model.attribute(id, "perm"), Some(AttributeValue::Ints(list))
            if list.held() == Some(&[2, 0, 1])));
    assert_eq!(model.inputs(id).len(), 2);
    // EXPAND_DIMS: a number without dimensions becomes a list of one.
    let tensors = vec![
        tensor("x", FLOAT, &[2, 3], 0),
        tensor("axis", INT32, &[], 1),
        tensor("y", FLOAT, &[2, 3, 1], 0),
    ];
    let model = single(70, tensors, None, &[vec![], vec![0xff; 4]]);
    let (id, _) = model.nodes().next().unwrap();
    let axes = model.value(model.inputs(id)[1].unwrap()).initializer.unwrap();
    assert_eq!((ops(&model), model.integers(axes, 4)), (vec![("", "Unsqueeze")], Ok(vec![-1])));
    // QUANTIZE: the parameters are those of the output.
    let coded = table().floats(2, &[0.25]).longs(3, &[-3]);
    let tensors =
        vec![tensor("x", FLOAT, &[2], 0), tensor("y", INT8, &[2], 0).table(4, coded.clone())];
    let model = single(114, tensors, None, &[vec![]]);
    let (id, _) = model.nodes().next().unwrap();
    let stored = |place: usize| model.value(model.inputs(id)[place].unwrap()).initializer.unwrap();
    assert_eq!(model.floats(stored(1), 1), Ok(vec![0.25]));
    assert_eq!(model.integers(stored(2), 1), Ok(vec![-3]));
    // DEQUANTIZE of halves is a conversion, and of codes it is not.
    let tensors = |dtype: u8| vec![tensor("x", dtype, &[2], 1), tensor("y", FLOAT, &[2], 0)];
    let halves = single(6, tensors(1), None, &[vec![], vec![0; 4]]);
    assert_eq!(ops(&halves), [("", "Cast")]);
    let mut codes = tensors(INT8);
    codes[0] = codes[0].clone().table(4, coded);
    assert_eq!(ops(&single(6, codes, None, &[vec![], vec![0; 2]])), [("", "DequantizeLinear")]);
}

/// `IF` with a branch that doubles its argument and one that gives it on, and a third subgraph that
/// only a signature reaches.
fn branches() -> Table {
    let float = |name: &str| tensor(name, FLOAT, &[2], 0);
    let main = subgraph(
        "main",
        vec![tensor("c", 6, &[], 0), float("x"), float("y")],
        [&[0, 1], &[2]],
        vec![operator(0, &[0, 1], &[2]).table(4, table().int(0, 1).int(1, 2))],
    );
    let double = subgraph(
        "double",
        vec![float("x"), float("y")],
        [&[0], &[1]],
        vec![operator(1, &[0, 0], &[1])],
    );
    let keep = subgraph("keep", vec![float("x")], [&[0], &[0]], vec![]);
    let other = subgraph(
        "other",
        vec![float("x"), float("y")],
        [&[0], &[1]],
        vec![operator(1, &[0, 0], &[1])],
    );
    let named = |name: &str, index: i32| table().bytes(0, name).int(1, index);
    let signature = table()
        .tables(0, [named("in", 0)])
        .tables(1, [named("out", 1)])
        .bytes(2, "serve")
        .int(4, 3);
    model_of(vec![code(118), code(0)], vec![main, double, keep, other], &[vec![]])
        .tables(7, [signature])
}

#[test]
fn branches_see_the_values_around_them() {
    let model = opened(&branches());
    assert_eq!(ops(&model), [("", "If"), ("", "Add"), ("", "Add")]);
    let (id, _) = model.nodes().next().unwrap();
    assert_eq!(model.inputs(id).len(), 1);
    let captured: Vec<_> =
        model.captures(id).map(|value| model.name(model.value(value).name)).collect();
    assert_eq!(captured, ["x"]);
    let kinds: Vec<_> = model.graphs().map(|(_, graph)| graph.kind).collect();
    assert_eq!(kinds.len(), 4);
    assert!(matches!(kinds[1], GraphKind::Subgraph { .. }));
    assert!(matches!(kinds[2], GraphKind::Subgraph { .. }));
    assert!(matches!(kinds[3], GraphKind::Function(_)));
    // What gives its argument on gives the value around it.
    let (_, keep) = model.graphs().nth(2).unwrap();
    assert_eq!(model.value(keep.outputs[0]).graph, model.main_id());
    assert_eq!(model.issues, []);
    let entry = ("signature serve".to_owned(), "(in) -> (out)".to_owned());
    assert_eq!(model.header.metadata, [entry]);
}

#[test]
fn variables_start_as_what_is_left_out() {
    // SVDF with its state: weights of 4 filters over 3 features and 5 steps.
    let tensors = vec![
        tensor("x", FLOAT, &[1, 3], 0),
        tensor("features", FLOAT, &[4, 3], 1),
        tensor("time", FLOAT, &[4, 5], 2),
        tensor("state", FLOAT, &[1, 20], 0).byte(5, 1),
        tensor("y", FLOAT, &[1, 4], 0),
    ];
    let op = operator(0, &[0, 1, 2, -1, 3], &[4]).table(4, table().int(0, 1));
    let graph = subgraph("main", tensors, [&[0], &[4]], vec![op]);
    let file = model_of(vec![code(27)], vec![graph], &[vec![], vec![0; 48], vec![0; 80]]);
    let model = opened(&file);
    let (id, _) = model.nodes().next().unwrap();
    assert_eq!((ops(&model), model.inputs(id).len()), (vec![("tflite", "SVDF")], 3));
    assert_eq!(model.issues, []);
    // A handle has no elements.
    let tensors = vec![tensor("handle", RESOURCE, &[], 0), tensor("value", FLOAT, &[2], 0)];
    let graph = subgraph("main", tensors, [&[0], &[1]], vec![operator(0, &[0], &[1])]);
    let model = opened(&model_of(vec![code(143)], vec![graph], &[vec![]]));
    let ty = model.value(model.main().inputs[0]).ty.unwrap();
    assert_eq!(model.value_type(ty).kind(), "opaque");
}

#[test]
fn elements_may_be_behind_the_flatbuffer() {
    let tensors = vec![tensor("w", FLOAT, &[3], 1), tensor("gone", FLOAT, &[3], 2)];
    let graph = subgraph("main", tensors, [&[], &[0]], vec![]);
    let with = |offset: i64| {
        let buffers =
            [table(), table().long(1, offset).long(2, 12), table().long(1, 1 << 40).long(2, 12)];
        let mut file =
            table().int(0, 3).tables(2, [graph.clone()]).tables(4, buffers).file(b"TFL3");
        let end = file.len();
        file.extend([7; 12]);
        (file, i64::try_from(end).unwrap())
    };
    let (_, end) = with(2);
    let model = read(with(end).0, "large.tflite").expect("a model");
    let data: Vec<_> = model.tensors().map(|(_, tensor)| tensor.data.clone()).collect();
    let start = end.cast_unsigned();
    assert_eq!(data[0], Data::Raw(calipers_ir::Span { start, end: start + 12 }));
    assert_eq!(data[1], Data::Absent);
    assert!(
        matches!(&model.hazards[..], [Hazard::Misstated { what }] if what.contains("buffer 2"))
    );
}

#[test]
fn tensors_that_share_a_name_are_kept_apart() {
    let tensors = vec![
        tensor("t", FLOAT, &[2], 0),
        tensor("t", FLOAT, &[2], 0),
        tensor("", FLOAT, &[2], 0),
        tensor("t#1", FLOAT, &[2], 0),
    ];
    let operators = (0..3).map(|place| operator(0, &[place], &[place + 1])).collect();
    let graph = subgraph("main", tensors, [&[0], &[3]], operators);
    let model = opened(&model_of(vec![code(19)], vec![graph], &[vec![]]));
    assert_eq!(model.issues, []);
    let names: Vec<_> = model.values().map(|(_, value)| model.name(value.name)).collect();
    assert_eq!(names, ["t", "t#1", "#2", "t#1#3"]);
}

#[test]
fn every_truncation_and_every_changed_byte_gives_a_model_or_an_error() {
    let begun = Instant::now();
    for file in [convolution().file(b"TFL3"), branches().file(b"TFL3")] {
        for length in 0..file.len() {
            drop(read(file[..length].to_vec(), "cut.tflite"));
        }
        for place in 8..file.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = file.clone();
                changed[place] = value;
                drop(read(changed, "changed.tflite"));
            }
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn buffers_that_are_cut_off_are_reported() {
    let mut file = convolution().file(b"TFL3");
    // The elements of the bias are last.
    file.truncate(file.len() - 3);
    let model = read(file, "cut.tflite").expect("a model");
    assert!(
        matches!(&model.hazards[..], [Hazard::Misstated { what }] if what.contains("buffer 2"))
    );
    // One byte too few for the kernel of 4 · 3 · 3 · 3.
    let tensors = vec![tensor("kernel", INT8, &[4, 3, 3, 3], 1)];
    let graph = subgraph("main", tensors, [&[], &[0]], vec![]);
    let model = opened(&model_of(vec![], vec![graph], &[vec![], vec![1; 107]]));
    assert!(matches!(&model.hazards[..], [Hazard::Misstated { what }]
        if what == "tensor kernel takes 108 bytes, and its buffer has 107"));
}

#[test]
fn operators_that_refer_to_nothing_are_errors() {
    let reported = |codes: Vec<Table>, op: Table| {
        let graph = subgraph("main", vec![tensor("x", FLOAT, &[2], 0)], [&[0], &[0]], vec![op]);
        let file = model_of(codes, vec![graph], &[vec![]]).file(b"TFL3");
        read(file, "test.tflite").expect_err("damaged").to_string()
    };
    let message = reported(vec![code(0)], operator(0, &[5], &[0]));
    assert!(
        message.contains("tensor 5 is missing: the file has 1, in model.subgraphs[0].operators[0]")
    );
    let message = reported(vec![code(0)], operator(3, &[0], &[0]));
    assert!(message.contains("operator code 3"));
    let empty = model_of(vec![], vec![], &[vec![]]).file(b"TFL3");
    assert!(matches!(read(empty, "test.tflite"), Err(Error::NoGraph { .. })));
}

/// A file whose vector of subgraphs leads to one subgraph `times` times, and that subgraph's vector
/// of operators to one operator as often.
fn bomb(times: u32) -> Vec<u8> {
    let tensors = vec![tensor("x", FLOAT, &[2], 0)];
    let graph = subgraph("g", tensors, [&[0], &[0]], vec![operator(0, &[0], &[0])]);
    let mut file = model_of(vec![code(0)], vec![graph], &[vec![]]).file(b"TFL3");
    let widen = |file: &mut Vec<u8>, offset_at: usize| -> usize {
        let place = |file: &[u8], at: usize| {
            at + u32::from_le_bytes(file[at..at + 4].try_into().expect("it fits")) as usize
        };
        let vector = place(file, offset_at);
        let target = place(file, vector + 4);
        let wide = file.len();
        let distance = u32::try_from(wide - offset_at).expect("it fits");
        file[offset_at..offset_at + 4].copy_from_slice(&distance.to_le_bytes());
        file.extend(times.to_le_bytes());
        let first = file.len();
        // Offsets lead forward only: what they lead to is copied behind them.
        file.resize(first + 4 * times as usize, 0);
        let copy = file.len();
        let copied = file[target..wide].to_vec();
        file.extend(copied);
        for index in 0..times as usize {
            let at = first + 4 * index;
            let distance = u32::try_from(copy - at).expect("it fits");
            file[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        copy
    };
    // Fields of the root and of the subgraph are in the order that they were written in.
    let root = 8;
    let copy = widen(&mut file, root + 4 + 8);
    widen(&mut file, copy + 4 + 12);
    file
}

#[test]
fn parts_that_are_referred_to_over_and_over_end() {
    let small = read(bomb(3), "small.tflite").expect("a model");
    assert_eq!(small.nodes().len(), 3 * 3);
    let begun = Instant::now();
    let file = bomb(20_000);
    let reported = read(file, "bomb.tflite").expect_err("too much").to_string();
    assert!(reported.contains("over and over"), "{reported}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn subgraphs_that_run_themselves_are_read_once() {
    // CALL_ONCE of the main graph, of itself, and of one that runs it back.
    let call = |subgraph: i32| operator(0, &[], &[]).table(4, table().int(0, subgraph));
    let graph = |name: &str, operators: Vec<Table>| {
        subgraph(name, vec![tensor("x", FLOAT, &[2], 0)], [&[], &[]], operators)
    };
    let subgraphs = vec![
        graph("main", vec![call(0), call(1), call(1), call(-1), call(99)]),
        graph("a", vec![call(1), call(2)]),
        graph("b", vec![call(0), call(1)]),
    ];
    let model = opened(&model_of(vec![code(129)], subgraphs, &[vec![]]));
    assert_eq!((model.graphs().len(), model.nodes().len()), (3, 5 + 2 + 2));
}

#[test]
fn graphs_in_graphs_cost_no_stack() {
    // 20,000 subgraphs, each run by the one before.
    let count = 20_000;
    let graphs = (0..count).map(|index| {
        let call = operator(0, &[], &[]).table(4, table().int(0, index + 1));
        subgraph("g", vec![], [&[], &[]], vec![call])
    });
    let file = model_of(vec![code(129)], graphs.collect(), &[vec![]]);
    let model = opened(&file);
    assert_eq!(model.graphs().len(), 20_000);
    drop(model);
}
