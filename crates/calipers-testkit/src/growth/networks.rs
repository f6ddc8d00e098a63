//! Networks that repeat a layer.

use calipers_samples::DataType::{F32, I8, I64};
use calipers_samples::{Attribute, ModelBuilder, Tensor};

use super::{Family, family};

pub(super) const FAMILIES: &[Family] = &[
    family("convolutions", convolutions),
    family("convolutions of different sizes", different_convolutions),
    family("matrix products", products),
    family("matrix products of different sizes", different_products),
    family("norms written out", norms),
    family("attention written out", attention),
    family("KV caches", caches),
    family("recurrent layers", recurrent),
    family("quantized layers", quantized),
    family("residual layers", residual),
    family("embeddings", embeddings),
];

fn weight(model: &mut ModelBuilder, name: &str, dims: &[i64]) {
    // The bytes are in a file that is not there: a weight is never read.
    model.initializer(&Tensor::external(name, F32, dims, "weights.bin", None, None));
}

fn convolutions(count: usize) -> ModelBuilder {
    convolution_chain(count, |_| 16)
}

fn different_convolutions(count: usize) -> ModelBuilder {
    convolution_chain(count, |i| i64::try_from(i + 3).unwrap())
}

fn convolution_chain(count: usize, channels: fn(usize) -> i64) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", &channels(0).to_string(), "height", "width"]);
    let mut last = "x".to_owned();
    for i in 0..count / 2 + 1 {
        let [w, y, z] = ["w", "y", "z"].map(|part| format!("{part}{i}"));
        weight(&mut model, &w, &[channels(i + 1), channels(i), 3, 3]);
        model.node("Conv", &[&last, &w], &[&y], &[Attribute::ints("pads", &[1, 1, 1, 1])]);
        model.node("Relu", &[&y], &[&z], &[]);
        last = z;
    }
    model.output(&last, F32, &["batch", "?", "height", "width"]);
    model
}

fn products(count: usize) -> ModelBuilder {
    product_chain(count, |_| 64)
}

fn different_products(count: usize) -> ModelBuilder {
    product_chain(count, |i| i64::try_from(i + 8).unwrap())
}

fn product_chain(count: usize, width: fn(usize) -> i64) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", &width(0).to_string()]);
    let mut last = "x".to_owned();
    for i in 0..count / 2 + 1 {
        let [w, y, z] = ["w", "y", "z"].map(|part| format!("{part}{i}"));
        weight(&mut model, &w, &[width(i), width(i + 1)]);
        model.node("MatMul", &[&last, &w], &[&y], &[]).node("Tanh", &[&y], &[&z], &[]);
        last = z;
    }
    model.output(&last, F32, &["batch", "?"]);
    model
}

fn norms(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "length", "64"]);
    model.initializer(&Tensor::f32("two", &[], &[2.0])).initializer(&Tensor::f32(
        "eps",
        &[],
        &[1e-5],
    ));
    let mut last = "x".to_owned();
    for i in 0..count / 9 + 1 {
        let name = |part: &str| format!("{part}{i}");
        let axes = [Attribute::ints("axes", &[-1])];
        weight(&mut model, &name("gain"), &[64]);
        weight(&mut model, &name("bias"), &[64]);
        model.node("ReduceMean", &[&last], &[&name("mean")], &axes);
        model.node("Sub", &[&last, &name("mean")], &[&name("centered")], &[]);
        model.node("Pow", &[&name("centered"), "two"], &[&name("square")], &[]);
        model.node("ReduceMean", &[&name("square")], &[&name("variance")], &axes);
        model.node("Add", &[&name("variance"), "eps"], &[&name("sum")], &[]);
        model.node("Sqrt", &[&name("sum")], &[&name("root")], &[]);
        model.node("Div", &[&name("centered"), &name("root")], &[&name("unit")], &[]);
        model.node("Mul", &[&name("unit"), &name("gain")], &[&name("scaled")], &[]);
        model.node("Add", &[&name("scaled"), &name("bias")], &[&name("y")], &[]);
        last = name("y");
    }
    model.output(&last, F32, &["batch", "length", "64"]);
    model
}

