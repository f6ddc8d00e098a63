//! GGUF: all versions and orders of bytes, split files, and headers that lie.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use calipers_formats::ranges::RangedBytes;
use calipers_formats::{Error, open, read, read_source};
use calipers_ir::{
    BlockFormat, DType, Data, DataFileState, Format, GraphOrigin, Hazard, Model, Source, WeightRole,
};

use crate::safetensors::{Claimed, misstated};

/// A file being written.
#[derive(Clone)]
struct Gguf {
    version: u32,
    is_big_endian: bool,
    pairs: Vec<u8>,
    pair_count: u64,
    infos: Vec<u8>,
    tensor_count: u64,
    data: usize,
}

const STRING: u32 = 8;
const ARRAY: u32 = 9;

impl Gguf {
    fn new(version: u32) -> Self {
        Self {
            version,
            is_big_endian: false,
            pairs: Vec::new(),
            pair_count: 0,
            infos: Vec::new(),
            tensor_count: 0,
            data: 0,
        }
    }

    fn u32(&self, value: u32) -> [u8; 4] {
        if self.is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn u64(&self, value: u64) -> [u8; 8] {
        if self.is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn count(&self, value: u64) -> Vec<u8> {
        match self.version {
            1 => self.u32(u32::try_from(value).expect("a count of 32 bits")).to_vec(),
            _ => self.u64(value).to_vec(),
        }
    }

    fn string(&self, text: &str) -> Vec<u8> {
        [self.count(text.len() as u64), text.as_bytes().to_vec()].concat()
    }

    /// Adds a pair of metadata, whose value is these bytes.
    fn pair(mut self, key: &str, number: u32, value: &[u8]) -> Self {
        let pair = [&self.string(key), &self.u32(number)[..], value].concat();
        self.pairs.extend(pair);
        self.pair_count += 1;
        self
    }

    fn text(self, key: &str, text: &str) -> Self {
        let value = self.string(text);
        self.pair(key, STRING, &value)
    }

    fn number(self, key: &str, value: u32) -> Self {
        let value = self.u32(value);
        self.pair(key, 4, &value)
    }

    fn array(self, key: &str, element: u32, count: u64, elements: &[u8]) -> Self {
        let value = [&self.u32(element)[..], &self.count(count), elements].concat();
        self.pair(key, ARRAY, &value)
    }

    /// Adds a tensor whose dimensions are in the order of the file, the fastest first.
    fn tensor(mut self, name: &str, dims: &[u64], number: u32, offset: u64) -> Self {
        let rank = self.u32(u32::try_from(dims.len()).expect("a few dimensions"));
        let mut info = [&self.string(name)[..], &rank].concat();
        for dim in dims {
            info.extend(self.count(*dim));
        }
        info.extend(self.u32(number));
        info.extend(self.u64(offset));
        self.infos.extend(info);
        self.tensor_count += 1;
        self
    }

    fn data(mut self, bytes: usize) -> Self {
        self.data = bytes;
        self
    }

    fn header(&self) -> Vec<u8> {
        let counts = [self.count(self.tensor_count), self.count(self.pair_count)].concat();
        [b"GGUF", &self.u32(self.version)[..], &counts, &self.pairs, &self.infos].concat()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header();
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        bytes.extend(std::iter::repeat_n(7, self.data));
        bytes
    }

    fn read(&self) -> Model {
        read(self.bytes(), "m.gguf").expect("a model")
    }

    fn error(&self) -> String {
        let error = read(self.bytes(), "m.gguf").expect_err("an error");
        assert!(matches!(error, Error::Malformed { .. }), "{error}");
        error.to_string()
    }
}

/// A small network: a table of 4 × 64 in `Q4_0`, of 18 bytes for 32 numbers, and a vector.
fn small(version: u32, is_big_endian: bool) -> Gguf {
    Gguf { is_big_endian, ..Gguf::new(version) }
        .text("general.architecture", "llama")
        .text("general.name", "Small")
        .number("llama.block_count", 3)
        .number("llama.embedding_length", 64)
        .number("llama.attention.head_count", 4)
        .number("general.file_type", 2)
        .tensor("token_embd.weight", &[64, 4], 2, 0)
        .tensor("norm.weight", &[64], 0, 160)
        .data(160 + 256)
}

#[test]
fn all_versions_and_orders_of_bytes_are_read() {
    for version in 1..=3 {
        for is_big_endian in [false, true] {
            let model = small(version, is_big_endian).read();
            assert_eq!(model.header.format, Format::Gguf);
            assert_eq!(model.header.graph_origin, GraphOrigin::Absent);
            assert_eq!(model.header.ir_version, Some(version.into()));
            assert_eq!(model.name(model.main().name), "Small");
            assert_eq!(misstated(&model), [""; 0]);
            let found: Vec<_> = model
                .tensors()
                .map(|(_, it)| (model.name(it.name), it.dtype, it.dims.to_vec(), it.bytes()))
                .collect();
            let q4 = DType::Block(BlockFormat::Q4_0);
            assert_eq!(
                found,
                [
                    ("token_embd.weight", q4, vec![4, 64], Some(4 * 2 * 18)),
                    ("norm.weight", DType::Float32, vec![64], Some(256)),
                ]
            );
            let (_, norm) = model.tensors().last().expect("a tensor");
            match (&norm.data, is_big_endian) {
                (Data::Raw(span), false) => assert_eq!(span.end, model.header.bytes),
                (Data::Fields { bytes: 256, elements: Some(64) }, true) => {}
                (other, _) => panic!("{other:?}"),
            }
            let weights: Vec<_> =
                model.stored_weights().iter().map(|it| (it.role, it.elements)).collect();
            assert_eq!(weights, [(WeightRole::Weight, 256), (WeightRole::Weight, 64)]);
            let description = model.header.description.as_ref().expect("a description");
            assert_eq!(description.layers, Some(3));
            assert_eq!((description.hidden, description.head_dim), (Some(64), Some(16)));
            assert_eq!((description.kv_heads, description.vocabulary), (Some(4), Some(4)));
            assert_eq!((description.tied, &*description.quantization), (Some(true), "Q4_0"));
        }
    }
}

/// Numbers, elements and bytes of a block of every type, by `GGML_QUANT_SIZES` of the Python package
/// gguf 0.19.0; `Q8_1` by `block_q8_1` of ggml, two halves and 32 bytes.
const TYPES: &[(u32, &str, u64, u64)] = &[
    (0, "float32", 1, 4),
    (1, "float16", 1, 2),
    (2, "q4_0", 32, 18),
    (3, "q4_1", 32, 20),
    (6, "q5_0", 32, 22),
    (7, "q5_1", 32, 24),
    (8, "q8_0", 32, 34),
    (9, "q8_1", 32, 36),
    (10, "q2_k", 256, 84),
    (11, "q3_k", 256, 110),
    (12, "q4_k", 256, 144),
    (13, "q5_k", 256, 176),
    (14, "q6_k", 256, 210),
    (15, "q8_k", 256, 292),
    (16, "iq2_xxs", 256, 66),
    (17, "iq2_xs", 256, 74),
    (18, "iq3_xxs", 256, 98),
    (19, "iq1_s", 256, 50),
    (20, "iq4_nl", 32, 18),
    (21, "iq3_s", 256, 110),
    (22, "iq2_s", 256, 82),
    (23, "iq4_xs", 256, 136),
    (24, "int8", 1, 1),
    (25, "int16", 1, 2),
    (26, "int32", 1, 4),
    (27, "int64", 1, 8),
    (28, "float64", 1, 8),
    (29, "iq1_m", 256, 56),
    (30, "bfloat16", 1, 2),
    (34, "tq1_0", 256, 54),
    (35, "tq2_0", 256, 66),
    (39, "mxfp4", 32, 17),
    (40, "nvfp4", 64, 36),
    (41, "q1_0", 128, 18),
];

#[test]
fn every_type_has_its_size() {
    for (number, name, elements, bytes) in TYPES {
        let whole = usize::try_from(bytes * 6).unwrap();
        let model = Gguf::new(3).tensor("w", &[elements * 2, 3], *number, 0).data(whole).read();
        let (_, tensor) = model.tensors().next().expect("a tensor");
        assert_eq!((tensor.dtype.to_string().as_str(), tensor.bytes()), (*name, Some(bytes * 6)));
        assert_eq!(misstated(&model), [""; 0], "{name}");
    }
    let model = Gguf::new(3).tensor("w", &[4], 999, 0).data(16).read();
    assert_eq!(model.tensors().next().map(|(_, it)| it.dtype), Some(DType::Unknown(999)));
    assert!(misstated(&model)[0].contains("the type 999"), "{:?}", model.hazards);
}

#[test]
fn metadata_of_every_type_is_shown_and_long_arrays_are_counted() {
    let strings = |texts: &[&str]| -> Vec<u8> {
        texts.iter().flat_map(|text| Gguf::new(3).string(text)).collect()
    };
    let nested = [&4_u32.to_le_bytes()[..], &2_u64.to_le_bytes(), &[0; 8]].concat();
    let long = "x".repeat(70_000);
    let model = Gguf::new(3)
        .pair("u8", 0, &[200])
        .pair("i8", 1, &[0xff])
        .pair("u16", 2, &60_000_u16.to_le_bytes())
        .pair("i16", 3, &(-5_i16).to_le_bytes())
        .pair("u32", 4, &u32::MAX.to_le_bytes())
        .pair("i32", 5, &(-7_i32).to_le_bytes())
        .pair("f32", 6, &1.5_f32.to_le_bytes())
        .pair("bool", 7, &[1])
        .pair("u64", 10, &u64::MAX.to_le_bytes())
        .pair("i64", 11, &i64::MIN.to_le_bytes())
        .pair("f64", 12, &0.1_f64.to_le_bytes())
        .array("languages", STRING, 2, &strings(&["en", "de"]))
        .array("tokenizer.ggml.tokens", STRING, 20, &strings(&["a"; 20]))
        .array("nested", ARRAY, 1, &nested)
        .text("tokenizer.chat_template", &long)
        .text("general.description", "What it does")
        .read();
    let shown: Vec<&str> = model.header.metadata.iter().map(|(_, value)| value.as_str()).collect();
    let expected = [
        "200",
        "-1",
        "60000",
        "-5",
        "4294967295",
        "-7",
        "1.5",
        "true",
        "18446744073709551615",
        "-9223372036854775808",
        "0.1",
        "[en, de]",
        "20 × string",
        "1 × array",
    ];
    assert_eq!(shown[..14], expected);
    assert!(shown[14].ends_with("… (70000 bytes in all)") && shown[14].len() < 66_000);
    assert_eq!(model.header.doc, "What it does");
}

#[test]
fn a_number_for_each_layer_is_described_by_the_largest() {
    let heads: Vec<u8> = [0_u32, 4, 8, 4].iter().flat_map(|heads| heads.to_le_bytes()).collect();
    let model = small(3, false).array("llama.attention.head_count_kv", 4, 4, &heads).read();
    let description = model.header.description.as_ref().expect("a description");
    assert_eq!(description.kv_heads, Some(8));
}

#[test]
fn a_template_that_reaches_into_python_is_a_hazard() {
    let template = "{{ ''.__class__.__mro__[1].__subclasses__() }}";
    let model = Gguf::new(3).text("tokenizer.chat_template", template).read();
    assert!(
        matches!(&model.hazards[..], [Hazard::CallsOut { what }] if what.contains("__class__"))
    );
    let template = "{% for message in messages %}{{ message['content'] }}{% endfor %}";
    assert!(Gguf::new(3).text("tokenizer.chat_template", template).read().hazards.is_empty());
}

#[test]
fn elements_are_read_in_either_order_of_bytes() {
    for is_big_endian in [false, true] {
        let mut file = Gguf { is_big_endian, ..Gguf::new(3) }
            .tensor("i", &[2], 26, 0)
            .tensor("f", &[2], 0, 32)
            .tensor("q", &[32], 2, 64)
            .bytes();
        let word =
            |value: u32| if is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        for value in [5, 7, 0, 0, 0, 0, 0, 0, 1.5_f32.to_bits(), (-2.0_f32).to_bits()] {
            file.extend(word(value));
        }
        file.extend([0; 24 + 18]);
        let model = read(file, "m.gguf").expect("a model");
        assert_eq!(misstated(&model), [""; 0]);
        let ids: Vec<_> = model.tensors().map(|(id, _)| id).collect();
        assert_eq!(model.integers(ids[0], 2), Ok(vec![5, 7]));
        assert_eq!(model.floats(ids[1], 2), Ok(vec![1.5, -2.0]));
        assert_eq!(model.packed(ids[1], 2).map(|it| it[2..4].to_vec()), Ok(vec![0xc0, 0x3f]));
        assert_eq!(model.packed(ids[2], 32).is_ok(), !is_big_endian);
        assert!(model.integers(ids[0], 1).is_err());
    }
}

/// The parts of a split network: a vector of 8 numbers in each.
fn parts(count: u16, stated: u32) -> Vec<Vec<u8>> {
    let part = |number: u16| {
        Gguf::new(3)
            .pair("split.no", 2, &number.to_le_bytes())
            .pair("split.count", 2, &count.to_le_bytes())
            .pair("split.tensors.count", 5, &stated.to_le_bytes())
            .tensor(&format!("t{number}"), &[8], 0, 0)
            .data(32)
            .bytes()
    };
    (0..count).map(part).collect()
}

#[test]
fn the_first_part_opens_the_others() {
    let root = tempfile::tempdir().unwrap();
    let path = |number: usize| root.path().join(format!("m-{number:05}-of-00003.gguf"));
    for (place, bytes) in parts(3, 3).iter().enumerate() {
        fs::write(path(place + 1), bytes).unwrap();
    }
    let model = open(&path(1)).expect("a model");
    let names: Vec<_> = model.tensors().map(|(_, it)| model.name(it.name)).collect();
    assert_eq!(names, ["t0", "t1", "t2"]);
    assert_eq!(misstated(&model), [""; 0]);
    let (_, last) = model.tensors().last().expect("a tensor");
    let Data::External(external) = &last.data else { panic!("{:?}", last.data) };
    assert_eq!((external.file, external.length, &external.problem), (1, Some(32), &None));

    // A later part is read alone.
    let model = open(&path(2)).expect("a model");
    assert_eq!(model.tensors().len(), 1);
    assert!(misstated(&model)[0].contains("part 2 of 3"), "{:?}", model.hazards);

    fs::remove_file(path(3)).unwrap();
    let model = open(&path(1)).expect("a model");
    assert_eq!(model.data_files[1].state, DataFileState::Missing);
    let reported = misstated(&model)[0];
    assert!(reported.contains("1 of 3 parts could not be read"), "{reported}");
    assert!(reported.contains("1 tensors are not counted"), "{reported}");

    // The name of the first part does not lead to the others.
    let model = read(parts(3, 3).remove(0), "renamed.gguf").expect("a model");
    assert!(misstated(&model)[0].contains("its name does not say so"), "{:?}", model.hazards);
    for (place, bytes) in parts(3, 9).iter().enumerate() {
        fs::write(path(place + 1), bytes).unwrap();
    }
    let model = open(&path(1)).expect("a model");
    assert!(misstated(&model)[0].contains("9 tensors are stated"), "{:?}", model.hazards);
}

#[test]
fn headers_that_lie_are_reported() {
    let tensor = |dims: &[u64], number, offset| Gguf::new(3).tensor("a", dims, number, offset);
    let max = i64::MAX.cast_unsigned();
    for (file, what) in [
        (tensor(&[8], 0, 0).data(16), "is truncated"),
        (tensor(&[8], 0, 8).data(64), "not aligned to 32"),
        (tensor(&[8], 0, 0).tensor("b", &[8], 0, 0).data(32), "\"b\" overlaps \"a\""),
        (tensor(&[8], 0, 0).tensor("a", &[8], 0, 32).data(64), "described twice"),
        (tensor(&[8], 0, u64::MAX).data(32), "where no data of its size can be"),
        (tensor(&[max, max, max, max], 0, 0).data(32), "where no data of its size can be"),
        (tensor(&[1 << 40], 0, 0).data(32), "is truncated"),
        (tensor(&[33], 2, 0).data(64), "not whole blocks of q4_0"),
        (tensor(&[8], 0, 0).number("general.alignment", 33).data(32), "not a power of two"),
        (tensor(&[8], 0, 0).number("general.alignment", 0).data(32), "not a power of two"),
        (tensor(&[8], 0, 0).data(320), "bytes behind its last tensor"),
    ] {
        let model = file.read();
        let reported = misstated(&model);
        assert!(reported.iter().any(|it| it.contains(what)), "{what}: {reported:?}");
    }
    // No dimension is a number, and a dimension of zero is none.
    let model = tensor(&[], 0, 0).tensor("b", &[0, max], 0, 32).data(4).read();
    let elements: Vec<_> = model.stored_weights().iter().map(|it| it.elements).collect();
    assert_eq!((elements, misstated(&model)), (vec![1, 0], vec![]));
}

#[test]
fn counts_that_no_file_has_are_errors() {
    let huge = 1_u64 << 63;
    let counts = |tensors: u64, pairs: u64| Gguf {
        tensor_count: tensors,
        pair_count: pairs,
        ..Gguf::new(3)
    };
    assert!(counts(huge, 0).error().contains("tensors, and at most"));
    assert!(counts(0, huge).error().contains("pairs of metadata, and at most"));
    assert!(counts(1 << 16, 0).error().contains("the file ends in the description of a tensor"));
    let lengths = |value: u64| Gguf::new(3).pair("a", STRING, &value.to_le_bytes());
    assert!(lengths(huge).error().contains("the file ends in a value of the metadata"));
    assert!(lengths(u64::MAX).error().contains("the file ends in"));
    let array = |element, count: u64| Gguf::new(3).array("a", element, count, &[]);
    assert!(array(STRING, huge).error().contains("more than 4194304 texts"));
    assert!(array(ARRAY, huge).error().contains("more than 4194304 texts"));
    assert!(array(4, huge).error().contains("the file ends in an array"));
    assert!(array(12, u64::MAX).error().contains("the file ends in an array"));
    assert!(array(77, 0).error().contains("the type 77"));
    assert!(Gguf::new(3).pair("a", 13, &[]).error().contains("the type 13"));
    assert!(Gguf::new(3).tensor("a", &[1; 5], 0, 0).error().contains("5 dimensions"));
    assert!(Gguf::new(3).tensor("a", &[huge], 0, 0).error().contains("2^63"));
    assert!(Gguf::new(3).text(&"k".repeat(70_000), "").error().contains("has 70000 bytes"));
    for version in [0, 4, 0x0004_0000] {
        assert!(Gguf::new(version).error().contains("versions 1 to 3 are read"));
    }
    // An array in an array in an array.
    let mut nested = Vec::new();
    for _ in 0..1_000_000 {
        nested.extend(ARRAY.to_le_bytes());
        nested.extend(1_u64.to_le_bytes());
    }
    assert!(Gguf::new(3).pair("a", ARRAY, &nested).error().contains("nested deeper than 8"));
}

#[test]
fn every_cut_and_every_byte_gives_a_model_or_an_error() {
    let tokens: Vec<u8> = ["a", "bc"].iter().flat_map(|text| Gguf::new(3).string(text)).collect();
    let file = small(3, false).array("tokenizer.ggml.tokens", STRING, 2, &tokens);
    let (whole, header) = (file.bytes(), file.header().len());
    for length in 0..whole.len() {
        match read(whole[..length].to_vec(), "m.gguf") {
            Ok(model) => {
                assert!(length >= header);
                assert!(misstated(&model)[0].contains("truncated"), "{:?}", model.hazards);
                assert_eq!(model.stored_weights().iter().map(|it| it.elements).sum::<u64>(), 320);
            }
            Err(_) => assert!(length < header, "{length}"),
        }
    }
    for at in 4..header {
        for byte in [0, 1, 4, 8, 9, 0x20, 0x7f, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            let _ = read(bytes, "m.gguf");
        }
    }
}

#[test]
fn only_the_header_is_read() {
    let tokens = Gguf::new(3).string("token").repeat(150_000);
    // 100 GB of 8-bit integers behind a vocabulary.
    let file = Gguf::new(3)
        .array("tokenizer.ggml.tokens", STRING, 150_000, &tokens)
        .array("tokenizer.ggml.scores", 6, 150_000, &[0; 600_000])
        .tensor("a", &[1_000_000_000, 100], 24, 0);
    let start = file.bytes();
    let (header, size) = (start.len() as u64, start.len() as u64 + 100_000_000_000);
    let read = Arc::new(AtomicU64::new(0));
    let ranges = Claimed { start, size, read: read.clone() };
    let source = Source::new(RangedBytes::new(ranges));
    let model = read_source(source, "m.gguf", None).expect("a model");
    assert_eq!(misstated(&model), [""; 0]);
    assert_eq!(model.stored_weights()[0].elements, 100_000_000_000);
    assert_eq!(model.header.metadata[0].1, "150000 × string");
    // Ranges grow while the header is read on; no more than it again is fetched ahead.
    assert!(read.load(Ordering::Relaxed) <= 2 * header);
}
