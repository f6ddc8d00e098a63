//! Kernels against the nodes of ONNX Runtime's optimized graphs.
//!
//! The numbers are those of `optimized_model_filepath` with all optimizations, ONNX Runtime 1.30 on
//! x64 with AVX-512.

use std::collections::BTreeMap;
use std::path::Path;

use calipers_arch::blocks;
use calipers_arch::network::{Convolution, Network};
use calipers_infer::{Bindings, infer};

use super::ProcessorKind::{self as K, *};
use super::{layout, processor_kernels};

/// Kernels of a fixture by kind; `View` is the nodes that are dispatched only.
fn kinds(name: &str, input: &str, shape: &[i64]) -> BTreeMap<K, i64> {
    let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/zoo");
    let model = calipers_formats::open(&zoo.join(name)).unwrap();
    let mut bindings = Bindings::default();
    bindings.inputs.insert(input.to_owned(), shape.to_vec());
    let typed = infer(&model, &bindings).unwrap();
    let mut net = Network::build(&model, &typed);
    blocks::recognize(&mut net);
    let mut found = BTreeMap::new();
    for kernel in processor_kernels(&net) {
        let kind = kernel.processor.unwrap();
        let nodes = if kind == View { kernel.steps.as_const().unwrap() } else { 1 };
        *found.entry(kind).or_default() += nodes;
    }
    found
}

fn sum(found: &BTreeMap<K, i64>, kinds: &[K]) -> i64 {
    kinds.iter().filter_map(|kind| found.get(kind)).sum()
}

const IMAGE: [i64; 4] = [1, 3, 224, 224];
const BLOCKED: [K; 4] = [Conv, Pointwise, Stem, Depthwise];

#[test]
fn convolutions_run_on_blocks_of_channels() {
    // Name, convolutions of the NCHWc domain, reorders, other convolutions.
    for (name, blocked, reorders, others) in [
        ("efficientnet_b0.onnx", 81, 39 + 16, 0),
        ("mobilenet_v3_small.onnx", 52, 20 + 10, 0),
        ("resnext50_32x4d.onnx", 46, 8 + 7, 7),
        // 120 convolutions and 62 batch norms.
        ("densenet121_op17.onnx", 182, 1, 0),
    ] {
        let found = kinds(name, "input", &IMAGE);
        assert_eq!(sum(&found, &BLOCKED), blocked, "{name}");
        assert_eq!(sum(&found, &[Reorder]), reorders, "{name}");
        assert_eq!(sum(&found, &[Im2col]), others, "{name}");
    }
}

#[test]
fn transposed_convolutions_copy_to_columns() {
    let found = kinds("unet_c16_op17.onnx", "input", &[2, 3, 128, 128]);
    assert_eq!(sum(&found, &BLOCKED), 15);
    assert_eq!(sum(&found, &[Im2col]), 3);
    assert_eq!(sum(&found, &[Reorder]), 7 + 3);
}

#[test]
fn signed_activations_with_two_readers_are_computed_in_floats() {
    // Nine `QLinearConv` and eleven `Conv`.
    let found = kinds("resnet18_qdq_op13.onnx", "input", &IMAGE);
    assert_eq!((sum(&found, &[ConvInt8]), sum(&found, &[Im2col])), (9, 11));
    // Unsigned weights.
    let found = kinds("mobilenet_v2_qoperator_u8.onnx", "input", &IMAGE);
    assert_eq!(sum(&found, &[ConvUint8, DepthwiseInt8]), 52);
    assert_eq!(sum(&found, &[Im2col]), 0);
}

#[test]
fn dynamically_quantized_products_are_one_kernel_each() {
    // 36 `DynamicQuantizeMatMul`, 36 `MatMulIntegerToFloat`, 12 `Gelu`.
    let found = kinds("e5-small-v2.onnx", "input_ids", &[1, 128]);
    assert_eq!(sum(&found, &[GemmInt8]), 72);
    assert_eq!((sum(&found, &[Gelu]), sum(&found, &[BiasGelu])), (12, 0));
}

#[test]
fn a_gelu_takes_the_bias_of_its_product_in() {
    // 12 `BiasGelu`; of 72 products with weights, 60 keep their addition.
    let found = kinds("bert_base.onnx", "input", &[1, 128]);
    assert_eq!((sum(&found, &[Gelu]), sum(&found, &[BiasGelu])), (0, 12));
    assert!(sum(&found, &[Elementwise]) >= 60);
}

#[test]
fn the_number_of_nodes_is_near_that_of_the_optimized_graph() {
    for (name, shape, nodes) in [
        ("bert_base.onnx", &[1, 128][..], 550),
        ("gpt2.onnx", &[1, 128], 1118),
        ("minilm_l6.onnx", &[1, 128], 292),
        ("efficientnet_b0.onnx", &IMAGE, 220),
        ("convnext_tiny_op17.onnx", &IMAGE, 215),
        ("swin_t.onnx", &IMAGE, 2437),
    ] {
        let found: i64 = kinds(name, "input", shape).values().sum();
        let difference = (found - nodes).abs();
        assert!(difference * 20 <= nodes * 3, "{name}: {found} of {nodes}");
    }
}

#[test]
fn blocks_need_aligned_channels() {
    let conv = |inputs, outputs, groups, kernel: &[i64]| Convolution {
        in_channels: Some(inputs),
        out_channels: Some(outputs),
        kernel: Some(kernel.to_vec()),
        stride: 1,
        dilation: 1,
        groups,
        transposed: false,
        bias: false,
    };
    for (inputs, outputs, groups, is_blocked) in [
        (3, 64, 1, true),
        (64, 1, 1, true),
        (40, 24, 1, true),
        // 42 channels are not reordered four at a time.
        (42, 48, 1, false),
        (24, 24, 24, true),
        (22, 22, 22, false),
        (128, 128, 32, false),
        (96, 256, 2, true),
    ] {
        let conv = conv(inputs, outputs, groups, &[3, 3]);
        assert_eq!(layout::is_blocked(&conv), is_blocked, "{inputs} {outputs} {groups}");
    }
    assert!(!layout::is_blocked(&conv(64, 64, 1, &[3])));
}
