//! How the figures were computed, and the terms that a newcomer needs.

use calipers_report::{Hardware, KernelKind, Report};

use super::context::Context;
use super::method;
use crate::document::Block;
use crate::table::{Tone, Value};
use crate::value::Spans;

/// A term, what it means, and whether a card uses it.
type Term = (&'static str, &'static str, fn(&Report) -> bool);

const TERMS: [Term; 8] = [
    ("Opset", "version of the ONNX operator set.", always),
    (
        "KV cache",
        "keys and values that a decoder keeps, so that it need not recompute earlier tokens.",
        |report| report.memory.kv_cache.is_some(),
    ),
    ("Kernel", "program that the device runs for one or more nodes.", has_device),
    ("Launch overhead", "time to start a kernel, whatever its size.", has_device),
    ("Stem", "first convolution, with few input channels.", |report| {
        runs(report, KernelKind::Stem)
    }),
    ("GEMM", "matrix-matrix product.", |report| runs(report, KernelKind::Gemm)),
    ("GEMV", "matrix product with so few rows that reading the weights dominates.", |report| {
        runs(report, KernelKind::Gemv)
    }),
    ("Pointwise", "1×1 convolution, computed as a matrix product.", |report| {
        runs(report, KernelKind::Pointwise)
    }),
];

fn always(_: &Report) -> bool {
    true
}

fn has_device(report: &Report) -> bool {
    report.hardware.as_ref().is_some_and(|hardware| hardware.device.is_some())
}

/// Whether the tables or charts of kernels name a kind.
fn runs(report: &Report, kind: KernelKind) -> bool {
    let names = |hardware: &Hardware| {
        let listed = hardware.top_kernels.iter().any(|kernel| kernel.kind == kind);
        let drawn = hardware.roofline.iter().flat_map(|roofline| &roofline.kernels);
        listed || drawn.into_iter().any(|kernel| kernel.kind == kind)
    };
    report.hardware.as_ref().is_some_and(names)
}

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let mut blocks = method::build(context);
    if blocks.is_empty() || report.graph.nodes == 0 {
        return blocks;
    }
    let terms = TERMS.iter().filter(|(_, _, is_used)| is_used(report)).map(|(term, meaning, _)| {
        Spans::toned(Tone::Strong, Value::text(format!("{term}:"))).and_text(format!(" {meaning}"))
    });
    blocks.extend([Block::heading("Terms"), Block::list(terms)]);
    blocks
}
