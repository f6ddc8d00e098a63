//! Shapes of convolutions and products, by hand.

use calipers_ir::DType;
use calipers_sym::{Expr, parse};

use super::testing::{facts, floats, reported};
use crate::context::{Attr, Fail};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

fn contradicts<T>(outcome: &Result<T, Fail>) -> bool {
    matches!(outcome, Err(Fail::Contradiction(_)))
}

#[test]
fn a_convolution_slides_by_its_stride() {
    let inputs = [floats("N 3 224 W"), floats("64 3 7 7"), None];
    let attributes = [("strides", Attr::Ints(&[2, 2])), ("pads", Attr::Ints(&[3, 3, 3, 3]))];
    // (224 + 6 - 7) / 2 + 1, and (W - 1) / 2 + 1 = (W + 1) / 2.
    let shape = reported("Conv", 11, &inputs, &attributes).unwrap();
    assert_eq!(shape, ["float32[N, 64, 112, ceil(W/2)]"]);
    let same = [("strides", Attr::Ints(&[2, 2])), ("auto_pad", Attr::Text(b"SAME_UPPER"))];
    let shape = reported("Conv", 11, &inputs, &same).unwrap();
    assert_eq!(shape, ["float32[N, 64, 112, ceil(W/2)]"]);
    let valid = [("auto_pad", Attr::Text(b"VALID"))];
    assert_eq!(reported("Conv", 1, &inputs, &valid).unwrap(), ["float32[N, 64, 218, W - 6]"]);
}

#[test]
fn a_convolution_is_reported_in_parts() {
    let unknown = Some(Fact::unknown("no reason"));
    let inputs = [unknown.clone(), floats("64 3 7 7")];
    assert_eq!(reported("Conv", 11, &inputs, &[]).unwrap(), ["float32[new1, 64, new2, new3]"]);
    let inputs = [floats("1 3 9"), unknown.clone(), floats("8")];
    let kernel = [("kernel_shape", Attr::Ints(&[4]))];
    assert_eq!(reported("Conv", 11, &inputs, &kernel).unwrap(), ["float32[1, 8, 6]"]);
    assert_eq!(reported("Conv", 11, &inputs, &[]).unwrap(), ["float32[1, 8, new1]"]);
    assert_eq!(reported("Conv", 11, &[unknown.clone(), unknown], &[]).unwrap(), ["?[…]"]);
}

#[test]
fn what_cannot_be_convolved_is_said() {
    let wide = [floats("1 3 4 4"), floats("8 3 5 5")];
    assert!(contradicts(&reported("Conv", 11, &wide, &[])));
    let channels = [floats("1 3 9 9"), floats("8 4 5 5")];
    assert!(contradicts(&reported("Conv", 11, &channels, &[])));
    let grouped = [floats("1 8 9 9"), floats("8 4 5 5")];
    let two = [("group", Attr::Int(2))];
    assert_eq!(reported("Conv", 11, &grouped, &two).unwrap(), ["float32[1, 8, 5, 5]"]);
    let stride = [("strides", Attr::Ints(&[0, 1]))];
    assert!(contradicts(&reported("Conv", 11, &[floats("1 3 9 9"), floats("8 3 5 5")], &stride)));
}

#[test]
fn a_transposed_convolution_grows() {
    let inputs = [floats("1 3 L"), floats("3 2 4")];
    let attributes = [
        ("strides", Attr::Ints(&[2])),
        ("pads", Attr::Ints(&[1, 1])),
        ("output_padding", Attr::Ints(&[1])),
        ("group", Attr::Int(3)),
    ];
    // 2 * (L - 1) + 1 + 4 - 2.
    let shape = reported("ConvTranspose", 11, &inputs, &attributes).unwrap();
    assert_eq!(shape, ["float32[1, 6, 2*L + 1]"]);
    let same = [("strides", Attr::Ints(&[2])), ("auto_pad", Attr::Text(b"SAME_LOWER"))];
    assert_eq!(reported("ConvTranspose", 11, &inputs, &same).unwrap(), ["float32[1, 2, 2*L]"]);
    // A stride of 5 is more than the kernel fills.
    let sparse = [("strides", Attr::Ints(&[5])), ("auto_pad", Attr::Text(b"SAME_LOWER"))];
    assert_eq!(reported("ConvTranspose", 11, &inputs, &sparse).unwrap(), ["float32[1, 2, new1]"]);
    let asked = [("output_shape", Attr::Ints(&[10]))];
    assert_eq!(reported("ConvTranspose", 11, &inputs, &asked).unwrap(), ["float32[1, 2, 10]"]);
}

