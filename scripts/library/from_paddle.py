"""PaddleOCR's detectors and recognition networks and PaddleClas backbones, built by transformers."""

import cache
import transformers
from from_transformers import _call
from hf_inputs import candidates
from networks import c, dense
from recorder import on_meta, weights_of

SCALES = (0.25, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5)

MODELS = {
    "PP-OCRv5_mobile_det": ("dbnet", "PP-OCRv4/v5 mobile detector", "PPOCRV5MobileDetForObjectDetection", {}),
    "PP-OCRv5_server_rec": ("svtr-hgnet", "PP-OCRv5 server rec", "PPOCRV5ServerRecForTextRecognition", {}),
    "PP-OCRv6_small_det": ("dbnet", "PP-OCRv6 small detector", "PPOCRV6SmallDetForObjectDetection", {}),
    "PP-OCRv6_small_rec": ("svtr-lcnet", "PP-OCRv6 small rec", "PPOCRV6SmallRecForTextRecognition", {}),
    "PP-OCRv6_tiny_rec": ("svtr-lcnet", "PP-OCRv6 tiny rec", "PPOCRV6TinyRecForTextRecognition", {}),
    "SLANet": ("slanet", "SLANet", "SLANetForTableRecognition", {}),
    "SLANeXt": ("slanext", "SLANeXt", "SLANeXtForTableRecognition", {}),
    "UVDoc": ("uvdoc", "UVDoc", "UVDocModel", {}),
    "PP-DocLayoutV2": ("pp-doclayout", "PP-DocLayoutV2", "PPDocLayoutV2ForObjectDetection", {}),
    "PP-DocLayoutV3": ("pp-doclayout", "PP-DocLayoutV3", "PPDocLayoutV3ForObjectDetection", {}),
    **{f"PPLCNet_x{scale:g}".replace(".", "_"): ("pp-lcnet", f"PP-LCNet x{scale}", "PPLCNetForImageClassification",
                                                 {"scale": scale}) for scale in SCALES},
    **{f"PPLCNetV3_x{scale:g}".replace(".", "_"): ("pp-lcnetv3", f"PP-LCNetV3 x{scale} backbone", "PPLCNetV3Backbone",
                                                   {"scale": scale, "divisor": 16})
       for scale in (0.5, 0.95, 1.0, 1.5)},
    "PPHGNetV2_L": ("pp-hgnetv2", "PP-HGNetV2-L", "HGNetV2ForImageClassification", {}),
}


