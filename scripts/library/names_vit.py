"""Families and variants of timm's vision transformers."""

from names import by_rules, extra, size
from names_timm import RULES as CONVOLUTIONAL
from names_timm import _INPUT, _vit

_REG = r"((?:_reg\d)?)"

RULES = [
    (r"vit_(\w+?)_patch(\d+)" + _REG + r"_dinov2", "dinov2",
     lambda s, p, r: f"DINOv2 ViT-{_vit(s)}/{p}{' with registers' if r else ''}"),
    (r"vit_(\w+?)_patch(\d+)_dinov3(?:_qkvb)?", "dinov3", lambda s, p: f"DINOv3 ViT-{_vit(s)}/{p}"),
    (r"vit_(\w+?)_patch(\d+)(_plus)?_clip(?:_quickgelu)?" + _INPUT, "clip",
     lambda s, p, x: f"CLIP ViT-{_vit(s)}{'+' if x else ''}/{p} image encoder"),
    (r"(?:naflex)?vit_(\w+?)_patch(\d+)_siglip(_gap)?" + _INPUT, "siglip",
     lambda s, p, g: f"SigLIP ViT-{_vit(s)}/{p} image encoder{extra(g)}"),
    (r"vit_(\w+?)_patch(\d+)_reg1_tipsv2", "tipsv2", lambda s, p: f"TIPSv2 ViT-{_vit(s)}/{p}"),
    (r"vit_(\w+?)_patch(\d+)_sapiens2", "sapiens2", lambda s, p: f"Sapiens2 ViT-{_vit(s)}/{p}"),
    (r"vit_(\w+?)_patch(\d+)_lingbot", "lingbot-vit", lambda s, p: f"LingBot ViT-{_vit(s)}/{p}"),
    (r"vit_pe_(core|lang|spatial)_(\w+?)_patch(\d+)" + _INPUT, "pe-vit",
     lambda k, s, p: f"PE-{k.capitalize()} ViT-{_vit(s)}/{p}"),
    (r"vit_(s?relpos)_(\w+?)_patch(\d+)(\w*?)" + _INPUT, "vit-relpos",
     lambda k, s, p, r: f"ViT-{'SRelPos' if k[0] == 's' else 'RelPos'}-{_vit(s)}/{p}{extra(r)}"),
    (r"vit_(\w+?)_patch(\d+)_rope(\w*?)" + _INPUT, "vit-rope",
     lambda s, p, r: f"ViT-RoPE-{_vit(s)}/{p}{extra(r)}"),
    (r"vit_intern300m_patch14_448", "internvit", "InternViT-300M"),
    (r"vit_(tiny)_r_s16_p8" + _INPUT, "vit-hybrid", lambda s: "ViT-R-Ti/16"),
    (r"vit_(\w+?)_r(\d+)_s(\d+)" + _INPUT, "vit-hybrid", lambda s, r, p: f"ViT-R{r}-{_vit(s)}/{p}"),
    (r"vit_(\w+?)_resnet(\d+d)(?:_s16)?" + _INPUT, "vit-hybrid", lambda s, r: f"ViT-{_vit(s)} ResNet-{r.upper()}"),
    (r"vit_base_mci" + _INPUT, "vit-hybrid", "ViT-B MCI image encoder"),
    (r"vit_(\w+?)_patch(\d+)((?:_[a-z]\w*?|_\d+x\d)?)" + _INPUT + r"(?:_miil)?", "vit",
     lambda s, p, r: f"ViT-{_vit(s)}/{p}{extra(r)}"),
    (r"test_vit(\d?)", "vit", lambda d: f"ViT-Test{d}"),
    (r"naflexvit_(\w+?)_patch(\d+)(\w*)", "naflexvit", lambda s, p, r: f"NaFlexViT-{_vit(s)}/{p}{extra(r)}"),
    (r"flexivit_(\w+)", "flexivit", lambda s: f"FlexiViT-{_vit(s)}"),
    (r"samvit_(\w+?)_patch16" + _INPUT, "sam", lambda s: f"SAM ViT-{_vit(s)} image encoder"),
    (r"sam2_hiera_(\w+)", "sam2", lambda s: f"SAM 2 Hiera-{size(s)} image encoder"),
    (r"hieradet_(small)", "hiera", lambda s: f"HieraDet-{size(s)}"),
    (r"hiera_(base_plus|[a-z]+)(_abswin)?" + _INPUT, "hiera", lambda s, r: f"Hiera-{size(s)}{extra(r)}"),
    (r"deit_(\w+?)(_distilled)?_patch(\d+)" + _INPUT, "deit",
     lambda s, d, p: f"DeiT-{_vit(s)}{' distilled' if d else ''}"),
    (r"deit3_(\w+)_patch(\d+)" + _INPUT, "deit", lambda s, p: f"DeiT III-{_vit(s)}/{p}"),
    (r"beit_(\w+)_patch(\d+)" + _INPUT, "beit", lambda s, p: f"BEiT-{_vit(s)}/{p}"),
    (r"beitv2_(\w+)_patch(\d+)" + _INPUT, "beit", lambda s, p: f"BEiTv2-{_vit(s)}/{p}"),
    (r"beit3_(\w+)_patch(\d+)" + _INPUT, "beit3", lambda s, p: f"BEiT-3-{_vit(s)}/{p}"),
    (r"eva02_(\w+?)_patch(\d+)(_clip)?" + _INPUT, "eva02",
     lambda s, p, c: f"EVA-02{'-CLIP' if c else ''}-{_vit(s)}/{p}"),
    (r"eva_(\w+?)_patch(\d+)(_clip)?" + _INPUT, "eva", lambda s, p, c: f"EVA{'-CLIP' if c else ''}-{_vit(s)}/{p}"),
    (r"aimv2_(\w+)_patch(\d+)" + _INPUT, "aimv2",
     lambda s, p: f"AIMv2-{ {'large': 'L', 'huge': 'H', '1b': '1B', '3b': '3B'}[s] }/{p}"),
    (r"(deepseek|gemma4|qwen3)_vit_(\d+m)(_\w+)?", None,
     lambda b, s, r: {"deepseek": "DeepSeek-ViT", "gemma4": "Gemma 4 ViT", "qwen3": "Qwen3-ViT"}[b]
     + f"-{s.upper()}{extra(r)}"),
    (r"cait_(\w+)" + r"_\d{3}", "cait", lambda s: f"CaiT-{s.upper()}"),
    (r"crossvit_(\d+|[a-z]+)(_dagger)?" + _INPUT, "crossvit",
     lambda s, d: f"CrossViT-{s if s.isdigit() else {'tiny': 'Ti'}.get(s, size(s))}{extra(d)}"),
    (r"davit_(\w+?)(_fl)?", "davit", lambda s, f: f"DaViT-{size(s)}"),
    (r"gcvit_(\w+)", "gcvit", lambda s: f"GC ViT-{size(s)}"),
    (r"mvitv2_(\w+?)(_cls)?", "mvitv2", lambda s, c: f"MViTv2-{size(s)}{extra(c)}"),
    (r"nest_(\w+?)(_jx)?", "nest", lambda s, j: f"NesT-{size(s)}"),
    (r"pit_(\w+?)(_distilled)?" + _INPUT, "pit",
     lambda s, d: f"PiT-{s.upper() if len(s) == 1 else s.upper().replace('TI', 'Ti')}{extra(d)}"),
    (r"pvt_v2_(b\d)(_li)?", "pvtv2", lambda s, r: f"PVTv2-{s.upper()}{extra(r)}"),
    (r"swin_s3_(\w+)_224", "swin", lambda s: f"Swin-S3-{size(s)}"),
    (r"swin_(\w+)_patch4_window(\d+)" + _INPUT, "swin",
     lambda s, w: f"Swin-{size(s)}{'' if w == '7' else ' window ' + w}"),
    (r"swinv2_cr_(\w+?)(_ns)?" + _INPUT, "swinv2-cr", lambda s, n: f"SwinV2-CR-{size(s)}{extra(n)}"),
    (r"swinv2_([a-z]+)_window\w+", "swinv2", lambda s: f"SwinV2-{size(s)}"),
    (r"tiny_vit_(\d+m)" + _INPUT, "tiny-vit", lambda s: f"TinyViT-{s.upper()}"),
    (r"tnt_(\w)(_legacy)?_patch16_224", "tnt", lambda s, r: f"TNT-{s.upper()}{extra(r)}"),
    (r"twins_(pcpvt|svt)_(\w+)", "twins",
     lambda k, s: f"Twins-{ {'pcpvt': 'PCPVT', 'svt': 'SVT'}[k] }-{size(s)}"),
    (r"volo_(d\d)" + _INPUT, "volo", lambda s: f"VOLO-{s.upper()}"),
    (r"test_(\w+?)(\d?)(_\w+)?", None, lambda b, d, r: f"timm test {b}{d}{extra(r)}"),
]

