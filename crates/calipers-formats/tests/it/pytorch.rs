//! Files of PyTorch: what is in them, and pickles that would do harm.
//!
//! The fixtures were made with PyTorch 2.15 from one network, with random weights: a convolution
//! from 3 to 4 channels of 3 × 3, a batch normalization, a linear layer from 4 to 2, and a buffer of
//! 3 numbers. Its parameters are 4·3·9 + 4 + 4 + 4 + 2·4 + 2 = 130; the statistics, which are
//! buffers too, 4 + 4 + 1 = 9.

use calipers_formats::{Error, read};
use calipers_ir::{DType, Data, Dim, Format, GraphOrigin, Hazard, Leaf, Model, Span, WeightRole};

const CHECKPOINT: &[u8] = include_bytes!("../fixtures/pytorch/checkpoint.pt");
const LEGACY: &[u8] = include_bytes!("../fixtures/pytorch/legacy.pth");
const SCRIPT: &[u8] = include_bytes!("../fixtures/pytorch/script.pt");
const EXPORT: &[u8] = include_bytes!("../fixtures/pytorch/net.pt2");

fn open(bytes: &[u8], name: &str) -> Model {
    read(bytes.to_vec(), name).expect("a model")
}

fn counted(model: &Model, role: WeightRole) -> u64 {
    let weights = model.stored_weights().iter().filter(|weight| weight.role == role);
    weights.map(|weight| weight.elements).sum()
}

fn names(model: &Model) -> Vec<&str> {
    model.tensors().map(|(_, tensor)| model.name(tensor.name)).collect()
}

fn imports(model: &Model) -> Vec<(String, bool)> {
    let imports = model.hazards.iter().filter_map(|hazard| match hazard {
        Hazard::Import { module, name, is_dangerous } => {
            Some((format!("{module}.{name}"), *is_dangerous))
        }
        _ => None,
    });
    imports.collect()
}

fn is_broken(model: &Model) -> bool {
    model.hazards.iter().any(|hazard| matches!(hazard, Hazard::BrokenPickle { .. }))
}

/// An archive without compression.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    let number = |value: usize| u32::try_from(value).expect("it fits").to_le_bytes();
    for (name, data) in members {
        let at = number(bytes.len());
        let sum = crc32(data).to_le_bytes();
        let length = u16::try_from(name.len()).expect("it fits").to_le_bytes();
        let common = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &sum,
            &number(data.len()),
            &number(data.len()),
            &length,
            &[0, 0],
        ]
        .concat();
        bytes.extend([b"PK\x03\x04", &common[..], name.as_bytes(), data].concat());
        directory.extend([b"PK\x01\x02\x14\x00", &common[..], &[0; 10], &at].concat());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(members.len()).expect("it fits").to_le_bytes();
    let (at, size) = (number(bytes.len()), number(directory.len()));
    bytes.extend(&directory);
    bytes.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &size, &at, &[0, 0]].concat());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

/// A checkpoint whose pickle is this.
fn checkpoint(pickle: &[u8]) -> Model {
    let file = archive(&[("x/data.pkl", pickle), ("x/version", b"3\n")]);
    open(&file, "x.pt")
}

#[test]
fn a_checkpoint_counts_the_model_once() {
    let model = open(CHECKPOINT, "checkpoint.pt");
    assert_eq!(model.header.format, Format::PyTorch);
    assert_eq!(model.header.graph_origin, GraphOrigin::Absent);
    assert_eq!(model.header.ir_version, Some(3));
    assert_eq!(model.header.metadata, [("epoch".to_owned(), "7".to_owned())]);
    assert!(model.hazards.is_empty());
    // The tied weights and the state of the optimizer are in the file, and count nowhere.
    let names = names(&model);
    assert!(names.contains(&"model.conv.weight"));
    assert!(names.contains(&"model.head.weight"));
    assert!(names.contains(&"optimizer.state.0.momentum_buffer"));
    // The name of the buffer does not say that it is not learned.
    assert_eq!(counted(&model, WeightRole::Weight), 133);
    assert_eq!(counted(&model, WeightRole::Constant), 9);
}

#[test]
fn elements_are_found_in_the_file() {
    for (bytes, name, prefix) in
        [(CHECKPOINT, "a.pt", "model."), (LEGACY, "a.pth", ""), (SCRIPT, "a.pt", "")]
    {
        let model = open(bytes, name);
        // The buffer is 0, 1, 2.
        let table = format!("{prefix}table");
        let find = |(_, tensor): &(_, &calipers_ir::Tensor)| model.name(tensor.name) == table;
        let (id, tensor) = model.tensors().find(find).unwrap();
        assert_eq!((tensor.dtype, &*tensor.dims), (DType::Float32, &[3][..]));
        assert_eq!(model.floats(id, 3), Ok(vec![0.0, 1.0, 2.0]), "{name}");
    }
}

