"""Families and variants of timm's models."""

from names import cut, extra, size, width

# Sizes of vision transformers, as the papers write them.
_VIT = {"tiny": "Ti", "small": "S", "base": "B", "large": "L", "huge": "H", "giant": "g", "gigantic": "G",
        "small_plus": "S+", "huge_plus": "H+", "7b": "7B", "5b": "5B", "so400m": "SO400M",
        "so150m": "SO150M", "so150m2": "SO150M2", "giantopt": "g-opt", "medium": "M", "mediumd": "Md",
        "xsmall": "XS", "enormous": "E"}
_INPUT = r"(?:_\d{3})?"


def _vit(word):
    return _VIT.get(word, word.capitalize())


def _resnet(base):
    """Returns a function that writes `base`-depth, the stem's letter and the groups."""
    def variant(depth, letters, groups="", rest=""):
        return f"{base}-{depth}{letters.upper() if letters in 'd' else letters}{extra(groups)}{extra(rest)}"
    return variant


def _sized(base, letters=size):
    return lambda word, rest="": f"{base}-{letters(word)}{extra(rest)}"


def _plain(base):
    return lambda word, rest="": f"{base}-{word.upper()}{extra(rest)}"


def _wide(base):
    return lambda digits, rest="": f"{base} {width(digits)}{' ' + rest if rest else ''}"


def _flops(base):
    def variant(digits, rest=""):
        value = int(digits) * 100
        return f"{base}-{value // 1000}GF{extra(rest)}" if value % 1000 == 0 else (
            f"{base}-{value / 1000:g}GF{extra(rest)}" if value >= 1000 else f"{base}-{value}MF{extra(rest)}")
    return variant


_GROUPS = r"((?:_\d+x\d+d)?)"
_REST = r"((?:_.+)?)"

