//! Learned elements against published figures and arithmetic done by hand.
//!
//! Exporters fold, split, quantise and re-store weights, so a count of initialisers is not a count
//! of parameters; each row below says where its truth comes from.

mod common;

use std::path::PathBuf;

struct Row {
    model: &'static str,
    total: u64,
    non_trainable: u64,
    why: &'static str,
}

const fn row(model: &'static str, total: u64, why: &'static str) -> Row {
    Row { model, total, non_trainable: 0, why }
}

/// Where a torch exporter stores every weight as a float initialiser and nothing else so, the sum
/// in the facts is the truth.
const ALL_FLOATS: &str = "all its float initialisers, by the facts";

const TRUTH: &[Row] = &[
    row("latency/bert_base", 108_891_648, "published: 109,482,240 less its pooler of 590,592"),
    row("latency/gpt2", 124_439_808, "published: GPT-2 small"),
    row("latency/minilm_l6", 22_565_376, "published: 22,713,216 less its pooler of 147,840"),
    row("latency/vgg19", 143_667_240, "published by torchvision"),
    row("latency/vit_b_32", 88_224_232, "published by torchvision"),
    row("seeds/all-minilm-l6-v2", 22_565_376, "6·1,769,472 + 31,036·384 + 13·768 + 6·3,456"),
    row(
        "seeds/bert-squad-tf2onnx",
        108_707_330,
        "(30,522 + 256 + 16)·768 + 1,536 + 12·7,087,872 + 1,538: it stores 256 positions",
    ),
    row(
        "seeds/bert-squad-torch",
        108_893_186,
        "(30,522 + 512 + 2)·768 + 1,536 + 12·7,087,872 + 1,538",
    ),
    row("seeds/e5-small-v2", 33_212_160, "12·1,769,472 + 31,036·384 + 25·768 + 12·3,456"),
    row("seeds/mnist-8", 5_994, "8·25 + 8 + 16·8·25 + 16 + 256·10 + 10"),
    row("seeds/yolov8l-nc1", 43_607_379, "its exporter's count after fusing"),
    row(
        "zoo/bert_tiny_cls_op17",
        136_258,
        "1,014·64 + 128 + 2·(4·4,160 + 16,576 + 256) + 4,160 + 130",
    ),
    row("zoo/bert_tiny_cls_sdpa_op17", 136_258, "the same network, another attention"),
    row("zoo/bert_tiny_fp16", 136_258, "the same network in half precision"),
    row("zoo/clip_tiny_op17", 222_721, ALL_FLOATS),
    row("zoo/convnext_tiny_op17", 28_583_944, ALL_FLOATS),
    Row { model: "zoo/densenet121_op17", total: 8_040_040, non_trainable: 68_672, why: ALL_FLOATS },
    row("zoo/detr_tiny_op17", 191_914, ALL_FLOATS),
    row("zoo/dynamo-bert_tiny", 136_258, "the same network as bert_tiny, another exporter"),
    row("zoo/dynamo-llama_tiny_gqa", 150_848, "2·500·64 + 5·64 + 2·43,264"),
    row("zoo/dynamo-llama_tiny_gqa_kv", 150_848, "the same network with a cache"),
    row("zoo/dynamo-lstm_bi", 24_019, "1,600 + 12,288 + 9,216 + 768 + 147; no start states"),
    row("zoo/dynamo-resnet18_extdata", 11_684_712, "as resnet18, another exporter"),
    row("zoo/dynamo-timm_vit_tiny", 5_717_416, "as timm_vit_tiny, another exporter"),
    row("zoo/gpt2_tiny_kv_op17", 236_288, ALL_FLOATS),
    row("zoo/gru_op17", 111_141, ALL_FLOATS),
    // Its weights are filled by ConstantOfShape.
    Row {
        model: "zoo/light_resnet50",
        total: 25_610_152,
        non_trainable: 53_120,
        why: "published 25,557,032, and 53,120 running statistics",
    },
    row("zoo/light_vgg19", 143_667_240, "published by torchvision"),
    row(
        "zoo/llama7b_synth",
        6_738_415_616,
        "2·32,000·4,096 + 32·(4·4,096² + 3·4,096·11,008 + 2·4,096) + 4,096, as published",
    ),
    row("zoo/llama_tiny_gqa_kv_op17", 214_848, "2·1,000·64 + 5·64 + 2·43,264"),
    row("zoo/llama_tiny_int4_matmulnbits", 214_848, "the same network, 4-bit weights packed"),
    Row {
        model: "zoo/logreg",
        total: 63,
        non_trainable: 24,
        why: "3·12 + 3, and the scaler's 12 means and 12 deviations",
    },
    row(
        "zoo/lstm_bi2_op17",
        412_101,
        "64,000 + 2·(384·64 + 384·96 + 768) + 2·(384·192 + 384·96 + 768) + 192·5 + 5",
    ),
    row("zoo/lstm_dynamicquantizelstm", 412_101, "the same network, quantised as it runs"),
    row("zoo/mlp", 259, "12·16 + 16 + 16·3 + 3"),
    row("zoo/mobilenet_v2_op17", 3_487_816, "published 3,504,872, 2·17,056 folded into 17,056"),
    row("zoo/mobilenet_v2_qdq_s8_perchannel", 3_487_816, "the same network, scales per channel"),
    row("zoo/mobilenet_v2_qoperator_u8", 3_487_816, "the same network in quantised operators"),
    row("zoo/resnet18_op13", 11_684_712, "published 11,689,512, 2·4,800 folded into 4,800"),
    row("zoo/resnet18_qdq_op13", 11_684_712, "the same network, quantised"),
    row("zoo/swin_t_op17", 28_596_370, "published 28,288,354 + 138 heads·(49² - 169)"),
    row("zoo/t5_tiny_encdec_op17", 228_864, ALL_FLOATS),
    row("zoo/timm_vit_tiny_op17", 5_717_416, "published by timm"),
    row("zoo/unet_c16_op17", 482_050, ALL_FLOATS),
    row("zoo/vit_hf_tiny_op17", 301_066, ALL_FLOATS),
    row("zoo/whisper_tiny_decoder_op17", 49_468_416, ALL_FLOATS),
    row("zoo/whisper_tiny_encoder_op17", 8_208_384, ALL_FLOATS),
    row("zoo/yolov8n_80", 3_151_904, "its exporter's count after fusing"),
    row("zoo/yolov8n_fp16", 3_151_904, "the same network in half precision"),
    row("zoo/yolov8n_qdq", 3_151_904, "the same network, quantised, anchors as initialisers"),
];