#[test]
fn pickles_with_storages_after_them_are_read() {
    let model = open(LEGACY, "legacy.pth");
    assert_eq!(model.header.format, Format::PyTorch);
    assert_eq!(counted(&model, WeightRole::Weight), 133);
    assert_eq!(counted(&model, WeightRole::Constant), 9);
    assert_eq!(model.tensors().len(), 10);
    assert!(model.hazards.is_empty());
    // What is cut off is said to be missing.
    let model = open(&LEGACY[..LEGACY.len() - 4], "legacy.pth");
    assert!(matches!(model.hazards[..], [Hazard::Misstated { .. }]), "{:?}", model.hazards);
    assert_eq!(model.tensors().len(), 10);
}

#[test]
fn script_has_parameters_and_buffers() {
    let model = open(SCRIPT, "script.pt");
    assert_eq!(model.header.format, Format::TorchScript);
    assert_eq!(counted(&model, WeightRole::Weight), 130);
    // 3 of a buffer, and 9 of the statistics of a normalization.
    assert_eq!(counted(&model, WeightRole::Constant), 3 + 9);
    assert!(model.hazards.is_empty(), "{:?}", model.hazards);
    let fact = |key: &str| {
        let found = model.header.metadata.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    };
    assert_eq!(fact("class"), Some("__torch__.Net"));
    assert_eq!(fact("submodules"), Some("3"));
    let inputs = model.main().inputs.iter().map(|input| model.name(model.value(*input).name));
    assert_eq!(inputs.collect::<Vec<_>>(), ["x"]);
}

#[test]
fn exported_programs_have_graphs() {
    let model = open(EXPORT, "net.pt2");
    assert_eq!(model.header.format, Format::TorchExport);
    assert_eq!(model.header.graph_origin, GraphOrigin::Stored);
    let operators = model.nodes().map(|(id, node)| (model.written_op(id), model.name(node.op)));
    assert_eq!(
        operators.collect::<Vec<_>>(),
        [
            ("aten.conv2d.default", "Conv"),
            ("aten.batch_norm.default", "BatchNormalization"),
            ("aten.relu.default", "Relu"),
            ("aten.mean.dim", "ReduceMean"),
            ("aten.linear.default", "Linear"),
        ]
    );
    let [input] = model.main().inputs[..] else { panic!("one input") };
    let ty = model.value(input).ty.unwrap();
    let Leaf::Tensor(tensor) = &model.value_type(ty).leaf else { panic!("a tensor") };
    let Some([Dim::Symbol(batch), Dim::Size(3), Dim::Size(8), Dim::Size(8)]) =
        tensor.shape.as_deref()
    else {
        panic!("{tensor:?}");
    };
    let range = (format!("range of {}", model.name(*batch)), "1 to 16".to_owned());
    assert!(model.header.metadata.contains(&range));
    assert_eq!(counted(&model, WeightRole::Weight), 130);
    assert_eq!(counted(&model, WeightRole::Constant), 3 + 9);
    assert!(model.hazards.is_empty());
}

/// `os.system("true")` in several forms.
#[test]
fn calls_are_reported_and_not_made() {
    let global = b"\x80\x02cos\nsystem\nX\x04\0\0\0true\x85R.";
    let stack = b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04true\x85R.";
    let text = b"cos\nsystem\n(S'true'\ntR.";
    let inst = b"(S'true'\nios\nsystem\n.";
    let obj = b"(cos\nsystem\nS'true'\no.";
    let memo = b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94h\0h\x01\x93\x8c\x04true\x85R.";
    for (pickle, name) in [
        (&global[..], "os.system"),
        (stack, "posix.system"),
        (text, "os.system"),
        (inst, "os.system"),
        (obj, "os.system"),
        (memo, "os.system"),
    ] {
        let expected = [(name.to_owned(), true)];
        assert_eq!(imports(&open(pickle, "evil.pkl")), expected);
        assert_eq!(imports(&checkpoint(pickle)), expected);
        // What breaks after the call was called all the same.
        let broken = [&pickle[..pickle.len() - 1], b"\xff"].concat();
        let model = checkpoint(&broken);
        assert_eq!(imports(&model), expected);
        assert!(is_broken(&model));
    }
}

#[test]
fn names_that_a_pickle_computes_are_dangerous() {
    // The module is what a call returns.
    let pickle = b"\x80\x04c_codecs\nencode\n\x8c\x02os\x85R\x8c\x06system\x93.";
    let model = checkpoint(pickle);
    assert_eq!(imports(&model), [("(computed).system".to_owned(), true)]);
    // A class of the registry of extensions.
    assert_eq!(
        imports(&checkpoint(b"\x80\x02\x82\x07.")),
        [("copyreg.extension 7".to_owned(), true)]
    );
    // A name that leads through a harmless class.
    let pickle = b"\x80\x02ccollections\nOrderedDict.__init__.__globals__\n.";
    let name = "collections.OrderedDict.__init__.__globals__".to_owned();
    assert_eq!(imports(&checkpoint(pickle)), [(name, true)]);
}

