"""Families and variants of transformers' model types."""

import re

from families import FAMILIES

# The family that a model type belongs to, where the two differ.
FAMILY = {
    "speech_to_text": "speech-to-text", "kyutai_speech_to_text": "kyutai-stt", "glmga": "glm4v",
    "qwen2_audio": "qwen2-audio", "qwen2_audio_encoder": "qwen2-audio", "pe_audio": "pe-av",
    "pe_audio_encoder": "pe-av",
    "pe_audio_video": "pe-av", "pe_audio_video_encoder": "pe-av", "pe_video": "pe-av", "pe_video_encoder": "pe-av",
    "m2m_100": "m2m100", "gpt_neox_japanese": "gpt-neox", "xlm-roberta": "roberta", "xlm-roberta-xl": "roberta",
    "camembert": "roberta", "roberta-prelayernorm": "roberta", "deberta-v2": "deberta", "gpt-sw3": "gpt2",
    "maskformer-swin": "swin", "donut-swin": "swin", "bigbird_pegasus": "big-bird",
    "blenderbot-small": "blenderbot", "data2vec-audio": "data2vec", "data2vec-text": "data2vec",
    "data2vec-vision": "data2vec", "dinov2_with_registers": "dinov2", "dinov3_vit": "dinov3",
    "mobilenet_v1": "mobilenetv1",
    "mobilenet_v2": "mobilenetv2", "pvt_v2": "pvtv2", "hgnet_v2": "pp-hgnetv2", "rt_detr_v2": "rt-detrv2",
    "modernbert-decoder": "modernbert", "blip_2_qformer": "blip-2", "mm-grounding-dino": "grounding-dino",
    "llama4": "llama4", "sam_hq": "sam", "sam2_hiera_det_model": "sam2",
    "fastspeech2_conformer_with_hifigan": "fastspeech2-conformer", "gemma3_text": "gemma3",
    "pixtral": "pixtral", "mlcd": "mlcd", "glm46v": "glm4v", "vit_mae": "vit", "vit_msn": "vit",
}
_PARTS = re.compile(r"_(text_model|vision_model|text_text_model|vit_model|tokenizer|text|vision|encoder|audio|"
                    r"ctc|tdt|rnnt|video|tracker|vqmodel|acoustic_tokenizer\w*|audio_tokenizer\w*|decoder|thinker)$")
CNN = {"dac", "encodec", "xcodec", "univnet", "textnet", "uvdoc", "mimi", "vibevoice-acoustic"}
HYBRID = {"parakeet", "lasr", "granite-speech", "granite-speech5", "fastspeech2-conformer", "nemotron-asr-streaming",
          "nemotron3-5-asr", "omdet-turbo", "grounding-dino", "lw-detr", "rf-detr", "deimv2", "pp-doclayout-v3",
          "jamba", "zamba", "zamba2", "bamba", "nemotron-h", "falcon-h1", "granitemoehybrid", "recurrent-gemma",
          "lfm2", "kimi-linear", "qwen3-next", "qwen3-5", "olmo-hybrid", "efficientloftr", "mimi", "canary"}

