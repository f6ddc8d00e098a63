"""Inputs on which models of transformers run, found from their signature and configuration."""

import inspect

import torch


def _setting(config, names, default=None):
    """Returns the first of the named settings, also from nested vision, audio or text parts."""
    parts = [config] + [getattr(config, part, None) for part in (
        "vision_config", "text_config", "audio_config", "encoder_config", "backbone_config", "encoder")]
    for part in parts:
        for name in names:
            value = getattr(part, name, None)
            if value is not None and not callable(value):
                return value
    return default


def _ids(length=16):
    return torch.ones(1, length, dtype=torch.long, device="meta")


def _images(config, size):
    channels = _setting(config, ["num_channels", "in_channels", "in_chans"], 3)
    channels = channels if isinstance(channels, int) else 3
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    return torch.empty(1, channels, int(height), int(width), device="meta")


def candidates(model):
    """Yields sets of keyword arguments to try, the likeliest first."""
    config = model.config
    accepted = inspect.signature(model.forward).parameters
    size = _setting(config, ["image_size", "input_size"], 224)
    if isinstance(size, dict):
        size = size.get("height", 224)
    bins = _setting(config, ["num_mel_bins", "input_feat_per_channel", "feature_size",
                             "feature_projection_input_dim", "n_mels"], 80)
    frames = 2 * (_setting(config, ["max_source_positions"], 0) or 0)
    rest = {}
    if "decoder_input_ids" in accepted:
        rest["decoder_input_ids"] = _ids(4)
    if "bbox" in accepted:
        rest["bbox"] = torch.zeros(1, 16, 4, dtype=torch.long, device="meta")
    options = []
    if "pixel_values" in accepted and "input_ids" in accepted:
        options += [{"input_ids": _ids(), "pixel_values": _images(config, size)}]
    if "pixel_values" in accepted:
        for side in dict.fromkeys([str(size), "224", "640", "512", "1024"]):
            side = size if side == str(size) else int(side)
            options.append({"pixel_values": _images(config, side)})
        patch = _images(config, 224)
        options.append({"pixel_values": patch[None].expand(1, 8, -1, -1, -1)})
        options.append({"pixel_values": patch[None].expand(1, 16, -1, -1, -1)})
    if "input_features" in accepted:
        steps = [s for s in (frames, 3000, 400) if s]
        options += [{"input_features": torch.empty(1, bins, s, device="meta")} for s in steps]
        options += [{"input_features": torch.empty(1, 400, bins, device="meta")}]
        options += [{"input_features": torch.empty(1, 400, bins, device="meta"),
                     "attention_mask": torch.ones(1, 400, dtype=torch.long, device="meta")}]
    if "input_values" in accepted:
        wave = torch.empty(1, 16000, device="meta")
        options += [{"input_values": wave}, {"input_values": wave[:, None]},
                    {"input_values": torch.empty(1, 1024, 128, device="meta")}]
    if "input_ids" in accepted:
        options += [{"input_ids": _ids()}, {"input_ids": _ids(), "attention_mask": _ids()}, {"input_ids": _ids(64)}]
    if "hidden_states" in accepted:
        width = _setting(config, ["hidden_size"], 768)
        options += [{"hidden_states": torch.empty(1, 16, width, device="meta")}]
    main = getattr(model, "main_input_name", "input_ids")
    options.sort(key=lambda option: main not in option)
    for option in options:
        yield {**option, **rest}
        if "bbox" in rest and "pixel_values" in option and "input_ids" not in option:
            yield option
