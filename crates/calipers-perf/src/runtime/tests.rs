use calipers_report::Runtime;
use calipers_samples::Attribute;
use calipers_sym::Expr;

use crate::kernels::{self, Kernel, KernelKind};
use crate::testing::{Seen, Tiny, WithNetwork as _};

fn kinds(seen: &Seen, runtime: Runtime) -> Vec<KernelKind> {
    kernels(seen, runtime).iter().map(|kernel| kernel.kind).collect()
}

fn kernels(seen: &Seen, runtime: Runtime) -> Vec<Kernel> {
    seen.with_network(|net| kernels::launches(net, runtime).kernels)
}

/// A convolution of 8 channels that keeps the size of its input.
fn conv(t: &mut Tiny, x: &str) -> String {
    let (w, b) = (t.weight(&[8, 8, 3, 3]), t.weight(&[8]));
    t.op_with("Conv", &[x, &w, &b], &[Attribute::ints("pads", &[1, 1, 1, 1])])
}

#[test]
fn convolution_addition_and_relu_are_one_kernel_in_onnx_runtime() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "8", "16", "16"]);
    let a = conv(&mut t, &x);
    let a = t.op("Relu", &[&a]);
    let b = conv(&mut t, &a);
    let sum = t.op("Add", &[&b, &x]);
    let y = t.op("Relu", &[&sum]);
    let seen = t.output(&y);
    use KernelKind::{Conv, Elementwise};
    assert_eq!(kinds(&seen, Runtime::PyTorch), [Conv, Elementwise, Conv, Elementwise, Elementwise]);
    for runtime in [Runtime::OnnxRuntime, Runtime::TensorRt] {
        assert_eq!(kinds(&seen, runtime), [Conv, Conv], "{runtime:?}");
        let found = kernels(&seen, runtime);
        // 8 x 16 x 16 elements: one tensor read and one written, then two read and one written.
        assert_eq!(found[0].activations, Expr::from(2 * 2048));
        assert_eq!(found[1].activations, Expr::from(3 * 2048));
    }
}

#[test]
fn an_addition_without_relu_is_fused_by_tensorrt_alone() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "8", "16", "16"]);
    let a = conv(&mut t, &x);
    let y = t.op("Add", &[&a, &x]);
    let seen = t.output(&y);
    assert_eq!(kinds(&seen, Runtime::OnnxRuntime).len(), 2);
    assert_eq!(kinds(&seen, Runtime::TensorRt), [KernelKind::Conv]);
}

#[test]
fn other_activations_stay_kernels_in_onnx_runtime() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "8", "16", "16"]);
    let a = conv(&mut t, &x);
    let gate = t.op("Sigmoid", &[&a]);
    let y = t.op("Mul", &[&a, &gate]);
    let seen = t.output(&y);
    use KernelKind::{Conv, Elementwise};
    assert_eq!(kinds(&seen, Runtime::OnnxRuntime), [Conv, Elementwise]);
    assert_eq!(kinds(&seen, Runtime::TensorRt), [Conv]);
}

#[test]
fn a_batch_norm_after_a_convolution_is_folded() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "8", "16", "16"]);
    let a = conv(&mut t, &x);
    let stats = [t.weight(&[8]), t.weight(&[8]), t.weight(&[8]), t.weight(&[8])];
    let y = t.op("BatchNormalization", &[&a, &stats[0], &stats[1], &stats[2], &stats[3]]);
    let seen = t.output(&y);
    use KernelKind::{BatchNorm, Conv};
    assert_eq!(kinds(&seen, Runtime::PyTorch), [Conv, BatchNorm]);
    let found = kernels(&seen, Runtime::OnnxRuntime);
    assert_eq!(found.len(), 1);
    // One tensor read and one written, and no arithmetic but the convolution's.
    assert_eq!(found[0].activations, Expr::from(2 * 2048));
    assert_eq!(found[0].work.macs, Expr::from(2048 * 8 * 9));
}

#[test]
fn a_value_that_others_read_is_written() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "8", "16", "16"]);
    let a = conv(&mut t, &x);
    let b = t.op("Relu", &[&a]);
    let y = t.op("Mul", &[&a, &b]);
    let seen = t.output(&y);
    assert_eq!(kinds(&seen, Runtime::OnnxRuntime).len(), 3);
}

#[test]
fn a_residual_and_its_layer_norm_are_one_kernel() {
    let mut t = Tiny::new();
    let (x, r) = (t.input(&["2", "5", "16"]), t.input(&["2", "5", "16"]));
    let (scale, bias) = (t.weight(&[16]), t.weight(&[16]));
    let sum = t.op("Add", &[&x, &r]);
    let y = t.op("LayerNormalization", &[&sum, &scale, &bias]);
    let seen = t.output(&y);
    assert_eq!(kinds(&seen, Runtime::PyTorch).len(), 2);
    assert_eq!(kinds(&seen, Runtime::OnnxRuntime), [KernelKind::LayerNorm]);
    // Two of 2 x 5 x 16 elements read, one written.
    assert_eq!(kernels(&seen, Runtime::OnnxRuntime)[0].activations, Expr::from(3 * 160));
}
