"""Denoisers, autoencoders and ControlNets of published diffusion models, built by diffusers."""

import cache
import diffusers
import torch
from recorder import on_meta, weights_of

_CROSS, _DOWN, _UP = "CrossAttnDownBlock2D", "DownBlock2D", "UpBlock2D"
_SD1 = {"cross_attention_dim": 768, "attention_head_dim": 8, "sample_size": 64}
_SD2 = {"cross_attention_dim": 1024, "attention_head_dim": [5, 10, 20, 20], "use_linear_projection": True}
_SDXL = {"block_out_channels": [320, 640, 1280], "down_block_types": [_DOWN, _CROSS, _CROSS],
         "transformer_layers_per_block": [1, 2, 10], "cross_attention_dim": 2048, "attention_head_dim": [5, 10, 20],
         "use_linear_projection": True, "addition_embed_type": "text_time", "addition_time_embed_dim": 256,
         "projection_class_embeddings_input_dim": 2816}
_UPS = {"up_block_types": ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", _UP]}
_REFINER = {"block_out_channels": [384, 768, 1536, 1536], "down_block_types": [_DOWN, _CROSS, _CROSS, _DOWN],
            "up_block_types": [_UP, "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", _UP],
            "transformer_layers_per_block": 4, "cross_attention_dim": 1280, "attention_head_dim": [6, 12, 24, 24],
            "use_linear_projection": True, "addition_embed_type": "text_time", "addition_time_embed_dim": 256,
            "projection_class_embeddings_input_dim": 2560}
_VAE = {"block_out_channels": [128, 256, 512, 512], "layers_per_block": 2, "latent_channels": 4,
        "down_block_types": ["DownEncoderBlock2D"] * 4, "up_block_types": ["UpDecoderBlock2D"] * 4}
_VAE16 = {**_VAE, "latent_channels": 16, "use_quant_conv": False, "use_post_quant_conv": False}
_SD3 = {"sample_size": 128, "patch_size": 2, "in_channels": 16, "out_channels": 16, "num_layers": 24,
        "attention_head_dim": 64, "num_attention_heads": 24, "joint_attention_dim": 4096,
        "caption_projection_dim": 1536, "pooled_projection_dim": 2048, "pos_embed_max_size": 192}
_SD35 = {**_SD3, "num_layers": 38, "num_attention_heads": 38, "caption_projection_dim": 2432, "qk_norm": "rms_norm"}
_PIXART = {"num_attention_heads": 16, "attention_head_dim": 72, "in_channels": 4, "out_channels": 8, "num_layers": 28,
           "cross_attention_dim": 1152, "caption_channels": 4096, "patch_size": 2}

UNETS = "UNet2DConditionModel"
MODELS = {
    "Stable Diffusion 1.5 U-Net": ("sd-unet", UNETS, _SD1),
    "Stable Diffusion 1.5 inpainting U-Net": ("sd-unet", UNETS, {**_SD1, "in_channels": 9}),
    "InstructPix2Pix U-Net": ("sd-unet", UNETS, {**_SD1, "in_channels": 8}),
    "Stable Diffusion 2.1 U-Net": ("sd-unet", UNETS, _SD2),
    "Stable Diffusion 2 inpainting U-Net": ("sd-unet", UNETS, {**_SD2, "in_channels": 9}),
    "SDXL U-Net": ("sd-unet", UNETS, {**_SDXL, **_UPS}),
    "SDXL inpainting U-Net": ("sd-unet", UNETS, {**_SDXL, **_UPS, "in_channels": 9}),
    "SDXL refiner U-Net": ("sd-unet", UNETS, _REFINER),
    "ControlNet SD 1.5": ("controlnet", "ControlNetModel", {"cross_attention_dim": 768, "attention_head_dim": 8}),
    "ControlNet SD 2.1": ("controlnet", "ControlNetModel", _SD2),
    "ControlNet SDXL": ("controlnet", "ControlNetModel", _SDXL),
    "Stable Diffusion VAE": ("vae", "AutoencoderKL", _VAE),
    "SD 3 and FLUX VAE": ("vae", "AutoencoderKL", _VAE16),
    "TAESD": ("vae", "AutoencoderTiny", {}),
    "Stable Diffusion 3 medium": ("sd3", "SD3Transformer2DModel", _SD3),
    "Stable Diffusion 3.5 medium": ("sd3", "SD3Transformer2DModel", {
        **_SD3, "qk_norm": "rms_norm", "pos_embed_max_size": 384, "dual_attention_layers": list(range(13))}),
    "Stable Diffusion 3.5 large": ("sd3", "SD3Transformer2DModel", _SD35),
    "FLUX.1-dev": ("flux", "FluxTransformer2DModel", {"guidance_embeds": True}),
    "FLUX.1-schnell": ("flux", "FluxTransformer2DModel", {}),
    "PixArt-alpha XL/2": ("pixart", "PixArtTransformer2DModel", {**_PIXART, "sample_size": 64}),
    "PixArt-sigma XL/2": ("pixart", "PixArtTransformer2DModel", {
        **_PIXART, "sample_size": 128, "use_additional_conditions": False}),
    "DiT-XL/2": ("dit", "DiTTransformer2DModel", {
        "num_attention_heads": 16, "attention_head_dim": 72, "in_channels": 4, "out_channels": 8, "num_layers": 28,
        "patch_size": 2, "sample_size": 32, "num_embeds_ada_norm": 1000}),
}
PARTS = {"AutoencoderKL": {"encoder": ("encoder", "quant_conv"), "decoder": ("post_quant_conv", "decoder")},
         "AutoencoderTiny": {"encoder": ("encoder",), "decoder": ("decoder",)}}


def _empty(*dims):
    return torch.zeros(*dims, device="meta")


def _run(model, cls, settings):
    width = settings.get("cross_attention_dim", 768)
    added = {"text_embeds": _empty(1, 1280), "time_ids": _empty(1, 5 if width == 1280 else 6)}
    added = {"added_cond_kwargs": added} if settings.get("addition_embed_type") else {}
    step = torch.ones(1, dtype=torch.long, device="meta")
    if cls == UNETS:
        model(_empty(1, settings.get("in_channels", 4), 64, 64), step, _empty(1, 77, width), **added)
    elif cls == "ControlNetModel":
        model(_empty(1, 4, 64, 64), step, _empty(1, 77, width), _empty(1, 3, 512, 512), **added)
    elif cls == "AutoencoderKL":
        model(_empty(1, 3, 256, 256), sample_posterior=False)
    elif cls == "AutoencoderTiny":
        model(_empty(1, 3, 256, 256))
    elif cls == "SD3Transformer2DModel":
        model(_empty(1, 16, 128, 128), _empty(1, 77, 4096), _empty(1, 2048), step)
    elif cls == "FluxTransformer2DModel":
        model(hidden_states=_empty(1, 64, 64), encoder_hidden_states=_empty(1, 32, 4096),
              pooled_projections=_empty(1, 768), timestep=_empty(1), img_ids=_empty(64, 3), txt_ids=_empty(32, 3),
              guidance=_empty(1) if settings else None)
    elif cls == "PixArtTransformer2DModel":
        size = settings["sample_size"]
        added = {"resolution": _empty(1, 2), "aspect_ratio": _empty(1, 1)}
        model(_empty(1, 4, size, size), _empty(1, 120, 4096), step, added_cond_kwargs=added)
    else:
        model(_empty(1, 4, 32, 32), step, class_labels=step)


def _build(name, part=None):
    _, cls, settings = MODELS[name]
    with on_meta():
        model = getattr(diffusers, cls)(**settings)
    keep = None
    if part:
        modules = [getattr(model, child, None) for child in PARTS[cls][part]]
        chosen = {id(p) for module in modules if module is not None for p in module.parameters()}
        keep = lambda p: id(p) in chosen

    def run(network):
        with torch.device("meta"):
            _run(network, cls, settings)

    return (cls, *weights_of(model, run, keep=keep))


def names(name):
    """Returns (family, variant) of an entry."""
    base = name if name in MODELS else name.rsplit(" ", 1)[0]
    return MODELS[base][0], name


def jobs():
    """Yields (name, function) of each model, and of the halves of autoencoders."""
    for name, (_, cls, _) in MODELS.items():
        yield name, lambda n=name: _build(n)
        for part in PARTS.get(cls, ()):
            yield f"{name} {part}", lambda n=name, p=part: _build(n, p)


def collect():
    """Returns the entries of every model."""
    return cache.collect("diffusers", jobs(), names)


if __name__ == "__main__":
    collect()