_BY_NAME = [
    (r"ghostnetv?\d?_.*", lambda n: n.split("_")[0]), (r"repghostnet_.*", lambda n: "repghostnet"),
    (r"rexnetr?_.*", lambda n: "rexnet"), (r"poolformer(v2)?_.*", lambda n: n.split("_")[0]),
    (r"deepseek_vit.*", lambda n: "deepseek-vit"), (r"gemma4_vit.*", lambda n: "gemma4-vit"),
    (r"qwen3_vit.*", lambda n: "qwen3-vit"), (r"test_byobnet", lambda n: "resnet"),
    (r"test_convnext.*", lambda n: "convnext"), (r"test_efficientnet.*", lambda n: "efficientnet"),
    (r"test_mambaout", lambda n: "mambaout"), (r"test_nfnet", lambda n: "nfnet"),
    (r"test_resnet", lambda n: "resnet"),
]


def timm_names(name):
    """Returns (family, variant) of a model of timm."""
    found = by_rules(RULES, name) if name.split("_")[0] in _VISION else None
    found = found or by_rules(CONVOLUTIONAL, name) or by_rules(RULES, name)
    if not found:
        return name.split("_")[0], name
    family, variant = found
    if family is None:
        family = by_rules([(p, f(name), "") for p, f in _BY_NAME], name)[0]
    return family, variant


_VISION = {"vit", "naflexvit", "flexivit", "samvit", "sam2", "hiera", "deit", "eva", "swin", "test"}
