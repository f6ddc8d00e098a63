//! Free dimensions: many, added, multiplied and nested.

use calipers_samples::DataType::{F32, I64};
use calipers_samples::{Attribute, ModelBuilder, Tensor};

use super::{Family, chain, family};

pub(super) const FAMILIES: &[Family] = &[
    family("inputs with a dimension each", inputs),
    family("one sum of free dimensions", sum),
    family("one concatenation of free dimensions", concatenation),
    family("running sums of dimensions", running_sums),
    family("sums of a thousand dimensions", large_sums),
    family("products of two sums", products),
    family("products of sums, each another", distinct_products),
    family("chain after a product of sums", after_product),
    family("matrix products of a free depth", depths),
    family("tensors of a rank", rank),
    family("flattened ranks", flattened),
    family("nested quotients", quotients),
    family("nested minima", minima),
    family("maxima of many dimensions", maxima),
    family("remainders", remainders),
    family("sizes computed in the graph", computed),
    family("unknown sizes", data_dependent),
    family("broadcasts of free dimensions", broadcasts),
    family("one long dimension name", long_name),
    family("long dimension names with one prefix", long_prefixes),
    family("dimension expressions", expressions),
    family("declared dimensions of values", declared),
];

fn inputs(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    for i in 0..count {
        let (x, y, dim) = (format!("x{i}"), format!("y{i}"), format!("d{i}"));
        model.input(&x, F32, &[&dim, "4"]).node("Relu", &[&x], &[&y], &[]);
        model.output(&y, F32, &[&dim, "4"]);
    }
    model
}

/// Inputs of a free dimension each; their names.
fn free(model: &mut ModelBuilder, count: usize) -> Vec<String> {
    let name = |i: usize| {
        let (x, dim) = (format!("x{i}"), format!("d{i}"));
        model.input(&x, F32, &[&dim]);
        x
    };
    (0..count).map(name).collect()
}

fn as_strs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn sum(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let inputs = free(&mut model, count);
    model.node("Sum", &as_strs(&inputs), &["y"], &[]).output("y", F32, &["?"]);
    model
}

fn concatenation(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let inputs = free(&mut model, count);
    let axis = Attribute::int("axis", 0);
    model.node("Concat", &as_strs(&inputs), &["y"], &[axis]).output("y", F32, &["?"]);
    model
}

fn running_sums(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let inputs = free(&mut model, count);
    let mut last = inputs[0].clone();
    for (i, input) in inputs.iter().enumerate().skip(1) {
        let next = format!("sum{i}");
        model.node("Concat", &[&last, input], &[&next], &[Attribute::int("axis", 0)]);
        last = next;
    }
    model.output(&last, F32, &["?"]);
    model
}

/// A value of a sum of dimensions.
fn of_sum(model: &mut ModelBuilder, count: usize) -> String {
    let inputs = free(model, count);
    model.node("Concat", &as_strs(&inputs), &["joined"], &[Attribute::int("axis", 0)]);
    "joined".to_owned()
}

fn large_sums(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let joined = of_sum(&mut model, 1000);
    for i in 0..count {
        let (small, y) = (format!("c{i}"), format!("y{i}"));
        let size = i64::try_from(i + 1).unwrap();
        model.initializer(&Tensor::f32(&small, &[size], &[0.0]));
        model.node("Concat", &[&joined, &small], &[&y], &[Attribute::int("axis", 0)]);
    }
    model.output("y0", F32, &["?"]);
    model
}

/// A matrix whose sides are sums of dimensions.
fn of_sums(model: &mut ModelBuilder, each: usize) -> String {
    for side in ["a", "b"] {
        let mut parts = Vec::new();
        for i in 0..each {
            let (x, dim) = (format!("{side}{i}"), format!("{side}_dim{i}"));
            model.input(&x, F32, if side == "a" { [&*dim, "1"] } else { ["1", &*dim] }.as_slice());
            parts.push(x);
        }
        let axis = Attribute::int("axis", i64::from(side == "b"));
        model.node("Concat", &as_strs(&parts), &[side], &[axis]);
    }
    model.node("MatMul", &["a", "b"], &["product"], &[]);
    "product".to_owned()
}

fn products(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let product = of_sums(&mut model, count.div_ceil(2));
    model.output(&product, F32, &["?", "?"]);
    model
}

fn distinct_products(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let product = of_sums(&mut model, 30);
    for i in 0..count {
        let (small, y) = (format!("c{i}"), format!("y{i}"));
        let size = i64::try_from(i + 1).unwrap();
        model.initializer(&Tensor::f32(&small, &[size, 1], &[]));
        model.node("Mul", &["a", &small], &[&y], &[]);
        model.node(
            "Concat",
            &[&product, &product],
            &[&format!("z{i}")],
            &[Attribute::int("axis", i64::from(i % 2 == 0))],
        );
    }
    model.output("z0", F32, &["?", "?"]);
    model
}

fn after_product(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let product = of_sums(&mut model, 90);
    let last = chain(&mut model, "Relu", &product, count);
    model.output(&last, F32, &["?", "?"]);
    model
}

fn depths(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "d0"]);
    let mut last = "x".to_owned();
    for i in 0..count {
        let (w, y) = (format!("w{i}"), format!("y{i}"));
        model.input(&w, F32, &[&format!("d{i}"), &format!("d{}", i + 1)]);
        model.node("MatMul", &[&last, &w], &[&y], &[]);
        last = y;
    }
    model.output(&last, F32, &["?", "?"]);
    model
}

fn rank(count: usize) -> ModelBuilder {
    let dims: Vec<String> = (0..count).map(|i| format!("d{i}")).collect();
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &as_strs(&dims)).node("Relu", &["x"], &["y"], &[]).output(
        "y",
        F32,
        &["?"],
    );
    model
}

