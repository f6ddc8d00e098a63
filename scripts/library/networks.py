"""Small networks whose layers are published as tables: tokens written from those tables.

Each function returns tokens in execution order.
"""


def c(out, inner, kernel=1, groups=1):
    """Returns the token of a 2-D convolution."""
    return f"c{out}x{inner // groups}x{kernel}x{kernel}" + (f"g{groups}" if groups > 1 else "")


def c1(out, inner, kernel=1, groups=1):
    """Returns the token of a 1-D convolution."""
    return f"c{out}x{inner // groups}x{kernel}" + (f"g{groups}" if groups > 1 else "")


def dense(out, inner):
    """Returns the token of a linear layer."""
    return f"l{out}x{inner}"


def chain(widths, kernel=3):
    """Returns convolutions that lead from width to width."""
    return [c(out, inner, kernel) for inner, out in zip(widths, widths[1:])]


def separable(inner, out, kernel=3):
    """Returns a depthwise and a pointwise convolution."""
    return [c(inner, inner, kernel, inner), c(out, inner)]


def unet(channels, classes, bilinear=False):
    """The U-Net of Ronneberger et al. with padded convolutions, 64 to 1,024 channels."""
    widths = [64, 128, 256, 512, 512 if bilinear else 1024]
    tokens = []
    before = channels
    for width in widths:
        tokens += [c(width, before, 3), c(width, width, 3)]
        before = width
    for width in (512, 256, 128, 64):
        if bilinear:
            out = width // 2 if width > 64 else 64
            tokens += [c(width, 2 * width, 3), c(out, width, 3)]
        else:
            tokens += [f"t{2 * width}x{width}x2x2", c(width, 2 * width, 3), c(width, width, 3)]
    return tokens + [c(classes, 64)]


def _rsu(height, inner, middle, out):
    encoder = [c(out, inner, 3), c(middle, out, 3)] + [c(middle, middle, 3)] * (height - 1)
    return encoder + [c(middle, 2 * middle, 3)] * (height - 2) + [c(out, 2 * middle, 3)]


def u2net(small=False):
    """U2-Net and its small version, by the published block table."""
    if small:
        blocks = [(7, 3, 16, 64), (6, 64, 16, 64), (5, 64, 16, 64), (4, 64, 16, 64), (4, 64, 16, 64), (4, 64, 16, 64),
                  (4, 128, 16, 64), (4, 128, 16, 64), (5, 128, 16, 64), (6, 128, 16, 64), (7, 128, 16, 64)]
        sides = [64] * 6
    else:
        blocks = [(7, 3, 32, 64), (6, 64, 32, 128), (5, 128, 64, 256), (4, 256, 128, 512), (4, 512, 256, 512),
                  (4, 512, 256, 512), (4, 1024, 256, 512), (4, 1024, 128, 256), (5, 512, 64, 128), (6, 256, 32, 64),
                  (7, 128, 16, 64)]
        sides = [64, 64, 128, 256, 512, 512]
    tokens = [token for block in blocks for token in _rsu(*block)]
    return tokens + [c(1, side, 3) for side in sides] + [c(1, 6)]


def iresnet(blocks):
    """The residual network of ArcFace."""
    tokens = [c(64, 3, 3)]
    before = 64
    for count, width in zip(blocks, (64, 128, 256, 512)):
        tokens += [c(width, before, 3), c(width, width, 3), c(width, before)]
        tokens += [c(width, width, 3)] * (2 * (count - 1))
        before = width
    return tokens + [dense(512, 512 * 7 * 7)]


def mobilefacenet():
    """MobileFaceNet, 128-dimensional embedding."""
    tokens = [c(64, 3, 3), c(64, 64, 3, 64)]
    before = 64
    for expansion, width, count in ((2, 64, 5), (4, 128, 1), (2, 128, 6), (4, 128, 1), (2, 128, 2)):
        for _ in range(count):
            inner = expansion * before
            tokens += [c(inner, before), c(inner, inner, 3, inner), c(width, inner)]
            before = width
    return tokens + [c(512, 128), c(512, 512, 7, 512), c(128, 512)]


def _ssh(width):
    half, quarter = width // 2, width // 4
    return [c(half, width, 3), c(quarter, width, 3)] + [c(quarter, quarter, 3)] * 3


def retinaface_mobile():
    """RetinaFace with MobileNet 0.25."""
    tokens = [c(8, 3, 3)]
    widths = [8, 16, 32, 32, 64, 64] + [128] * 6 + [256] * 2
    for inner, out in zip(widths, widths[1:]):
        tokens += separable(inner, out)
    tokens += [c(64, 64), c(64, 128), c(64, 256), c(64, 64, 3), c(64, 64, 3)]
    return tokens + _ssh(64) * 3 + [c(8, 64)] * 3 + [c(4, 64)] * 3 + [c(20, 64)] * 3


