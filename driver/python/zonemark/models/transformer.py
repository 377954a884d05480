"""What transformers are made of: functions of weights and activations, and the weights that go with them.

Statistics of normalizations and softmax are kept in float32, whatever the type of the activations is, as implementations for accelerators do.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp

from zonemark.models import Parameter

Weights = dict[str, Any]
"""The weights of a block: Parameters or arrays by name, nested."""


def linear(inputs: int, outputs: int, *, bias: bool = True, std: float = 0.02) -> Weights:
    """Weights of a linear layer with normally distributed kernel, and a small bias that is not zero, lest it does not count."""
    weights: Weights = {"kernel": Parameter((inputs, outputs), std=std)}
    return weights | ({"bias": Parameter((outputs,), std=std)} if bias else {})


def apply_linear(weights: Weights, x: jax.Array) -> jax.Array:
    """x · kernel + bias over the last dimension."""
    y = x @ weights["kernel"]
    return y + weights["bias"] if "bias" in weights else y


def layer_norm(width: int) -> Weights:
    """Weights of a layer normalization."""
    return {"scale": Parameter((width,), mean=1.0, std=0.02), "bias": Parameter((width,), std=0.02)}


def apply_layer_norm(weights: Weights, x: jax.Array, epsilon: float) -> jax.Array:
    """Normalizes the last dimension to mean 0 and variance 1, then scales and shifts it."""
    wide = x.astype(jnp.float32)
    mean = wide.mean(-1, keepdims=True)
    variance = jnp.square(wide - mean).mean(-1, keepdims=True)
    return ((wide - mean) * jax.lax.rsqrt(variance + epsilon)).astype(x.dtype) * weights["scale"] + weights["bias"]


def split_heads(x: jax.Array, heads: int) -> jax.Array:
    """(batch, length, width) as (batch, heads, length, width per head)."""
    batch, length, width = x.shape
    return x.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)


def attend(query: jax.Array, key: jax.Array, value: jax.Array, *, scale: float | None = None, bias: jax.Array | None = None) -> jax.Array:
    """Attention of heads, (batch, heads, length, width per head) each, and its heads joined again.

    bias is added to the scores; scale is 1/√(width per head) unless given.
    """
    scores = jnp.einsum("bhqd,bhkd->bhqk", query, key).astype(jnp.float32) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if bias is not None:
        scores = scores + bias
    mixed = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1).astype(value.dtype), value)
    batch, heads, length, width = mixed.shape
    return mixed.transpose(0, 2, 1, 3).reshape(batch, length, heads * width)


def attention(width: int, *, bias: bool = True) -> Weights:
    """Weights of an attention whose heads take the whole width."""
    return {name: linear(width, width, bias=bias) for name in ("query", "key", "value", "output")}


def self_attention(weights: Weights, x: jax.Array, heads: int, bias: jax.Array | None = None) -> jax.Array:
    """Attention of a sequence to itself, with its projections."""
    query, value = (split_heads(apply_linear(weights[name], x), heads) for name in ("query", "value"))
    key = split_heads(apply_linear(without_bias_gradient(weights["key"]), x), heads)
    return apply_linear(weights["output"], attend(query, key, value, bias=bias))


def without_bias_gradient(weights: Weights) -> Weights:
    """Weights of keys whose bias has the gradient 0, exactly: it adds the same to all scores of a query, which softmax ignores.

    Computed, the gradient would be rounding errors, different ones with every compiler.
    """
    return weights | ({"bias": jax.lax.stop_gradient(weights["bias"])} if "bias" in weights else {})


def cross_entropy(logits: jax.Array, targets: jax.Array) -> jax.Array:
    """The mean over everything of the negative logarithm of the probability of the target classes."""
    likelihoods = jax.nn.log_softmax(logits.astype(jnp.float32), axis=-1)
    return -jnp.take_along_axis(likelihoods, targets[..., None], axis=-1).mean()
