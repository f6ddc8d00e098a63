"""Public sizes of sequence-to-sequence, speech and vision models.

Each entry is name: (family, variant, class of transformers, settings).
"""

from hf_sizes import _t5, _whisper

PUBLISHED = {}
# Models that are deployed as two files: the encoder, and the decoder with the head.
SPLIT = {}


def _add(name, family, cls, settings, variant=None, split=False):
    PUBLISHED[name] = (family, variant or name, cls, settings)
    if split:
        SPLIT[name] = True


_GATED = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
for _name, _sizes in {"T5-small": (512, 2048, 6, 8), "T5-base": (768, 3072, 12, 12), "T5-large": (1024, 4096, 24, 16),
                      "T5-3B": (1024, 16384, 24, 32, 128), "T5-11B": (1024, 65536, 24, 128, 128)}.items():
    _add(_name, "t5", "T5ForConditionalGeneration", _t5(*_sizes), split=True)
for _size, _sizes in {"small": (512, 1024, 8, 6), "base": (768, 2048, 12, 12), "large": (1024, 2816, 24, 16),
                      "XL": (2048, 5120, 24, 32), "XXL": (4096, 10240, 24, 64)}.items():
    _add(f"Flan-T5-{_size}", "t5", "T5ForConditionalGeneration", _t5(*_sizes, **_GATED), split=True)
    _add(f"mT5-{_size}", "t5", "MT5ForConditionalGeneration", _t5(*_sizes, rows=250112, **_GATED), split=True)
for _name, _sizes, _decoder in [("ByT5-small", (1472, 3584, 12, 6), 4), ("ByT5-base", (1536, 3968, 18, 12), 6),
                                ("ByT5-large", (1536, 3840, 36, 16), 12)]:
    _add(_name, "t5", "T5ForConditionalGeneration", _t5(*_sizes, rows=384, num_decoder_layers=_decoder, **_GATED),
         split=True)


def _bart(width, encoder, decoder, heads, rows, inner=None, **more):
    inner = inner or 4 * width
    return {"d_model": width, "encoder_layers": encoder, "decoder_layers": decoder, "vocab_size": rows,
            "encoder_attention_heads": heads, "decoder_attention_heads": heads, "encoder_ffn_dim": inner,
            "decoder_ffn_dim": inner, **more}


for _name, _family, _cls, _settings in [
    ("BART-base", "bart", "Bart", _bart(768, 6, 6, 12, 50265)),
    ("BART-large", "bart", "Bart", _bart(1024, 12, 12, 16, 50265)),
    ("DistilBART-12-6", "bart", "Bart", _bart(1024, 12, 6, 16, 50264)),
    ("DistilBART-6-6", "bart", "Bart", _bart(1024, 6, 6, 16, 50264)),
    ("mBART-large-50", "mbart", "MBart", _bart(1024, 12, 12, 16, 250054)),
    ("M2M100-418M", "m2m100", "M2M100", _bart(1024, 12, 12, 16, 128112)),
    ("M2M100-1.2B", "m2m100", "M2M100", _bart(1024, 24, 24, 16, 128112, 8192)),
    ("NLLB-200-600M", "m2m100", "M2M100", _bart(1024, 12, 12, 16, 256206)),
    ("NLLB-200-1.3B", "m2m100", "M2M100", _bart(1024, 24, 24, 16, 256206, 8192)),
    ("NLLB-200-3.3B", "m2m100", "M2M100", _bart(2048, 24, 24, 16, 256206, 8192)),
    ("Pegasus-large", "pegasus", "Pegasus", _bart(1024, 16, 16, 16, 96103)),
]:
    _add(_name, _family, _cls + "ForConditionalGeneration", _settings, split=True)
_add("OPUS-MT base", "marian", "MarianMTModel", _bart(512, 6, 6, 8, 58101, decoder_vocab_size=58101, pad_token_id=58100,
                                                      decoder_start_token_id=58100), "Marian base", True)

