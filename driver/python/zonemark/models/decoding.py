"""Greedy decoding of a sequence within one program: a loop over its tokens, with the keys and values of earlier ones kept."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

Caches = list[tuple[jax.Array, jax.Array]]
"""Keys and values of each layer for all positions, (batch, heads, positions, width per head); those of later positions are zeros."""

Step = Callable[[jax.Array, jax.Array, Caches], tuple[jax.Array, Caches]]
"""From a token (batch, 1), its position and the caches to the logits (batch, classes) of what follows, and the caches with the token's own."""


def empty_caches(layers: int, batch: int, heads: int, positions: int, width: int, dtype: Any) -> Caches:
    """Caches before the first token."""
    return [(jnp.zeros((batch, heads, positions, width), dtype),) * 2 for _ in range(layers)]


def cached(cache: tuple[jax.Array, jax.Array], key: jax.Array, value: jax.Array, position: jax.Array) -> tuple[jax.Array, jax.Array]:
    """A layer's cache with the key and the value of a position put in."""
    start = (0, 0, position, 0)
    return jax.lax.dynamic_update_slice(cache[0], key, start), jax.lax.dynamic_update_slice(cache[1], value, start)


def causal_bias(queries: jax.Array, keys: jax.Array) -> jax.Array:
    """What keeps queries at some positions from keys at later ones, added to scores: 0 or a number so small that nothing is left of it."""
    return jnp.where(keys[None, :] > queries[:, None], -1e9, 0.0)


def greedy(step: Step, caches: Caches, first: jax.Array, count: int) -> jax.Array:
    """The count tokens (batch, count) that follow first (batch, 1), each the likeliest."""

    def body(carry: tuple[jax.Array, Caches], position: jax.Array) -> tuple[tuple[jax.Array, Caches], jax.Array]:
        token, caches = carry
        logits, caches = step(token, position, caches)
        following = jnp.argmax(logits, axis=-1).astype(jnp.int32)
        return (following[:, None], caches), following

    _, tokens = jax.lax.scan(body, (first, caches), jnp.arange(count))
    return tokens.T
