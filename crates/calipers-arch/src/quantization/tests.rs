//! Each scheme in a model of a few nodes.

use calipers_report::{Granularity, Quantization, Scheme};
use calipers_samples::{Attribute, DataType, ModelBuilder, Node, Tensor};

const MS: &str = "com.microsoft";

/// A model with input `x`, `float32[n, 4]`, and stored factors of every kind.
fn start() -> ModelBuilder {
    let mut model = ModelBuilder::new(21);
    model.opset(MS, 1);
    model.input("x", DataType::F32, &["n", "4"]);
    model.initializer(&Tensor::f32("w", &[4, 4], &[0.5; 16]));
    model.initializer(&Tensor::raw("w8", DataType::I8, &[4, 4], &[1; 16]));
    model.initializer(&Tensor::raw("w4", DataType::U8, &[4, 1, 2], &[0x99; 8]));
    model.initializer(&Tensor::f32("scale", &[], &[0.1]));
    model.initializer(&Tensor::f32("scales", &[4], &[0.1; 4]));
    model.initializer(&Tensor::raw("zero", DataType::I8, &[], &[0]));
    model.initializer(&Tensor::raw("zero_u8", DataType::U8, &[], &[128]));
    model
}

fn quantization(model: &mut ModelBuilder, last: &str) -> Quantization {
    model.output(last, DataType::F32, &["n", "4"]);
    let model = calipers_formats::read(model.build(), "quantized.onnx").unwrap();
    crate::testing::report(&model).quantization
}

#[test]
fn floats_are_not_quantized() {
    let mut model = start();
    model.node("MatMul", &["x", "w"], &["y"], &[]);
    let reported = quantization(&mut model, "y");
    assert_eq!((reported.scheme, reported.contractions), (Scheme::None, 1));
    assert_eq!(reported.bits, None);
}

#[test]
fn weights_and_data_between_quantize_and_dequantize() {
    let mut model = start();
    model.node("QuantizeLinear", &["x", "scale", "zero"], &["q"], &[]);
    model.node("DequantizeLinear", &["q", "scale", "zero"], &["d"], &[]);
    model.node("DequantizeLinear", &["w8", "scales"], &["f"], &[Attribute::int("axis", 1)]);
    model.node("MatMul", &["d", "f"], &["y"], &[]);
    model.node("MatMul", &["y", "w"], &["z"], &[]);
    let reported = quantization(&mut model, "z");
    assert_eq!(reported.scheme, Scheme::Qdq { bits: 8 });
    assert_eq!((reported.contractions_quantized, reported.contractions), (1, 2));
    assert_eq!(reported.granularity, Some(Granularity::PerChannel));
    assert_eq!((reported.bits, reported.symmetric), (Some(8), Some(true)));
    assert_eq!(reported.unquantized.get("MatMul"), Some(&1));
    assert_eq!(reported.weights_percent, Some(50.0));
}

#[test]
fn scales_that_follow_from_the_data_are_dynamic() {
    let mut model = start();
    model.node("DynamicQuantizeLinear", &["x"], &["q", "s", "z"], &[]);
    model.node("MatMulInteger", &["q", "w8", "z"], &["i"], &[]);
    model.node("Cast", &["i"], &["f"], &[Attribute::int("to", 1)]);
    model.node("Mul", &["s", "scale"], &["both"], &[]);
    model.node("Mul", &["f", "both"], &["y"], &[]);
    let reported = quantization(&mut model, "y");
    assert_eq!(reported.scheme, Scheme::Dynamic { bits: 8 });
    assert_eq!((reported.contractions_quantized, reported.contractions), (1, 1));

    // The same, written out by an exporter that quantizes with a scale it computes.
    let mut model = start();
    model.node("ReduceMax", &["x"], &["most"], &[Attribute::int("keepdims", 0)]);
    model.node("Div", &["most", "scale"], &["s"], &[]);
    model.node("QuantizeLinear", &["x", "s", "zero"], &["q"], &[]);
    model.node("DequantizeLinear", &["q", "s", "zero"], &["d"], &[]);
    model.node("DequantizeLinear", &["w8", "scale"], &["f"], &[]);
    model.node("MatMul", &["d", "f"], &["y"], &[]);
    assert_eq!(quantization(&mut model, "y").scheme, Scheme::Dynamic { bits: 8 });
}

