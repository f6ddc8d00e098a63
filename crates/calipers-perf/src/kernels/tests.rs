use calipers_samples::{Attribute, DataType};
use calipers_sym::Expr;

use super::{Kernel, KernelKind, Quantized, kind_of, of_pytorch};
use crate::testing::{Seen, Tiny, WithNetwork as _};

fn kernels(t: Tiny, output: &str) -> Vec<Kernel> {
    let seen: Seen = t.output(output);
    seen.with_network(of_pytorch)
}

fn kinds(kernels: &[Kernel]) -> Vec<KernelKind> {
    kernels.iter().map(|kernel| kernel.kind).collect()
}

#[test]
fn a_layer_is_one_product_and_views_are_none() {
    let mut t = Tiny::new();
    let x = t.input(&["4", "2", "16"]);
    let (w, b, shape) = (t.weight(&[16, 32]), t.weight(&[32]), t.ints(&[8, 32]));
    let y = t.op("MatMul", &[&x, &w]);
    let y = t.op("Add", &[&y, &b]);
    let y = t.op("Reshape", &[&y, &shape]);
    let y = t.op("Relu", &[&y]);
    let found = kernels(t, &y);
    assert_eq!(kinds(&found), [KernelKind::Gemm, KernelKind::Elementwise]);
    let layer = &found[0];
    assert_eq!(layer.work.macs, Expr::from(8 * 16 * 32));
    assert_eq!(layer.activations, Expr::from(8 * 16 + 8 * 32));
    assert_eq!((&layer.depth, &layer.rows), (&Expr::from(16), &Expr::from(8)));
    assert_eq!(layer.kind_at(8), KernelKind::Gemm);
    assert_eq!(layer.kind_at(1), KernelKind::Gemv);
}

#[test]
fn experts_are_read_that_tokens_choose() {
    // Of eight experts of 2 · 32 · 64, each token chooses two.
    for (tokens, used) in [("1", 2), ("3", 6), ("5", 8)] {
        let mut t = Tiny::new();
        let (x, scores) = (t.input(&[tokens, "32"]), t.input(&[tokens, "8"]));
        let (up, down) = (t.weight(&[8, 64, 32]), t.weight(&[8, 32, 64]));
        let inputs = [x.as_str(), &scores, &up, "", &down];
        let y = t.contrib_with("MoE", &inputs, &[Attribute::int("k", 2)]);
        let found = kernels(t, &y);
        assert_eq!(kinds(&found), [KernelKind::Gemm]);
        assert_eq!(found[0].weights, Expr::from(used * 2 * 32 * 64), "{tokens} tokens");
    }
}

#[test]
fn a_matrix_transposed_for_a_product_is_not_copied() {
    let mut t = Tiny::new();
    let (q, k) = (t.input(&["2", "5", "16"]), t.input(&["2", "7", "16"]));
    let turned = t.op_with("Transpose", &[&k], &[Attribute::ints("perm", &[0, 2, 1])]);
    let y = t.op("MatMul", &[&q, &turned]);
    let found = kernels(t, &y);
    assert_eq!(kinds(&found), [KernelKind::Gemm]);
    // Each of the batch has its own product.
    assert_eq!(found[0].rows, Expr::from(5));

    let mut t = Tiny::new();
    let x = t.input(&["2", "5", "16"]);
    let y = t.op_with("Transpose", &[&x], &[Attribute::ints("perm", &[0, 2, 1])]);
    let y = t.op("Relu", &[&y]);
    assert_eq!(kinds(&kernels(t, &y)), [KernelKind::Copy, KernelKind::Elementwise]);
}

#[test]
fn folded_batch_norms_run_in_pytorch() {
    let mut t = Tiny::new();
    let mut x = t.input(&["1", "8", "64", "64"]);
    for block in 0..8 {
        let (w, b) = (t.weight(&[8, 8, 3, 3]), t.weight(&[8]));
        let mut conv = |x: &str, stride: i64| {
            let same = Attribute::ints("pads", &[1, 1, 1, 1]);
            t.op_with("Conv", &[x, &w, &b], &[Attribute::ints("strides", &[stride; 2]), same])
        };
        if block < 5 {
            x = conv(&x, 2);
        }
        let y = conv(&x, 1);
        let y = conv(&y, 1);
        x = t.op("Add", &[&y, &x]);
    }
    let found = kernels(t, &x);
    let norms: Vec<&Kernel> = found.iter().filter(|kernel| kernel.is_unfolded()).collect();
    assert_eq!(norms.len(), 5 + 16);
    // It reads and writes the 8 maps of 32 x 32.
    assert_eq!(norms[0].activations, Expr::from(2 * 8 * 32 * 32));
    assert_eq!(found.iter().filter(|kernel| kernel.kind == KernelKind::Conv).count(), 5 + 16);
}

