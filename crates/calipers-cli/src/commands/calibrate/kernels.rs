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
    let mut found = products();
    found.extend(convolutions());
    found.extend(passes());
    found.extend([quantization(), dequantization(), recurrence(), dispatch()]);
    found
}

fn products() -> Vec<MicroKernel> {
    use ProcessorKind as K;
    vec![
        product("product", K::Gemm, 128, 768, 768),
        product("wide product", K::Gemm, 128, 768, 3072),
        product("deep product", K::Gemm, 128, 3072, 768),
        product("product of few rows", K::Gemm, 48, 768, 3072),
        product("narrow product", K::Gemm, 1024, 96, 384),
        product("product of one row", K::Gemm, 1, 1024, 4096),
        batched(12, 128, 64),
        masked_product(),
        integer_product("int8 product", K::GemmInt8, DataType::I8, [128, 768, 768]),
        integer_product("uint8 product", K::GemmUint8, DataType::U8, [128, 768, 768]),
    ]
}

fn convolutions() -> Vec<MicroKernel> {
    use ProcessorKind as K;
    vec![
        convolution("3x3 convolution", K::Conv, [64, 64, 56, 3, 1, 1]),
        convolution("3x3 convolution of few pixels", K::Conv, [512, 512, 7, 3, 1, 1]),
        convolution("1x1 convolution", K::Pointwise, [256, 256, 28, 1, 1, 1]),
        convolution("first convolution", K::Stem, [3, 64, 224, 7, 2, 1]),
        convolution("depthwise convolution", K::Depthwise, [128, 128, 56, 3, 1, 128]),
        convolution("grouped convolution", K::Im2col, [128, 128, 56, 3, 1, 32]),
        integer_convolution("int8 convolution", K::ConvInt8, DataType::I8, [64, 64, 56, 3, 1]),
        integer_convolution("uint8 convolution", K::ConvUint8, DataType::U8, [64, 64, 56, 3, 1]),
        integer_convolution(
            "int8 depthwise convolution",
            K::DepthwiseInt8,
            DataType::I8,
            [128, 128, 56, 3, 128],
        ),
    ]
}

fn passes() -> Vec<MicroKernel> {
    use ProcessorKind as K;
    let square = &["1024", "1024"][..];
    let pass = |name, kind, op, shape, inputs, attributes: &[Attribute], read: f64| {
        let bytes = 4.0 * M * (read + 1.0);
        pass(name, op, shape, inputs, attributes, sizes(kind, 0.0, M, bytes, NONE))
    };
    let axis = [Attribute::int("axis", 0)];
    let window = [
        Attribute::ints("kernel_shape", &[3, 3]),
        Attribute::ints("pads", &[1, 1, 1, 1]),
        Attribute::ints("strides", &[1, 1]),
    ];
    let heads = [Attribute::ints("perm", &[0, 2, 1, 3])];
    vec![
        pass("addition", K::Elementwise, "Add", square, 2, &[], 2.0),
        memory(),
        pass("sigmoid", K::Transcendental, "Sigmoid", square, 1, &[], 1.0),
        gelu(),
        bias_gelu(),
        pass("softmax", K::Softmax, "Softmax", &["4096", "256"], 1, &[], 1.0),
        masked_softmax(),
        normalization(),
        pass(
            "global pooling",
            K::Reduce,
            "GlobalAveragePool",
            &["1", "256", "64", "64"],
            1,
            &[],
            0.0,
        ),
        pass("max pooling", K::Pool, "MaxPool", &["1", "64", "128", "128"], 1, &window, 1.0),
        pass("transpose", K::Transpose, "Transpose", &["1", "1024", "16", "64"], 1, &heads, 1.0),
        pass("concatenation", K::Copy, "Concat", &["512", "1024"], 2, &axis, 1.0),
        gather(),
    ]
}

/// Rows and depth of what is not a product.
const NONE: [f64; 2] = [1.0, 1.0];

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