#[test]
fn unknown_classes_are_listed_once() {
    let pickle = b"\x80\x02}(X\x01\0\0\0acmodels\nNet\n)\x81X\x01\0\0\0bcmodels\nNet\n)\x81u.";
    let model = checkpoint(pickle);
    assert_eq!(imports(&model), [("models.Net".to_owned(), false)]);
    assert!(!is_broken(&model));
}

#[test]
fn pickles_inside_pickles_are_read() {
    let inner = b"\x80\x02cos\nsystem\nX\x04\0\0\0true\x85R.";
    let length = u8::try_from(inner.len()).unwrap();
    let outer = [&b"\x80\x04C"[..], &[length], inner, b"."].concat();
    assert_eq!(imports(&open(&outer, "outer.pkl")), [("os.system".to_owned(), true)]);
    // In an archive next to the main one, under any name.
    let file =
        archive(&[("x/data.pkl", b"\x80\x02}."), ("x/version", b"3"), ("x/extra/thing", inner)]);
    assert_eq!(imports(&open(&file, "x.bin")), [("os.system".to_owned(), true)]);
    // One after another.
    let row = [&b"\x80\x02}."[..], inner].concat();
    assert_eq!(imports(&open(&row, "row.pkl")), [("os.system".to_owned(), true)]);
}

#[test]
fn code_that_calls_out_is_reported() {
    let code = b"class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  def forward(self: \
                 __torch__.Net,\n    x: Tensor) -> Tensor:\n    torch.save(x, \"/tmp/x\")\n    return x\n";
    let pickle = b"\x80\x02c__torch__\nNet\n)\x81}b.";
    let file = archive(&[
        ("x/data.pkl", pickle),
        ("x/code/__torch__.py", code),
        ("x/constants.pkl", b"\x80\x02)."),
        ("x/version", b"3"),
    ]);
    let model = open(&file, "x.pt");
    assert_eq!(model.header.format, Format::TorchScript);
    assert_eq!(model.hazards, [Hazard::CallsOut { what: "torch.save".to_owned() }]);
}

/// A tensor of 4-byte floats with this size, step and offset, in a storage of 24 bytes.
fn one_tensor(size: &[u8], step: &[u8], offset: u8) -> Model {
    let pickle = [
        &b"\x80\x02}X\x01\0\0\0wctorch._utils\n_rebuild_tensor_v2\n(("[..],
        b"X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x06tQK",
        &[offset],
        size,
        step,
        b"\x89ccollections\nOrderedDict\n)RtRs.",
    ]
    .concat();
    let file = archive(&[("x/data.pkl", &pickle), ("x/data/0", &[0; 24]), ("x/version", b"3")]);
    open(&file, "x.pt")
}