RULES = [
    (r"resnet(18|34|50|101|152|200|26|10|14)(d|c|s|t)?()((?:_gn|_mlp)?)", "resnet", _resnet("ResNet")),
    (r"resnet(50|101)(x\d+)?()_clip(_gap)?", "clip", lambda d, x, _, g: f"CLIP ResNet-{d}{x} image encoder{extra(g)}"),
    (r"resnet(32|33|51|61)(ts|q)", "resnet", _resnet("ResNet")),
    (r"resnetaa(\d+)(d?)", "resnet", _resnet("ResNet-AA")),
    (r"resnetblur(\d+)(d?)", "resnet", _resnet("ResNet-Blur")),
    (r"resnetrs(\d+)", "resnet-rs", lambda d: f"ResNet-RS-{d}"),
    (r"resnetv2_(\d+x\d)_bit", "bit", lambda d: f"BiT-R{d}"),
    (r"resnetv2_(\d+)(d|t)?()((?:_evos|_frn|_gn)?)", "resnetv2", _resnet("ResNetV2")),
    (r"resnext(\d+)(d|ts)?" + _GROUPS, "resnext", _resnet("ResNeXt")),
    (r"wide_resnet(\d+)_2", "resnet", lambda d: f"Wide ResNet-{d}-2"),
    (r"(?:legacy_)?seresnet(?:aa)?(\d+)(d|t|ts)?", "se-resnet", _resnet("SE-ResNet")),
    (r"(?:legacy_)?seresnext(?:aa)?(\d+)(d|t|ts)?" + _GROUPS, "se-resnext", _resnet("SE-ResNeXt")),
    (r"(?:legacy_)?senet154", "senet", "SENet-154"),
    (r"skresnet(\d+)(d)?", "sk-resnet", _resnet("SK-ResNet")),
    (r"skresnext(\d+)()" + _GROUPS, "sk-resnext", _resnet("SK-ResNeXt")),
    (r"ecaresnetlight", "eca-resnet", "ECA-ResNet-Light"),
    (r"eca_?resnet(\d+)(d|t|ts)?()((?:_pruned)?)", "eca-resnet", _resnet("ECA-ResNet")),
    (r"eca_?resnext(\d+)(t|ts)?" + _GROUPS, "eca-resnext", _resnet("ECA-ResNeXt")),
    (r"gcresnet(\d+)(t|ts)", "gc-resnet", _resnet("GC-ResNet")),
    (r"gcresnext(\d+)(t|ts)", "gc-resnext", _resnet("GC-ResNeXt")),
    (r"bat_resnext(\d+)(ts)", "bat-resnext", _resnet("BAT-ResNeXt")),
    (r"resnest(\d+)(d|e)" + r"((?:_\w+)?)", "resnest", _resnet("ResNeSt")),
    (r"res2net(\d+)(d?)" + r"((?:_\w+)?)", "res2net", _resnet("Res2Net")),
    (r"res2next50", "res2net", "Res2NeXt-50"),
    (r"nf_resnet(\d+)", "nf-resnet", lambda d: f"NF-ResNet-{d}"),
    (r"nf_(eca|se)resnet(\d+)", "nf-resnet", lambda a, d: f"NF-{a.upper()}-ResNet-{d}"),
    (r"nf_regnet_(b\d)", "nf-regnet", _plain("NF-RegNet")),
    (r"dm_nfnet_(f\d)", "nfnet", _plain("NFNet")),
    (r"nfnet_(f\d|l\d)", "nfnet", lambda d: f"NFNet-{d.upper()}" + (" (timm)" if d[0] == "f" else "")),
    (r"eca_nfnet_(l\d)", "eca-nfnet", _plain("ECA-NFNet")),
    (r"regnet([xy])_(\d+)" + _REST, "regnet", lambda k, d, r: _flops("RegNet" + k.upper())(d, cut(r, "_tv"))),
    (r"regnet(v)_(\d+)", "regnet", lambda k, d: _flops("RegNetV")(d)),
    (r"regnetz_(\d+)" + _REST, "regnet", _flops("RegNetZ")),
    (r"regnetz_([a-z]\d+)" + _REST, "regnet", _plain("RegNetZ")),
    (r"haloregnetz_(b)", "haloregnet", _plain("HaloRegNetZ")),
    (r"(?:tf_)?efficientnet_(b\d|l2)" + _REST, "efficientnet", _plain("EfficientNet")),
    (r"efficientnet_blur_(b\d)", "efficientnet", _plain("EfficientNet-Blur")),
    (r"(?:tf_)?efficientnet_cc_(b\d)_(\de)", "efficientnet",
     lambda b, e: f"EfficientNet-CondConv-{b.upper()} {e[0]} experts"),
    (r"(?:tf_)?efficientnet_lite(\d)", "efficientnet-lite", lambda d: f"EfficientNet-Lite{d}"),
    (r"(?:tf_)?efficientnet_e([sml])" + _REST, "efficientnet-edgetpu", _plain("EfficientNet-EdgeTPU")),
    (r"efficientnet_([xh])_(b\d)", "efficientnet-x", lambda k, b: f"EfficientNet-{k.upper()}-{b.upper()}"),
    (r"(?:tf_)?efficientnetv2_(b\d|s|m|l|xl)", "efficientnetv2", _plain("EfficientNetV2")),
    (r"efficientnetv2_rw_([tsm])", "efficientnetv2", lambda s: f"EfficientNetV2-RW-{s.upper()}"),
    (r"gc_efficientnetv2_rw_t", "efficientnetv2", "GC-EfficientNetV2-RW-T"),
    (r"(?:tf_)?mixnet_(\w+)", "mixnet", _plain("MixNet")),
    (r"mnasnet_(\d+)", "mnasnet", _wide("MNASNet-A1-no-SE")),
    (r"mnasnet_small", "mnasnet", "MNASNet-Small"),
    (r"semnasnet_(\d+)", "mnasnet", _wide("MNASNet-A1")),
    (r"spnasnet_100", "spnasnet", "Single-Path NAS 1.0"),
    (r"fbnetc_100", "fbnet", "FBNet-C"),
    (r"fbnetv3_(\w)", "fbnetv3", _plain("FBNetV3")),
    (r"hardcorenas_(\w)", "hardcorenas", _plain("HardCoRe-NAS")),
    (r"tinynet_(\w)", "tinynet", _plain("TinyNet")),
    (r"mobilenetv1_(\d+)(h?)", "mobilenetv1", _wide("MobileNetV1")),
    (r"mobilenetv2_(\d+)(d?)", "mobilenetv2", _wide("MobileNetV2")),
    (r"(?:tf_)?mobilenetv3_(large|small)(_minimal)?_(\d+)(d?)", "mobilenetv3",
     lambda s, m, d, r: f"MobileNetV3-{s.capitalize()}{' minimalistic' if m else ''} {width(d)}{r}"),
    (r"mobilenetv3_rw", "mobilenetv3", "MobileNetV3-RW"),
    (r"mobilenetv4_conv_(aa_|blur_)?(small|medium|large)(?:_(\d+))?", "mobilenetv4",
     lambda a, s, d: f"MobileNetV4-Conv-{s[0].upper()}{extra(a)}{' ' + width(d) if d else ''}"),
    (r"mobilenetv4_hybrid_(medium|large)(?:_(\d+))?", "mobilenetv4-hybrid",
     lambda s, d: f"MobileNetV4-Hybrid-{s[0].upper()}{' ' + width(d) if d else ''}"),
    (r"mobilenetv5_(300m|base)(_enc)?", "mobilenetv5", lambda s, e: f"MobileNetV5-{s}{extra(e)}"),
    (r"mobilenet_edgetpu_100", "mobilenet-edgetpu", "MobileNet-EdgeTPU 1.0"),
    (r"mobilenet_edgetpu_v2_(\w+)", "mobilenet-edgetpu", _plain("MobileNet-EdgeTPU-V2")),
    (r"lcnet_(\d+)", "pp-lcnet", lambda d: f"PP-LCNet x{width(d)}"),
    (r"lcnetv2_(\w+)", "pp-lcnetv2", lambda w: f"PP-LCNetV2-{w}"),
    (r"hgnet_(\w+)", "pp-hgnet", lambda w: f"PP-HGNet-{w}"),
    (r"hgnetv2_(b\d)", "pp-hgnetv2", _plain("PP-HGNetV2")),
    (r"(ghostnet|ghostnetv2|ghostnetv3|repghostnet|rexnet|rexnetr)_(\d+)", None,
     lambda b, d: {"ghostnet": "GhostNet", "ghostnetv2": "GhostNetV2", "ghostnetv3": "GhostNetV3",
                   "repghostnet": "RepGhostNet", "rexnet": "ReXNet", "rexnetr": "ReXNet-R"}[b] + " " + width(d)),
    (r"densenet(\d+)(d?)", "densenet", lambda n, d: f"DenseNet-{n}{d.upper()}"),
    (r"densenetblur121d", "densenet", "DenseNet-Blur-121D"),
    (r"vgg(\d+)(_bn)?", "vgg", lambda d, b: f"VGG-{d}{' BN' if b else ''}"),
    (r"repvgg_(\w+)", "repvgg", _plain("RepVGG")),
    (r"gernet_(\w)", "gernet", _plain("GENet")),
    (r"dla(\d+)(x?)(_c|x2|2)?", "dla", lambda d, x, c: f"DLA-{d}{x.upper()}{'-C' if c == '_c' else c}"),
    (r"dla60_(res2net|res2next)", "dla", lambda r: f"DLA-60 {'Res2Net' if r == 'res2net' else 'Res2NeXt'}"),
    (r"dpn(\d+)(b?)", "dpn", lambda d, b: f"DPN-{d}{b}"),
    (r"hrnet_(w\d+)" + _REST, "hrnet", lambda w, r: f"HRNet-{w.upper()}{extra(cut(r, '_ssld'))}"),
    (r"inception_v([34])", "inception", lambda d: f"Inception-v{d}"),
    (r"inception_resnet_v2", "inception-resnet", "Inception-ResNet-v2"),
    (r"inception_next_(\w+)", "inception-next", _sized("InceptionNeXt")),
    (r"(?:legacy_)?xception(\d*p?)", "xception", lambda d: f"Xception-{d}" if d else "Xception"),
    (r"nasnetalarge", "nasnet", "NASNet-A-Large"),
    (r"pnasnet5large", "pnasnet", "PNASNet-5-Large"),
    (r"(darknet|darknetaa|sedarknet)(\d+)", "darknet",
     lambda b, d: {"darknet": "Darknet", "darknetaa": "Darknet-AA", "sedarknet": "SE-Darknet"}[b] + f"-{d}"),
    (r"cspdarknet53", "csp-darknet", "CSPDarknet-53"),
    (r"cspresnet50([dw]?)", "cspresnet", lambda d: f"CSPResNet-50{d.upper()}"),
    (r"cspresnext50", "cspresnext", "CSPResNeXt-50"),
    (r"cs3(darknet|sedarknet|edgenet|se_edgenet)_(focus_)?(\w+)", "csp-darknet",
     lambda b, f, s: "CS3-" + {"darknet": "Darknet", "sedarknet": "SE-Darknet", "edgenet": "EdgeNet",
                               "se_edgenet": "SE-EdgeNet"}[b] + ("-Focus" if f else "") + "-" + s.upper()),
    (r"(eca_|ese_)?vovnet(\d+[ab])" + _REST, "vovnet",
     lambda a, d, r: f"{ {'eca_': 'ECA-', 'ese_': 'eSE-'}.get(a, '') }VoVNet-{d}{extra(r)}"),
    (r"selecsls(\w+)", "selecsls", lambda d: f"SelecSLS-{d}"),
    (r"tresnet_(v2_)?(\w+)", "tresnet", lambda v, s: f"TResNet{'-V2' if v else ''}-{s.upper()}"),
    (r"starnet_s(\d+)", "starnet", lambda d: f"StarNet-S{d}" if len(d) == 1 else f"StarNet-S{d}"),
    (r"rdnet_(\w+)", "rdnet", _sized("RDNet")),
    (r"fasternet_(\w+)", "fasternet", _plain("FasterNet")),
    (r"mobileone_(s\d)", "mobileone", _plain("MobileOne")),
    (r"convmixer_(\d+)_(\d+).*", "convmixer", lambda w, d: f"ConvMixer-{w}/{d}"),
    (r"convnext_([a-z]+)" + _REST, "convnext", _sized("ConvNeXt")),
    (r"convnextv2_([a-z]+)", "convnextv2", _sized("ConvNeXtV2")),
    (r"focalnet_([a-z]+)" + _REST, "focalnet", lambda s, r: f"FocalNet-{size(s)}{extra(r).upper()}"),
    (r"mambaout_([a-z]+)" + _REST, "mambaout", lambda s, r: f"MambaOut-{s.capitalize()}{extra(r)}"),
    # Hybrids of convolution and attention.
    (r"(eca_botnext|botnet|sebotnet|halo2botnet|lamhalobotnet)(\d+ts?)" + _INPUT, "botnet",
     lambda b, d: {"eca_botnext": "ECA-BoTNeXt", "botnet": "BoTNet", "sebotnet": "SE-BoTNet",
                   "halo2botnet": "Halo2BoTNet", "lamhalobotnet": "LamHaloBoTNet"}[b] + "-" + d),
    (r"(eca_halonext|halonet|sehalonet)(\d+ts?|_h1)", "halonet",
     lambda b, d: {"eca_halonext": "ECA-HaloNeXt", "halonet": "HaloNet", "sehalonet": "SE-HaloNet"}[b] + "-"
     + d.strip("_").replace("h1", "H1")),
    (r"lambda_resnet(\d+\w+?)" + _INPUT, "lambda-resnet", lambda d: f"LambdaResNet-{d}"),
    (r"caformer_(\w\d+)", "caformer", _plain("CAFormer")),
    (r"convformer_(\w\d+)", "convformer", _plain("ConvFormer")),
    (r"poolformer(v2)?_(\w\d+)", None, lambda v, s: f"PoolFormer{v.upper()}-{s.upper()}"),
    (r"coat_(lite_)?(\w+?)" + _INPUT, "coat", lambda li, s: f"CoaT{'-Lite' if li else ''} {s.capitalize()}"),
    (r"coatnet_(?:(rmlp|bn)_)?(\w+?)(_rw2?|_cc)?" + _INPUT, "coatnet",
     lambda k, s, r: f"CoAtNet-{s if s.isdigit() else s.capitalize()}{extra(k)}{extra(r)}"),
    (r"coatnext_nano_rw_224", "coatnext", "CoAtNeXt-Nano rw"),
    (r"convit_(\w+)", "convit", _sized("ConViT", lambda w: {"tiny": "Ti"}.get(w, size(w)))),
    (r"cpubone_(\w+)", "cpubone", lambda s: f"CPUBone-{s.split('_')[0].upper()}{extra('_'.join(s.split('_')[1:]))}"),
    (r"csatv2(_21m)?", "csatv2", lambda s: f"CSATv2{'-21M' if s else ''}"),
    (r"edgenext_(xx_small|x_small|small|base)(_rw)?", "edgenext", _sized("EdgeNeXt")),
    (r"efficientformer_(l\d)", "efficientformer", _plain("EfficientFormer")),
    (r"efficientformerv2_(\w+)", "efficientformerv2", _plain("EfficientFormerV2")),
    (r"efficientvim_(m\d)(_dist)?", "efficientvim",
     lambda s, d: f"EfficientViM-{s.upper()}{' distilled' if d else ''}"),
    (r"efficientvit_([blm]\d)", "efficientvit", _plain("EfficientViT")),
    (r"fastvit_(\w+)", "fastvit", _plain("FastViT")),
    (r"iformer_(\w\d?)(_distilled)?", "iformer", _plain("iFormer")),
    (r"levit_(conv_)?(\d+\w?)(_s8)?", "levit",
     lambda c, s, r: f"LeViT-{s.upper()}{' conv' if c else ''}{extra(r)}"),
    (r"lowformer_(\w+)", "lowformer", lambda s: f"LowFormer-{s.upper().replace('B15', 'B1.5')}"),
    (r"maxvit_(rmlp_)?(\w+)_(tf|rw|pm)" + _INPUT, "maxvit",
     lambda k, s, r: f"MaxViT-{size(s)}{extra(k)}{'' if r == 'tf' else ' ' + r}"),
    (r"maxxvit(v2)?_(rmlp_)?(\w+)_rw" + _INPUT, "maxxvit",
     lambda v, k, s: f"MaxxViT{v.upper()}-{size(s)}{extra(k)} rw"),
    (r"mobilevit_(\w+)", "mobilevit", _plain("MobileViT")),
    (r"mobilevitv2_(\d+)", "mobilevitv2", _wide("MobileViTV2")),
    (r"nextvit_(\w+)", "nextvit", _sized("Next-ViT")),
    (r"repvit_m(\d)(?:_(\d))?", "repvit", lambda a, b: f"RepViT-M{a}{'.' + b if b else ''}"),
    (r"shvit_(s\d)", "shvit", _plain("SHViT")),
    (r"swiftformer_(\w+)", "swiftformer", _plain("SwiftFormer")),
    (r"visformer_(\w+)", "visformer", _sized("Visformer", lambda w: {"tiny": "Ti"}.get(w, size(w)))),
    (r"vitamin_(\w+?)" + _INPUT, "vitamin",
     lambda s: f"ViTamin-{s.replace('large', 'L').replace('xL', 'XL').replace('base', 'B').replace('small', 'S')}"),
    (r"xcit_([a-z]+)_(\d+)_p(\d+)" + _INPUT, "xcit",
     lambda s, d, p: f"XCiT-{ {'nano': 'N', 'tiny': 'T', 'small': 'S', 'medium': 'M', 'large': 'L'}[s] }{d}/{p}"),
    (r"sequencer2d_([sml])", "sequencer", _plain("Sequencer2D")),
    # MLPs.
    (r"mixer_([bls])(\d+)" + _INPUT, "mlp-mixer", lambda s, p: f"Mixer-{s.upper()}/{p}"),
    (r"gmixer_(\d+)" + _INPUT, "gmixer", lambda d: f"gMixer-{d}"),
    (r"gmlp_(ti|s|b)(\d+)" + _INPUT, "gmlp", lambda s, p: f"gMLP-{s.capitalize()}/{p}"),
    (r"resmlp_(big_)?(\d+)" + _INPUT, "resmlp", lambda b, d: f"ResMLP-{'B' if b else 'S'}{d}"),
]
