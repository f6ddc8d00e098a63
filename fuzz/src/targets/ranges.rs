//! Any bytes read in ranges as an ONNX model: the same model, or the same error, as in one piece.

use calipers_formats::ranges::RangedBytes;
use calipers_ir::{Model, Source};

pub(crate) fn run(bytes: &[u8]) {
    // How much of the file is known at first: a share that every change of the file changes.
    let share = bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let known = bytes[..bytes.len() * usize::from(share) / 256].to_vec();
    let ranged = RangedBytes::with_start(bytes.to_vec(), known);
    let ranged = calipers_formats::read_source(Source::new(ranged), "fuzz.onnx", None);
    let whole = calipers_formats::read(bytes.to_vec(), "fuzz.onnx");
    let described = |model: Result<Model, calipers_formats::Error>| match model {
        Ok(model) => {
            let tensors = model.tensors().map(|(_, it)| format!("{it:?} {}", model.name(it.name)));
            let nodes = model.nodes().map(|(id, _)| model.node_label(id));
            tensors.chain(nodes).collect::<Vec<_>>()
        }
        Err(error) => vec![error.to_string()],
    };
    assert_eq!(described(ranged), described(whole));
}