#[test]
fn quantization_is_found_by_operator_and_by_neighbors() {
    let whole = Some(Quantized { bits: 8, weights_only: false });
    let mut t = Tiny::new();
    let x = t.input(&["4", "16"]);
    let x = t.quantized(&x);
    let (stored, scale) = (t.raw(DataType::I8, &[16, 8], &[1; 128]), t.scalar(0.1));
    let w = t.op("DequantizeLinear", &[&stored, &scale]);
    let y = t.op("MatMul", &[&x, &w]);
    assert_eq!(kernels(t, &y)[0].quantized, whole);

    let mut t = Tiny::new();
    let x = t.input(&["4", "16"]);
    let (stored, scale) = (t.raw(DataType::I8, &[16, 8], &[1; 128]), t.scalar(0.1));
    let w = t.op("DequantizeLinear", &[&stored, &scale]);
    let y = t.op("MatMul", &[&x, &w]);
    let found = kernels(t, &y)[0].quantized;
    assert_eq!(found, Some(Quantized { bits: 8, weights_only: true }));

    let mut t = Tiny::new();
    let x = t.input_of(DataType::U8, &["4", "16"]);
    let w = t.raw(DataType::U8, &[16, 8], &[1; 128]);
    let y = t.op("MatMulInteger", &[&x, &w]);
    let y = t.cast(&y, 1);
    assert_eq!(kernels(t, &y)[0].quantized, whole);

    let mut t = Tiny::new();
    let (x, w) = (t.input(&["4", "16"]), t.weight(&[16, 8]));
    let y = t.op("MatMul", &[&x, &w]);
    assert_eq!(kernels(t, &y)[0].quantized, None);
}

#[test]
fn a_recurrence_has_sequential_steps() {
    let mut t = Tiny::new();
    let x = t.input(&["30", "2", "16"]);
    let (w, r) = (t.weight(&[1, 128, 16]), t.weight(&[1, 128, 32]));
    let y = t.op_with("LSTM", &[&x, &w, &r], &[Attribute::int("hidden_size", 32)]);
    let found = kernels(t, &y);
    let layer = found.iter().find(|kernel| kernel.kind == KernelKind::Recurrent).unwrap();
    assert_eq!((&layer.steps, &layer.depth), (&Expr::from(30), &Expr::from(32)));
}

#[test]
fn every_contraction_runs_as_one() {
    for row in calipers_ops::FAMILIES.iter().flat_map(|rows| rows.iter()) {
        let contracts = matches!(
            kind_of(row.traits.kernel),
            Some(
                KernelKind::Attention
                    | KernelKind::Conv
                    | KernelKind::Depthwise
                    | KernelKind::Gemm
                    | KernelKind::Recurrent
            )
        );
        assert_eq!(contracts, row.traits.is_contraction(), "{}", row.name);
    }
}

#[test]
fn grouped_products_share_the_work_of_their_node() {
    let mut t = Tiny::new();
    let x = t.input(&["4", "16"]);
    let (w, scale) = (t.raw(DataType::U8, &[8, 1, 8], &[1; 64]), t.weight(&[8]));
    let inputs = [&x, "", "", &w, &scale, "", &w, &scale, ""];
    let sizes = [("K", 16), ("N", 8), ("bits", 4), ("block_size", 16)];
    let with = sizes.map(|(name, value)| Attribute::int(name, value));
    let y = t.contrib_with("MatMulNBitsMlp", &inputs, &with);
    let found = kernels(t, &y);
    let packed = Some(Quantized { bits: 4, weights_only: true });
    for kernel in &found {
        let is_product = kernel.kind == KernelKind::Gemm;
        let macs = if is_product { Expr::from(4 * 16 * 8) } else { Expr::ZERO };
        assert_eq!(kernel.work.macs, macs, "{:?}", kernel.kind);
        assert!(!is_product || kernel.quantized == packed);
    }
    assert_eq!(found.iter().filter(|kernel| kernel.kind == KernelKind::Gemm).count(), 2);
}