fn attention(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "length", "64"]);
    model.initializer(&Tensor::i64("heads", &[4], &[0, 0, 4, 16]));
    model.initializer(&Tensor::i64("joined", &[3], &[0, 0, 64]));
    model.initializer(&Tensor::f32("scale", &[], &[0.25]));
    let mut last = "x".to_owned();
    for i in 0..count / 18 + 1 {
        let name = |part: &str| format!("{part}{i}");
        for part in ["q", "k", "v"] {
            weight(&mut model, &name(&format!("w{part}")), &[64, 64]);
            let [w, y, z] = ["w", "y", "z"].map(|stage| name(&format!("{stage}{part}")));
            let perm = if part == "k" { [0, 2, 3, 1] } else { [0, 2, 1, 3] };
            model.node("MatMul", &[&last, &w], &[&y], &[]);
            model.node("Reshape", &[&y, "heads"], &[&z], &[]);
            model.node("Transpose", &[&z], &[&name(part)], &[Attribute::ints("perm", &perm)]);
        }
        weight(&mut model, &name("wo"), &[64, 64]);
        model.node("MatMul", &[&name("q"), &name("k")], &[&name("scores")], &[]);
        model.node("Mul", &[&name("scores"), "scale"], &[&name("scaled")], &[]);
        model.node("Softmax", &[&name("scaled")], &[&name("shares")], &[]);
        model.node("MatMul", &[&name("shares"), &name("v")], &[&name("mixed")], &[]);
        let perm = [Attribute::ints("perm", &[0, 2, 1, 3])];
        model.node("Transpose", &[&name("mixed")], &[&name("back")], &perm);
        model.node("Reshape", &[&name("back"), "joined"], &[&name("flat")], &[]);
        model.node("MatMul", &[&name("flat"), &name("wo")], &[&name("out")], &[]);
        model.node("Add", &[&last, &name("out")], &[&name("y")], &[]);
        last = name("y");
    }
    model.output(&last, F32, &["batch", "length", "64"]);
    model
}

fn caches(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "4", "length", "16"]);
    for i in 0..count / 2 + 1 {
        let (past, present) = (format!("past.{i}.key"), format!("present.{i}.key"));
        model.input(&past, F32, &["batch", "4", "past_length", "16"]);
        model.node("Concat", &[&past, "x"], &[&present], &[Attribute::int("axis", 2)]);
        model.output(&present, F32, &["batch", "4", "past_length + length", "16"]);
    }
    model
}

fn recurrent(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["length", "batch", "16"]);
    model.initializer(&Tensor::i64("axes", &[1], &[1]));
    let mut last = "x".to_owned();
    for i in 0..count / 2 + 1 {
        let [w, r, y, z] = ["w", "r", "y", "z"].map(|part| format!("{part}{i}"));
        weight(&mut model, &w, &[1, 64, 16]);
        weight(&mut model, &r, &[1, 64, 16]);
        model.node("LSTM", &[&last, &w, &r], &[&y], &[Attribute::int("hidden_size", 16)]);
        model.node("Squeeze", &[&y, "axes"], &[&z], &[]);
        last = z;
    }
    model.output(&last, F32, &["length", "batch", "16"]);
    model
}

fn quantized(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "64"]);
    model.initializer(&Tensor::f32("scale", &[], &[0.1]));
    model.initializer(&Tensor::raw("zero", I8, &[], &[0]));
    let mut last = "x".to_owned();
    for i in 0..count / 4 + 1 {
        let name = |part: &str| format!("{part}{i}");
        let stored = Tensor::external(&name("w"), I8, &[64, 64], "weights.bin", None, None);
        model.initializer(&stored);
        model.node("DequantizeLinear", &[&name("w"), "scale", "zero"], &[&name("wf")], &[]);
        model.node("QuantizeLinear", &[&last, "scale", "zero"], &[&name("q")], &[]);
        model.node("DequantizeLinear", &[&name("q"), "scale", "zero"], &[&name("d")], &[]);
        model.node("MatMul", &[&name("d"), &name("wf")], &[&name("y")], &[]);
        last = name("y");
    }
    model.output(&last, F32, &["batch", "64"]);
    model
}

fn residual(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "64", "28", "28"]);
    let mut last = "x".to_owned();
    for i in 0..count / 5 + 1 {
        let name = |part: &str| format!("{part}{i}");
        let pads = [Attribute::ints("pads", &[1, 1, 1, 1])];
        weight(&mut model, &name("wa"), &[64, 64, 3, 3]);
        weight(&mut model, &name("wb"), &[64, 64, 3, 3]);
        model.node("Conv", &[&last, &name("wa")], &[&name("a")], &pads);
        model.node("Relu", &[&name("a")], &[&name("b")], &[]);
        model.node("Conv", &[&name("b"), &name("wb")], &[&name("c")], &pads);
        model.node("Add", &[&name("c"), &last], &[&name("d")], &[]);
        model.node("Relu", &[&name("d")], &[&name("y")], &[]);
        last = name("y");
    }
    model.output(&last, F32, &["batch", "64", "28", "28"]);
    model
}

fn embeddings(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    for i in 0..count / 2 + 1 {
        let [ids, table, y] = ["ids", "table", "y"].map(|part| format!("{part}{i}"));
        model.input(&ids, I64, &["batch", "length"]);
        weight(&mut model, &table, &[1000, 16]);
        model.node("Gather", &[&table, &ids], &[&y], &[]).output(
            &y,
            F32,
            &["batch", "length", "16"],
        );
    }
    model
}
