//! SafeTensors: single files, sharded sets, the descriptions next to them, and headers that lie.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use calipers_formats::ranges::{RangedBytes, Ranges};
use calipers_formats::{DataError, Error, Folder, open, read, read_source};
use calipers_ir::{
    DType, Data, DataFileState, Format, GraphOrigin, Hazard, Model, Source, Span, WeightRole,
};

/// A file with this header and this many bytes of data.
pub(crate) fn file(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(std::iter::repeat_n(7, data));
    bytes
}

/// A tensor of a file: its name, its type, the bits of an element, and its shape.
pub(crate) type Stored<'a> = (&'a str, &'a str, usize, &'a [usize]);

/// A whole file with these tensors, one after another.
pub(crate) fn with_tensors(tensors: &[Stored<'_>]) -> Vec<u8> {
    let mut header = "{\"__metadata__\":{\"format\":\"pt\"}".to_owned();
    let mut at = 0;
    for (name, dtype, bits, shape) in tensors {
        let end = at + shape.iter().product::<usize>() * bits / 8;
        let entry = format!(
            ",\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{shape:?},\"data_offsets\":[{at},{end}]}}"
        );
        header.push_str(&entry);
        at = end;
    }
    header.push('}');
    file(&header, at)
}

/// What the headers state that is not so.
pub(crate) fn misstated(model: &Model) -> Vec<&str> {
    let mut whats = Vec::new();
    for hazard in &model.hazards {
        let Hazard::Misstated { what } = hazard else { panic!("{hazard:?}") };
        whats.push(what.as_str());
    }
    whats
}

fn names(model: &Model) -> Vec<&str> {
    model.tensors().map(|(_, tensor)| model.name(tensor.name)).collect()
}

fn lies(header: &str, data: usize) -> Vec<String> {
    let model = read(file(header, data), "m.safetensors").expect("a model");
    misstated(&model).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_file_is_its_tensors() {
    let bytes = with_tensors(&[
        ("conv.weight", "F32", 32, &[2, 3]),
        ("scalar", "BF16", 16, &[]),
        ("empty", "I64", 64, &[0, 4]),
        ("four", "F4", 4, &[4, 2]),
        ("steps.num_batches_tracked", "I64", 64, &[1]),
    ]);
    let from = bytes.len() as u64 - (24 + 2 + 4 + 8);
    let model = read(bytes, "m.safetensors").expect("a model");
    assert_eq!(model.header.format, Format::SafeTensors);
    assert_eq!(model.header.graph_origin, GraphOrigin::Absent);
    assert_eq!(model.header.metadata, [("format".to_owned(), "pt".to_owned())]);
    assert_eq!(model.nodes().len(), 0);
    assert!(model.hazards.is_empty() && model.issues.is_empty() && model.data_files.is_empty());
    let found: Vec<_> = model
        .tensors()
        .map(|(_, it)| {
            let Data::Raw(span) = it.data else { panic!("{:?}", it.data) };
            (model.name(it.name), it.dtype, it.dims.to_vec(), span.start - from, span.len())
        })
        .collect();
    assert_eq!(
        found,
        [
            ("conv.weight", DType::Float32, vec![2, 3], 0, 24),
            ("scalar", DType::Bfloat16, vec![], 24, 2),
            ("empty", DType::Int64, vec![0, 4], 26, 0),
            ("four", DType::Float4E2M1, vec![4, 2], 26, 4),
            ("steps.num_batches_tracked", DType::Int64, vec![1], 30, 8),
        ]
    );
    let (id, _) = model.tensors().last().expect("a tensor");
    assert_eq!(model.integers(id, 1), Ok(vec![0x0707_0707_0707_0707]));
    let roles: Vec<_> = model.stored_weights().iter().map(|it| (it.role, it.elements)).collect();
    let weight = |elements| (WeightRole::Weight, elements);
    assert_eq!(roles[..2], [weight(6), weight(1)]);
    assert_eq!(roles[3..], [weight(8), (WeightRole::Constant, 1)]);
}

#[test]
fn every_type_of_the_format_is_read() {
    for (name, dtype, bits) in [
        ("F64", DType::Float64, 64),
        ("F32", DType::Float32, 32),
        ("F16", DType::Float16, 16),
        ("BF16", DType::Bfloat16, 16),
        ("I64", DType::Int64, 64),
        ("I32", DType::Int32, 32),
        ("I16", DType::Int16, 16),
        ("I8", DType::Int8, 8),
        ("U64", DType::Uint64, 64),
        ("U32", DType::Uint32, 32),
        ("U16", DType::Uint16, 16),
        ("U8", DType::Uint8, 8),
        ("BOOL", DType::Bool, 8),
        ("C64", DType::Complex64, 64),
        ("F8_E4M3", DType::Float8E4M3Fn, 8),
        ("F8_E4M3FNUZ", DType::Float8E4M3Fnuz, 8),
        ("F8_E5M2", DType::Float8E5M2, 8),
        ("F8_E5M2FNUZ", DType::Float8E5M2Fnuz, 8),
        ("F8_E8M0", DType::Float8E8M0, 8),
        ("F6_E2M3", DType::Float6E2M3, 6),
        ("F6_E3M2", DType::Float6E3M2, 6),
        ("F4", DType::Float4E2M1, 4),
    ] {
        let model = read(with_tensors(&[("w", name, bits, &[4, 8])]), "m.safetensors").unwrap();
        let (_, tensor) = model.tensors().next().expect("a tensor");
        assert_eq!((tensor.dtype, tensor.bytes()), (dtype, Some(bits as u64 * 4)), "{name}");
        assert!(model.hazards.is_empty(), "{name}: {:?}", model.hazards);
    }
}

/// A set of two shards with its index.
fn sharded(folder: &Path, total: u64) {
    let first = with_tensors(&[("a", "F32", 32, &[2, 2]), ("b", "F16", 16, &[3])]);
    let second = with_tensors(&[("c", "BF16", 16, &[8])]);
    fs::write(folder.join("model-00001-of-00002.safetensors"), first).expect("written");
    fs::write(folder.join("model-00002-of-00002.safetensors"), second).expect("written");
    let index = format!(
        "{{\"metadata\": {{\"total_size\": {total}}}, \"weight_map\": {{\
         \"c\": \"model-00002-of-00002.safetensors\", \"a\": \"model-00001-of-00002.safetensors\", \
         \"b\": \"model-00001-of-00002.safetensors\"}}}}"
    );
    fs::write(folder.join("model.safetensors.index.json"), index).expect("written");
}

#[test]
fn an_index_opens_its_shards() {
    let root = tempfile::tempdir().unwrap();
    // 4 × 4, 3 × 2 and 8 × 2 bytes.
    sharded(root.path(), 38);
    fs::write(root.path().join("config.json"), r#"{"model_type": "t5", "d_model": 8}"#).unwrap();
    for path in [root.path().to_owned(), root.path().join("model.safetensors.index.json")] {
        let model = open(&path).expect("a model");
        assert_eq!(names(&model), ["a", "b", "c"]);
        assert_eq!(misstated(&model), [""; 0]);
        let states: Vec<_> = model.data_files.iter().map(|file| &file.state).collect();
        assert!(matches!(states[..], [DataFileState::Present(_), DataFileState::Present(_)]));
        let files = calipers_formats::open_data(&root.path().join("model.safetensors"), &model);
        let (_, last) = model.tensors().last().expect("a tensor");
        let Data::External(external) = &last.data else { panic!("{:?}", last.data) };
        assert_eq!((external.file, external.length), (1, Some(16)));
        let start = external.offset.expect("a place");
        let source = files[1].as_ref().expect("a file");
        assert_eq!(source.size(), start + 16);
        let total = ("total_size".to_owned(), "38".to_owned());
        assert_eq!(model.header.metadata, [total, ("format".to_owned(), "pt".to_owned())]);
        let description = model.header.description.as_ref().expect("a description");
        assert_eq!((description.architecture.as_str(), description.hidden), ("t5", Some(8)));
    }
}

#[test]
fn what_an_index_misstates_is_reported() {
    let root = tempfile::tempdir().unwrap();
    sharded(root.path(), 40);
    let model = open(root.path()).expect("a model");
    assert_eq!(
        misstated(&model),
        ["the index states a total size of 40 bytes, and the tensors have 38"]
    );

    // The tensors of the shards are others than the index says.
    let other = with_tensors(&[("d", "BF16", 16, &[8])]);
    fs::write(root.path().join("model-00002-of-00002.safetensors"), other).unwrap();
    let model = open(root.path()).expect("a model");
    assert_eq!(names(&model), ["a", "b", "d"]);
    let reported = misstated(&model);
    assert!(reported[0].contains("\"d\", which the index does not place there"), "{reported:?}");
    assert!(reported[1].contains("places \"c\" and 0 other tensors"), "{reported:?}");

    fs::remove_file(root.path().join("model-00002-of-00002.safetensors")).unwrap();
    let model = open(root.path()).expect("a model");
    assert_eq!(names(&model), ["a", "b"]);
    assert_eq!(model.data_files[1].state, DataFileState::Missing);
    let reported = misstated(&model).join("; ");
    assert!(reported.contains("1 of 2 shards could not be read"), "{reported}");
    assert!(reported.contains("shapes of 1 tensors"), "{reported}");

    // A damaged shard does not hide the others.
    fs::write(root.path().join("model-00002-of-00002.safetensors"), b"nothing").unwrap();
    let reported = misstated(&open(root.path()).expect("a model")).join("; ");
    assert!(reported.contains("the file ends in the length"), "{reported}");
}

#[test]
fn a_shard_outside_the_folder_is_refused() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("model");
    fs::create_dir(&root).unwrap();
    fs::write(outer.path().join("x.safetensors"), with_tensors(&[("a", "F32", 32, &[1])])).unwrap();
    let index = r#"{"weight_map": {"a": "../x.safetensors", "b": "/etc/passwd.safetensors"}}"#;
    fs::write(root.join("model.safetensors.index.json"), index).unwrap();
    let model = open(&root).expect("a model");
    assert_eq!(model.tensors().len(), 0);
    let is_refused = |file: &calipers_ir::DataFile| matches!(file.state, DataFileState::Refused(_));
    assert!(model.data_files.iter().all(is_refused));
}

#[test]
fn a_single_shard_says_so() {
    let bytes = with_tensors(&[("a", "F32", 32, &[1])]);
    let model = read(bytes, "model-00002-of-00007.safetensors").expect("a model");
    assert!(model.header.metadata.contains(&("shard".to_owned(), "2 of 7".to_owned())));
    assert!(misstated(&model)[0].contains("shard 2 of 7"), "{:?}", model.hazards);
}

#[test]
fn a_folder_that_cannot_be_read_is_reported() {
    struct Remote;
    impl Folder for Remote {
        fn states(&self, locations: &[&str]) -> Vec<DataFileState> {
            vec![DataFileState::Present(100); locations.len()]
        }
        fn open(&self, _: &str) -> Result<Source, DataError> {
            Err(DataError::Refused("the model is remote".to_owned()))
        }
    }
    let index = br#"{"weight_map": {"a": "x.safetensors", "b": "y.safetensors"}}"#;
    let source = Source::new(index.to_vec());
    let model =
        read_source(source, "model.safetensors.index.json", Some(Arc::new(Remote))).unwrap();
    let reported = misstated(&model).join("; ");
    assert!(reported.contains("x.safetensors cannot be read: the model is remote"), "{reported}");
    assert!(reported.contains("2 of 2 shards"), "{reported}");
}

#[test]
fn descriptions_are_bounded_and_must_be_json() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("m.safetensors");
    fs::write(&path, with_tensors(&[("a", "F32", 32, &[1])])).unwrap();
    for (config, hazards) in [
        ("[1, 2]".to_owned(), 0),
        ("{\"a\": ".to_owned(), 1),
        ("[".repeat(100_000), 1),
        (format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20)), 0),
    ] {
        fs::write(root.path().join("config.json"), config).unwrap();
        let model = open(&path).expect("a model");
        assert_eq!(model.hazards.len(), hazards);
        assert!(model.header.description.is_none());
    }
    let adapter = r#"{"peft_type": "LORA", "r": 8, "base_model_name_or_path": "a/b"}"#;
    fs::write(root.path().join("adapter_config.json"), adapter).unwrap();
    fs::remove_file(root.path().join("config.json")).unwrap();
    let model = open(&path).expect("a model");
    assert!(model.header.metadata.contains(&("r".to_owned(), "8".to_owned())));
}

