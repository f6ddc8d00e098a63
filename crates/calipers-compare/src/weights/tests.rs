//! Weights of small models, however they are stored.

use calipers_ir::Source;
use calipers_report::{WeightChanges, WeightRelation};
use calipers_samples::{Attribute, DataType, ModelBuilder, Node, Tensor};

use super::{Compared, Side, compare, sample_digests};
use crate::{Subject, align};

type Files = Vec<Result<Source, String>>;

fn compared_within(a: &[u8], b: &[u8], files: &Files, limit: u64) -> Compared {
    let [a, b] = [a, b].map(|bytes| calipers_formats::read(bytes.to_vec(), "tiny.onnx").unwrap());
    let digests = [&a, &b].map(|model| sample_digests(model, files));
    let alignment = align(
        Subject { model: &a, digest: &|id| digests[0].get(&id).copied() },
        Subject { model: &b, digest: &|id| digests[1].get(&id).copied() },
    );
    let (a, b) = (Side { model: &a, files }, Side { model: &b, files });
    compare(a, b, &alignment, limit, &|_, _| {})
}

fn compared(a: &ModelBuilder, b: &ModelBuilder) -> WeightChanges {
    compared_within(&a.build(), &b.build(), &Vec::new(), u64::MAX).changes
}

/// `x [n, 8] → Relu → (nodes) → y`, with these tensors.
fn model(tensors: &[Tensor], nodes: &[Node]) -> ModelBuilder {
    let mut model = ModelBuilder::new(21);
    model.input("x", DataType::F32, &["n", "8"]).opset("com.microsoft", 1);
    model.node("Relu", &["x"], &["r"], &[]);
    tensors.iter().for_each(|tensor| _ = model.initializer(tensor));
    nodes.iter().for_each(|node| _ = model.push(node));
    model.node("Sigmoid", &["m"], &["y"], &[]).output("y", DataType::F32, &["n", "8"]);
    model
}

fn product(weight: &Tensor) -> ModelBuilder {
    model(std::slice::from_ref(weight), &[Node::new("MatMul", &["r", "w"], &["m"], &[])])
}

/// The weights of an 8 × 8 product: rows are inputs.
fn weights() -> Vec<f32> {
    (0..64_u16).map(|at| f32::from(at * 37 % 64) / 16.0 - 2.0).collect()
}

fn changed(by: impl Fn(usize, f32) -> f32) -> Vec<f32> {
    weights().into_iter().enumerate().map(|(at, weight)| by(at, weight)).collect()
}

fn float(values: &[f32]) -> Tensor {
    Tensor::f32("w", &[8, 8], values)
}

fn is_near(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-12 * right.abs().max(1e-12)
}

/// Norm of the difference over that of the weights.
fn relative_norm(other: &[f32]) -> f64 {
    let squares = |values: Vec<f64>| values.iter().map(|value| value * value).sum::<f64>();
    let pairs = weights().into_iter().zip(other);
    let apart = pairs.map(|(a, b)| f64::from(a) - f64::from(*b)).collect();
    (squares(apart) / squares(weights().into_iter().map(f64::from).collect())).sqrt()
}

/// Checks that one pair was compared, with these elements in the second model.
fn check(found: &WeightChanges, other: &[f32], through: &str) {
    assert_eq!((found.compared, found.different), (1, 1), "{found:?}");
    let pair = &found.tensors[0];
    assert_eq!(
        (pair.a.as_str(), pair.through.as_str(), &pair.shape[..]),
        ("w", through, &[8, 8][..])
    );
    let different = weights().iter().zip(other).filter(|(a, b)| a != b).count() as u64;
    assert_eq!((pair.difference.elements, pair.difference.different), (64, different));
    let norm = pair.difference.relative_norm.unwrap();
    assert!(is_near(norm, relative_norm(other)), "{norm} {}", relative_norm(other));
    assert_eq!(found.uncompared_tensors, []);
}