fn find(model: &str) -> Option<PathBuf> {
    common::find(&format!("{model}.onnx"))
}

#[test]
fn learned_elements_are_those_of_the_source() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for row in TRUTH {
        let Some(path) = find(row.model) else { continue };
        tried += 1;
        let parameters = common::report(&path).unwrap().parameters;
        let told = (parameters.total, parameters.non_trainable);
        if told != (Some(row.total), Some(row.non_trainable)) {
            wrong.push(format!("{}: {} ({}), told {told:?}", row.model, row.total, row.why));
        }
        assert_eq!(
            parameters.total.unwrap(),
            parameters.by_dtype.values().sum::<u64>(),
            "{}: the types sum to the total",
            row.model
        );
        assert_eq!(
            parameters.total.unwrap(),
            parameters.by_op.iter().map(|op| op.elements).sum::<u64>(),
            "{}: the operators sum to the total",
            row.model
        );
    }
    println!("parameters: {} of {tried} models right", tried - wrong.len());
    assert!(tried >= 20, "only {tried} models found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The corrected figures of the five documents that the project began from.
#[test]
fn figures_of_the_seeds_are_the_corrected_ones() {
    // name, depth, bytes of the file where it is whole
    let truth: &[(&str, u64, u64)] = &[
        ("seeds/all-minilm-l6-v2", 388, 22_972_370),
        ("seeds/e5-small-v2", 760, 0),
        ("seeds/mnist-8", 11, 26_454),
    ];
    for (model, depth, bytes) in truth {
        let Some(path) = find(model) else { continue };
        let report = common::report(&path).unwrap();
        assert_eq!(report.graph.depth, Some(*depth), "{model}");
        if *bytes > 0 {
            assert_eq!(report.model.bytes, *bytes, "{model}");
        }
    }
    if let Some(path) = find("seeds/mnist-8") {
        let report = common::report(&path).unwrap();
        assert_eq!(report.parameters.constants, Some(4), "two targets of Reshape");
        assert_eq!(report.parameters.stored_bytes, Some(24_008));
        assert_eq!(report.graph.inputs.len(), 1, "nine are listed, eight are filled");
        assert_eq!(report.graph.overridable_inputs, 8);
    }
    if let Some(path) = find("seeds/all-minilm-l6-v2") {
        let parameters = common::report(&path).unwrap().parameters;
        // 36 scales and 36 zero points per channel of 20,736 columns in all, and three of each.
        assert_eq!(parameters.quantization, Some(2 * 20_736 + 6));
        // 512 position ids; of the 146 Constant nodes, each holds one number.
        assert_eq!(parameters.constants, Some(512 + 146));
    }
}