#[test]
fn headers_that_lie_are_reported() {
    let one = |dtype: &str, shape: &str, offsets: &str| {
        format!("{{\"a\":{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":{offsets}}}}}")
    };
    for (header, data, what) in [
        (one("F32", "[2]", "[0,4]"), 4, "takes 8 bytes, and its data has 4"),
        (one("F32", "[2]", "[0,8]"), 4, "is truncated"),
        (one("F32", "[2]", "[0,8]"), 9, "has 1 bytes behind its last tensor"),
        (one("F32", "[1]", "[4,8]"), 8, "4 bytes of no tensor"),
        (one("Q9", "[1]", "[0,4]"), 4, "the type \"Q9\""),
        (one("F32", "[1]", "[8,4]"), 8, "where no data can be"),
        (one("F32", "[1]", "[18446744073709551615,18446744073709551615]"), 0, "no data can be"),
        (one("U8", "[100000000000]", "[0,100000000000]"), 4, "is truncated"),
        (one("U8", "[9223372036854775807,16]", "[0,4]"), 4, "more than 2^64"),
        (
            "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\
              \"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[2,6]}}"
                .to_owned(),
            6,
            "\"b\" overlaps \"a\"",
        ),
        (
            "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\
              \"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}"
                .to_owned(),
            8,
            "described twice",
        ),
    ] {
        let reported = lies(&header, data);
        assert!(reported.iter().any(|it| it.contains(what)), "{header}: {reported:?}");
    }
    // A header padded with blanks, and no tensor at all, are both allowed.
    assert_eq!(lies("{}      ", 0), [""; 0]);
}

