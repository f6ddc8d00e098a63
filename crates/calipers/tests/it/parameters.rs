//! Learned elements against published figures and arithmetic done by hand.
//!
//! Exporters fold, split, quantize and re-store weights, so a count of initializers is not a count
//! of parameters; each row below says where its truth comes from.

use calipers_testkit::{Corpus, Outcome, score};

use crate::support;

calipers_testkit::tests! {
    each_corpus: [learned_elements_are_right];
    extended: [documented_figures_are_right];
}

struct Row {
    model: &'static str,
    total: u64,
    non_trainable: u64,
    why: &'static str,
}

const fn row(model: &'static str, total: u64, why: &'static str) -> Row {
    Row { model, total, non_trainable: 0, why }
}

/// Where a torch exporter stores every weight as a float initializer and nothing else so, the sum
/// in the facts is the truth.
const ALL_FLOATS: &str = "all its float initializers, by the facts";

const TRUTH: &[Row] = &[
    row("bert_base", 108_891_648, "published: 109,482,240 less its pooler of 590,592"),
    row("gpt2", 124_439_808, "published: GPT-2 small"),
    row("minilm_l6", 22_565_376, "published: 22,713,216 less its pooler of 147,840"),
    row("vgg19", 143_667_240, "published by torchvision"),
    row("vit_b_32", 88_224_232, "published by torchvision"),
    row("all-minilm-l6-v2", 22_565_376, "6·1,769,472 + 31,036·384 + 13·768 + 6·3,456"),
    row(
        "bert-squad-tf2onnx",
        108_707_330,
        "(30,522 + 256 + 16)·768 + 1,536 + 12·7,087,872 + 1,538: it stores 256 positions",
    ),
    row("bert-squad-torch", 108_893_186, "(30,522 + 512 + 2)·768 + 1,536 + 12·7,087,872 + 1,538"),
    row("e5-small-v2", 33_212_160, "12·1,769,472 + 31,036·384 + 25·768 + 12·3,456"),
    row("mnist-8", 5_994, "8·25 + 8 + 16·8·25 + 16 + 256·10 + 10"),
    row("yolov8l-nc1", 43_607_379, "its exporter's count after fusing"),
    row("bert_tiny_cls_op17", 136_258, "1,014·64 + 128 + 2·(4·4,160 + 16,576 + 256) + 4,160 + 130"),
    row("bert_tiny_cls_sdpa_op17", 136_258, "the same network, another attention"),
    row("bert_tiny_fp16", 136_258, "the same network in half precision"),
    row("clip_tiny_op17", 222_721, ALL_FLOATS),
    row("convnext_tiny_op17", 28_583_944, ALL_FLOATS),
    Row { model: "densenet121_op17", total: 8_040_040, non_trainable: 68_672, why: ALL_FLOATS },
    row("detr_tiny_op17", 191_914, ALL_FLOATS),
    row("dynamo-bert_tiny", 136_258, "the same network as bert_tiny, another exporter"),
    row("dynamo-llama_tiny_gqa", 150_848, "2·500·64 + 5·64 + 2·43,264"),
    row("dynamo-llama_tiny_gqa_kv", 150_848, "the same network with a cache"),
    row("dynamo-lstm_bi", 24_019, "1,600 + 12,288 + 9,216 + 768 + 147; no start states"),
    row("dynamo-resnet18_extdata", 11_684_712, "as resnet18, another exporter"),
    row("dynamo-timm_vit_tiny", 5_717_416, "as timm_vit_tiny, another exporter"),
    row("gpt2_tiny_kv_op17", 236_288, ALL_FLOATS),
    row("gru_op17", 111_141, ALL_FLOATS),
    // Its weights are filled by ConstantOfShape.
    Row {
        model: "light_resnet50",
        total: 25_610_152,
        non_trainable: 53_120,
        why: "published 25,557,032, and 53,120 running statistics",
    },
    row("light_vgg19", 143_667_240, "published by torchvision"),
    row(
        "llama7b_synth",
        6_738_415_616,
        "2·32,000·4,096 + 32·(4·4,096² + 3·4,096·11,008 + 2·4,096) + 4,096, as published",
    ),
    row("llama_tiny_gqa_kv_op17", 214_848, "2·1,000·64 + 5·64 + 2·43,264"),
    row("llama_tiny_int4_matmulnbits", 214_848, "the same network, 4-bit weights packed"),
    Row {
        model: "logreg",
        total: 63,
        non_trainable: 24,
        why: "3·12 + 3, and the scaler's 12 means and 12 deviations",
    },
    row(
        "lstm_bi2_op17",
        412_101,
        "64,000 + 2·(384·64 + 384·96 + 768) + 2·(384·192 + 384·96 + 768) + 192·5 + 5",
    ),
    row("lstm_dynamicquantizelstm", 412_101, "the same network, quantized as it runs"),
    row("mlp", 259, "12·16 + 16 + 16·3 + 3"),
    row("mobilenet_v2_op17", 3_487_816, "published 3,504,872, 2·17,056 folded into 17,056"),
    row("mobilenet_v2_qdq_s8_perchannel", 3_487_816, "the same network, scales per channel"),
    row("mobilenet_v2_qoperator_u8", 3_487_816, "the same network in quantized operators"),
    row("resnet18_op13", 11_684_712, "published 11,689,512, 2·4,800 folded into 4,800"),
    row("resnet18_op17_static", 11_684_712, "the same network, batch fixed"),
    row("resnet18_qdq_op13", 11_684_712, "the same network, quantized"),
    row("swin_t", 28_596_370, "published 28,288,354 + 138 heads·(49² - 169)"),
    row("swin_t_op17", 28_596_370, "the same network, batch fixed"),
    row("t5_tiny_encdec_op17", 228_864, ALL_FLOATS),
    row("timm_vit_tiny_op17", 5_717_416, "published by timm"),
    row("unet_c16_op17", 482_050, ALL_FLOATS),
    row("vit_hf_tiny_op17", 301_066, ALL_FLOATS),
    row("whisper_tiny_decoder_op17", 49_468_416, ALL_FLOATS),
    row("whisper_tiny_encoder_op17", 8_208_384, ALL_FLOATS),
    row("yolov8n_80", 3_151_904, "its exporter's count after fusing"),
    row("yolov8n_fp16", 3_151_904, "the same network in half precision"),
    row("yolov8n_qdq", 3_151_904, "the same network, quantized, anchors as initializers"),
];

