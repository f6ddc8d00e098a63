"""Families and variants of torchvision's models."""

from names import by_rules

_S = {"tiny": "T", "small": "S", "base": "B", "large": "L", "t": "T", "s": "S", "b": "B", "l": "L"}
_B = {"resnet50": "ResNet-50", "resnet101": "ResNet-101", "mobilenet_v3_large": "MobileNetV3-Large",
      "mobilenet_v3_large_320": "MobileNetV3-Large", "vgg16": "VGG-16"}

RULES = [
    (r"alexnet", "alexnet", "AlexNet"),
    (r"convnext_(\w+)", "convnext", lambda s: f"ConvNeXt-{_S[s]}"),
    (r"deeplabv3_(\w+)", "deeplab", lambda b: f"DeepLabV3 {_B[b]}"),
    (r"densenet(\d+)", "densenet", lambda d: f"DenseNet-{d}"),
    (r"efficientnet_(b\d)", "efficientnet", lambda b: f"EfficientNet-{b.upper()}"),
    (r"efficientnet_v2_(\w)", "efficientnetv2", lambda s: f"EfficientNetV2-{s.upper()}"),
    (r"fcn_(\w+)", "fcn", lambda b: f"FCN {_B[b]}"),
    (r"fcos_resnet50_fpn", "fcos", "FCOS ResNet-50 FPN"),
    (r"fasterrcnn_(\w+)_fpn(_v2)?", "faster-rcnn", lambda b, v: f"Faster R-CNN {_B[b]} FPN{v.replace('_', ' ')}"),
    (r"keypointrcnn_(\w+)_fpn", "keypoint-rcnn", lambda b: f"Keypoint R-CNN {_B[b]} FPN"),
    (r"maskrcnn_(\w+)_fpn(_v2)?", "mask-rcnn", lambda b, v: f"Mask R-CNN {_B[b]} FPN{v.replace('_', ' ')}"),
    (r"retinanet_(\w+)_fpn(_v2)?", "retinanet", lambda b, v: f"RetinaNet {_B[b]} FPN{v.replace('_', ' ')}"),
    (r"googlenet", "inception", "GoogLeNet"),
    (r"inception_v3", "inception", "Inception-v3"),
    (r"lraspp_(\w+)", "lraspp", lambda b: f"LR-ASPP {_B[b]}"),
    (r"mnasnet(\d)_(\d+)", "mnasnet", lambda a, b: f"MNASNet {a}.{b}"),
    (r"mvit_v1_b", "mvit", "MViT-B"),
    (r"mvit_v2_s", "mvitv2", "MViTv2-S"),
    (r"maxvit_t", "maxvit", "MaxViT-T"),
    (r"mobilenet_v2", "mobilenetv2", "MobileNetV2 1.0"),
    (r"mobilenet_v3_(\w+)", "mobilenetv3", lambda s: f"MobileNetV3-{s.capitalize()} 1.0"),
    (r"raft_(\w+)", "raft", lambda s: f"RAFT {s}"),
    (r"regnet_([xy])_(\d+)mf", "regnet", lambda k, d: f"RegNet{k.upper()}-{d}MF"),
    (r"regnet_([xy])_(\d+)(?:_(\d))?gf", "regnet",
     lambda k, d, t: f"RegNet{k.upper()}-{d}{'.' + t if t else ''}GF"),
    (r"resnet(\d+)", "resnet", lambda d: f"ResNet-{d}"),
    (r"resnext(\d+)_(\w+)", "resnext", lambda d, g: f"ResNeXt-{d} {g}"),
    (r"wide_resnet(\d+)_2", "resnet", lambda d: f"Wide ResNet-{d}-2"),
    (r"s3d", "s3d", "S3D"),
    (r"ssd300_vgg16", "ssd", "SSD300 VGG-16"),
    (r"ssdlite320_mobilenet_v3_large", "ssd", "SSDLite MobileNetV3-Large"),
    (r"shufflenet_v2_x(\d)_(\d)", "shufflenet", lambda a, b: f"ShuffleNetV2 {a}.{b}"),
    (r"squeezenet1_(\d)", "squeezenet", lambda d: f"SqueezeNet 1.{d}"),
    (r"swin_([tsb])", "swin", lambda s: f"Swin-{s.upper()}"),
    (r"swin_v2_([tsb])", "swinv2", lambda s: f"SwinV2-{s.upper()}"),
    (r"swin3d_([tsb])", "swin3d", lambda s: f"Video Swin-{s.upper()}"),
    (r"vgg(\d+)(_bn)?", "vgg", lambda d, b: f"VGG-{d}{' BN' if b else ''}"),
    (r"r3d_18", "r3d", "R3D-18"), (r"mc3_18", "mc3", "MC3-18"), (r"r2plus1d_18", "r2plus1d", "R(2+1)D-18"),
    (r"vit_([bhl])_(\d+)", "vit", lambda s, p: f"ViT-{s.upper()}/{p}"),
]


def torchvision_names(name):
    """Returns (family, variant) of a model of torchvision."""
    return by_rules(RULES, name) or (name.split("_")[0], name)