def ultraface_slim():
    """UltraFace slim."""
    tokens = [c(16, 3, 3)]
    before = 16
    for widths, anchors in (([32, 32, 32, 64, 64, 64, 64], 3), ([128, 128, 128], 2), ([256, 256], 2)):
        for width in widths:
            tokens += separable(before, width)
            before = width
        tokens += separable(before, 2 * anchors) + separable(before, 4 * anchors)
    return tokens + [c(64, 256)] + separable(64, 256) + [c(6, 256, 3), c(12, 256, 3)]


def rrdb(blocks, channels=3):
    """The generator of ESRGAN and Real-ESRGAN, four times larger."""
    block = [c(32, 64 + 32 * k, 3) for k in range(4)] + [c(64, 192, 3)]
    return [c(64, channels, 3)] + block * 3 * blocks + [c(64, 64, 3)] * 4 + [c(3, 64, 3)]


def srvgg(layers, scale=4):
    """The compact generator of Real-ESRGAN."""
    return [c(64, 3, 3)] + [c(64, 64, 3)] * layers + [c(3 * scale * scale, 64, 3)]


def edsr(blocks, width, scale):
    """EDSR with the shifts of the mean color as 1x1 convolutions."""
    up = {2: [c(4 * width, width, 3)], 3: [c(9 * width, width, 3)], 4: [c(4 * width, width, 3)] * 2}[scale]
    body = [c(width, width, 3)] * (2 * blocks + 1)
    return [c(3, 3), c(width, 3, 3)] + body + up + [c(3, width, 3), c(3, 3)]


def crnn(classes):
    """CRNN of Shi et al.: seven convolutions and two bidirectional LSTMs."""
    tokens = chain([1, 64, 128, 256, 256, 512, 512]) + [c(512, 512, 2)]
    return tokens + ["r1024x512", "r1024x256"] * 2 + [dense(256, 512)] + ["r1024x256"] * 4 + [dense(classes, 512)]


def openpose():
    """The body network of OpenPose with 18 parts, by the published table of six stages."""
    tokens = chain([3, 64, 64, 128, 128, 256, 256, 256, 256, 512, 512, 256, 128])
    for out in (38, 19):
        tokens += [c(128, 128, 3)] * 3 + [c(512, 128), c(out, 512)]
    for _ in range(5):
        for out in (38, 19):
            tokens += [c(128, 185, 7)] + [c(128, 128, 7)] * 4 + [c(128, 128), c(out, 128)]
    return tokens


def conformer(width, layers, heads, words):
    """Conformer encoder with a CTC head, subsampled four times, 80 mel bands."""
    feed = [dense(4 * width, width), dense(width, 4 * width)]
    attention = [dense(width, width)] * 4 + [f"p{heads}x{width // heads}"] * 2 + [dense(width, width)]
    convolution = [c1(2 * width, width), c1(width, width, 31, width), c1(width, width)]
    start = [c(width, 1, 3), c(width, width, 3), dense(width, 20 * width)]
    return start + (feed + attention + convolution + feed) * layers + [c1(words, width)]


def yolox(depth, width, depthwise=False, classes=80):
    """YOLOX, by the published depth and width multiples."""
    base = int(64 * width)
    count = max(round(3 * depth), 1)
    w2, w3, w4, w5 = 2 * base, 4 * base, 8 * base, 16 * base

    def wide(out, inner):
        return separable(inner, out) if depthwise else [c(out, inner, 3)]

    def stage(inner, out, repeats):
        half = out // 2
        return [c(half, inner)] * 2 + ([c(half, half)] + wide(half, half)) * repeats + [c(out, 2 * half)]

    tokens = [c(base, 12, 3)] + wide(w2, base) + stage(w2, w2, count)
    tokens += wide(w3, w2) + stage(w3, w3, 3 * count) + wide(w4, w3) + stage(w4, w4, 3 * count)
    tokens += wide(w5, w4) + [c(w4, w5), c(w5, 4 * w4)] + stage(w5, w5, count)
    tokens += [c(w4, w5)] + stage(2 * w4, w4, count) + [c(w3, w4)] + stage(2 * w3, w3, count)
    tokens += wide(w3, w3) + stage(2 * w3, w4, count) + wide(w4, w4) + stage(2 * w4, w5, count)
    head = int(256 * width)
    for inner in (w3, w4, w5):
        tokens += [c(head, inner)] + wide(head, head) * 2 + [c(classes, head)]
        tokens += wide(head, head) * 2 + [c(4, head), c(1, head)]
    return tokens