#[test]
fn pooling_rounds_up_when_asked_but_starts_inside() {
    let pool = |size: &str, kernel: &[i64], stride: &[i64], pads: &[i64]| {
        let attributes = [
            ("kernel_shape", Attr::Ints(kernel)),
            ("strides", Attr::Ints(stride)),
            ("pads", Attr::Ints(pads)),
            ("ceil_mode", Attr::Int(1)),
        ];
        reported("AveragePool", 12, &[floats(&format!("1 1 {size}"))], &attributes).unwrap()[0]
            .clone()
    };
    // ceil((4 - 3) / 2) + 1.
    assert_eq!(pool("4", &[3], &[2], &[0, 0]), "float32[1, 1, 2]");
    // ceil((2 + 2 - 3) / 3) + 1 is 2, and the second would start at 3, where padding begins.
    assert_eq!(pool("2", &[3], &[3], &[1, 1]), "float32[1, 1, 1]");
    assert_eq!(pool("2", &[1], &[2], &[0, 0]), "float32[1, 1, 1]");
    // Windows start at every second element of L + 1.
    assert_eq!(pool("L", &[3], &[2], &[1, 1]), "float32[1, 1, floor(L/2) + 1]");
}

/// The last dimension of the first output.
fn last(op: &str, size: &str, attributes: &[(&str, Attr<'_>)]) -> Option<Expr> {
    let inputs = [floats(&format!("1 1 {size}")), floats("1 1 K")];
    let inputs = if op.starts_with("Conv") { &inputs[..] } else { &inputs[..1] };
    let facts = facts(op, 22, inputs, attributes).ok()?;
    facts[0].as_tensor()?.dims()?.last().cloned()
}

#[test]
fn a_name_is_for_every_number() {
    let numbers = |from: i64, to: i64| from..to;
    for (op, ceil) in [("Conv", 0), ("ConvTranspose", 0), ("MaxPool", 0), ("MaxPool", 1)] {
        for (kernel, stride) in numbers(1, 5).flat_map(|k| numbers(1, 5).map(move |s| (k, s))) {
            for (dilation, before, after) in [(1, 0, 0), (1, 1, 0), (2, 0, 1), (3, 2, 2)] {
                let (kernel, strides, dilations) = ([kernel], [stride], [dilation]);
                let pads = [before.min(kernel[0] - 1), after.min(kernel[0] - 1)];
                let attributes = [
                    ("kernel_shape", Attr::Ints(&kernel)),
                    ("strides", Attr::Ints(&strides)),
                    ("dilations", Attr::Ints(&dilations)),
                    ("pads", Attr::Ints(&pads)),
                    ("ceil_mode", Attr::Int(ceil)),
                ];
                let formula = last(op, "L", &attributes).unwrap();
                for size in numbers(1, 16) {
                    let number = last(op, &size.to_string(), &attributes);
                    let Some(number) = number.as_ref().and_then(Expr::as_const) else {
                        continue;
                    };
                    let evaluated = formula.evaluate(|_| Some(size));
                    // A formula is for inputs that are at least as large as a pooling window.
                    let window = (kernel[0] - 1) * dilation + 1;
                    if op == "MaxPool" && size + pads[0] + pads[1] < window {
                        continue;
                    }
                    assert_eq!(evaluated, Ok(number), "{op} {attributes:?} of {size}: {formula}");
                }
            }
        }
    }
}

#[test]
fn pooling_leaves_open_what_runtimes_disagree_on() {
    let kernel = ("kernel_shape", Attr::Ints(&[3]));
    let stride = ("strides", Attr::Ints(&[2]));
    let valid = ("auto_pad", Attr::Text(b"VALID"));
    let ceil = ("ceil_mode", Attr::Int(1));
    let attributes = [kernel.clone(), stride.clone(), valid, ceil];
    let open = reported("MaxPool", 12, &[floats("1 1 6")], &attributes).unwrap();
    assert_eq!(open, ["float32[1, 1, new1]", "int64[1, 1, new1]"]);
    let sure = reported("MaxPool", 12, &[floats("1 1 7")], &attributes).unwrap();
    assert_eq!(sure[0], "float32[1, 1, 3]");
    assert!(contradicts(&reported("MaxPool", 12, &[floats("1 1 2")], &[])));
}

#[test]
fn pooling_windows_larger_than_the_input_divide_toward_zero() {
    let pooled = |size: &str, kernel: i64, stride: i64, ceil: i64| {
        let (kernel, stride) = ([kernel], [stride]);
        let attributes = [
            ("kernel_shape", Attr::Ints(&kernel)),
            ("strides", Attr::Ints(&stride)),
            ("ceil_mode", Attr::Int(ceil)),
        ];
        let input = [floats(&format!("1 1 {size}"))];
        reported("AveragePool", 12, &input, &attributes).map(|facts| facts[0].clone())
    };
    // (2 - 3) / 2 + 1 and (3 - 5) / 3 + 1 in integers that round toward zero.
    assert_eq!(pooled("2", 3, 2, 0).unwrap(), "float32[1, 1, 1]");
    assert_eq!(pooled("3", 5, 3, 0).unwrap(), "float32[1, 1, 1]");
    assert_eq!(pooled("2", 3, 2, 1).unwrap(), "float32[1, 1, 1]");
    // (2 - 4) / 2 + 1 is 0: no place is left, and a window of 9 cannot run.
    assert_eq!(pooled("2", 4, 2, 0).unwrap(), "float32[1, 1, new1]");
    assert!(contradicts(&reported(
        "MaxPool",
        12,
        &[floats("1 1 2")],
        &[("kernel_shape", Attr::Ints(&[9])), ("strides", Attr::Ints(&[2]))]
    )));
}

#[test]
fn matrices_multiply_batch_by_batch() {
    let product = |left: &str, right: &str| {
        reported("MatMul", 13, &[floats(left), floats(right)], &[])
            .map(|reported| reported[0].clone())
    };
    assert_eq!(product("B 1 S 64", "12 64 T").unwrap(), "float32[B, 12, S, T]");
    assert_eq!(product("64", "B 64 T").unwrap(), "float32[B, T]");
    assert_eq!(product("B S 64", "64").unwrap(), "float32[B, S]");
    assert_eq!(product("64", "64").unwrap(), "float32[]");
    assert!(contradicts(&product("2 3", "4 5")));
    assert!(contradicts(&product("2 3", "")));
}

#[test]
fn small_products_are_computed() {
    let tensor = |dims: &[i64], elements: &[&str]| {
        let elements = elements.iter().map(|text| Elem::Int(Expr::from_dimension(text, 1)));
        let dims = dims.iter().map(|dim| Expr::from(*dim));
        Some(TensorFact::new(DType::Int64, dims).with_value(elements).into())
    };
    let value = |inputs: &[Option<Fact>]| {
        let facts = facts("MatMul", 13, inputs, &[]).unwrap();
        facts[0].as_tensor().unwrap().value.clone()
    };
    // [H W] times [2, 3], and times a matrix with columns [1, 0] and [1, 1].
    let sizes = || tensor(&[2], &["H", "W"]);
    let product = value(&[sizes(), tensor(&[2], &["2", "3"])]).unwrap();
    assert_eq!(*product, [Elem::Int(parse("2*H + 3*W").unwrap())]);
    let product = value(&[sizes(), tensor(&[2, 2], &["1", "1", "0", "1"])]).unwrap();
    assert_eq!(*product, [parse("H").unwrap(), parse("H + W").unwrap()].map(Elem::Int));
    let large = i64::MAX.to_string();
    assert_eq!(value(&[tensor(&[1], &[&large]), tensor(&[1], &["2"])]), None);
    assert_eq!(value(&[floats("2"), floats("2")]), None);
}

#[test]
fn a_matrix_may_be_transposed() {
    let inputs = [floats("K M"), floats("N K"), floats("N")];
    let both = [("transA", Attr::Int(1)), ("transB", Attr::Int(1))];
    assert_eq!(reported("Gemm", 13, &inputs, &both).unwrap(), ["float32[M, N]"]);
    assert!(contradicts(&reported("Gemm", 13, &[floats("2 3"), floats("4 5")], &[])));
    assert!(contradicts(&reported("Gemm", 13, &[floats("2 3"), floats("3 5"), floats("4")], &[])));
    let unknown = Some(Fact::unknown("no reason"));
    assert_eq!(reported("Gemm", 13, &[unknown, floats("3 5")], &[]).unwrap(), ["float32[new1, 5]"]);
}

#[test]
fn equations_name_dimensions() {
    let sum = |equation: &str, shapes: &[&str]| {
        let inputs: Vec<_> = shapes.iter().map(|dims| floats(dims)).collect();
        let attributes = [("equation", Attr::Text(equation.as_bytes()))];
        reported("Einsum", 12, &inputs, &attributes).map(|reported| reported[0].clone())
    };
    assert_eq!(sum("bij, bjk -> bik", &["B 2 3", "B 3 4"]).unwrap(), "float32[B, 2, 4]");
    assert_eq!(sum("...ii ->...i", &["B 3 3"]).unwrap(), "float32[B, 3]");
    // Without an arrow: letters that are once, capitals first.
    assert_eq!(sum("bA,bc", &["2 3", "2 4"]).unwrap(), "float32[3, 4]");
    assert_eq!(sum("ba", &["2 3"]).unwrap(), "float32[3, 2]");
    assert_eq!(sum("a...b,bc", &["2 7 B 3", "3 4"]).unwrap(), "float32[7, B, 2, 4]");
    assert_eq!(sum("i...,...->...i", &["5 B 1", "6"]).unwrap(), "float32[B, 6, 5]");
    assert_eq!(sum("ij,ij->ij", &["1 4", "3 4"]).unwrap(), "float32[3, 4]");
    assert_eq!(sum("->", &[""]).unwrap(), "float32[]");
    assert_eq!(sum("ij->", &["2 3"]).unwrap(), "float32[]");
    for wrong in ["ij->k", "ij->ii", "i.j->i", "i1->i", "ijk->i", "ij,j->i", "i......->i"] {
        assert!(contradicts(&sum(wrong, &["2 3"])), "{wrong}");
    }
    assert!(contradicts(&sum("ij,jk->ik", &["2 3", "4 5"])));
}

#[test]
fn an_equation_is_reported_in_parts() {
    let unknown = Some(Fact::unranked(DType::Float32, "no reason"));
    let sum = |equation: &[u8]| {
        let inputs = [floats("1 3 4"), unknown.clone()];
        reported("Einsum", 12, &inputs, &[("equation", Attr::Text(equation))]).unwrap()
    };
    assert_eq!(sum(b"abc,acd->abcd"), ["float32[new1, 3, 4, new2]"]);
    assert_eq!(sum(b"abc,...->b"), ["float32[3]"]);
    assert_eq!(sum(b"abc,...->b..."), ["float32[…]"]);
}

#[test]
fn a_causal_convolution_keeps_its_state() {
    let inputs = [floats("B 4 L"), floats("4 1 K")];
    let shapes = reported("CausalConvWithState", 27, &inputs, &[]).unwrap();
    assert_eq!(shapes, ["float32[B, 4, L]", "float32[B, 4, K - 1]"]);
}

#[test]
fn numbers_beyond_reason_are_survived() {
    let extremes = [i64::MIN, -1, 0, 1, i64::MAX];
    let names = ["strides", "dilations", "kernel_shape", "output_padding", "output_shape", "group"];
    for size in ["L", "1", "9223372036854775807"] {
        let inputs = [floats(&format!("{size} 1 {size}")), floats(&format!("{size} 1 {size}"))];
        for (op, value) in ["Conv", "ConvTranspose", "MaxPool", "MaxUnpool", "DeformConv"]
            .into_iter()
            .flat_map(|op| extremes.map(|value| (op, value)))
        {
            let (one, two, unit) = ([value], [value, value], [1]);
            for name in names {
                let mut attributes = vec![
                    (name, if name == "group" { Attr::Int(value) } else { Attr::Ints(&one) }),
                    ("pads", Attr::Ints(&two)),
                    ("ceil_mode", Attr::Int(1)),
                ];
                if name != "kernel_shape" {
                    attributes.push(("kernel_shape", Attr::Ints(&unit)));
                }
                let outcome = facts(op, 22, &inputs, &attributes);
                for dim in
                    outcome.iter().flatten().filter_map(Fact::as_tensor).flat_map(|t| t.dims())
                {
                    assert!(dim.iter().all(|dim| dim.as_const().is_none_or(|size| size >= 0)));
                }
            }
        }
    }
}
