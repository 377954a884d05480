"""T5 (Raffel et al. 2020) and FLAN-T5 (Chung et al. 2022, which is T5 1.1): an encoder and a decoder with relative positions and without biases."""

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from zonemark.models import Module, Parameter, benchmark_model
from zonemark.models.decoding import cached, causal_bias, empty_caches, greedy
from zonemark.models.transformer import Weights, apply_linear, attend, linear, split_heads

VOCABULARY, BUCKETS, FARTHEST, EPSILON = 32128, 32, 128, 1e-6
TEXT, ANSWER = 128, 32
"""Tokens that the encoder reads, and that the decoder reads in one pass or generates."""


@dataclass(frozen=True)
class _Size:
    """Layers of the encoder and as many of the decoder, and the widths of the model, of its feed-forward layers and of all heads of 64 together.

    A gated model multiplies two halves of the feed-forward layer and has logits of their own weights; T5 1.0 uses the embeddings for them.
    """

    layers: int
    width: int
    inner: int
    gated: bool

    @property
    def heads(self) -> int:
        return self.width // 64


_T5 = {"base": _Size(12, 768, 3072, False), "large": _Size(24, 1024, 4096, False)}
_FLAN_T5 = {"base": _Size(12, 768, 2048, True), "large": _Size(24, 1024, 2816, True)}


@benchmark_model(configs=["base", "large"])
def t5(config: str, force_num_layers: int = 0, microbatch: int = 0, generative: bool = False):
    """T5 1.0: logits of one pass of encoder and decoder, or the tokens of greedy decoding as one program."""
    return _model(_T5[config], force_num_layers, microbatch, generative)


@benchmark_model(configs=["base", "large"])
def flan_t5(config: str, force_num_layers: int = 0, microbatch: int = 0, generative: bool = False):
    """FLAN-T5: logits of one pass of encoder and decoder, or the tokens of greedy decoding as one program."""
    return _model(_FLAN_T5[config], force_num_layers, microbatch, generative)


def _model(size: _Size, layers: int, microbatch: int, generative: bool):
    random, batch = np.random.default_rng(0), microbatch or 1
    text = random.integers(0, VOCABULARY, (batch, TEXT), np.int32)
    answer = random.integers(0, VOCABULARY, (batch, ANSWER), np.int32)
    embedding = Parameter((VOCABULARY, size.width), std=0.05)  # T5's 1.0, without training, has every token follow itself
    weights = _weights(size, layers or size.layers, embedding)

    def one_pass(params, embedded_text, embedded_answer):
        states = _encode(size, params["encoder"], embedded_text)
        positions = jnp.arange(ANSWER)
        decoded, _ = _decode(size, params["decoder"], embedded_answer, positions, positions, _cross(size, params["decoder"], states))
        return _logits(size, params["logits"], decoded)

    def generate(params, text):
        table = params["embedding"]
        cross = _cross(size, params["decoder"], _encode(size, params["encoder"], table[text]))

        def step(token, position, caches):
            decoded, caches = _decode(size, params["decoder"], table[token], position[None], jnp.arange(ANSWER), cross, caches)
            return _logits(size, params.get("logits", table), decoded)[:, 0], caches

        caches = empty_caches(len(cross), text.shape[0], size.heads, ANSWER, 64, table.dtype)
        return greedy(step, caches, jnp.zeros((text.shape[0], 1), jnp.int32), ANSWER)  # token 0 pads and begins

    if not generative:
        return [Module(_embed, {"embedding": embedding}), Module(one_pass, weights)], [text, answer]
    if not size.gated:
        del weights["logits"]
    return [Module(generate, weights | {"embedding": embedding}, tokens=ANSWER)], [text]


def _embed(params, text, answer):
    return params["embedding"][text], params["embedding"][answer]


def _weights(size: _Size, layers: int, embedding: Parameter) -> Weights:
    """Weights with the standard deviations that T5 is trained from, which keep activations of a size without a scale on scores."""

    def attention() -> Weights:
        return {
            "query": linear(size.width, size.width, bias=False, std=(size.width * 64) ** -0.5),
            "key": linear(size.width, size.width, bias=False, std=size.width**-0.5),
            "value": linear(size.width, size.width, bias=False, std=size.width**-0.5),
            "output": linear(size.width, size.width, bias=False, std=size.width**-0.5),
        }

    def layer(parts: tuple[str, ...]) -> Weights:
        forward = {"output": linear(size.inner, size.width, bias=False, std=size.inner**-0.5)}
        for name in ("gate", "inner") if size.gated else ("inner",):
            forward[name] = linear(size.width, size.inner, bias=False, std=size.width**-0.5)
        norms = {f"{part}_norm": _norm(size) for part in (*parts, "forward")}
        return {part: attention() for part in parts} | {"forward": forward} | norms

    def stack(parts: tuple[str, ...]) -> Weights:
        relative = Parameter((BUCKETS, size.heads), std=size.width**-0.5)
        return {"layers": {f"layer{i:02}": layer(parts) for i in range(layers)}, "relative": relative, "norm": _norm(size)}

    own_logits = Parameter((VOCABULARY, size.width), std=size.width**-0.5)
    return {"encoder": stack(("attention",)), "decoder": stack(("attention", "cross")), "logits": own_logits if size.gated else embedding}


