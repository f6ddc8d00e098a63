use std::sync::{Arc, Mutex};

use calipers_ir::Source;
use proptest::prelude::*;

use super::*;

/// A file in memory that notes what is read, and fails from a number of requests on.
#[derive(Clone)]
struct Noted {
    bytes: Arc<Vec<u8>>,
    read: Arc<Mutex<Vec<Vec<Span>>>>,
    fails_after: usize,
}

impl Noted {
    fn new(bytes: Vec<u8>) -> Self {
        Self { bytes: Arc::new(bytes), read: Arc::default(), fails_after: usize::MAX }
    }

    fn requests(&self) -> usize {
        self.read.lock().unwrap().len()
    }

    fn bytes_read(&self) -> u64 {
        self.read.lock().unwrap().iter().flatten().map(|span| span.len()).sum()
    }
}

impl Ranges for Noted {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, spans: &[Span]) -> Result<Vec<Vec<u8>>, String> {
        self.read.lock().unwrap().push(spans.to_vec());
        if self.requests() > self.fails_after {
            return Err("the server answered 503".to_owned());
        }
        self.bytes.read(spans)
    }
}

/// A file of a graph with layers of three large tensors and a small one, as exporters order them: nodes, then
/// initializers, then inputs.
fn layered(layers: usize, large: usize) -> Vec<u8> {
    fn field(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
        out.push(number << 3 | 2);
        let mut length = bytes.len();
        while length >= 0x80 {
            out.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        out.extend_from_slice(bytes);
    }
    let mut graph = Vec::new();
    for layer in 0..layers {
        for (name, size) in [("q", large), ("up", 2 * large), ("down", 2 * large), ("norm", 400)] {
            let mut tensor = Vec::new();
            // Dimensions, float32, name, raw data.
            field(&mut tensor, 1, &[4]);
            tensor.extend([0x10, 0x01]);
            field(&mut tensor, 8, format!("layers.{layer}.{name}").as_bytes());
            field(&mut tensor, 9, &vec![7; size]);
            field(&mut graph, 5, &tensor);
        }
    }
    let mut model = vec![0x08, 0x08];
    field(&mut model, 7, &graph);
    field(&mut model, 8, &[0x10, 17]);
    model
}

#[test]
fn a_ranged_file_reads_as_one_in_memory() {
    let bytes = layered(20, 300_000);
    let file = Noted::new(bytes.clone());
    let source = Source::new(RangedBytes::new(file.clone()));
    let ranged = crate::read_source(source, "a.onnx", None).unwrap();
    let whole = crate::read(bytes.clone(), "a.onnx").unwrap();
    let describe = |model: &calipers_ir::Model| {
        let tensors = model.tensors();
        tensors.map(|(_, t)| format!("{t:?} {}", model.name(t.name))).collect::<Vec<_>>()
    };
    assert_eq!(describe(&ranged), describe(&whole));
    assert_eq!(ranged.header.opsets.len(), 1);
    assert!(file.bytes_read() < bytes.len() as u64 / 10, "{} bytes", file.bytes_read());
    assert!(file.requests() <= 14, "{} requests for 60 large tensors", file.requests());
}

#[test]
fn what_cannot_be_fetched_is_an_error() {
    for fails_after in 0..5 {
        let file = Noted { fails_after, ..Noted::new(layered(20, 300_000)) };
        let source = Source::new(RangedBytes::new(file));
        let error = crate::read_source(source, "a.onnx", None).unwrap_err();
        assert_eq!(error.to_string(), "the server answered 503");
    }
}

#[test]
fn a_small_file_takes_one_request() {
    let file = Noted::new(layered(3, 10_000));
    crate::read_source(Source::new(RangedBytes::new(file.clone())), "a.onnx", None).unwrap();
    assert_eq!(file.requests(), 1);
}

proptest! {
    #[test]
    fn windows_are_the_bytes_of_the_file(asked in prop::collection::vec((0_u64..2_000_000, 0_u64..300_000), 1..40)) {
        let bytes: Vec<u8> = (0..2_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let source = Source::new(RangedBytes::new(Noted::new(bytes.clone())));
        for (start, length) in asked {
            let span = Span { start, end: start + length };
            prop_assert_eq!(source.slice(span), bytes.get(start as usize..(start + length) as usize));
        }
        prop_assert_eq!(source.failure(), None);
    }
}