#[test]
fn damaged_headers_are_errors_with_a_place() {
    let nested = format!("{{\"a\":{}", "[".repeat(1_000_000));
    let metadata = format!("{{\"__metadata__\":{{\"a\":{}", "{\"x\":".repeat(500_000));
    let dims = format!(
        "{{\"a\":{{\"dtype\":\"U8\",\"shape\":[{}1],\"data_offsets\":[0,1]}}}}",
        "1,".repeat(64)
    );
    for (header, what) in [
        ("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", "invalid value"),
        ("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "missing field `data_offsets`"),
        (
            "{\"a\":{\"dtype\":\"F32\",\"shape\":[18446744073709551615],\"data_offsets\":[0,4]}}",
            "2^63",
        ),
        ("{\"a\": 5}", "invalid type"),
        ("{\"a\" 5}", "expected `:`"),
        ("{} {}", "trailing characters"),
        (&dims, "more than 64 dimensions"),
        (&nested, "nested deeper than 16"),
        (&metadata, "nested deeper than 16"),
    ] {
        let error = read(file(header, 4), "m.safetensors").expect_err(what);
        let Error::Malformed { at, problem, .. } = &error else { panic!("{error}") };
        assert!(problem.contains(what), "{problem}");
        assert!((8..=8 + header.len() as u64).contains(at), "{at}");
    }
    for length in [100_000_001_u64, 1 << 39] {
        let mut bytes = file("{\"a\": 1}", 100);
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        let error = read(bytes, "m.safetensors").expect_err("too long").to_string();
        assert!(error.contains("the format allows 100000000"), "{error}");
    }
}

#[test]
fn every_cut_and_every_byte_gives_a_model_or_an_error() {
    let whole = with_tensors(&[("a.weight", "F32", 32, &[2, 2]), ("b", "I8", 8, &[3])]);
    let data = 19;
    for length in 0..whole.len() {
        match read(whole[..length].to_vec(), "m.safetensors") {
            // From the end of the header on, the file is only truncated.
            Ok(model) => {
                assert!(length >= whole.len() - data);
                assert!(misstated(&model)[0].contains("truncated"));
                assert_eq!(model.tensors().len(), 2);
            }
            Err(_) => assert!(length < whole.len() - data, "{length}"),
        }
    }
    for at in 0..whole.len() - data {
        for byte in [0, b'"', b'{', b'}', b'[', b']', b',', b'9', 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            let _ = read(bytes, "m.safetensors");
        }
    }
    let index = br#"{"metadata": {"total_size": 4}, "weight_map": {"a": "x.safetensors"}}"#;
    for length in 0..index.len() {
        assert!(read(index[..length].to_vec(), "model.safetensors.index.json").is_err());
    }
}

/// A file of 100 GB whose first bytes alone can be read.
pub(crate) struct Claimed {
    pub(crate) start: Vec<u8>,
    pub(crate) size: u64,
    pub(crate) read: Arc<AtomicU64>,
}

impl Ranges for Claimed {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&self, spans: &[Span]) -> Result<Vec<Vec<u8>>, String> {
        let part = |span: &Span| {
            self.read.fetch_add(span.len(), Ordering::Relaxed);
            let byte =
                |at| self.start.get(usize::try_from(at).expect("a place")).copied().unwrap_or(0);
            (span.start..span.end).map(byte).collect()
        };
        Ok(spans.iter().map(part).collect())
    }
}

#[test]
fn only_the_header_is_read() {
    let header =
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[100,1000000000],\"data_offsets\":[0,100000000000]}}";
    let start = file(header, 0);
    let size = start.len() as u64 + 100_000_000_000;
    let read = Arc::new(AtomicU64::new(0));
    let ranges = Claimed { start, size, read: read.clone() };
    let source = Source::new(RangedBytes::new(ranges));
    let model = read_source(source, "m.safetensors", None).expect("a model");
    assert_eq!(misstated(&model), [""; 0]);
    assert_eq!(model.stored_weights()[0].elements, 100_000_000_000);
    // What is fetched first, see `calipers_formats::ranges::FIRST`.
    assert!(read.load(Ordering::Relaxed) <= calipers_formats::ranges::FIRST);
}