for _name, _settings in {
    "Whisper-tiny": _whisper(384, 4, 6), "Whisper-base": _whisper(512, 6, 8), "Whisper-small": _whisper(768, 12, 12),
    "Whisper-medium": _whisper(1024, 24, 16), "Whisper-large-v2": _whisper(1280, 32, 20),
    "Whisper-large-v3": _whisper(1280, 32, 20, bins=128, rows=51866),
    "Whisper-large-v3-turbo": _whisper(1280, 32, 20, 4, 128, 51866),
    "Distil-Whisper-small.en": _whisper(768, 12, 12, 4, rows=51864),
    "Distil-Whisper-medium.en": _whisper(1024, 24, 16, 2, rows=51864),
    "Distil-Whisper-large-v2": _whisper(1280, 32, 20, 2),
    "Distil-Whisper-large-v3": _whisper(1280, 32, 20, 2, 128, 51866),
}.items():
    _add(_name, "whisper", "WhisperForConditionalGeneration", _settings, split=True)


def _speech(width, layers, heads, large=True):
    more = {"feat_extract_norm": "layer", "do_stable_layer_norm": True, "conv_bias": True} if large else {}
    return {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads,
            "intermediate_size": 4 * width, **more}


for _name, _family, _cls, _settings in [
    ("wav2vec 2.0-base CTC", "wav2vec2", "Wav2Vec2ForCTC", {"vocab_size": 32}),
    ("wav2vec 2.0-large CTC", "wav2vec2", "Wav2Vec2ForCTC", {**_speech(1024, 24, 16, False), "vocab_size": 32}),
    ("wav2vec 2.0-large-LV60", "wav2vec2", "Wav2Vec2Model", _speech(1024, 24, 16)),
    ("XLS-R-300M", "wav2vec2", "Wav2Vec2Model", _speech(1024, 24, 16)),
    ("XLS-R-1B", "wav2vec2", "Wav2Vec2Model", _speech(1280, 48, 16)),
    ("XLS-R-2B", "wav2vec2", "Wav2Vec2Model", _speech(1920, 48, 16)),
    ("HuBERT-large", "hubert", "HubertModel", _speech(1024, 24, 16)),
    ("HuBERT-xlarge", "hubert", "HubertModel", _speech(1280, 48, 16)),
    ("WavLM-large", "wavlm", "WavLMModel", {**_speech(1024, 24, 16), "conv_bias": False}),
    ("SpeechT5 text-to-speech", "speecht5", "SpeechT5ForTextToSpeech", {}),
    ("SpeechT5 speech-to-text", "speecht5", "SpeechT5ForSpeechToText", {}),
    ("SpeechT5 HiFi-GAN", "hifi-gan", "SpeechT5HifiGan", {}),
]:
    _add(_name, _family, _cls, _settings)
for _name, _width, _layers in [("Moonshine-tiny", 288, 6), ("Moonshine-base", 416, 8)]:
    _add(_name, "moonshine", "MoonshineForConditionalGeneration", {
        "hidden_size": _width, "intermediate_size": 4 * _width, "encoder_num_hidden_layers": _layers,
        "decoder_num_hidden_layers": _layers, "encoder_num_attention_heads": 8, "decoder_num_attention_heads": 8,
        "vocab_size": 32768}, split=True)


# Vision.
def _vit(width, layers, heads, patch, **more):
    return {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads,
            "intermediate_size": 4 * width, "patch_size": patch, **more}


for _size, _sizes in {"B/16": (768, 12, 12, 16), "B/32": (768, 12, 12, 32), "L/14": (1024, 24, 16, 14)}.items():
    _add(f"CLIP ViT-{_size} image encoder", "clip", "CLIPVisionModelWithProjection",
         {**_vit(*_sizes), "projection_dim": 768 if _size == "L/14" else 512})
for _name, _width, _layers, _heads, _out in [
    ("CLIP ViT-B text encoder", 512, 12, 8, 512), ("CLIP ViT-L/14 text encoder", 768, 12, 12, 768),
    ("OpenCLIP ViT-H/14 text encoder", 1024, 24, 16, 1024), ("OpenCLIP ViT-bigG/14 text encoder", 1280, 32, 20, 1280),
]:
    _add(_name, "clip", "CLIPTextModelWithProjection", {
        "hidden_size": _width, "num_hidden_layers": _layers, "num_attention_heads": _heads,
        "intermediate_size": 4 * _width, "projection_dim": _out, "vocab_size": 49408},
         _name.replace("/14", "").replace("OpenCLIP", "CLIP"))
_add("Stable Diffusion 2 text encoder", "clip", "CLIPTextModel", {
    "hidden_size": 1024, "num_hidden_layers": 23, "num_attention_heads": 16, "intermediate_size": 4096,
    "vocab_size": 49408})
