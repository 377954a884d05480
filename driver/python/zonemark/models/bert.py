"""BERT (Devlin et al. 2018): the encoder with the heads of the published checkpoints, post-normalization, exact GELU."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from zonemark.models import Module, Parameter, benchmark_model
from zonemark.models.transformer import Weights, apply_layer_norm, apply_linear, attention, cross_entropy, layer_norm, linear, self_attention

VOCABULARY, POSITIONS, SEGMENTS, EPSILON = 30522, 512, 2, 1e-12


@dataclass(frozen=True)
class _Size:
    """Layers, width and heads of an encoder, and the length of the sequences that it is measured with."""

    layers: int
    width: int
    heads: int
    length: int


_SIZES = {"tiny": _Size(2, 128, 2, 128), "base": _Size(12, 768, 12, 128), "large": _Size(24, 1024, 16, 384)}


@benchmark_model(configs=["tiny", "base", "large", "base_tc", "large_tc"])
def bert(training: bool, config: str, force_num_layers: int = 0, microbatch: int = 0):
    """BERT's encoder behind its embeddings: hidden states and pooled output, or with _tc and in training a classification of texts."""
    size = _SIZES[config.removesuffix("_tc")]
    classifies = training or config.endswith("_tc")
    random = np.random.default_rng(0)
    batch = microbatch or 1
    tokens = random.integers(0, VOCABULARY, (batch, size.length), np.int32)
    segments = np.repeat([[0, 1]], size.length // 2, axis=1).astype(np.int32).repeat(batch, axis=0)
    lengths = size.length - np.arange(batch) % (size.length // 4)  # texts of different lengths, so that the mask counts
    mask = (np.arange(size.length) < lengths[:, None]).astype(np.int32)

    layers = {f"layer{i:02}": _layer(size.width) for i in range(force_num_layers or size.layers)}
    weights: Weights = {"layers": layers, "pooler": linear(size.width, size.width), **({"classifier": linear(size.width, 2)} if classifies else {})}

    def encoder(params, x, bias):
        for layer in params["layers"].values():
            attended = self_attention(layer["attention"], x, size.heads, bias)
            x = apply_layer_norm(layer["attention_norm"], x + attended, EPSILON)
            widened = jax.nn.gelu(apply_linear(layer["intermediate"], x), approximate=False)
            x = apply_layer_norm(layer["output_norm"], x + apply_linear(layer["output"], widened), EPSILON)
        pooled = jnp.tanh(apply_linear(params["pooler"], x[:, 0]))
        return apply_linear(params["classifier"], pooled) if classifies else (x, pooled)

    modules = [Module(_embed, _embeddings(size.width)), Module(encoder, weights, loss=cross_entropy)]
    return modules, [tokens, segments, mask], [random.integers(0, 2, batch, np.int32)]


def _embeddings(width: int) -> Weights:
    tables = {"word": VOCABULARY, "position": POSITIONS, "segment": SEGMENTS}
    return {name: Parameter((rows, width), std=0.02) for name, rows in tables.items()} | {"norm": layer_norm(width)}


def _embed(params, tokens, segments, mask):
    """The embeddings, which run on the CPU, and what the encoder adds to scores: nothing for texts, -10000 for what pads them."""
    x = params["word"][tokens] + params["position"][: tokens.shape[1]] + params["segment"][segments]
    x = apply_layer_norm(params["norm"], x, EPSILON)
    return x, ((1 - mask[:, None, None, :]) * -10000).astype(x.dtype)


def _layer(width: int) -> Weights:
    return {
        "attention": attention(width),
        "attention_norm": layer_norm(width),
        "intermediate": linear(width, 4 * width),
        "output": linear(4 * width, width),
        "output_norm": layer_norm(width),
    }
