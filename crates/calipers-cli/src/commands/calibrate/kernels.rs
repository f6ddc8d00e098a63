//! The kernels that calibration measures: one small model each, built in code.

use calipers::processor::{ProcessorKernel, ProcessorKind};
use calipers_samples::{Attribute, DataType, ModelBuilder, Tensor};

/// A kernel to measure.
pub(super) struct MicroKernel {
    /// What it is, for the table.
    pub(super) name: &'static str,
    /// Its kind and sizes; those of `View` are of one node.
    pub(super) kernel: ProcessorKernel,
    /// Nodes of the model that are alike; the time is divided by them.
    pub(super) repeats: u32,
    /// The file.
    pub(super) model: Vec<u8>,
}

/// The element-wise kernel that shows the bandwidth of memory.
pub(super) const BANDWIDTH: &str = "addition in memory";

/// Nodes of the model that shows the dispatch overhead.
const DISPATCHES: u32 = 64;

/// Sizes of a kernel: multiply-accumulates, elements, bytes, rows, depth.
fn sizes(
    kind: ProcessorKind,
    macs: f64,
    elements: f64,
    bytes: f64,
    product: [f64; 2],
) -> ProcessorKernel {
    let [rows, depth] = product;
    ProcessorKernel { kind, macs, elements, bytes, cold_bytes: 0.0, rows, depth, steps: 1.0 }
}

/// Every kernel that is measured.
pub(super) fn all() -> Vec<MicroKernel> {
    use ProcessorKind as K;
    let none = [1.0, 1.0];
    vec![
        product("product", K::Gemm, 128, 768, 768),
        product("product of one row", K::Gemm, 1, 1024, 4096),
        batched(12, 128, 64),
        integer_product(128, 768, 768),
        convolution("3x3 convolution", K::Conv, [64, 64, 56, 3, 1, 1]),
        convolution("1x1 convolution", K::Pointwise, [256, 256, 28, 1, 1, 1]),
        convolution("first convolution", K::Stem, [3, 64, 224, 7, 2, 1]),
        convolution("depthwise convolution", K::Depthwise, [128, 128, 56, 3, 1, 128]),
        pass(
            "addition",
            "Add",
            &["1024", "1024"],
            2,
            &[],
            sizes(K::Elementwise, 0.0, M, 12.0 * M, none),
        ),
        pass(
            BANDWIDTH,
            "Add",
            &["16", "1024", "1024"],
            2,
            &[],
            sizes(K::Elementwise, 0.0, 16.0 * M, 192.0 * M, none),
        ),
        pass(
            "sigmoid",
            "Sigmoid",
            &["1024", "1024"],
            1,
            &[],
            sizes(K::Transcendental, 0.0, M, 8.0 * M, none),
        ),
        pass(
            "softmax",
            "Softmax",
            &["4096", "256"],
            1,
            &[],
            sizes(K::Softmax, 0.0, M, 8.0 * M, none),
        ),
        normalization(),
        pass(
            "global pooling",
            "GlobalAveragePool",
            &["1", "256", "64", "64"],
            1,
            &[],
            sizes(K::Reduce, 0.0, M, 4.0 * M, none),
        ),
        pass(
            "transpose",
            "Transpose",
            &["1024", "1024"],
            1,
            &[],
            sizes(K::Transpose, 0.0, M, 8.0 * M, none),
        ),
        pass(
            "concatenation",
            "Concat",
            &["512", "1024"],
            2,
            &[Attribute::int("axis", 0)],
            sizes(K::Copy, 0.0, M, 8.0 * M, none),
        ),
        dispatch(),
    ]
}

/// The elements of most kernels.
const M: f64 = 1_048_576.0;

/// Weights that are neither zero nor alike.
fn floats(count: usize) -> Vec<f32> {
    (0..count)
        .map(|place| f32::from(u8::try_from(place % 251).unwrap_or(0)) / 251.0 - 0.5)
        .collect()
}