/// A product with numbers as masked softmax leaves them: half of them denormal.
fn masked_product() -> MicroKernel {
    const HEADS: i64 = 12;
    const LENGTH: i64 = 128;
    let scores: Vec<f32> =
        (0..HEADS * LENGTH * LENGTH).map(|at| if at % 2 == 0 { 1e-44 } else { 0.01 }).collect();
    let mut model = ModelBuilder::new(17);
    model
        .initializer(&Tensor::f32("scores", &[HEADS, LENGTH, LENGTH], &scores))
        .input("values", DataType::F32, &["12", "128", "64"])
        .node("MatMul", &["scores", "values"], &["y"], &[])
        .output("y", DataType::F32, &["12", "128", "64"]);
    // 12 heads of 128 x 128 scores by 128 x 64 values.
    let (scores, values) = (12.0 * 128.0 * 128.0, 12.0 * 128.0 * 64.0);
    let kernel = sizes(
        ProcessorKind::MaskedBatched,
        64.0 * scores,
        values,
        4.0 * (scores + 2.0 * values),
        [128.0, 128.0],
    );
    MicroKernel { name: "masked product", kernel, repeats: 1, model: model.build() }
}

/// Bytes that are neither zero nor alike, and are small as signed integers.
fn bytes(count: i64) -> Vec<u8> {
    (0..count).map(|place| u8::try_from(place % 61).unwrap_or(0)).collect()
}

/// Weights of 8 bits with a zero point of their type.
fn integers(model: &mut ModelBuilder, dtype: DataType, dims: &[i64]) {
    model
        .initializer(&Tensor::raw("w", dtype, dims, &bytes(dims.iter().product())))
        .initializer(&Tensor::raw("w_zero", dtype, &[], &[0]))
        .initializer(&Tensor::raw("x_zero", DataType::U8, &[], &[0]));
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn integer_product(
    name: &'static str,
    kind: ProcessorKind,
    weights: DataType,
    [m, k, n]: [i64; 3],
) -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::U8, &[&text(m), &text(k)]);
    integers(&mut model, weights, &[k, n]);
    model.node("MatMulInteger", &["x", "w", "x_zero", "w_zero"], &["y"], &[]).output(
        "y",
        DataType::I32,
        &[&text(m), &text(n)],
    );
    let (m, k, n) = (m as f64, k as f64, n as f64);
    let kernel = sizes(kind, m * k * n, m * n, m * k + k * n + 4.0 * m * n, [m, k]);
    MicroKernel { name, kernel, repeats: 1, model: model.build() }
}

/// A quantized convolution: input channels, output channels, side, kernel, groups.
#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn integer_convolution(
    name: &'static str,
    kind: ProcessorKind,
    weights: DataType,
    [from, to, side, window, groups]: [i64; 5],
) -> MicroKernel {
    let (inner, pad) = (from / groups, window / 2);
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::U8, &["1", &text(from), &text(side), &text(side)]);
    integers(&mut model, weights, &[to, inner, window, window]);
    let inputs = ["x", "scale", "x_zero", "w", "scale", "w_zero", "scale", "x_zero"];
    let attributes =
        [Attribute::ints("pads", &[pad, pad, pad, pad]), Attribute::int("group", groups)];
    model
        .initializer(&Tensor::f32("scale", &[], &[0.02]))
        .node("QLinearConv", &inputs, &["y"], &attributes)
        .output("y", DataType::U8, &["1", &text(to), &text(side), &text(side)]);
    let depth = (inner * window * window) as f64;
    let (read, written) = ((from * side * side) as f64, (to * side * side) as f64);
    let bytes = read + written + to as f64 * depth;
    let kernel = sizes(kind, written * depth, written, bytes, [1.0, depth]);
    MicroKernel { name, kernel, repeats: 1, model: model.build() }
}

