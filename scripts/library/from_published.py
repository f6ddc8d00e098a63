"""Networks of published sizes, built by transformers, and small ones written in `networks.py`."""

import cache
import sizes_other
import sizes_text
import transformers
from from_transformers import _call
from hf_inputs import candidates
from recorder import on_meta, weights_of
from tokens import token


def _model(cls, settings):
    model = getattr(transformers, cls)
    config = model.config_class(**settings)
    config._attn_implementation = "eager"
    with on_meta():
        return model(config)


def _build(cls, settings, part=None):
    model = _model(cls, settings)
    # The layers of these decoders are defined in the order in which they run.
    inputs = [] if cls.endswith("ForCausalLM") else candidates(model)
    runs = [lambda network, given=given: _call(network, given) for given in inputs]
    keep = None
    if part:
        encoder = {id(p) for p in model.get_encoder().parameters()}
        shared = {id(p) for p in model.get_input_embeddings().parameters()}
        if part == "encoder":
            keep = lambda p: id(p) in encoder
        else:
            keep = lambda p: id(p) not in encoder or id(p) in shared
    tokens, order, error = weights_of(model, *runs, keep=keep)
    # transformers ties the output layer of each T5; the second generation has its own.
    if cls in ("T5ForConditionalGeneration", "MT5ForConditionalGeneration") and part != "encoder":
        if settings.get("tie_word_embeddings") is False:
            tokens.append(token("l", (settings["vocab_size"], settings["d_model"])))
    return cls, tokens, order, error


def _entries():
    for table, split in ((sizes_text.PUBLISHED, {}), (sizes_other.PUBLISHED, sizes_other.SPLIT)):
        for name, (family, variant, cls, settings) in table.items():
            yield name, family, variant, cls, settings, None
            for part in ("encoder", "decoder") if name in split else ():
                yield f"{name} {part}", family, f"{variant} {part}", cls, settings, part


def names(name):
    """Returns (family, variant) of an entry."""
    return _NAMES[name]


_NAMES = {name: (family, variant) for name, family, variant, *_ in _entries()}


def jobs():
    """Yields (name, function) of each entry."""
    for name, _, _, cls, settings, part in _entries():
        yield name, lambda c=cls, s=settings, p=part: _build(c, s, p)


def collect():
    """Returns the entries of every published size."""
    return cache.collect("published", jobs(), names)


if __name__ == "__main__":
    collect()
