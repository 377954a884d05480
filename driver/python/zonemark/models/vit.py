"""ViT (Dosovitskiy et al. 2020) and DeiT (Touvron et al. 2020) without a distillation token: encoders over patches, pre-normalization."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from zonemark.models import Module, Parameter, benchmark_model
from zonemark.models.transformer import Weights, apply_layer_norm, apply_linear, attention, cross_entropy, layer_norm, linear, self_attention

IMAGE, PATCH, CLASSES, EPSILON = 224, 16, 1000, 1e-6


@dataclass(frozen=True)
class _Size:
    layers: int
    width: int
    heads: int


_VIT = {"base": _Size(12, 768, 12), "large": _Size(24, 1024, 16)}
_DEIT = {"base": _VIT["base"], "small": _Size(12, 384, 6), "large": _VIT["large"]}  # large was published with DeiT III only


@benchmark_model(configs=["base", "large"])
def vit(training: bool, config: str, force_num_layers: int = 0, microbatch: int = 0):
    """ViT for images of 224 by 224, in patches of 16 by 16: logits of 1000 classes."""
    return _model(_VIT[config], force_num_layers, microbatch)


@benchmark_model(configs=["base", "small", "large"])
def deit(training: bool, config: str, force_num_layers: int = 0, microbatch: int = 0):
    """DeiT for images of 224 by 224, in patches of 16 by 16: logits of 1000 classes."""
    return _model(_DEIT[config], force_num_layers, microbatch)


def _model(size: _Size, layers: int, microbatch: int):
    random, batch = np.random.default_rng(0), microbatch or 1
    images = random.standard_normal((batch, IMAGE, IMAGE, 3), np.float32)

    def forward(params, images):
        kernel = params["patches"]["kernel"]
        layout = ("NHWC", "HWIO", "NHWC")
        x = jax.lax.conv_general_dilated(images, kernel, (PATCH, PATCH), "VALID", dimension_numbers=layout) + params["patches"]["bias"]
        x = x.reshape(images.shape[0], -1, size.width)
        classes = jnp.broadcast_to(params["class"], (images.shape[0], 1, size.width))
        x = jnp.concatenate([classes, x], axis=1) + params["positions"]
        for layer in params["layers"].values():
            x = x + self_attention(layer["attention"], apply_layer_norm(layer["attention_norm"], x, EPSILON), size.heads)
            widened = jax.nn.gelu(apply_linear(layer["intermediate"], apply_layer_norm(layer["output_norm"], x, EPSILON)), approximate=False)
            x = x + apply_linear(layer["output"], widened)
        return apply_linear(params["classifier"], apply_layer_norm(params["norm"], x[:, 0], EPSILON))

    return [Module(forward, _weights(size, layers or size.layers), loss=cross_entropy)], [images], [random.integers(0, CLASSES, batch, np.int32)]


def _weights(size: _Size, layers: int) -> Weights:
    def layer() -> Weights:
        return {
            "attention": attention(size.width),
            "attention_norm": layer_norm(size.width),
            "intermediate": linear(size.width, 4 * size.width),
            "output": linear(4 * size.width, size.width),
            "output_norm": layer_norm(size.width),
        }

    return {
        "patches": {"kernel": Parameter((PATCH, PATCH, 3, size.width), std=0.02), "bias": Parameter((size.width,), std=0.02)},
        "class": Parameter((1, 1, size.width), std=0.02),
        "positions": Parameter((1, (IMAGE // PATCH) ** 2 + 1, size.width), std=0.02),
        "layers": {f"layer{i:02}": layer() for i in range(layers)},
        "norm": layer_norm(size.width),
        "classifier": linear(size.width, CLASSES),
    }