#[test]
fn a_copy_and_a_fine_tune() {
    let first = product(&float(&weights()));
    let found = compared(&first, &product(&float(&weights())));
    assert_eq!((found.relation, found.identical, found.bytes), (WeightRelation::Identical, 1, 512));
    let tuned = changed(|_, weight| weight * 1.01);
    let (a, b) = (first.build(), product(&float(&tuned)).build());
    let Compared { changes, differing } = compared_within(&a, &b, &Vec::new(), u64::MAX);
    assert_eq!(differing.len(), 1);
    check(&changes, &tuned, "");
    assert_eq!(changes.relation, WeightRelation::FineTuned, "{}", changes.why);
    // Three nodes; the second one reads the weights.
    let depth: Vec<u64> = changes.by_depth.iter().map(|part| part.tensors).collect();
    assert_eq!(depth, [0, 1, 0]);
    // Every second sign flipped. The squares of even and odd sixteenths are 10944 and 10912, so
    // the cosine is 32 / 21856.
    let other = changed(|at, weight| if at % 2 == 0 { weight } else { -weight });
    let found = compared(&first, &product(&float(&other)));
    assert_eq!(found.relation, WeightRelation::Unrelated, "{}", found.why);
    assert!(is_near(found.total.unwrap().cosine.unwrap(), 32.0 / 21856.0));
}

#[test]
fn some_tensors_changed() {
    let two = |second: &[f32]| {
        let nodes = [
            Node::new("MatMul", &["r", "w"], &["k"], &[]),
            Node::new("MatMul", &["k", "v"], &["l"], &[]),
            Node::new("MatMul", &["l", "u"], &["m"], &[]),
        ];
        let kept = Tensor::f32("u", &[8, 8], &changed(|_, weight| weight + 1.0));
        model(&[float(&weights()), Tensor::f32("v", &[8, 8], second), kept], &nodes)
    };
    let found =
        compared(&two(&weights()), &two(&changed(|at, weight| if at < 9 { 0.5 } else { weight })));
    assert_eq!((found.relation, found.identical), (WeightRelation::Partial, 2), "{}", found.why);
}

#[test]
fn rounded_to_float16() {
    // 0.1 steps are not halves; 1 + 2^-11 of them is the largest relative error.
    let values = changed(|_, weight| weight + 0.1);
    let halves: Vec<u8> = values.iter().flat_map(|value| half_bits(*value).to_le_bytes()).collect();
    let first = product(&float(&values));
    let second = product(&Tensor::raw("w", DataType::F16, &[8, 8], &halves));
    let found = compared(&first, &second);
    assert_eq!(found.relation, WeightRelation::Rounded, "{}", found.why);
    assert!(found.total.unwrap().relative_norm.unwrap() < 2_f64.powi(-11));
}

/// A float16 of the largest fraction that is not greater, for normal values.
fn half_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let exponent = u16::try_from((bits >> 23) & 0xff).unwrap() - 112;
    u16::try_from(bits >> 31).unwrap() << 15
        | exponent << 10
        | u16::try_from(bits >> 13 & 0x3ff).unwrap()
}

