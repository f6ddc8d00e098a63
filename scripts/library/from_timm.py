"""Image networks of timm."""

import cache
import timm
import torch
from recorder import on_meta, weights_of


def _build(name):
    with on_meta():
        model = timm.create_model(name, pretrained=False)
    size = model.pretrained_cfg.get("input_size", (3, 224, 224))

    def run(network):
        network(torch.empty(1, *size, device="meta"))

    return (type(model).__name__, *weights_of(model, run))


def collect():
    """Returns the entries of every registered model."""
    jobs = [(name, lambda name=name: _build(name)) for name in timm.list_models()]
    return cache.collect("timm", jobs)


if __name__ == "__main__":
    collect()