#[test]
fn tensors_stay_inside_their_storages() {
    let model = one_tensor(b"K\x02K\x03\x86", b"K\x03K\x01\x86", 0);
    let (_, tensor) = model.tensors().next().unwrap();
    let Data::Raw(Span { start, end }) = tensor.data else { panic!("{:?}", tensor.data) };
    assert_eq!(end - start, 24);
    assert!(model.hazards.is_empty());
    // From the second element on, one is outside; so is a step of more than the storage has.
    for (size, step, offset) in [
        (&b"K\x02K\x03\x86"[..], &b"K\x03K\x01\x86"[..], 1),
        (b"K\x02K\x03\x86", b"J\xff\xff\xff\x7fK\x01\x86", 0),
        (b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\x03\x86", b"K\x03K\x01\x86", 0),
        (b"J\xff\xff\xff\xffK\x03\x86", b"K\x03K\x01\x86", 0),
    ] {
        let model = one_tensor(size, step, offset);
        let (_, tensor) = model.tensors().next().unwrap();
        assert_eq!(tensor.data, Data::Absent);
        assert!(matches!(model.hazards[..], [Hazard::Misstated { .. }]));
    }
}

#[test]
fn pickles_that_grow_are_stopped() {
    // Lists of lists: each holds the one before ten times.
    let mut laughs = b"\x80\x02]q\0".to_vec();
    for place in 1..60_u8 {
        laughs.extend(b"](");
        laughs.extend([b'h', place - 1].repeat(10));
        laughs.extend([b'e', b'q', place]);
    }
    laughs.push(b'.');
    assert!(!is_broken(&checkpoint(&laughs)));
    // Copies of one dictionary from pairs, made again and again.
    let mut copies = b"\x80\x02]q\0(".to_vec();
    copies.extend(b"K\x01K\x02\x86".repeat(1000));
    copies.extend(b"e");
    copies.extend(b"ccollections\nOrderedDict\nh\0\x85R0".repeat(5000));
    copies.push(b'.');
    checkpoint(&copies);
    // Values, marks and copies of the topmost value without end.
    for operation in [&b"]"[..], b"(", b"2", b"K\x01", b")\x85"] {
        let pickle = [&b"\x80\x02]"[..], &operation.repeat(3_000_000), b"."].concat();
        checkpoint(&pickle);
    }
    // A tuple in a tuple in a tuple.
    let deep = [&b"\x80\x02)"[..], &b"\x85".repeat(200_000), b"."].concat();
    checkpoint(&deep);
    // A list that holds itself, as a state dict does in circles.
    checkpoint(b"\x80\x02}q\0X\x01\0\0\0ah\0s.");
}

#[test]
fn lengths_are_not_believed() {
    for pickle in [
        &b"\x80\x02\x8b\xff\xff\xff\x7f."[..],
        b"\x80\x02\x8b\xff\xff\xff\xff.",
        b"\x80\x02T\xff\xff\xff\xff.",
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff.",
        b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.",
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xffR.",
        b"\x80\x02X\xff\xff\xff\xffabc.",
        b"\x80\x02h\x07.",
        b"\x80\x02t.",
        b"\x80\x020.",
        b"\x80\x02\x85.",
        b"\x80\x02(K\x01d.",
        b"\x80\x06.",
        b".",
    ] {
        let model = checkpoint(pickle);
        assert!(is_broken(&model), "{pickle:?}");
    }
}

#[test]
fn cut_and_changed_files_are_models_or_errors() {
    for (bytes, name) in [(LEGACY, "a.pth"), (CHECKPOINT, "a.pt"), (EXPORT, "a.pt2")] {
        for length in 0..bytes.len() {
            let _: Result<Model, Error> = read(bytes[..length].to_vec(), name);
        }
        for place in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.to_vec();
            changed[place] = changed[place].wrapping_add(0x81);
            let _: Result<Model, Error> = read(changed, name);
        }
    }
}

#[test]
fn programs_that_make_no_sense_are_models_or_errors() {
    let program = |json: &str| {
        let file = archive(&[("x/models/model.json", json.as_bytes()), ("x/version", b"3")]);
        read(file, "x.pt2")
    };
    assert!(program("").is_err());
    assert!(program("{}").is_err());
    assert!(program(&"[".repeat(100_000)).is_err());
    let deep = format!("{{\"graph_module\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(program(&deep).is_err());
    let graph = |nodes: &str| {
        format!(
            r#"{{"graph_module": {{"graph": {{"nodes": [{nodes}], "tensor_values":
            {{"y": {{"dtype": 7, "sizes": [{{"as_int": -4}}, {{"as_expr": {{"expr_str": "((("}}}}]}}}}}},
            "signature": {{"input_specs": [], "output_specs": []}}}}}}"#
        )
    };
    // An operator that is not known keeps its name; one without its arguments too.
    for target in ["torch.ops.mine.op.default", "torch.ops.aten.conv2d.default", "", "."] {
        let node = format!(
            r#"{{"target": "{target}", "inputs": [], "outputs": [{{"as_tensor": {{"name": "y"}}}}]}}"#
        );
        let model = program(&graph(&node)).unwrap();
        assert_eq!(model.nodes().len(), 1, "{target}");
    }
    // Arguments of the wrong kind, and kinds that are not known.
    for argument in [
        r#"{"as_ints": [-9223372036854775808, 9223372036854775807]}"#,
        r#"{"as_tensors": []}"#,
        r#"{"as_future": {"a": [1, 2]}}"#,
        r#"{"as_float": "Infinity"}"#,
        r#"{"as_sym_ints": [{"as_name": "y"}, {"as_int": -1}]}"#,
        "{}",
    ] {
        for op in
            ["conv2d", "permute", "slice", "constant_pad_nd", "view", "split", "mean", "clamp"]
        {
            let names = ["self", "input", "weight", "dim", "dims", "pad", "size", "start", "min"];
            let inputs = names.map(|name| format!(r#"{{"name": "{name}", "arg": {argument}}}"#));
            let node = format!(
                r#"{{"target": "torch.ops.aten.{op}.default", "inputs": [{}],
                "outputs": [{{"as_tensor": {{"name": "y"}}}}]}}"#,
                inputs.join(", ")
            );
            assert_eq!(program(&graph(&node)).unwrap().nodes().len(), 1, "{op} {argument}");
        }
    }
}