/// Int8 codes, and what they are with a scale per column and zero points.
fn columns() -> (Vec<u8>, Vec<f32>, Vec<u8>, Vec<f32>) {
    let scales: Vec<f32> = (0..8_u8).map(|at| 0.02 + f32::from(at) * 0.001).collect();
    let zeros: Vec<i8> = (0..8).collect();
    let codes: Vec<i8> = weights()
        .iter()
        .enumerate()
        .map(|(at, weight)| quantize(weight / scales[at % 8] + f32::from(zeros[at % 8])))
        .collect();
    let numbers = codes
        .iter()
        .enumerate()
        .map(|(at, code)| f32::from(i16::from(*code) - i16::from(zeros[at % 8])) * scales[at % 8]);
    let numbers = numbers.collect();
    let bytes = |codes: &[i8]| codes.iter().map(|code| code.cast_unsigned()).collect();
    (bytes(&codes), scales, bytes(&zeros), numbers)
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
fn quantize(value: f32) -> i8 {
    value.round().clamp(-128.0, 127.0) as i8
}

#[test]
fn through_dequantize_linear() {
    let (codes, scales, zeros, numbers) = columns();
    let tensors = |codes: &[u8]| {
        [
            Tensor::raw("q", DataType::I8, &[8, 8], codes),
            Tensor::f32("s", &[8], &scales),
            Tensor::raw("z", DataType::I8, &[8], &zeros),
        ]
    };
    let dequantize = |axis| {
        Node::new("DequantizeLinear", &["q", "s", "z"], &["d"], &[Attribute::int("axis", axis)])
    };
    let first = product(&float(&weights()));
    let nodes = [dequantize(1), Node::new("MatMul", &["r", "d"], &["m"], &[])];
    let found = compared(&first, &model(&tensors(&codes), &nodes));
    check(&found, &numbers, "dequantized per channel");
    assert_eq!((found.relation, found.unmatched), (WeightRelation::Quantized, (0, 0)));

    // Stored by columns, and transposed before the product.
    let turned: Vec<u8> = (0..64).map(|at| codes[at % 8 * 8 + at / 8]).collect();
    let nodes = [
        dequantize(0),
        Node::new("Transpose", &["d"], &["t"], &[Attribute::ints("perm", &[1, 0])]),
        Node::new("MatMul", &["r", "t"], &["m"], &[]),
    ];
    let found = compared(&first, &model(&tensors(&turned), &nodes));
    check(&found, &numbers, "dequantized per channel, transposed");

    // Scales that do not fit are a reason, not a figure.
    let short = [tensors(&codes)[0].clone(), Tensor::f32("s", &[7], &scales[..7])];
    let node = Node::new("DequantizeLinear", &["q", "s"], &["d"], &[]);
    let nodes = [node, Node::new("MatMul", &["r", "d"], &["m"], &[])];
    let found = compared(&first, &model(&short, &nodes));
    assert_eq!((found.compared, found.not_compared), (0, 1));
    assert!(found.uncompared_tensors[0].reason.contains("7 scales"), "{found:?}");
}

#[test]
fn in_blocks() {
    // Blocks of 4 rows: scale 0.1 for the upper half, 0.2 for the lower one.
    let scales: Vec<f32> = (0..16).map(|at| if at < 8 { 0.1 } else { 0.2 }).collect();
    let scale = |at: usize| if at < 32 { 0.1_f32 } else { 0.2 };
    let codes: Vec<i8> =
        weights().iter().enumerate().map(|(at, weight)| quantize(weight / scale(at))).collect();
    let numbers: Vec<f32> =
        codes.iter().enumerate().map(|(at, code)| f32::from(*code) * scale(at)).collect();
    let bytes: Vec<u8> = codes.iter().map(|code| code.cast_unsigned()).collect();
    let tensors =
        [Tensor::raw("q", DataType::I8, &[8, 8], &bytes), Tensor::f32("s", &[2, 8], &scales)];
    let attributes = [Attribute::int("axis", 0), Attribute::int("block_size", 4)];
    let nodes = [
        Node::new("DequantizeLinear", &["q", "s"], &["d"], &attributes),
        Node::new("MatMul", &["r", "d"], &["m"], &[]),
    ];
    let found = compared(&product(&float(&weights())), &model(&tensors, &nodes));
    check(&found, &numbers, "dequantized in blocks of 4");
}

#[test]
fn packed_in_four_bits() {
    // Output channels are rows, of one padded block of 16: 8 codes and 8 of padding.
    let scale = |column: usize| 0.3 + f32::from(u8::try_from(column).unwrap()) * 0.01;
    let code = |row: usize, column: usize| {
        let code = (weights()[row * 8 + column] / scale(column)).round() + 8.0;
        quantize(code.clamp(0.0, 15.0)).cast_unsigned()
    };
    let mut bytes = Vec::new();
    for column in 0..8 {
        bytes.extend((0..4).map(|at| code(2 * at, column) | code(2 * at + 1, column) << 4));
        bytes.extend([0x5a; 4]);
    }
    let scales: Vec<f32> = (0..8).map(scale).collect();
    let number = |at: usize| (f32::from(code(at / 8, at % 8)) - 8.0) * scale(at % 8);
    let numbers: Vec<f32> = (0..64).map(number).collect();
    let tensors =
        [Tensor::raw("q", DataType::U8, &[8, 1, 8], &bytes), Tensor::f32("s", &[8], &scales)];
    let attributes = |k| {
        [("K", k), ("N", 8), ("bits", 4), ("block_size", 16)]
            .map(|(name, value)| Attribute::int(name, value))
    };
    let node = |k| {
        Node::new("MatMulNBits", &["r", "q", "s"], &["m"], &attributes(k))
            .in_domain("com.microsoft")
    };
    let first = product(&float(&weights()));
    let found = compared(&first, &model(&tensors, &[node(8)]));
    check(&found, &numbers, "unpacked 4-bit, dequantized in blocks of 16, transposed");
    // Attributes that lie about the size.
    let found = compared(&first, &model(&tensors, &[node(i64::MAX)]));
    assert_eq!((found.compared, found.total), (0, None));
}

#[test]
fn operators_on_integers() {
    let (codes, scales, zeros, numbers) = columns();
    let scalar = |name: &str| Tensor::f32(name, &[], &[0.5]);
    let zero = |name: &str| Tensor::raw(name, DataType::I8, &[], &[0]);
    let tensors = [
        Tensor::raw("q", DataType::I8, &[8, 8], &codes),
        Tensor::f32("s", &[8], &scales),
        Tensor::raw("z", DataType::I8, &[8], &zeros),
        scalar("xs"),
        zero("xz"),
        scalar("ys"),
        zero("yz"),
    ];
    let nodes = [
        Node::new("QuantizeLinear", &["r", "xs", "xz"], &["rq"], &[]),
        Node::new("QLinearMatMul", &["rq", "xs", "xz", "q", "s", "z", "ys", "yz"], &["mq"], &[]),
        Node::new("DequantizeLinear", &["mq", "ys", "yz"], &["m"], &[]),
    ];
    let first = product(&float(&weights()));
    check(&compared(&first, &model(&tensors, &nodes)), &numbers, "dequantized per channel");
    // The scale multiplies the integer result.
    let nodes = [
        Node::new("DynamicQuantizeLinear", &["r"], &["rq", "rs", "rz"], &[]),
        Node::new("MatMulInteger", &["rq", "q", "rz", "z"], &["i"], &[]),
        Node::new("Cast", &["i"], &["c"], &[Attribute::int("to", 1)]),
        Node::new("Mul", &["rs", "s"], &["rss"], &[]),
        Node::new("Mul", &["c", "rss"], &["m"], &[]),
    ];
    check(&compared(&first, &model(&tensors[..3], &nodes)), &numbers, "dequantized per channel");
}

#[test]
fn what_cannot_be_compared_says_why() {
    let first = product(&float(&weights()));
    let found = compared(&first, &product(&Tensor::f32("w", &[8, 4], &weights()[..32])));
    assert_eq!((found.compared, found.not_compared), (0, 1));
    assert_eq!(found.uncompared_tensors[0].reason, "shapes differ: [8, 8] and [8, 4]");
    assert_eq!((found.relation, found.total), (WeightRelation::Unknown, None));

    let outside = Tensor::external("w", DataType::F32, &[8, 8], "w.bin", Some(0), Some(256));
    let (a, b) = (first.build(), product(&outside).build());
    let reason = |files: Files, limit| {
        let found = compared_within(&a, &b, &files, limit).changes;
        assert_eq!((found.compared, found.not_compared), (0, 1));
        found.uncompared_tensors[0].reason.clone()
    };
    assert!(reason(vec![Err("file not found".to_owned())], u64::MAX).contains("file not found"));
    assert!(reason(vec![Ok(Source::new(vec![0; 255]))], u64::MAX).contains("past the end"));
    let whole = || vec![Ok(Source::new(vec![0; 256]))];
    assert!(reason(whole(), 511).contains("the limit of 511 bytes"));
    assert_eq!(compared_within(&a, &b, &whole(), 512).changes.compared, 1);

    let lie = product(&Tensor::raw("w", DataType::F32, &[8, 8], &[0; 12]));
    let found = compared(&first, &lie);
    assert!(found.uncompared_tensors[0].reason.contains("needs 256 bytes, but it has 12"));
    // Integers without a scale are not numbers next to floats.
    let found = compared(&first, &product(&Tensor::raw("w", DataType::I8, &[8, 8], &[1; 64])));
    assert!(found.uncompared_tensors[0].reason.contains("scale of its int8"), "{found:?}");
}

#[test]
fn figures_survive_json() {
    let strange = changed(|at, weight| match at {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => f32::MAX,
        _ => weight,
    });
    for (a, b) in
        [(weights(), strange.clone()), (strange, vec![0.0; 64]), (vec![0.0; 64], weights())]
    {
        let found = compared(&product(&float(&a)), &product(&float(&b)));
        let json = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<WeightChanges>(&json).unwrap(), found);
    }
}

