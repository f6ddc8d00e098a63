"""Image and video networks of torchvision."""

import cache
import torch
import torchvision
from recorder import on_meta, weights_of

VIDEO = ("r3d", "mc3", "r2plus1d", "s3d", "swin3d", "mvit")


def _build(name):
    arguments = {"weights": None}
    builder = torchvision.models.get_model_builder(name)
    if "weights_backbone" in builder.__code__.co_varnames or any(
            part in name for part in ("rcnn", "retinanet", "fcos", "ssd", "deeplab", "fcn", "lraspp")):
        arguments["weights_backbone"] = None
    with on_meta(assume=True):
        model = builder(**arguments)
    device = "meta"

    def run(network):
        if name.startswith("raft"):
            image = torch.zeros(1, 3, 128, 128, device=device)
            network(image, image)
        elif name.startswith("s3d"):
            network(torch.zeros(1, 3, 16, 224, 224, device=device))
        elif name.startswith(VIDEO):
            network(torch.zeros(1, 3, 16, 224, 224, device=device))
        elif _detects(name):
            # Proposals depend on data: the pass ends there, and the heads follow as defined.
            network([torch.zeros(3, 320, 320, device=device)])
        else:
            size = 299 if name.startswith("inception") else 224
            network(torch.zeros(1, 3, size, size, device=device))

    return (type(model).__name__, *weights_of(model, run))


def _detects(name):
    return any(part in name for part in ("rcnn", "retinanet", "fcos", "ssd"))


def collect():
    """Returns the entries of every registered model that has no quantized weights."""
    names = [name for name in torchvision.models.list_models() if not name.startswith("quantized")]
    return cache.collect("torchvision", [(name, lambda name=name: _build(name)) for name in names])


if __name__ == "__main__":
    collect()