/// A convolution: input channels, output channels, side, kernel, stride, groups. Where it keeps the
/// shape there are several in a row, so that the copies into and out of blocks count little.
#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn convolution(name: &'static str, kind: ProcessorKind, layer: [i64; 6]) -> MicroKernel {
    let [from, to, side, window, stride, groups] = layer;
    let pad = window / 2;
    let out = (side + 2 * pad - window) / stride + 1;
    let inner = from / groups;
    let weights = floats(usize::try_from(to * inner * window * window).unwrap_or(0));
    let repeats = if from == to && stride == 1 { CONVOLUTIONS } else { 1 };
    let mut model = ModelBuilder::new(17);
    model
        .input("v0", DataType::F32, &["1", &text(from), &text(side), &text(side)])
        .initializer(&Tensor::f32("w", &[to, inner, window, window], &weights));
    let attributes = [
        Attribute::ints("pads", &[pad, pad, pad, pad]),
        Attribute::ints("strides", &[stride, stride]),
        Attribute::int("group", groups),
    ];
    for place in 0..repeats {
        let (read, written) = (format!("v{place}"), format!("v{}", place + 1));
        model.node("Conv", &[&read, "w"], &[&written], &attributes);
    }
    model.output(&format!("v{repeats}"), DataType::F32, &["1", &text(to), &text(out), &text(out)]);
    let depth = (inner * window * window) as f64;
    let (rows, results) = ((to / groups) as f64, (to * out * out) as f64);
    let bytes = 4.0 * ((from * side * side) as f64 + results + weights.len() as f64);
    let kernel = sizes(kind, results * depth, results, bytes, [rows, depth]);
    MicroKernel { name, kernel, repeats, model: model.build() }
}

/// Convolutions in a row.
const CONVOLUTIONS: u32 = 6;

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

/// An addition of two tensors that no cache holds.
fn memory() -> MicroKernel {
    let kernel = sizes(ProcessorKind::Elementwise, 0.0, 16.0 * M, 192.0 * M, NONE);
    pass(BANDWIDTH, "Add", &["16", "1024", "1024"], 2, &[], kernel)
}

/// Softmax of scores to which a mask of -100 is added in every other place. The addition counts as
/// traffic.
fn masked_softmax() -> MicroKernel {
    let mask: Vec<f32> = (0..256).map(|at| if at % 2 == 0 { -100.0 } else { 0.0 }).collect();
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::F32, &["4096", "256"])
        .initializer(&Tensor::f32("mask", &[256], &mask))
        .node("Add", &["x", "mask"], &["masked"], &[])
        .node("Softmax", &["masked"], &["y"], &[])
        .output("y", DataType::F32, &["4096", "256"]);
    let kernel = sizes(ProcessorKind::MaskedSoftmax, 0.0, M, 16.0 * M, NONE);
    MicroKernel { name: "masked softmax", kernel, repeats: 1, model: model.build() }
}

/// GELU as exporters write it: `0.5 x (1 + erf(x / sqrt(2)))`.
fn add_gelu(model: &mut ModelBuilder, read: &str) {
    model
        .initializer(&Tensor::f32("root", &[], &[std::f32::consts::SQRT_2]))
        .initializer(&Tensor::f32("one", &[], &[1.0]))
        .initializer(&Tensor::f32("half", &[], &[0.5]))
        .node("Div", &[read, "root"], &["scaled"], &[])
        .node("Erf", &["scaled"], &["erf"], &[])
        .node("Add", &["erf", "one"], &["sum"], &[])
        .node("Mul", &[read, "sum"], &["product"], &[])
        .node("Mul", &["product", "half"], &["y"], &[])
        .output("y", DataType::F32, &["1", "1024", "1024"]);
}

fn gelu() -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["1", "1024", "1024"]);
    add_gelu(&mut model, "x");
    let kernel = sizes(ProcessorKind::Gelu, 0.0, M, 8.0 * M, NONE);
    MicroKernel { name: "GELU", kernel, repeats: 1, model: model.build() }
}