def _norm(size: _Size) -> Parameter:
    return Parameter((size.width,), mean=1.0, std=0.02)


def _normalize(scale, x):
    """Root mean square normalization: no mean is taken off."""
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.square(wide).mean(-1, keepdims=True) + EPSILON)).astype(x.dtype) * scale


def _forward(size: _Size, weights: Weights, x):
    inner = apply_linear(weights["inner"], x)
    activated = jax.nn.gelu(apply_linear(weights["gate"], x), approximate=True) * inner if size.gated else jax.nn.relu(inner)
    return apply_linear(weights["output"], activated)


def _encode(size: _Size, params: Weights, x):
    positions = jnp.arange(TEXT)
    bias = _relative_bias(params["relative"], positions, positions, both_ways=True)
    for layer in params["layers"].values():
        weights, normal = layer["attention"], _normalize(layer["attention_norm"], x)
        query, key, value = (split_heads(apply_linear(weights[name], normal), size.heads) for name in ("query", "key", "value"))
        x = x + apply_linear(weights["output"], attend(query, key, value, scale=1.0, bias=bias))
        x = x + _forward(size, layer["forward"], _normalize(layer["forward_norm"], x))
    return _normalize(params["norm"], x)


def _cross(size: _Size, params: Weights, states):
    """Keys and values of the encoder's states for each layer of the decoder."""
    weights = [layer["cross"] for layer in params["layers"].values()]
    return [tuple(split_heads(apply_linear(own[name], states), size.heads) for name in ("key", "value")) for own in weights]


def _decode(size: _Size, params: Weights, x, queries, keys, cross, caches=None):
    """The decoder for tokens at the positions queries, which attend to those at keys: to one another, or to all that the caches hold."""
    bias = _relative_bias(params["relative"], queries, keys, both_ways=False) + causal_bias(queries, keys)
    extended = []
    for index, layer in enumerate(params["layers"].values()):
        weights, normal = layer["attention"], _normalize(layer["attention_norm"], x)
        query, key, value = (split_heads(apply_linear(weights[name], normal), size.heads) for name in ("query", "key", "value"))
        if caches is not None:
            key, value = cached(caches[index], key, value, queries[0])
        extended.append((key, value))
        x = x + apply_linear(weights["output"], attend(query, key, value, scale=1.0, bias=bias))
        weights, normal = layer["cross"], _normalize(layer["cross_norm"], x)
        query = split_heads(apply_linear(weights["query"], normal), size.heads)
        x = x + apply_linear(weights["output"], attend(query, *cross[index], scale=1.0))
        x = x + _forward(size, layer["forward"], _normalize(layer["forward_norm"], x))
    return _normalize(params["norm"], x), extended


def _logits(size: _Size, table, x):
    return (x if size.gated else x * size.width**-0.5) @ table.T


def _relative_bias(weights, queries, keys, both_ways: bool):
    """The bias of scores by the distances from queries to keys, which share buckets that grow with the distance."""
    reach = max(TEXT, ANSWER)
    buckets = np.array([_bucket(distance, both_ways) for distance in range(1 - reach, reach)], np.int32)
    distances = keys[None, :] - queries[:, None] + reach - 1
    return weights[buckets][distances].transpose(2, 0, 1)[None]


def _bucket(distance: int, both_ways: bool) -> int:
    """The bucket of a distance from a query to a key: one for each near distance, then wider ones up to the farthest.

    Both ways, half of all are for keys ahead.
    """
    first, count = (BUCKETS // 2 if both_ways and distance > 0 else 0), (BUCKETS // 2 if both_ways else BUCKETS)
    away = abs(distance) if both_ways else max(-distance, 0)
    near = count // 2
    if away < near:
        return first + away
    return first + min(count - 1, near + int(math.log(away / near) / math.log(FARTHEST / near) * (count - near)))
