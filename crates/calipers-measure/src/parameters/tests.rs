//! Roles of stored tensors in whole graphs.

use calipers_samples::{Attribute, DataType, Tensor};
use calipers_testkit::Tiny;

use super::{Role, all};

/// Elements of each role: weights, constants, scales.
fn elements(bytes: Vec<u8>) -> [u64; 3] {
    let model = calipers_formats::read(bytes, "tiny.onnx").unwrap();
    let stored = all(&model);
    [Role::Weight, Role::Constant, Role::Quantization].map(|role| {
        let of_role = stored.iter().filter(|item| item.role == role);
        of_role.map(|item| item.elements.clone().unwrap()).sum()
    })
}

fn reduced(t: &mut Tiny, x: &str, axis: i64) -> String {
    let axes = t.ints(&[axis]);
    t.op("ReduceMean", &[x, &axes])
}

/// A layer norm over positions as tf2onnx writes it. `eps` is added to the variance where it is a
/// norm; otherwise the root is taken of a number.
fn norm_over_positions(is_norm: bool) -> [u64; 3] {
    let mut t = Tiny::new();
    let x = t.input(&["2", "12", "5"]);
    let matrix = t.weight(&[5, 7]);
    let x = t.op("MatMul", &[&x, &matrix]);
    let mean = reduced(&mut t, &x, 1);
    let centered = t.op("Sub", &[&x, &mean]);
    let squared = t.op("Mul", &[&centered, &centered]);
    let variance = if is_norm { reduced(&mut t, &squared, 1) } else { squared };
    let variance = t.with("Add", &variance, 1e-5);
    let deviation = t.op("Sqrt", &[&variance]);
    let inverse = t.op("Reciprocal", &[&deviation]);
    let (gain, shift) = (t.weight(&[1, 12, 1]), t.weight(&[1, 12, 1]));
    let factor = t.op("Mul", &[&inverse, &gain]);
    let less = t.op("Mul", &[&mean, &factor]);
    let shifted = t.op("Sub", &[&shift, &less]);
    let scaled = t.op("Mul", &[&x, &factor]);
    let y = t.op("Add", &[&scaled, &shifted]);
    elements(t.build(&y))
}

#[test]
fn gain_and_shift_over_positions_are_learned() {
    // The matrix, the gain and the shift; the axes of two reductions and epsilon.
    assert_eq!(norm_over_positions(true), [5 * 7 + 12 + 12, 2 + 1, 0]);
    // A root of anything but a mean makes no norm, and no weight has an axis of 12.
    assert_eq!(norm_over_positions(false), [5 * 7, 12 + 12 + 1 + 1, 0]);
}

#[test]
fn slopes_of_several_axes_are_learned() {
    let slope = |negative: &dyn Fn(&mut Tiny, &str) -> String| {
        let mut t = Tiny::new();
        let x = t.input(&["1", "6", "6", "4"]);
        let rest = negative(&mut t, &x);
        let slopes = t.weight(&[6, 6, 4]);
        let scaled = t.op("Mul", &[&rest, &slopes]);
        let positive = t.op("Relu", &[&x]);
        let y = t.op("Add", &[&positive, &scaled]);
        let matrix = t.weight(&[4, 3]);
        let y = t.op("MatMul", &[&y, &matrix]);
        elements(t.build(&y))[0]
    };
    let by_relu = |t: &mut Tiny, x: &str| {
        let turned = t.op("Neg", &[x]);
        let negative = t.op("Relu", &[&turned]);
        t.op("Neg", &[&negative])
    };
    let by_size = |t: &mut Tiny, x: &str| {
        let size = t.op("Abs", &[x]);
        let twice = t.op("Sub", &[x, &size]);
        t.with("Mul", &twice, 0.5)
    };
    let by_minimum = |t: &mut Tiny, x: &str| t.with("Min", x, 0.0);
    assert_eq!(slope(&by_relu), 6 * 6 * 4 + 4 * 3);
    assert_eq!(slope(&by_size), 6 * 6 * 4 + 4 * 3);
    assert_eq!(slope(&by_minimum), 6 * 6 * 4 + 4 * 3);
    // A window that weighs the input, and a limit that is not 0.
    assert_eq!(slope(&|t, x| t.op("Abs", &[x])), 4 * 3);
    assert_eq!(slope(&|t, x| t.with("Min", x, 3.0)), 4 * 3);
}