#[test]
fn the_same_bytes_are_not_read_for_ever() {
    // Many tensors of the same bytes, each one further on.
    let many = |fill: i64| {
        let mut model = ModelBuilder::new(21);
        for at in 0..100_u64 {
            let (name, out) = (format!("v{at}"), format!("y{at}"));
            let dims = [20_000, 1];
            let tensor = Tensor::external(&name, DataType::F32, &dims, "w.bin", Some(at * 4), None);
            model.initializer(&tensor);
            let attribute = [Attribute::int("axis", at as i64 + fill)];
            model.node("Softmax", &[&name], &[&out], &attribute);
            model.output(&out, DataType::F32, &["20000", "1"]);
        }
        model.build()
    };
    let files: Files = vec![Ok(Source::new(vec![1; 81_000]))];
    let found = compared_within(&many(0), &many(0), &files, u64::MAX).changes;
    assert!(found.compared > 0 && found.bytes <= 10 * 2 * (81_000 + 20_000), "{}", found.bytes);
}

#[test]
fn samples_distinguish_tensors() {
    let read = |tensor: &Tensor| {
        let model = calipers_formats::read(product(tensor).build(), "tiny.onnx").unwrap();
        let digests = sample_digests(&model, &Files::new());
        digests.values().next().copied()
    };
    let large = |at: usize| {
        let mut values = vec![0_u8; 1 << 18];
        values[at] = 1;
        Tensor::raw("w", DataType::U8, &[1 << 18, 1], &values)
    };
    assert_eq!(read(&large(0)), read(&large(0)));
    for at in [1, (1 << 17) + 1, (1 << 18) - 1] {
        assert_ne!(read(&large(0)), read(&large(at)), "{at}");
    }
    // Type and dimensions count; a tensor that cannot be read has no number.
    let bytes = [0; 256];
    let raw = |dtype, dims: &[i64]| Tensor::raw("w", dtype, dims, &bytes);
    assert_ne!(read(&raw(DataType::F32, &[8, 8])), read(&raw(DataType::I32, &[8, 8])));
    assert_ne!(read(&raw(DataType::F32, &[8, 8])), read(&raw(DataType::F32, &[16, 4])));
    assert_eq!(read(&raw(DataType::F32, &[8, 9])), None);
}