fn flattened(count: usize) -> ModelBuilder {
    let mut model = rank(200);
    for i in 0..count {
        let at = i64::try_from(i % 200).unwrap();
        model.node("Flatten", &["y"], &[&format!("z{i}")], &[Attribute::int("axis", at)]);
    }
    model.output("z0", F32, &["?", "?"]);
    model
}

fn pooled(count: usize, strides: fn(usize) -> i64) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["1", "1", "side"]);
    let mut last = "x".to_owned();
    for i in 0..count {
        let next = format!("y{i}");
        let stride = strides(i);
        model.node(
            "MaxPool",
            &[&last],
            &[&next],
            &[Attribute::ints("kernel_shape", &[3]), Attribute::ints("strides", &[stride])],
        );
        last = next;
    }
    model.output(&last, F32, &["1", "1", "?"]);
    model
}

fn quotients(count: usize) -> ModelBuilder {
    pooled(count, |i| 1 + i64::from(i % 40 == 0))
}

fn minima(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["length"]);
    model.initializer(&Tensor::i64("zero", &[1], &[0]));
    let mut last = "x".to_owned();
    for i in 0..count {
        let (end, next) = (format!("end{i}"), format!("y{i}"));
        model.initializer(&Tensor::i64(&end, &[1], &[i64::try_from(count * 2 - i).unwrap()]));
        model.node("Slice", &[&last, "zero", &end], &[&next], &[]);
        last = next;
    }
    model.output(&last, F32, &["?"]);
    model
}

fn maxima(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let inputs = free(&mut model, count);
    let mut sizes = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        sizes.push(format!("size{i}"));
        model.node("Shape", &[input], &[&sizes[i]], &[]);
    }
    model.node("Max", &as_strs(&sizes), &["most"], &[]);
    model.node("ConstantOfShape", &["most"], &["y"], &[]).output("y", F32, &["?"]);
    model
}

fn remainders(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["length"]).node("Shape", &["x"], &["size"], &[]);
    for i in 0..count {
        let (by, rest, y) = (format!("by{i}"), format!("rest{i}"), format!("y{i}"));
        model.initializer(&Tensor::i64(&by, &[1], &[i64::try_from(i + 2).unwrap()]));
        model.node("Mod", &["size", &by], &[&rest], &[]);
        model.node("ConstantOfShape", &[&rest], &[&y], &[]);
    }
    model.output("y0", F32, &["?"]);
    model
}

fn computed(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "length", "64"]);
    model.initializer(&Tensor::i64("one", &[], &[1])).initializer(&Tensor::i64("zero", &[], &[0]));
    model.initializer(&Tensor::i64("heads", &[2], &[8, 8]));
    model.initializer(&Tensor::i64("axes", &[1], &[0]));
    for i in 0..count / 6 + 1 {
        let name = |part: &str| format!("{part}{i}");
        model.node("Shape", &["x"], &[&name("shape")], &[]);
        model.node("Gather", &[&name("shape"), "zero"], &[&name("b")], &[]);
        model.node("Gather", &[&name("shape"), "one"], &[&name("l")], &[]);
        model.node("Unsqueeze", &[&name("b"), "axes"], &[&name("bu")], &[]);
        model.node("Unsqueeze", &[&name("l"), "axes"], &[&name("lu")], &[]);
        let parts = [&*name("bu"), &*name("lu"), "heads"];
        model.node("Concat", &parts, &[&name("to")], &[Attribute::int("axis", 0)]);
        model.node("Reshape", &["x", &name("to")], &[&name("y")], &[]);
    }
    model.output("y0", F32, &["?", "?", "8", "8"]);
    model
}

fn data_dependent(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["length"]);
    for i in 0..count / 2 + 1 {
        let (at, y) = (format!("at{i}"), format!("y{i}"));
        model.node("NonZero", &["x"], &[&at], &[]).node("Relu", &[&at], &[&y], &[]);
    }
    model.output("y0", I64, &["1", "?"]);
    model
}

fn broadcasts(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let inputs = free(&mut model, count);
    let mut last = inputs[0].clone();
    for (i, input) in inputs.iter().enumerate().skip(1) {
        let next = format!("y{i}");
        model.node("Add", &[&last, input], &[&next], &[]);
        last = next;
    }
    model.output(&last, F32, &["?"]);
    model
}

fn long_name(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let name = "d".repeat(count * 20);
    model.input("x", F32, &[&name, "4"]);
    let last = chain(&mut model, "Relu", "x", count);
    model.output(&last, F32, &["?", "4"]);
    model
}

fn long_prefixes(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let prefix = "p".repeat(count * 2);
    let mut parts = Vec::new();
    for i in 0..16 {
        parts.push(format!("x{i}"));
        model.input(&parts[i], F32, &[&format!("{prefix}{i}")]);
    }
    model.node("Concat", &as_strs(&parts), &["joined"], &[Attribute::int("axis", 0)]);
    let last = chain(&mut model, "Relu", "joined", count);
    model.output(&last, F32, &["?"]);
    model
}

fn expressions(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    for i in 0..count {
        let (x, y) = (format!("x{i}"), format!("y{i}"));
        model.input(&x, F32, &[&format!("batch*{} + floor(length/{})", i + 1, i + 2)]);
        model.node("Relu", &[&x], &[&y], &[]);
    }
    model.output("y0", F32, &["?"]);
    model
}

fn declared(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "4"]);
    for i in 0..count {
        model.value(&format!("x_{i}"), F32, &[&format!("unk__{i}"), "4"]);
    }
    let last = chain(&mut model, "Relu", "x", count);
    model.output(&last, F32, &["batch", "4"]);
    model
}