VARIANTS = {
    "llama": "Llama-2-7B", "phi": "Phi-1.5", "regnet": "RegNetY-4GF", "xlm-roberta": "XLM-RoBERTa",
    "xlm-roberta-xl": "XLM-R-XL", "donut-swin": "Donut Swin", "camembert": "CamemBERT", "gpt-sw3": "GPT-SW3",
    "roberta-prelayernorm": "RoBERTa-PreLayerNorm", "gpt_neox_japanese": "GPT-NeoX Japanese",
    "modernbert-decoder": "ModernBERT decoder", "dinov2_with_registers": "DINOv2 ViT-B/14 with registers",
    "bigbird_pegasus": "BigBird-Pegasus", "blenderbot-small": "BlenderbotSmall", "blip_2_qformer": "BLIP-2 Q-Former",
    "data2vec-audio": "data2vec-audio", "data2vec-text": "data2vec-text", "data2vec-vision": "data2vec-vision",
    "sam_hq": "SAM-HQ", "sam_hq_vision_model": "SAM-HQ image encoder", "sam2_hiera_det_model": "SAM 2 Hiera",
    "deberta-v2": "DeBERTa-v2", "qwen2_audio": "Qwen2-Audio", "speech_to_text": "Speech2Text",
    "kyutai_speech_to_text": "Kyutai Speech-to-Text", "clvp": "CLVP",
    "albert": "ALBERT-xxlarge", "audio-spectrogram-transformer": "AST-B/16", "bart": "BART-large", "beit": "BEiT-B/16",
    "bert": "BERT-base", "bit": "BiT-R50x1", "clip": "CLIP ViT-B/32",
    "clip_text_model": "CLIP ViT-B text encoder", "clip_vision_model": "CLIP ViT-B/32 image encoder",
    "convbert": "ConvBERT-base", "convnext": "ConvNeXt-T", "convnextv2": "ConvNeXtV2-T", "cvt": "CvT-13",
    "deit": "DeiT-B", "detr": "DETR ResNet-50",
    "dinov2": "DINOv2 ViT-B/14", "distilbert": "DistilBERT-base", "efficientnet": "EfficientNet-B7",
    "electra": "ELECTRA-small", "gpt2": "GPT-2", "gpt_neo": "GPT-Neo-1.3B", "gpt_neox": "GPT-NeoX-20B",
    "gptj": "GPT-J-6B", "hubert": "HuBERT-base", "levit": "LeViT-128", 
    "mistral": "Mistral-7B", "mixtral": "Mixtral-8x7B", "mobilebert": "MobileBERT", "mobilenet_v1": "MobileNetV1 1.0",
    "mobilenet_v2": "MobileNetV2 1.0", "mobilevit": "MobileViT-S", "modernbert": "ModernBERT-base",
    "mpnet": "MPNet-base", "openai-gpt": "GPT", "poolformer": "PoolFormer-S12", "pvt": "PVT-Tiny",
    "pvt_v2": "PVTv2-B0", "resnet": "ResNet-50", "roberta": "RoBERTa-base", "rt_detr": "RT-DETR ResNet-50",
    "sam": "SAM ViT-B", "sam_vision_model": "SAM ViT-B image encoder", "segformer": "SegFormer-B0",
    "siglip": "SigLIP ViT-B/16", "siglip_vision_model": "SigLIP ViT-B/16 image encoder", "swin": "Swin-T",
    "swinv2": "SwinV2-T", "t5": "T5-small", "vit": "ViT-B/16", "vit_mae": "ViT-MAE-B/16", "vit_msn": "ViT-MSN-B/16",
    "wav2vec2": "wav2vec 2.0-base", "wavlm": "WavLM-base", "whisper": "Whisper-tiny", 
    "yolos": "YOLOS-base", "xlnet": "XLNet-large", "falcon": "Falcon-7B", "gemma": "Gemma-7B",
    "opt": "OPT-125M",
    "squeezebert": "SqueezeBERT", "rembert": "RemBERT", 
    
    "swiftformer": "SwiftFormer-XS", 
    "pp_ocrv5_mobile_rec": "PP-OCRv5 mobile rec x0.75", "pp_ocrv5_server_rec": "PP-OCRv5 server rec",
    "pp_ocrv6_small_det": "PP-OCRv6 small detector", "pp_ocrv6_small_rec": "PP-OCRv6 small rec",
    "pp_ocrv6_tiny_rec": "PP-OCRv6 tiny rec", "pp_ocrv6_medium_det": "PP-OCRv6 medium detector",
    "vits": "VITS", "glpn": "GLPN", "focalnet": "FocalNet-T",
    "maskformer-swin": "Swin-T", "timesformer": "TimeSformer-B/16", "videomae": "VideoMAE-B/16",
    "vivit": "ViViT-B/16x2",
    "layoutlm": "LayoutLM-base", "layoutlmv3": "LayoutLMv3-base", "vitdet": "ViTDet-B",
    "yoso": "YOSO-4096", "nystromformer": "Nystromformer-512", "fnet": "FNet-base", 
    "unispeech": "UniSpeech-base", "unispeech-sat": "UniSpeech-SAT-base", "splinter": "Splinter-base",
    "big_bird": "BigBird-base", "dpr": "DPR BERT-base", "tapas": "TAPAS-base",
    "wav2vec2-conformer": "wav2vec 2.0 Conformer-base",
}

SIZED = [
    (r"(?:BERT|MiniLM)-.*", "bert", None), (r"XLM-R-.*|RoBERTa-.*", "roberta", None),
    (r"(?:Distil)?GPT-2.*", "gpt2", None), (r"(?:Tiny)?Llama-.*|SmolLM2-.*", "llama", None),
    (r"Mistral-.*", "mistral", None), (r"Qwen2.5-.*", "qwen2", None), (r"Whisper-.*", "whisper", None),
    (r"T5-.*", "t5", None),
]
_RENAMED = {"MiniLM-L3": "MiniLM-L3-H384", "MiniLM-L6": "MiniLM-L6-H384", "MiniLM-L12": "MiniLM-L12-H384",
            "XLM-R-base": "XLM-R-base", "Whisper-large": "Whisper-large"}


def family_of_type(name):
    """Returns the family id of a model type."""
    if name in FAMILY:
        return FAMILY[name]
    base = name
    while _PARTS.search(base):
        base = _PARTS.sub("", base)
    base = FAMILY.get(base, base)
    if base.startswith("pp_ocrv") or base.startswith("pp_lcnet"):
        return "svtr-lcnet" if "mobile_rec" in base else "pp-ocr"
    return base.replace("_", "-").replace(".", "-")


def display_of_type(name, cls=None):
    """Returns a display name of a model type: from the family table, else from its class."""
    family = family_of_type(name)
    if family in FAMILIES:
        return FAMILIES[family][0]
    stem = re.sub(r"(ForConditionalGeneration|ForCTC|ForTDT|ForRNNT|TextModel|VisionModel|VisionTransformer|Model|"
                  r"Encoder|Backbone|For[A-Z]\w+)$", "", cls or "")
    stem = re.sub(r"(\d)_(\d)", r"\1.\2", stem.strip("_")).replace("_", " ")
    return stem or " ".join(word.capitalize() for word in re.split("[-_]", name))


def transformers_names(name, cls=None):
    """Returns (family, variant, display, kind) of a model type or of a named size."""
    for pattern, family, _ in SIZED:
        if re.fullmatch(pattern, name):
            return family, _RENAMED.get(name, name), *FAMILIES[family]
    family = family_of_type(name)
    display = display_of_type(name, cls)
    kind = FAMILIES[family][1] if family in FAMILIES else (
        "cnn" if family in CNN else "hybrid" if family in HYBRID else "transformer")
    variant = VARIANTS.get(name)
    if not variant:
        part = _part(name)
        variant = f"{display} {part}".strip()
    return family, variant, display, kind


def _part(name):
    for word, text in (("text", "text decoder"), ("vision", "image encoder"), ("audio", "audio encoder"),
                       ("encoder", "encoder"), ("decoder", "decoder"), ("tokenizer", "tokenizer"), ("ctc", "CTC"),
                       ("tdt", "TDT"), ("rnnt", "RNN-T")):
        if re.search(rf"_{word}(_model)?$", name):
            return text
    return ""