fn bias_gelu() -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::F32, &["1", "1024", "1024"])
        .initializer(&Tensor::f32("bias", &[1024], &floats(1024)))
        .node("Add", &["x", "bias"], &["biased"], &[]);
    add_gelu(&mut model, "biased");
    let kernel = sizes(ProcessorKind::BiasGelu, 0.0, M, 8.0 * M, NONE);
    MicroKernel { name: "GELU with bias", kernel, repeats: 1, model: model.build() }
}

/// 1,024 rows of a table of 8,192.
fn gather() -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    let rows: Vec<u8> =
        (0..1024_i64).flat_map(|place| (place * 7919 % 8192).to_le_bytes()).collect();
    model
        .input("x", DataType::F32, &["8192", "1024"])
        .initializer(&Tensor::raw("rows", DataType::I64, &[1024], &rows))
        .node("Gather", &["x", "rows"], &["y"], &[])
        .output("y", DataType::F32, &["1024", "1024"]);
    let kernel = sizes(ProcessorKind::Gather, 0.0, M, 8.0 * M, NONE);
    MicroKernel { name: "gather", kernel, repeats: 1, model: model.build() }
}

fn quantization() -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::F32, &["1024", "1024"])
        .initializer(&Tensor::f32("scale", &[], &[0.02]))
        .initializer(&Tensor::raw("zero", DataType::U8, &[], &[128]))
        .node("QuantizeLinear", &["x", "scale", "zero"], &["y"], &[])
        .output("y", DataType::U8, &["1024", "1024"]);
    let kernel = sizes(ProcessorKind::Quantize, 0.0, M, 5.0 * M, NONE);
    MicroKernel { name: "quantization", kernel, repeats: 1, model: model.build() }
}

fn dequantization() -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::U8, &["1024", "1024"])
        .initializer(&Tensor::f32("scale", &[], &[0.02]))
        .initializer(&Tensor::raw("zero", DataType::U8, &[], &[128]))
        .node("DequantizeLinear", &["x", "scale", "zero"], &["y"], &[])
        .output("y", DataType::F32, &["1024", "1024"]);
    let kernel = sizes(ProcessorKind::Dequantize, 0.0, M, 5.0 * M, NONE);
    MicroKernel { name: "dequantization", kernel, repeats: 1, model: model.build() }
}

/// An LSTM of 64 steps, 8 sequences and 256 elements of state.
fn recurrence() -> MicroKernel {
    const STATE: i64 = 256;
    let gates = usize::try_from(4 * STATE * STATE).unwrap_or(0);
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::F32, &["64", "8", "256"])
        .initializer(&Tensor::f32("w", &[1, 4 * STATE, STATE], &floats(gates)))
        .initializer(&Tensor::f32("r", &[1, 4 * STATE, STATE], &floats(gates)))
        .node("LSTM", &["x", "w", "r"], &["y"], &[Attribute::int("hidden_size", STATE)])
        .output("y", DataType::F32, &["64", "1", "8", "256"]);
    // Each step multiplies the input and the state by the weights of four gates.
    let macs = 64.0 * 8.0 * 8.0 * 256.0 * 256.0;
    let elements = 64.0 * 8.0 * 256.0;
    let kernel = sizes(
        ProcessorKind::Recurrent,
        macs,
        elements,
        4.0 * (2.0 * elements + 0.5 * M),
        [8.0, 256.0],
    );
    MicroKernel { name: "LSTM", kernel, repeats: 1, model: model.build() }
}

fn normalization() -> MicroKernel {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", DataType::F32, &["1024", "1024"])
        .initializer(&Tensor::f32("scale", &[1024], &floats(1024)))
        .node("LayerNormalization", &["x", "scale"], &["y"], &[])
        .output("y", DataType::F32, &["1024", "1024"]);
    let kernel = sizes(ProcessorKind::LayerNorm, 0.0, M, 8.0 * M, NONE);
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
    let kernel = sizes(ProcessorKind::View, 0.0, 1.0, 12.0, NONE);
    MicroKernel { name: "dispatch", kernel, repeats: DISPATCHES, model: model.build() }
}
