//! Weights that are packed into words, and the scales next to them, as the tools of quantization
//! store them.

use std::fs;

use calipers_formats::open;
use calipers_ir::WeightRole::{self, Quantization, Weight};
use calipers_ir::{DType, Model};

use crate::safetensors::{Stored, misstated, with_tensors};

/// Reads tensors with a description next to them.
fn described(config: &str, tensors: &[Stored<'_>]) -> Model {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("model.safetensors");
    fs::write(&path, with_tensors(tensors)).expect("a folder");
    if !config.is_empty() {
        fs::write(root.path().join("config.json"), config).expect("a folder");
    }
    let model = open(&path).expect("a model");
    assert_eq!(misstated(&model), [""; 0]);
    model
}

/// What the first tensor is, after checking that all others belong to its quantization.
fn packed(config: &str, tensors: &[Stored<'_>]) -> (u64, DType) {
    let model = described(config, tensors);
    let [weight, sides @ ..] = model.stored_weights() else { panic!("no tensor") };
    assert_eq!(weight.role, Weight);
    for side in sides {
        let tensor = model.tensor(side.tensor);
        assert_eq!(side.role, Quantization, "{}", model.name(tensor.name));
        assert_eq!(Ok(side.elements), tensor.elements());
    }
    (weight.elements, weight.dtype)
}

fn roles(config: &str, tensors: &[Stored<'_>]) -> Vec<WeightRole> {
    described(config, tensors).stored_weights().iter().map(|it| it.role).collect()
}

/// A layer of 64 inputs and 32 outputs: 2,048 weights.
const ALL: u64 = 64 * 32;

#[test]
fn gptq_and_awq_pack_along_a_dimension() {
    // GPTQ packs 64 × 4 / 32 words along the inputs, AWQ 32 × 4 / 32 along the outputs.
    let gptq = |bits: usize| {
        let words: &'static [usize] = Vec::leak(vec![64 * bits / 32, 32]);
        let zeros: &'static [usize] = Vec::leak(vec![2, 32 * bits / 32]);
        [
            ("q.qweight", "I32", 32, words),
            ("q.qzeros", "I32", 32, zeros),
            ("q.scales", "F16", 16, &[2, 32][..]),
            ("q.g_idx", "I32", 32, &[64][..]),
        ]
    };
    assert_eq!(packed("", &gptq(4)), (ALL, DType::Uint4));
    assert_eq!(packed("", &gptq(2)), (ALL, DType::Uint2));
    assert_eq!(packed("", &gptq(3)), (ALL, DType::Uint4));
    assert_eq!(packed("", &gptq(8)), (ALL, DType::Uint8));
    let awq: &[Stored<'_>] = &[
        ("q.qweight", "I32", 32, &[64, 4]),
        ("q.qzeros", "I32", 32, &[2, 4]),
        ("q.scales", "F16", 16, &[2, 32]),
    ];
    assert_eq!(packed("", awq), (ALL, DType::Uint4));
    // Without zero points only the description has the bits.
    let bare: &[Stored<'_>] =
        &[("q.qweight", "I32", 32, &[8, 32]), ("q.scales", "F16", 16, &[2, 32])];
    let config = r#"{"quantization_config": {"quant_method": "gptq", "bits": 4}}"#;
    assert_eq!(packed(config, bare), (ALL, DType::Uint4));
    assert_eq!(packed("", bare), (8 * 32, DType::Int32));
}

#[test]
fn bitsandbytes_keeps_its_state_next_to_the_weight() {
    let four: &[Stored<'_>] = &[
        ("q.weight", "U8", 8, &[1024, 1]),
        ("q.weight.absmax", "U8", 8, &[32]),
        ("q.weight.quant_map", "F32", 32, &[16]),
        ("q.weight.nested_absmax", "F32", 32, &[1]),
        ("q.weight.nested_quant_map", "F32", 32, &[256]),
        ("q.weight.quant_state.bitsandbytes__nf4", "U8", 8, &[90]),
    ];
    assert_eq!(packed("", four), (ALL, DType::Uint4));
    // The bytes may be stored as words, so that other tools shard them.
    let words: &[Stored<'_>] = &[
        ("q.weight", "BF16", 16, &[512, 1]),
        ("q.weight.absmax", "F32", 32, &[32]),
        ("q.weight.quant_map", "F32", 32, &[16]),
        ("q.weight.quant_state.bitsandbytes__fp4", "U8", 8, &[90]),
    ];
    assert_eq!(packed("", words), (ALL, DType::Uint4));
    let eight: &[Stored<'_>] = &[
        ("q.weight", "I8", 8, &[32, 64]),
        ("q.SCB", "F32", 32, &[32]),
        ("q.weight_format", "U8", 8, &[]),
    ];
    assert_eq!(packed("", eight), (ALL, DType::Int8));
}

#[test]
fn mlx_packs_rows_and_keeps_biases_of_groups() {
    let mlx = |words: &'static [usize]| {
        [
            ("q.weight", "U32", 32, words),
            ("q.scales", "F16", 16, &[32, 1][..]),
            ("q.biases", "F16", 16, &[32, 1][..]),
        ]
    };
    // 64 weights of 4 bits are 8 words; the group is all of them.
    assert_eq!(packed("", &mlx(&[32, 8])), (ALL, DType::Uint4));
    assert_eq!(packed("", &mlx(&[32, 16])), (ALL, DType::Uint8));
    assert_eq!(packed("", &mlx(&[32, 6])), (ALL, DType::Uint4));
    // 32 weights of 8 bits in a group of 32, which is not the usual one.
    let config = r#"{"quantization": {"group_size": 32, "bits": 8}}"#;
    assert_eq!(packed(config, &mlx(&[32, 8])), (32 * 32, DType::Uint8));
    let own =
        r#"{"quantization": {"group_size": 64, "bits": 4, "q": {"group_size": 32, "bits": 8}}}"#;
    assert_eq!(packed(own, &mlx(&[32, 8])), (32 * 32, DType::Uint8));
    // MXFP4: powers of two as scales of 32.
    let mx: &[Stored<'_>] = &[("q.weight", "U32", 32, &[32, 8]), ("q.scales", "U8", 8, &[32, 2])];
    assert_eq!(packed("", mx), (ALL, DType::Float4E2M1));
    // A bias of the layer itself is learned.
    assert_eq!(
        roles("", &[("q.weight", "F32", 32, &[2, 2]), ("q.bias", "F32", 32, &[2])]),
        [Weight; 2]
    );
}

#[test]
fn floats_of_four_bits_are_pairs_in_bytes() {
    let blocks: &[Stored<'_>] = &[
        ("experts.down_proj_blocks", "U8", 8, &[2, 16, 2, 16]),
        ("experts.down_proj_scales", "U8", 8, &[2, 16, 2]),
    ];
    assert_eq!(packed("", blocks), (2 * 16 * 64, DType::Float4E2M1));
    let nvfp4: &[Stored<'_>] = &[
        ("q.weight", "U8", 8, &[32, 32]),
        ("q.weight_scale", "F8_E4M3", 8, &[32, 4]),
        ("q.weight_scale_2", "F32", 32, &[]),
        ("q.input_scale", "F32", 32, &[]),
    ];
    assert_eq!(packed("", nvfp4), (ALL, DType::Float4E2M1));
    let compressed: &[Stored<'_>] = &[
        ("q.weight_packed", "U8", 8, &[32, 32]),
        ("q.weight_scale", "F8_E4M3", 8, &[32, 4]),
        ("q.weight_global_scale", "F32", 32, &[1]),
        ("q.input_global_scale", "F32", 32, &[1]),
    ];
    assert_eq!(packed("", compressed), (ALL, DType::Float4E2M1));
    let bytes: &[Stored<'_>] =
        &[("q.weight", "I8", 8, &[32, 32]), ("q.scale", "F8_E8M0", 8, &[32, 2])];
    assert_eq!(packed("", bytes), (ALL, DType::Float4E2M1));
}

#[test]
fn floats_and_integers_of_eight_bits_are_not_packed() {
    let fp8: &[Stored<'_>] =
        &[("q.weight", "F8_E4M3", 8, &[32, 64]), ("q.weight_scale_inv", "F32", 32, &[1, 1])];
    assert_eq!(packed("", fp8), (ALL, DType::Float8E4M3Fn));
    let int8: &[Stored<'_>] = &[
        ("q.weight", "I8", 8, &[32, 64]),
        ("q.weight_scale", "BF16", 16, &[32, 1]),
        ("q.weight_zero_point", "I8", 8, &[32, 1]),
    ];
    assert_eq!(packed("", int8), (ALL, DType::Int8));
}

#[test]
fn compressed_tensors_pack_into_words() {
    let grouped: &[Stored<'_>] = &[
        ("q.weight_packed", "I32", 32, &[32, 16]),
        ("q.weight_scale", "BF16", 16, &[32, 1]),
        ("q.weight_shape", "I64", 64, &[2]),
        ("q.weight_g_idx", "I32", 32, &[128]),
    ];
    // 128 weights of 4 bits in a group; a description of 8 bits for 64 has the same words.
    assert_eq!(packed("", grouped), (32 * 128, DType::Int4));
    let config = r#"{"quantization_config": {"quant_method": "compressed-tensors", "config_groups":
        {"group_0": {"weights": {"num_bits": 8, "group_size": 64}}}}}"#;
    assert_eq!(packed(config, grouped), (32 * 64, DType::Int8));
    // One scale for a row.
    let config =
        r#"{"quantization_config": {"config_groups": {"g": {"weights": {"num_bits": 4}}}}}"#;
    assert_eq!(packed(config, grouped), (32 * 128, DType::Int4));
}

#[test]
fn other_tools_are_read_by_the_shapes_of_their_sides() {
    let exl2: &[Stored<'_>] = &[
        ("q.q_weight", "I32", 32, &[8, 32]),
        ("q.q_invperm", "I32", 32, &[64]),
        ("q.q_groups", "I16", 16, &[4]),
        ("q.q_scale", "I32", 32, &[2, 4]),
        ("q.q_scale_max", "F16", 16, &[2]),
    ];
    assert_eq!(packed("", exl2), (ALL, DType::Uint4));
    let exl3: &[Stored<'_>] = &[
        ("q.trellis", "I16", 16, &[4, 2, 64]),
        ("q.suh", "F16", 16, &[64]),
        ("q.svh", "F16", 16, &[32]),
        ("q.mcg", "I32", 32, &[]),
    ];
    assert_eq!(packed("", exl3), (ALL, DType::Uint4));
    let aqlm: &[Stored<'_>] = &[
        ("q.codes", "I16", 16, &[32, 8, 1]),
        ("q.codebooks", "F16", 16, &[1, 65536, 1, 8]),
        ("q.scales", "F16", 16, &[32, 1, 1, 1]),
    ];
    assert_eq!(packed("", aqlm), (ALL, DType::Int16));
    let hqq: &[Stored<'_>] = &[
        ("q.W_q", "U8", 8, &[32, 32]),
        ("q.scale", "F16", 16, &[32, 1]),
        ("q.zero", "F16", 16, &[32, 1]),
    ];
    let config = r#"{"quantization_config": {"quant_method": "hqq", "nbits": 4}}"#;
    assert_eq!(packed(config, hqq), (ALL, DType::Uint4));
    let bitnet: &[Stored<'_>] =
        &[("q.weight", "U8", 8, &[8, 64]), ("q.weight_scale", "BF16", 16, &[1])];
    let config = r#"{"quantization_config": {"quant_method": "bitnet"}}"#;
    assert_eq!(packed(config, bitnet), (ALL, DType::Int2));
    // A layer of normalization with a scale of its own.
    assert_eq!(
        roles("", &[("n.weight", "F32", 32, &[4]), ("n.scale", "F32", 32, &[4])]),
        [Weight; 2]
    );
}

#[test]
fn quantization_is_described_in_files_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("model.safetensors");
    fs::write(&path, with_tensors(&[("q.qweight", "I32", 32, &[8, 32])])).unwrap();
    fs::write(root.path().join("config.json"), r#"{"model_type": "llama"}"#).unwrap();
    fs::write(root.path().join("quant_config.json"), r#"{"w_bit": 4, "q_group_size": 128}"#)
        .unwrap();
    let model = open(&path).expect("a model");
    assert_eq!(model.stored_weights()[0].elements, ALL);
    let description = model.header.description.as_ref().expect("a description");
    assert_eq!((description.bits, description.quantization.as_str()), (Some(4), "awq"));
}
