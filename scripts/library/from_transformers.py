"""Networks of transformers: the default configuration of each model type, and public sizes."""

import cache
import torch
import transformers
from hf_inputs import candidates
from hf_sizes import REFERENCE
from recorder import on_meta, weights_of
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

transformers.logging.set_verbosity_error()


def build(config, cls=None):
    """Returns (class name, tokens, order, error) of the model that a configuration describes."""
    for part in (config, *(getattr(config, name, None) for name in ("text_config", "vision_config"))):
        if part is not None and hasattr(part, "_attn_implementation"):
            part._attn_implementation = "eager"
    with on_meta():
        model = cls(config) if cls else transformers.AutoModel.from_config(config)
    runs = [lambda network, inputs=inputs: _call(network, inputs) for inputs in candidates(model)]
    return (type(model).__name__, *weights_of(model, *runs))


def _call(network, inputs):
    with torch.device("meta"):
        network(**inputs)


def _by_type(name):
    return build(transformers.AutoConfig.for_model(name))


def _by_size(name):
    cls, settings = REFERENCE[name]
    model = getattr(transformers, cls)
    return build(model.config_class(**settings), model)


def collect():
    """Returns the entries of each model type and of the sizes in `REFERENCE`."""
    jobs = [(name, lambda name=name: _by_size(name)) for name in REFERENCE]
    jobs += [(name, lambda name=name: _by_type(name)) for name in MODEL_MAPPING_NAMES]
    return cache.collect("transformers", jobs)


if __name__ == "__main__":
    collect()
