"""Whisper (Radford et al. 2022): an encoder of 30 seconds of sound, and a decoder of its text, pre-normalization; keys have no bias."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from zonemark.models import Module, Parameter, benchmark_model
from zonemark.models.decoding import cached, causal_bias, empty_caches, greedy
from zonemark.models.transformer import Weights, apply_layer_norm, apply_linear, attend, layer_norm, linear, split_heads

VOCABULARY, POSITIONS, FRAMES, MELS, EPSILON, START = 51865, 448, 3000, 80, 1e-5, 50258
TEXT = 32
"""Tokens that the decoder reads in one pass or generates."""


@dataclass(frozen=True)
class _Size:
    """Layers of the encoder and as many of the decoder, and the width, in heads of 64."""

    layers: int
    width: int

    @property
    def heads(self) -> int:
        return self.width // 64


_SIZES = {"tiny": _Size(4, 384), "small": _Size(12, 768)}


@benchmark_model(configs=["tiny", "small"])
def whisper(config: str, force_num_layers: int = 0, microbatch: int = 0, generative: bool = False):
    """Whisper from the log-mel spectrogram: logits of one pass of encoder and decoder, or the tokens of greedy decoding as one program."""
    size, random, batch = _SIZES[config], np.random.default_rng(0), microbatch or 1
    layers = force_num_layers or size.layers
    spectrogram = random.standard_normal((batch, FRAMES, MELS), np.float32)
    text = random.integers(0, VOCABULARY, (batch, TEXT), np.int32)
    params = {"encoder": _encoder(size, layers), "decoder": _decoder(size, layers)}

    def one_pass(params, sinusoids, spectrogram, text):
        return _read(size, params["decoder"], text, _encode(size, params["encoder"], sinusoids, spectrogram))

    def generate(params, sinusoids, spectrogram):
        cross = _cross(size, params["decoder"], _encode(size, params["encoder"], sinusoids, spectrogram))

        def step(token, position, caches):
            decoded, caches = _decode(size, params["decoder"], token, position[None], jnp.arange(TEXT), cross, caches)
            return _logits(params["decoder"], decoded)[:, 0], caches

        batch = spectrogram.shape[0]
        caches = empty_caches(layers, batch, size.heads, TEXT, 64, params["decoder"]["embedding"].dtype)
        return greedy(step, caches, jnp.full((batch, 1), START, jnp.int32), TEXT)

    state = _sinusoids(size.width)  # positions of the encoder, which are not learned
    if generative:
        return [Module(generate, params, state=state, tokens=TEXT)], [spectrogram]
    return [Module(one_pass, params, state=state)], [spectrogram, text]


@benchmark_model(configs=["tiny", "small"])
def whisper_decoder(config: str, force_num_layers: int = 0, microbatch: int = 0):
    """Whisper's decoder alone, on states of an encoder that did not run: logits of one pass."""
    size, random, batch = _SIZES[config], np.random.default_rng(0), microbatch or 1
    text = random.integers(0, VOCABULARY, (batch, TEXT), np.int32)
    states = random.standard_normal((batch, FRAMES // 2, size.width), np.float32)

    def forward(params, text, states):
        return _read(size, params, text, states)

    return [Module(forward, _decoder(size, force_num_layers or size.layers))], [text, states]


def _attention(width: int) -> Weights:
    return {name: linear(width, width, bias=name != "key") for name in ("query", "key", "value", "output")}


def _layer(width: int, *attentions: str) -> Weights:
    parts = {name: _attention(width) for name in attentions} | {"inner": linear(width, 4 * width), "output": linear(4 * width, width)}
    return parts | {f"{name}_norm": layer_norm(width) for name in (*attentions, "inner")}


def _encoder(size: _Size, layers: int) -> Weights:
    def convolution(inputs: int) -> Weights:
        return {"kernel": Parameter((3, inputs, size.width), std=(3 * inputs) ** -0.5), "bias": Parameter((size.width,), std=0.02)}

    return {
        "convolutions": [convolution(MELS), convolution(size.width)],
        "layers": {f"layer{i:02}": _layer(size.width, "attention") for i in range(layers)},
        "norm": layer_norm(size.width),
    }


def _decoder(size: _Size, layers: int) -> Weights:
    return {
        "embedding": Parameter((VOCABULARY, size.width), std=0.02),
        "positions": Parameter((POSITIONS, size.width), std=0.02),
        "layers": {f"layer{i:02}": _layer(size.width, "attention", "cross") for i in range(layers)},
        "norm": layer_norm(size.width),
    }


def _sinusoids(width: int) -> np.ndarray:
    """Sines and cosines of the encoder's positions, of wavelengths from 2π to 20000π."""
    wavelengths = np.exp(-np.log(10000) / (width // 2 - 1) * np.arange(width // 2))
    angles = np.arange(FRAMES // 2)[:, None] * wavelengths[None, :]
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def _encode(size: _Size, params: Weights, sinusoids, x):
    for stride, convolution in zip((1, 2), params["convolutions"], strict=True):
        y = jax.lax.conv_general_dilated(x, convolution["kernel"], (stride,), [(1, 1)], dimension_numbers=("NWC", "WIO", "NWC"))
        x = jax.nn.gelu(y + convolution["bias"], approximate=False)
    x = x + sinusoids
    for layer in params["layers"].values():
        normal = apply_layer_norm(layer["attention_norm"], x, EPSILON)
        query, key, value = (split_heads(apply_linear(layer["attention"][name], normal), size.heads) for name in ("query", "key", "value"))
        x = x + apply_linear(layer["attention"]["output"], attend(query, key, value))
        x = _widen(layer, x)
    return apply_layer_norm(params["norm"], x, EPSILON)


def _widen(layer: Weights, x):
    widened = apply_linear(layer["inner"], apply_layer_norm(layer["inner_norm"], x, EPSILON))
    return x + apply_linear(layer["output"], jax.nn.gelu(widened, approximate=False))


def _cross(size: _Size, params: Weights, states):
    """Keys and values of the encoder's states for each layer of the decoder."""
    weights = [layer["cross"] for layer in params["layers"].values()]
    return [tuple(split_heads(apply_linear(own[name], states), size.heads) for name in ("key", "value")) for own in weights]


def _read(size: _Size, params: Weights, text, states):
    """Logits for all tokens of a text at once."""
    positions = jnp.arange(text.shape[1])
    decoded, _ = _decode(size, params, text, positions, positions, _cross(size, params, states))
    return _logits(params, decoded)


def _decode(size: _Size, params: Weights, text, queries, keys, cross, caches=None):
    """The decoder for tokens at the positions queries, which attend to those at keys: to one another, or to all that the caches hold."""
    x = params["embedding"][text] + params["positions"][queries]
    bias = causal_bias(queries, keys)
    extended = []
    for index, layer in enumerate(params["layers"].values()):
        weights, normal = layer["attention"], apply_layer_norm(layer["attention_norm"], x, EPSILON)
        query, key, value = (split_heads(apply_linear(weights[name], normal), size.heads) for name in ("query", "key", "value"))
        if caches is not None:
            key, value = cached(caches[index], key, value, queries[0])
        extended.append((key, value))
        x = x + apply_linear(weights["output"], attend(query, key, value, bias=bias))
        weights, normal = layer["cross"], apply_layer_norm(layer["cross_norm"], x, EPSILON)
        query = split_heads(apply_linear(weights["query"], normal), size.heads)
        x = _widen(layer, x + apply_linear(weights["output"], attend(query, *cross[index])))
    return apply_layer_norm(params["norm"], x, EPSILON), extended


def _logits(params: Weights, x):
    return x @ params["embedding"].T