/// A convolution of integers with a bias that is divided by `divisor`, as ONNX Runtime's first
/// dynamic quantizer writes it.
fn integer_convolution(by_scale: bool) -> [u64; 3] {
    let mut t = Tiny::of_opset(13);
    let x = t.input(&["1", "3", "8", "8"]);
    let [quantized, scale, zero] = &t.many("DynamicQuantizeLinear", &[&x], 3, &[])[..] else {
        panic!("three outputs")
    };
    let weight = t.raw(DataType::I8, &[4, 3, 3, 3], &[1; 108]);
    let (weight_scale, weight_zero) = (t.floats(&[0.1]), t.raw(DataType::I8, &[], &[0]));
    let product = t.op("ConvInteger", &[quantized, &weight, zero, &weight_zero]);
    let scales = t.op("Mul", &[scale, &weight_scale]);
    let bias = t.weight(&[4]);
    let divisor = if by_scale { scales.clone() } else { t.op("ReduceMax", &[&x]) };
    let rounded = t.op("Div", &[&bias, &divisor]);
    let rounded = t.op("Floor", &[&rounded]);
    let rounded = t.cast(&rounded, 6);
    let shape = t.ints(&[1, 4, 1, 1]);
    let rounded = t.op("Reshape", &[&rounded, &shape]);
    let sum = t.op("Add", &[&product, &rounded]);
    let sum = t.cast(&sum, 1);
    let y = t.op("Mul", &[&sum, &scales]);
    elements(t.build(&y))
}

#[test]
fn a_bias_that_is_quantized_as_the_model_runs_is_learned() {
    // Weights of 4 · 3 · 3 · 3 and a bias of 4; the shape; a scale and a zero point.
    assert_eq!(integer_convolution(true), [108 + 4, 4, 1 + 1]);
    assert_eq!(integer_convolution(false)[0], 108);
}

#[test]
fn the_bias_of_a_single_output_is_learned() {
    let count = |outputs: i64| {
        let mut t = Tiny::new();
        let x = t.input(&["2", "5"]);
        let matrix = t.weight(&[5, outputs]);
        let y = t.op("MatMul", &[&x, &matrix]);
        let bias = t.floats(&[0.5]);
        let y = t.op("Add", &[&y, &bias]);
        elements(t.build(&y))
    };
    assert_eq!(count(1), [5 + 1, 0, 0]);
    assert_eq!(count(3), [15, 1, 0], "one number for three outputs is arithmetic");
}

#[test]
fn what_scatter_overwrites_is_not_learned() {
    let count = |op: &str| {
        let mut t = Tiny::new();
        let x = t.input(&["1", "4"]);
        let base = t.weight(&[6, 4]);
        let y = match op {
            "ScatterND" => {
                let at = t.raw(DataType::I64, &[1, 1], &2_i64.to_le_bytes());
                t.op("ScatterND", &[&base, &at, &x])
            }
            _ => t.concat(&[&base, &x], 0),
        };
        let matrix = t.weight(&[4, 3]);
        let y = t.op("MatMul", &[&y, &matrix]);
        elements(t.build(&y))
    };
    assert_eq!(count("ScatterND"), [12, 24 + 1, 0]);
    // Tokens in front of a sequence are.
    assert_eq!(count("Concat"), [12 + 24, 0, 0]);
}

#[test]
fn stored_zeros_and_masks_are_constants_in_either_place() {
    let count = |values: &[f32], in_node: bool| {
        let mut t = Tiny::new();
        let x = t.input(&["2", "6", "4"]);
        let tensor = Tensor::f32("", &[1, 6, 4], values);
        let stored = match in_node {
            true => t.op_with("Constant", &[], &[Attribute::tensor("value", &tensor)]),
            false => t.stored(&[1, 6, 4], values),
        };
        let y = t.op("Add", &[&x, &stored]);
        let matrix = t.weight(&[4, 3]);
        let y = t.op("MatMul", &[&y, &matrix]);
        elements(t.build(&y))
    };
    let position: Vec<f32> = (0..24_u8).map(f32::from).collect();
    let mut mask = vec![0.0; 24];
    mask[5] = f32::MIN;
    for in_node in [true, false] {
        assert_eq!(count(&[0.0; 24], in_node), [12, 24, 0]);
        assert_eq!(count(&mask, in_node), [12, 24, 0]);
        assert_eq!(count(&position, in_node), [12 + 24, 0, 0]);
    }
}

#[test]
fn a_mask_on_scores_is_a_constant_whatever_it_holds() {
    let count = |heads: i64| {
        let mut t = Tiny::new();
        let x = t.input(&["2", "3", "4", "4"]);
        let bias = t.weight(&[1, heads, 4, 4]);
        let scores = t.op("Add", &[&x, &bias]);
        let weights = t.softmax(&scores);
        let matrix = t.weight(&[4, 5]);
        let y = t.op("MatMul", &[&weights, &matrix]);
        elements(t.build(&y))
    };
    assert_eq!(count(1), [20, 16, 0]);
    assert_eq!(count(3), [20 + 48, 0, 0], "a bias for each head");
}

#[test]
fn a_number_spread_over_a_norm_is_a_constant() {
    let mut t = Tiny::new();
    let x = t.input(&["2", "3", "4"]);
    let (one, zero) = (t.scalar(1.0), t.scalar(0.0));
    let shape = t.ints(&[3]);
    let [ones, zeros] = [one, zero].map(|number| t.op("Expand", &[&number, &shape]));
    let gain = t.weight(&[3]);
    let y = t.op("BatchNormalization", &[&x, &gain, &zeros, &zeros, &ones]);
    // Two numbers and the shape they are spread to are constants.
    assert_eq!(elements(t.build(&y)), [3, 1 + 1 + 1, 0]);
}