NETWORKS = {
    "LeNet-5": ("lenet", [c(6, 1, 5), c(16, 6, 5), dense(120, 400), dense(84, 120), dense(10, 84)]),
    "SRCNN 9-1-5": ("srcnn", [c(64, 1, 9), c(32, 64), c(1, 32, 5)]),
    "SRCNN 9-5-5": ("srcnn", [c(64, 1, 9), c(32, 64, 5), c(1, 32, 5)]),
    "ESPCN x2": ("espcn", [c(64, 1, 5), c(32, 64, 3), c(4, 32, 3)]),
    "ESPCN x3": ("espcn", [c(64, 1, 5), c(32, 64, 3), c(9, 32, 3)]),
    "ESPCN x4": ("espcn", [c(64, 1, 5), c(32, 64, 3), c(16, 32, 3)]),
    "ESPCN x3, four convolutions": ("espcn", [c(64, 1, 5), c(64, 64, 3), c(32, 64, 3), c(9, 32, 3)]),
    "FSRCNN x2": ("fsrcnn", [c(56, 1, 5), c(12, 56)] + [c(12, 12, 3)] * 4 + [c(56, 12), "t56x1x9x9"]),
    "EDSR baseline x2": ("edsr", edsr(16, 64, 2)), "EDSR baseline x3": ("edsr", edsr(16, 64, 3)),
    "EDSR baseline x4": ("edsr", edsr(16, 64, 4)), "EDSR x2": ("edsr", edsr(32, 256, 2)),
    "EDSR x3": ("edsr", edsr(32, 256, 3)), "EDSR x4": ("edsr", edsr(32, 256, 4)),
    "Real-ESRGAN x4plus": ("esrgan", rrdb(23)), "Real-ESRGAN x2plus": ("esrgan", rrdb(23, 12)),
    "Real-ESRGAN x4plus anime 6B": ("esrgan", rrdb(6)), "Real-ESRGAN general x4v3": ("esrgan", srvgg(32)),
    "Real-ESRGAN animevideo v3": ("esrgan", srvgg(16)),
    "U-Net 64-1024": ("unet", unet(3, 2)), "U-Net 64-1024 gray": ("unet", unet(1, 2)),
    "U-Net 64-1024 bilinear": ("unet", unet(3, 2, True)),
    "U2-Net": ("u2net", u2net()), "U2-NetP": ("u2net", u2net(True)),
    "IResNet-18": ("iresnet", iresnet([2, 2, 2, 2])), "IResNet-34": ("iresnet", iresnet([3, 4, 6, 3])),
    "IResNet-50": ("iresnet", iresnet([3, 4, 14, 3])), "IResNet-100": ("iresnet", iresnet([3, 13, 30, 3])),
    "IResNet-200": ("iresnet", iresnet([6, 26, 60, 6])), "MobileFaceNet": ("mobilefacenet", mobilefacenet()),
    "RetinaFace MobileNet-0.25": ("retinaface", retinaface_mobile()), "UltraFace slim": ("ultraface", ultraface_slim()),
    "MTCNN P-Net": ("mtcnn", [c(10, 3, 3), c(16, 10, 3), c(32, 16, 3), c(2, 32), c(4, 32)]),
    "MTCNN R-Net": ("mtcnn", [c(28, 3, 3), c(48, 28, 3), c(64, 48, 2), dense(128, 576), dense(2, 128), dense(4, 128)]),
    "MTCNN O-Net": ("mtcnn", [c(32, 3, 3), c(64, 32, 3), c(64, 64, 3), c(128, 64, 2), dense(256, 1152), dense(2, 256),
                              dense(4, 256), dense(10, 256)]),
    "CRNN": ("crnn", crnn(37)), "OpenPose body": ("openpose", openpose()),
    "Conformer-CTC small": ("conformer", conformer(176, 16, 4, 1025)),
    "Conformer-CTC medium": ("conformer", conformer(256, 18, 4, 1025)),
    "Conformer-CTC large": ("conformer", conformer(512, 18, 8, 1025)),
    "YOLOX-Nano": ("yolox", yolox(0.33, 0.25, True)), "YOLOX-Tiny": ("yolox", yolox(0.33, 0.375)),
    "YOLOX-S": ("yolox", yolox(0.33, 0.5)), "YOLOX-M": ("yolox", yolox(0.67, 0.75)),
    "YOLOX-L": ("yolox", yolox(1.0, 1.0)), "YOLOX-X": ("yolox", yolox(1.33, 1.25)),
}


def parameters(tokens):
    """Returns how many weights the tokens hold."""
    total = 0
    for token in tokens:
        size = 1
        for side in token[1:].split("g")[0].split("x"):
            size *= int(side)
        total += size
    return total
