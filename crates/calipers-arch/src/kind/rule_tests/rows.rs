//! Networks that each row recognizes, and close ones that it rejects.
//!
//! One line for each row of a table, in the order of the tables; the recipes of the networks are in
//! `scripts/fixtures/families`.

use calipers_report::Family;

use super::Case;

const fn case(
    family: Family,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Case {
    Case { family, positive, negative }
}

pub(super) const CASES: &[Case] = &[
    // Detection.
    case(Family::MaskRcnn, &["regions-masks"], &["regions", "regions-keypoints"]),
    case(Family::KeypointRcnn, &["regions-keypoints"], &["regions", "regions-masks"]),
    case(Family::FasterRcnn, &["regions"], &["regions-fixed"]),
    case(Family::Yolov10, &["c2f-bins-topk"], &["c2f-bins-attention", "c2f-bins"]),
    case(Family::Yolo11, &["c2f-bins-attention"], &["c2f-bins"]),
    case(Family::Yolov8, &["c2f-bins"], &["csp-anchors", "csp-anchor-free"]),
    case(Family::Yolov5, &["csp-anchors"], &["csp-anchor-free", "csp-anchors-relu"]),
    case(Family::Yolov4, &["csp-anchors-mish"], &["csp-anchors"]),
    case(Family::Yolov3, &["residual-leaky-scales"], &["residual-leaky-scales-short", "darknet"]),
    case(Family::TinyYolo, &["leaky-pooling-anchors"], &["leaky-pooling-map"]),
    case(Family::Yolox, &["csp-anchor-free"], &["c2f-bins", "csp-anchors-relu"]),
    case(Family::Retinanet, &["pyramid-anchors"], &["pyramid-anchor-free", "scales-anchors"]),
    case(Family::Fcos, &["pyramid-anchor-free"], &["pyramid-anchors", "csp-anchor-free"]),
    case(Family::Ssd, &["scales-anchors"], &["pyramid-anchors", "csp-anchors-relu"]),
    // Outputs for every pixel.
    case(Family::Unet, &["unet"], &["fcn", "residual-leaky-scales-short"]),
    case(Family::Deeplab, &["deeplab"], &["fcn"]),
    case(Family::Lraspp, &["lraspp"], &["lraspp-ungated", "mobilenetv3"]),
    case(Family::Fcn, &["fcn"], &["fcn-plain", "deeplab"]),
    case(Family::Espcn, &["espcn"], &["espcn-9x9"]),
    // Classifiers.
    case(Family::Convnext, &["convnext"], &["convnext-batchnorm"]),
    case(Family::Densenet, &["densenet"], &["inception", "resnet"]),
    case(Family::Squeezenet, &["squeezenet"], &["inception"]),
    case(Family::Shufflenet, &["shufflenet"], &["shufflenetv2", "resnext"]),
    case(Family::Shufflenetv2, &["shufflenetv2"], &["mobilenetv1", "inception"]),
    case(Family::Efficientnetv2, &["efficientnetv2"], &["efficientnet"]),
    case(
        Family::Efficientnet,
        &["efficientnet", "efficientnet-lite"],
        &["mobilenetv3", "mnasnet", "efficientnet-relu6"],
    ),
    case(Family::Mobilenetv3, &["mobilenetv3"], &["efficientnet", "mobilenetv2"]),
    case(Family::Mnasnet, &["mnasnet"], &["mobilenetv2", "efficientnet-lite"]),
    case(Family::Mobilenetv2, &["mobilenetv2"], &["mobilenetv1", "mnasnet"]),
    case(Family::Mobilenetv1, &["mobilenetv1"], &["mobilenetv1-split", "mobilenetv2", "xception"]),
    case(Family::Inception, &["inception"], &["squeezenet", "densenet"]),
    case(Family::Regnet, &["regnet"], &["resnext"]),
    case(Family::Resnext, &["resnext"], &["resnet", "shufflenet"]),
    case(Family::Resnet, &["resnet"], &["resnext", "darknet"]),
    case(Family::Darknet, &["darknet"], &["resnet"]),
    case(Family::Xception, &["xception"], &["mobilenetv1", "mobilenetv2"]),
    case(Family::Lenet, &["lenet"], &["alexnet"]),
    case(Family::Alexnet, &["alexnet"], &["zfnet"]),
    case(Family::Zfnet, &["zfnet"], &["alexnet"]),
    case(Family::Vgg, &["vgg"], &["alexnet", "resnet"]),
    // Transformers.
    case(Family::Clip, &["clip", "clip-text"], &["clip-vision", "gpt2"]),
    case(Family::Detr, &["zoo/detr_tiny_op17"], &["queries-classes", "detection-tokens"]),
    case(Family::Mobilevit, &["mobilevit"], &["c2f-bins-attention", "vit"]),
    case(
        Family::Whisper,
        &["zoo/whisper_tiny_encoder_op17", "zoo/whisper_tiny_decoder_op17"],
        &["conformer", "wav2vec2", "bart"],
    ),
    case(Family::Wav2vec2, &["wav2vec2"], &["conformer", "zoo/whisper_tiny_encoder_op17"]),
    case(Family::Conformer, &["conformer"], &["wav2vec2", "zoo/whisper_tiny_encoder_op17"]),
    case(Family::T5, &["t5"], &["llama", "bart"]),
    case(Family::Bart, &["bart"], &["marian", "mbart"]),
    case(Family::Marian, &["marian"], &["bart", "m2m100"]),
    case(Family::Mbart, &["mbart"], &["bart", "m2m100"]),
    case(Family::M2m100, &["m2m100"], &["pegasus", "mbart"]),
    case(Family::Pegasus, &["pegasus@pegasus"], &["pegasus", "mbart@pegasus"]),
    case(Family::Swin, &["swin"], &["vit", "swinv2"]),
    case(Family::Yolos, &["detection-tokens"], &["vit", "zoo/detr_tiny_op17"]),
    case(Family::Beit, &["beit", "beit-absolute"], &["vit", "dinov2", "swinv2"]),
    case(Family::Deit, &["deit"], &["vit"]),
    case(Family::Clip, &["clip-vision"], &["vit"]),
    case(Family::Dinov2, &["dinov2"], &["vit", "beit-absolute"]),
    case(Family::Vit, &["vit"], &["swin", "cait", "mobilevit"]),
    case(Family::Albert, &["albert"], &["bert"]),
    case(Family::Roberta, &["roberta"], &["bert"]),
    case(Family::Mpnet, &["mpnet"], &["bert", "deberta"]),
    case(Family::Deberta, &["deberta"], &["bert", "mpnet"]),
    case(Family::Distilbert, &["distilbert@distil"], &["distilbert", "bert@distil"]),
    case(Family::Bert, &["bert"], &["modernbert", "gpt2"]),
    case(Family::Modernbert, &["modernbert"], &["bert", "gemma"]),
    case(Family::Gemma3, &["gemma3"], &["gemma2", "qwen3"]),
    case(Family::Gemma2, &["gemma2"], &["gemma", "gemma3"]),
    case(Family::Gemma, &["gemma"], &["gemma2", "llama"]),
    case(Family::Mixtral, &["mixtral"], &["llama"]),
    case(Family::Qwen3, &["qwen3"], &["qwen2", "gemma2"]),
    case(Family::Qwen2, &["qwen2"], &["llama", "qwen3"]),
    case(Family::Phi3, &["phi3"], &["llama"]),
    case(Family::Llama, &["llama", "zoo/llama_tiny_gqa_kv_op17"], &["gemma", "phi"]),
    case(Family::Falcon, &["falcon"], &["gptj", "gpt-bigcode"]),
    case(Family::GptJ, &["gptj"], &["phi", "gpt-neox"]),
    case(Family::Phi, &["phi"], &["gptj", "gpt-neox"]),
    case(Family::GptNeox, &["gpt-neox"], &["phi", "gpt2"]),
    case(Family::Bloom, &["bloom"], &["gpt2"]),
    case(Family::GptBigcode, &["gpt-bigcode"], &["gpt2", "falcon"]),
    case(Family::Opt, &["opt"], &["gpt2"]),
    case(Family::GptNeo, &["gpt-neo"], &["gpt2"]),
    case(Family::Gpt2, &["gpt2"], &["bloom", "bert"]),
];

/// Families that a name distinguishes from one of a table: the network without the name, and others
/// that the name does not turn into the family.
pub(super) const NAMED: &[Case] = &[
    case(Family::Mistral, &["mistral"], &["gpt2", "qwen2"]),
    case(Family::Hubert, &["hubert"], &["conformer"]),
    case(Family::Deit, &["vit"], &["swin"]),
    case(Family::Dinov2, &["vit"], &["swin"]),
    case(Family::Electra, &["electra"], &["gpt2"]),
];