fn text(size: i64) -> String {
    size.to_string()
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn product(name: &'static str, kind: ProcessorKind, m: i64, k: i64, n: i64) -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::F32, &[&text(m), &text(k)])
        .initializer(&Tensor::f32("w", &[k, n], &floats(usize::try_from(k * n).unwrap_or(0))))
        .node("MatMul", &["x", "w"], &["y"], &[])
        .output("y", DataType::F32, &[&text(m), &text(n)]);
    let (m, k, n) = (m as f64, k as f64, n as f64);
    let kernel = sizes(kind, m * k * n, m * n, 4.0 * (m * k + k * n + m * n), [m, k]);
    MicroKernel { name, kernel, repeats: 1, model: model.build() }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn batched(heads: i64, length: i64, size: i64) -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    let (h, l, s) = (text(heads), text(length), text(size));
    model
        .input("q", DataType::F32, &[&h, &l, &s])
        .input("k", DataType::F32, &[&h, &s, &l])
        .node("MatMul", &["q", "k"], &["y"], &[])
        .output("y", DataType::F32, &[&h, &l, &l]);
    let (h, l, s) = (heads as f64, length as f64, size as f64);
    let bytes = 4.0 * h * (2.0 * l * s + l * l);
    let kernel = sizes(ProcessorKind::Batched, h * l * l * s, h * l * l, bytes, [l, s]);
    MicroKernel { name: "batched product", kernel, repeats: 1, model: model.build() }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn integer_product(m: i64, k: i64, n: i64) -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    let weights: Vec<u8> = (0..k * n).map(|place| u8::try_from(place % 251).unwrap_or(0)).collect();
    model
        .input("x", DataType::U8, &[&text(m), &text(k)])
        .initializer(&Tensor::raw("w", DataType::I8, &[k, n], &weights))
        .node("MatMulInteger", &["x", "w"], &["y"], &[])
        .output("y", DataType::I32, &[&text(m), &text(n)]);
    let (m, k, n) = (m as f64, k as f64, n as f64);
    let kernel =
        sizes(ProcessorKind::GemmInt8, m * k * n, m * n, m * k + k * n + 4.0 * m * n, [m, k]);
    MicroKernel { name: "int8 product", kernel, repeats: 1, model: model.build() }
}

/// A convolution: input channels, output channels, side, kernel, stride, groups.
#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn convolution(name: &'static str, kind: ProcessorKind, layer: [i64; 6]) -> MicroKernel {
    let [from, to, side, window, stride, groups] = layer;
    let pad = window / 2;
    let out = (side + 2 * pad - window) / stride + 1;
    let inner = from / groups;
    let weights = floats(usize::try_from(to * inner * window * window).unwrap_or(0));
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::F32, &["1", &text(from), &text(side), &text(side)])
        .initializer(&Tensor::f32("w", &[to, inner, window, window], &weights))
        .node(
            "Conv",
            &["x", "w"],
            &["y"],
            &[
                Attribute::ints("pads", &[pad, pad, pad, pad]),
                Attribute::ints("strides", &[stride, stride]),
                Attribute::int("group", groups),
            ],
        )
        .output("y", DataType::F32, &["1", &text(to), &text(out), &text(out)]);
    let depth = (inner * window * window) as f64;
    let (rows, results) = ((out * out) as f64, (to * out * out) as f64);
    let bytes = 4.0 * ((from * side * side) as f64 + results + weights.len() as f64);
    let kernel = sizes(kind, results * depth, results, bytes, [rows, depth]);
    MicroKernel { name, kernel, repeats: 1, model: model.build() }
}

/// One operator over inputs of one shape.
fn pass(
    name: &'static str,
    op: &str,
    shape: &[&str],
    inputs: usize,
    attributes: &[Attribute],
    kernel: ProcessorKernel,
) -> MicroKernel {
    let names = &["a", "b"][..inputs];
    let mut model = ModelBuilder::new(17);
    for input in names {
        model.input(input, DataType::F32, shape);
    }
    let unknown: Vec<&str> = shape.iter().map(|_| "?").collect();
    model.node(op, names, &["y"], attributes).output("y", DataType::F32, &unknown);
    MicroKernel { name, kernel, repeats: 1, model: model.build() }
}

fn normalization() -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::F32, &["1024", "1024"])
        .initializer(&Tensor::f32("scale", &[1024], &floats(1024)))
        .node("LayerNormalization", &["x", "scale"], &["y"], &[])
        .output("y", DataType::F32, &["1024", "1024"]);
    let kernel = sizes(ProcessorKind::LayerNorm, 0.0, M, 8.0 * M, [1.0, 1.0]);
    MicroKernel { name: "layer normalization", kernel, repeats: 1, model: model.build() }
}

/// A chain of additions of one element: nothing but their dispatch.
fn dispatch() -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model.input("v0", DataType::F32, &["1"]);
    model.initializer(&Tensor::f32("one", &[1], &[1.0]));
    for place in 0..DISPATCHES {
        let (from, to) = (format!("v{place}"), format!("v{}", place + 1));
        model.node("Add", &[&from, "one"], &[&to], &[]);
    }
    model.output(&format!("v{DISPATCHES}"), DataType::F32, &["1"]);
    let kernel = sizes(ProcessorKind::View, 0.0, 1.0, 12.0, [1.0, 1.0]);
    MicroKernel { name: "dispatch", kernel, repeats: DISPATCHES, model: model.build() }
}