_add("Stable Diffusion 1.5 text encoder", "clip", "CLIPTextModel", {
    "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
    "vocab_size": 49408}, "CLIP ViT-L text encoder")
for _name, _sizes in {"ViT-B/16": (768, 12, 12, 16), "ViT-B/32": (768, 12, 12, 32), "ViT-L/16": (1024, 24, 16, 16),
                      "ViT-L/32": (1024, 24, 16, 32), "ViT-H/14": (1280, 32, 16, 14),
                      "ViT-S/16": (384, 12, 6, 16), "ViT-Ti/16": (192, 12, 3, 16)}.items():
    _add(_name, "vit", "ViTForImageClassification", {**_vit(*_sizes), "num_labels": 1000})
for _name, _width, _layers, _heads in [("S", 384, 12, 6), ("B", 768, 12, 12), ("L", 1024, 24, 16), ("g", 1536, 40, 24)]:
    _settings = {"hidden_size": _width, "num_hidden_layers": _layers, "num_attention_heads": _heads, "patch_size": 14,
                 "image_size": 518, "use_swiglu_ffn": _name == "g"}
    _add(f"DINOv2 ViT-{_name}/14", "dinov2", "Dinov2Model", _settings)
for _name, _depths, _widths, _decoder in [
    ("B0", [2, 2, 2, 2], [32, 64, 160, 256], 256), ("B1", [2, 2, 2, 2], [64, 128, 320, 512], 256),
    ("B2", [3, 4, 6, 3], [64, 128, 320, 512], 768), ("B3", [3, 4, 18, 3], [64, 128, 320, 512], 768),
    ("B4", [3, 8, 27, 3], [64, 128, 320, 512], 768), ("B5", [3, 6, 40, 3], [64, 128, 320, 512], 768),
]:
    _settings = {"depths": _depths, "hidden_sizes": _widths, "decoder_hidden_size": _decoder}
    _add(f"SegFormer-{_name}", "segformer", "SegformerForSemanticSegmentation", {**_settings, "num_labels": 150})
    _add(f"MiT-{_name}", "segformer", "SegformerModel", _settings, f"SegFormer-{_name} encoder")
for _name, _width, _depths in [("T", 96, [2, 2, 6, 2]), ("S", 96, [2, 2, 18, 2]), ("B", 128, [2, 2, 18, 2]),
                               ("L", 192, [2, 2, 18, 2])]:
    _heads = [_width // 32 * k for k in (1, 2, 4, 8)]
    _settings = {"embed_dim": _width, "depths": _depths, "num_heads": _heads, "num_labels": 1000}
    _add(f"Swin-{_name}", "swin", "SwinForImageClassification", _settings)
for _name, _sizes, _outputs in [
    ("SAM ViT-B", (768, 12, 12), [2, 5, 8, 11]), ("SAM ViT-L", (1024, 24, 16), [5, 11, 17, 23]),
    ("SAM ViT-H", (1280, 32, 16), [7, 15, 23, 31]),
]:
    _add(f"{_name} image encoder", "sam", "SamVisionModel", {
        "hidden_size": _sizes[0], "num_hidden_layers": _sizes[1], "num_attention_heads": _sizes[2],
        "mlp_dim": 4 * _sizes[0], "global_attn_indexes": _outputs})
for _name, _widths in {"Depth-Anything-S": (384, 12, 6, 64, [48, 96, 192, 384]),
                       "Depth-Anything-B": (768, 12, 12, 128, [96, 192, 384, 768]),
                       "Depth-Anything-L": (1024, 24, 16, 256, [256, 512, 1024, 1024])}.items():
    _width, _layers, _heads, _fusion, _neck = _widths
    _stages = {12: [9, 10, 11, 12], 24: [21, 22, 23, 24]}[_layers]
    _add(_name, "depth-anything", "DepthAnythingForDepthEstimation", {
        "reassemble_hidden_size": _width, "neck_hidden_sizes": _neck, "fusion_hidden_size": _fusion,
        "backbone_config": {"model_type": "dinov2", "hidden_size": _width, "num_hidden_layers": _layers,
                            "num_attention_heads": _heads, "patch_size": 14, "image_size": 518,
                            "out_indices": _stages, "apply_layernorm": True, "reshape_hidden_states": False}})