def _svtr_v3(words):
    """PP-OCRv3 rec: MobileNetV1 x0.5 with 5x5 kernels and squeeze-excite, then SVTR."""
    tokens = [c(16, 3, 3)]
    for inner, out, kernel in ((16, 32, 3), (32, 64, 3), (64, 64, 3), (64, 128, 3), (128, 128, 3), (128, 256, 3),
                               *[(256, 256, 5)] * 5):
        tokens += [c(inner, inner, kernel, inner), c(out, inner)]
    for inner in (256, 512):
        tokens += [c(inner, inner, 5, inner), c(inner // 4, inner), c(inner, inner // 4), c(512, inner)]
    block = [dense(360, 120), dense(120, 120), dense(240, 120), dense(120, 240)]
    tokens += [c(64, 512, 3), c(120, 64)] + block * 2 + [c(512, 120), c(64, 1024, 3), c(64, 64)]
    return tokens + [dense(words, 64)]


def _svtr_v4(words):
    """PP-OCRv4 and v5 mobile recognition networks: PP-LCNetV3 x0.95 as merged for inference, then SVTR."""
    tokens = [c(16, 3, 3)]
    for inner, out, kernel in ((16, 32, 3), (32, 64, 3), (64, 64, 3), (64, 128, 3), (128, 128, 3), (128, 240, 3),
                               *[(240, 240, 5)] * 4):
        tokens += [c(inner, inner, kernel, inner), c(out, inner)]
    for inner in (240, 480):
        tokens += [c(inner, inner, 5, inner), c(inner // 4, inner), c(inner, inner // 4), c(480, inner)]
    tokens += [c(480, 480, 5, 480), c(480, 480)] * 2
    block = [dense(360, 120), dense(120, 120), dense(240, 120), dense(120, 240)]
    tokens += ["c60x480x1x3", c(120, 60)] + block * 2 + [c(480, 120), "c60x960x1x3", c(120, 60)]
    return tokens + [dense(words, 120)]


def _divisible(value):
    """Returns the width that MobileNetV3 rounds to: the nearest multiple of 8, at most 10 % less."""
    rounded = max(8, int(value + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * value else rounded


_LARGE = [(3, 16, 16), (3, 64, 24), (3, 72, 24), (5, 72, 40), (5, 120, 40), (5, 120, 40), (3, 240, 80), (3, 200, 80),
          (3, 184, 80), (3, 184, 80), (3, 480, 112), (3, 672, 112), (5, 672, 160), (5, 960, 160), (5, 960, 160)]
_SMALL = [(3, 16, 16, 1), (3, 72, 24, 0), (3, 88, 24, 0), (5, 96, 40, 1), (5, 240, 40, 1), (5, 240, 40, 1),
          (5, 120, 48, 1), (5, 144, 48, 1), (5, 288, 96, 1), (5, 576, 96, 1), (5, 576, 96, 1)]


def _mobilenetv3(blocks, scale, last):
    before = _divisible(16 * scale)
    tokens = [c(before, 3, 3)]
    for kernel, expanded, out, *excite in blocks:
        middle = _divisible(expanded * scale)
        tokens += [c(middle, before), c(middle, middle, kernel, middle)]
        if any(excite):
            tokens += [c(middle // 4, middle), c(middle, middle // 4)]
        before = _divisible(out * scale)
        tokens.append(c(before, middle))
    return tokens + [c(_divisible(last * scale), before)]


def _detector(squeeze_excite):
    """MobileNetV3-Large x0.5, a feature pyramid of 96 channels and the head of DB."""
    excite = (lambda width: [c(width // 4, width), c(width, width // 4)]) if squeeze_excite else (lambda width: [])
    tokens = _mobilenetv3(_LARGE, 0.5, 960)
    for inner in (480, 56, 24, 16):
        tokens += [c(96, inner)] + excite(96)
    tokens += ([c(24, 96, 3)] + excite(24)) * 4
    return tokens + [c(24, 96, 3), "t24x24x2x2", "t24x1x2x2"]


TABLES = {
    "PP-OCRv4_mobile_rec": ("svtr-lcnet", "PP-OCRv4/v5 mobile rec", _svtr_v4(6625)),
    "PP-OCRv5_mobile_rec": ("svtr-lcnet", "PP-OCRv4/v5 mobile rec", _svtr_v4(18385)),
    "PP-OCRv3_mobile_rec": ("svtr", "PP-OCRv3 mobile rec", _svtr_v3(6625)),
    "PP-OCRv3_mobile_det": ("dbnet", "PP-OCRv3 mobile detector", _detector(True)),
    "PP-OCRv2_mobile_det": ("dbnet", "PP-OCRv2 mobile detector", _detector(False)),
    "ch_ppocr_mobile_v2.0_cls": ("mobilenetv3", "PP-OCR text direction classifier (MobileNetV3-Small 0.35)",
                                 [*_mobilenetv3(_SMALL, 0.35, 576), dense(2, 200)]),
}


def _fused(name):
    """Returns whether a parameter stays when the branches of a training block are merged into one."""
    return "conv_small_symmetric" not in name and not any(
        f"conv_symmetric.{branch}." in name for branch in range(1, 16))


def _build(name, fused):
    _, _, cls, settings = MODELS[name]
    model_class = getattr(transformers, cls)
    config = model_class.config_class(**settings)
    config._attn_implementation = "eager"
    with on_meta():
        model = model_class(config)
    merged = {id(p) for n, p in model.named_parameters() if not _fused(n)}
    if fused and not merged:
        raise ValueError("it has no branches to merge")
    keep = (lambda p: id(p) not in merged) if fused else None
    runs = [lambda network, given=given: _call(network, given) for given in candidates(model)]
    return (cls, *weights_of(model, *runs, keep=keep))


def names(name):
    """Returns (family, variant) of an entry."""
    base = name.replace(" fused", "")
    return {**MODELS, **TABLES}[base][:2]


def jobs():
    """Yields (name, function) of each network, and of its form for inference where that differs."""
    for name, (_, _, tokens) in TABLES.items():
        yield name, lambda t=tokens: ("table", t, "run", None)
    for name in MODELS:
        yield name, lambda n=name: _build(n, False)
        if "LCNetV3" in name or "mobile" in name:
            yield f"{name} fused", lambda n=name: _build(n, True)


def collect():
    """Returns the entries of every network."""
    return cache.collect("paddle", jobs(), names)


if __name__ == "__main__":
    collect()
