"""Image and text towers of the CLIP configurations that open_clip lists."""

import re

import cache
import open_clip
import torch
from open_clip.model import CLIP, CustomTextCLIP
from recorder import on_meta, weights_of


def _build(name, tower):
    config = open_clip.get_model_config(name)
    custom = config.pop("custom_text", False)
    config["vision_cfg"]["timm_model_pretrained"] = False
    with on_meta():
        model = CustomTextCLIP(**config) if custom else CLIP(**config)
    if tower == "visual":
        side = config["vision_cfg"].get("image_size", 224)
        height, width = side if isinstance(side, (list, tuple)) else (side, side)
        image = torch.zeros(1, 3, height, width, device="meta")
        run = lambda network: network.encode_image(image)
        chosen = {id(p) for p in model.visual.parameters()}
        keep = lambda p: id(p) in chosen
    else:
        length = config["text_cfg"].get("context_length", 77)
        text = torch.ones(1, length, dtype=torch.long, device="meta")
        run = lambda network: network.encode_text(text)
        image_side = {id(p) for p in model.visual.parameters()}
        keep = lambda p: id(p) not in image_side and p.dim() > 0
    return ("CLIP", *weights_of(model, run, keep=keep))


def names(name):
    """Returns (family, variant) of a tower."""
    base, tower = name.rsplit(" ", 1)
    found = re.match(r"ViT-(\w+)-\d+(?:-(SigLIP2?))?(?:-(i18n|alt|plus|worldwide|CLIPA))?", base)
    if tower == "text" and found:
        maker = found[2] or "CLIP"
        return maker.lower(), f"{maker} ViT-{found[1]}{'-' + found[3] if found[3] else ''} text encoder"
    family = "siglip" if "SigLIP" in base else "coca" if base.startswith("coca") else "clip"
    family = "mobileclip" if base.startswith("MobileCLIP") else family
    text = re.sub(r"-(quickgelu|worldwide|\d{3})\b", "", base)
    text = re.sub(r"^ViT-(\w+)-(\d+)", r"ViT-\1/\2", text)
    text = re.sub(r"^convnext_(\w)\w*", lambda found: "ConvNeXt-" + found[1].upper(), text)
    text = re.sub(r"^RN(\d+)", r"ResNet-\1", text)
    text = text if re.search("(?i)clip|coca", text) else f"CLIP {text}"
    return family, f"{text} {'image' if tower == 'visual' else 'text'} encoder"


def jobs():
    """Yields (name, function) of each tower that needs no download."""
    seen = set()
    for name in sorted(open_clip.list_models(), key=lambda n: (not n.startswith("ViT-"), len(n), n)):
        config = open_clip.get_model_config(name)
        if "multimodal_cfg" in config or config["text_cfg"].get("hf_model_name"):
            continue
        for tower, part in (("visual", "vision_cfg"), ("text", "text_cfg")):
            # timm has the image towers that this package takes from it.
            key = str((sorted(config[part].items()), config["embed_dim"]))
            if key in seen or "timm_model_name" in config[part]:
                continue
            seen.add(key)
            yield f"{name} {tower}", lambda n=name, t=tower: _build(n, t)


def collect():
    """Returns the entries of every tower."""
    return cache.collect("open_clip", jobs(), names)


if __name__ == "__main__":
    collect()
