"""Image networks of Keras applications. Set KERAS_BACKEND=torch."""

import re

import cache
import keras
from tokens import token

SKIP = {"keras"}


def _variables(layer):
    """Yields the tokens of one layer, with kernels turned to PyTorch's layout."""
    kernels = {v.name: list(v.shape) for v in layer.weights}
    kind = type(layer).__name__
    if kind == "SeparableConv2D":
        height, width, inputs, times = kernels["depthwise_kernel"]
        yield token("c", (inputs * times, 1, height, width), inputs)
        height, width, inputs, outputs = kernels["pointwise_kernel"]
        yield token("c", (outputs, inputs, height, width))
    elif kind == "DepthwiseConv2D":
        height, width, inputs, times = kernels["kernel"]
        yield token("c", (inputs * times, 1, height, width), inputs)
    elif kind == "Conv2D":
        height, width, inputs, outputs = kernels["kernel"]
        yield token("c", (outputs, inputs, height, width), layer.groups)
    elif kind == "Dense":
        inputs, outputs = kernels["kernel"]
        yield token("l", (outputs, inputs))


def _layers(model):
    for layer in model.layers:
        if hasattr(layer, "layers"):
            yield from _layers(layer)
        else:
            yield layer


def _build(name):
    keras.backend.clear_session()
    with keras.device("meta"):
        model = getattr(keras.applications, name)(weights=None)
    tokens = [text for layer in _layers(model) for text in _variables(layer)]
    return name, tokens, "run", None


_VARIANTS = [
    (r"ResNet(\d+)", "resnet", r"ResNet-\1"), (r"ResNet(\d+)V2", "resnetv2", r"ResNetV2-\1"),
    (r"VGG(\d+)", "vgg", r"VGG-\1"), (r"DenseNet(\d+)", "densenet", r"DenseNet-\1"),
    (r"EfficientNet(B\d)", "efficientnet", r"EfficientNet-\1"),
    (r"EfficientNetV2(B\d|[SML])", "efficientnetv2", r"EfficientNetV2-\1"),
    (r"MobileNet", "mobilenetv1", "MobileNetV1 1.0"), (r"MobileNetV2", "mobilenetv2", "MobileNetV2 1.0"),
    (r"MobileNetV3(Large|Small)", "mobilenetv3", r"MobileNetV3-\1 1.0"), (r"Xception", "xception", "Xception"),
    (r"InceptionV3", "inception", "Inception-v3"), (r"InceptionResNetV2", "inception-resnet", "Inception-ResNet-v2"),
    (r"NASNet(Large|Mobile)", "nasnet", r"NASNet-A-\1"),
    (r"ConvNeXt(Tiny|Small|Base|Large)", "convnext", lambda m: f"ConvNeXt-{m[1][0]}"),
    (r"ConvNeXtXLarge", "convnext", "ConvNeXt-XL"),
]


def names(name):
    """Returns (family, variant) of an application."""
    for pattern, family, variant in _VARIANTS:
        if re.fullmatch(pattern, name):
            return family, re.sub(pattern, variant, name)
    raise KeyError(name)


def jobs():
    """Yields (name, function) of each application."""
    for name in sorted(dir(keras.applications)):
        if name[0].isupper():
            yield name, lambda n=name: _build(n)


def collect():
    """Returns the entries of every application."""
    return cache.collect("keras", jobs(), names)


if __name__ == "__main__":
    collect()