#[test]
fn operators_on_integers() {
    let mut model = start();
    model.node("QuantizeLinear", &["x", "scale", "zero_u8"], &["q"], &[]);
    let inputs = ["q", "scale", "zero_u8", "w8", "scale", "zero", "scale", "zero_u8"];
    model.node("QLinearMatMul", &inputs, &["r"], &[]);
    model.node("DequantizeLinear", &["r", "scale", "zero_u8"], &["y"], &[]);
    let reported = quantization(&mut model, "y");
    assert_eq!(reported.scheme, Scheme::QOperator { bits: 8 });
    assert_eq!(reported.granularity, Some(Granularity::PerTensor));
}

#[test]
fn weights_alone() {
    let mut model = start();
    let attributes = [("K", 4), ("N", 4), ("bits", 4), ("block_size", 16)]
        .map(|(name, value)| Attribute::int(name, value));
    let node = Node::new("MatMulNBits", &["x", "w4", "scales"], &["y"], &attributes);
    model.push(&node.in_domain(MS));
    let reported = quantization(&mut model, "y");
    assert_eq!(reported.scheme, Scheme::WeightOnly { bits: 4 });
    assert_eq!((reported.bits, reported.block), (Some(4), Some(16)));
    assert_eq!(reported.granularity, Some(Granularity::PerBlock));
    assert_eq!(reported.symmetric, Some(true));

    let mut model = start();
    model.node("DequantizeLinear", &["w8", "scale"], &["f"], &[]);
    model.node("MatMul", &["x", "f"], &["y"], &[]);
    assert_eq!(quantization(&mut model, "y").scheme, Scheme::WeightOnly { bits: 8 });

    // Written out: cast, times the scale.
    let mut model = start();
    model.node("Cast", &["w8"], &["c"], &[Attribute::int("to", 1)]);
    model.node("Mul", &["c", "scale"], &["f"], &[]);
    model.node("MatMul", &["x", "f"], &["y"], &[]);
    assert_eq!(quantization(&mut model, "y").scheme, Scheme::WeightOnly { bits: 8 });
}

#[test]
fn several_ways_are_mixed() {
    let mut model = start();
    model.node("DequantizeLinear", &["w8", "scale"], &["f"], &[]);
    model.node("MatMul", &["x", "f"], &["y"], &[]);
    model.node("DynamicQuantizeLinear", &["y"], &["q", "s", "z"], &[]);
    model.node("MatMulInteger", &["q", "w8", "z"], &["i"], &[]);
    model.node("Cast", &["i"], &["c"], &[Attribute::int("to", 1)]);
    model.node("Mul", &["c", "s"], &["u"], &[]);
    assert_eq!(quantization(&mut model, "u").scheme, Scheme::Mixed);
}

#[test]
fn eight_bits_that_are_floats() {
    let mut model = start();
    model.initializer(&Tensor::raw("w_f8", DataType::F8E4M3FN, &[4, 4], &[1; 16]));
    model.initializer(&Tensor::raw("zero_f8", DataType::F8E4M3FN, &[], &[0]));
    model.node("QuantizeLinear", &["x", "scale", "zero_f8"], &["q"], &[]);
    model.node("DequantizeLinear", &["q", "scale", "zero_f8"], &["d"], &[]);
    model.node("DequantizeLinear", &["w_f8", "scale"], &["f"], &[]);
    model.node("MatMul", &["d", "f"], &["y"], &[]);
    assert_eq!(quantization(&mut model, "y").scheme, Scheme::Float { bits: 8 });
}

#[test]
fn a_table_that_is_looked_up_does_not_decide() {
    let mut model = start();
    model.input("ids", DataType::I64, &["n"]);
    model.node("DequantizeLinear", &["w8", "scale"], &["table"], &[]);
    model.node("Gather", &["table", "ids"], &["e"], &[]);
    model.node("DynamicQuantizeLinear", &["e"], &["q", "s", "z"], &[]);
    model.node("MatMulInteger", &["q", "w8", "z"], &["i"], &[]);
    model.node("Cast", &["i"], &["c"], &[Attribute::int("to", 1)]);
    model.node("Mul", &["c", "s"], &["y"], &[]);
    assert_eq!(quantization(&mut model, "y").scheme, Scheme::Dynamic { bits: 8 });
}