fn learned_elements_are_right(corpus: &Corpus) -> Outcome {
    let (mut tried, mut wrong) = (0, Vec::new());
    for path in corpus.models() {
        let name = path.file_stem().unwrap().to_string_lossy();
        let Some(row) = TRUTH.iter().find(|row| row.model == name) else { continue };
        tried += 1;
        let parameters = support::report(&path).unwrap().parameters;
        let found = (parameters.total, parameters.non_trainable);
        if found != (Some(row.total), Some(row.non_trainable)) {
            wrong.push(format!("{}: {} ({}), found {found:?}", row.model, row.total, row.why));
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
    score(format!("parameters, {}: {} of {tried} models", corpus.name(), tried - wrong.len()));
    assert!(tried >= 10, "only {tried} models found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Depth, size and stored elements of models whose published cards were checked by executing them.
fn documented_figures_are_right(corpus: &Corpus) -> Outcome {
    // name, depth, bytes of the file where it is whole
    let truth: &[(&str, u64, u64)] =
        &[("all-minilm-l6-v2", 388, 22_972_370), ("e5-small-v2", 760, 0), ("mnist-8", 11, 26_454)];
    for (model, depth, bytes) in truth {
        let report = support::report(&corpus.model(model).unwrap()).unwrap();
        assert_eq!(report.graph.depth, Some(*depth), "{model}");
        if *bytes > 0 {
            assert_eq!(report.model.bytes, *bytes, "{model}");
        }
    }
    let mnist = support::report(&corpus.model("mnist-8").unwrap()).unwrap();
    assert_eq!(mnist.parameters.constants, Some(4), "two targets of Reshape");
    assert_eq!(mnist.parameters.stored_bytes, Some(24_008));
    assert_eq!(mnist.graph.inputs.len(), 1, "nine are listed, eight are filled");
    assert_eq!(mnist.graph.overridable_inputs, 8);
    let encoder = support::report(&corpus.model("all-minilm-l6-v2").unwrap()).unwrap();
    // 36 scales and 36 zero points per channel of 20,736 columns in all, and three of each.
    assert_eq!(encoder.parameters.quantization, Some(2 * 20_736 + 6));
    // 512 position ids; of the 146 Constant nodes, each holds one number.
    assert_eq!(encoder.parameters.constants, Some(512 + 146));
    Ok(())
}
