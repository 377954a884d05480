"""The operations of ATen that move a window over an image, or make images of another size, in JAX; see aten.py. Images are NC…, as PyTorch's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def _each(value: Any, count: int) -> list[int]:
    """A value for each of the axes: PyTorch gives one for all, too."""
    values = [value] if isinstance(value, int) else list(value)
    return values * count if len(values) == 1 else values


def _convolution(
    x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int
) -> Any:
    n, axes = w.ndim - 2, "DHW"[5 - w.ndim :]
    batched = x if x.ndim == w.ndim else x[None]
    stride, padding, dilation, extra = (_each(v, n) for v in (stride, padding, dilation, output_padding or [0]))
    sides: list[tuple[int, int]] = [(p, p) for p in padding]
    spread = [1] * n
    if transposed:  # a convolution of the image with zeros between its pixels, by the mirrored kernel
        reach = [d * (k - 1) for d, k in zip(dilation, w.shape[2:], strict=True)]
        sides = [(r - p, r - p + e) for r, p, e in zip(reach, padding, extra, strict=True)]
        w = jnp.flip(w, tuple(range(2, w.ndim)))
        w = jnp.swapaxes(w.reshape(groups, -1, *w.shape[1:]), 1, 2).reshape(-1, w.shape[0] // groups, *w.shape[2:])
        stride, spread = spread, stride
    y = jax.lax.conv_general_dilated(
        batched, w, stride, sides, lhs_dilation=spread, rhs_dilation=dilation, feature_group_count=groups,
        dimension_numbers=(f"NC{axes}", f"OI{axes}", f"NC{axes}"),
    )  # fmt: skip
    y = y if bias is None else y + bias.reshape((-1,) + (1,) * n)
    return y if batched is x else y[0]


def _windows(x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool, n: int) -> dict[str, Any]:
    """The windows of a pooling, as jax.lax.reduce_window takes them. ceil lets the last one reach over the end if it begins within the image."""
    kernel, padding, dilation = _each(kernel, n), _each(padding, n), _each(dilation, n)
    stride = _each(stride, n) if stride else kernel
    sides = []
    for size, k, s, p, d in zip(x.shape[-n:], kernel, stride, padding, dilation, strict=True):
        reach, room = d * (k - 1) + 1, size + 2 * p
        count = (math.ceil if ceil else math.floor)((room - reach) / s) + 1
        count -= ceil and (count - 1) * s >= size + p
        sides.append((p, max(p, (count - 1) * s + reach - size - p)))
    one = (1,) * (x.ndim - n)
    return {
        "window_dimensions": (*one, *kernel), "window_strides": (*one, *stride), "padding": ((0, 0),) * len(one) + tuple(sides),
        "window_dilation": (*one, *dilation),
    }  # fmt: skip


def _max_pool(n: int) -> Any:
    def pool(x: Any, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil: bool = False) -> tuple[Any, Any]:
        lowest = -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
        return jax.lax.reduce_window(x, jnp.asarray(lowest, x.dtype), jax.lax.max, **_windows(x, kernel, stride, padding, dilation, ceil, n)), None

    return pool


def _avg_pool(n: int) -> Any:
    def pool(
        x: Any, kernel: Any, stride: Any = (), padding: Any = 0, ceil: bool = False, count_include_pad: bool = True, divisor: int | None = None
    ) -> Any:
        windows = _windows(x, kernel, stride, padding, 1, ceil, n)

        def total(value: Any, given: tuple[tuple[int, int], ...]) -> Any:
            return jax.lax.reduce_window(value, jnp.zeros((), value.dtype), jax.lax.add, **{**windows, "padding": given})

        if divisor is None:
            counted = jnp.ones(x.shape, x.dtype)
            around = windows["padding"]
            if count_include_pad:  # the padding that was asked for counts, what ceil adds does not
                own = ((0, 0),) * (x.ndim - n) + tuple((p, p) for p in _each(padding, n))
                counted = jax.lax.pad(counted, jnp.ones((), x.dtype), [(low, high, 0) for low, high in own])
                around = tuple((0, max(0, high - p)) for (_, high), (_, p) in zip(around, own, strict=True))
            return total(x, windows["padding"]) / total(counted, around)
        return total(x, windows["padding"]) / divisor

    return pool


def _along(x: Any, axis: int, matrix: np.ndarray) -> Any:
    """An axis of x as sums of its elements, by a matrix of (new size, old size)."""
    return jnp.moveaxis(jnp.tensordot(x, jnp.asarray(matrix, x.dtype), ([axis], [1])), -1, axis)


def _adaptive_average(x: Any, size: Sequence[int]) -> Any:
    for axis, new in zip(range(-len(size), 0), size, strict=True):
        old = x.shape[axis]
        matrix = np.zeros((new, old))
        for i in range(new):
            first, behind = i * old // new, -(-(i + 1) * old // new)
            matrix[i, first:behind] = 1 / (behind - first)
        x = _along(x, axis, matrix)
    return x


def _sizes(x: Any, size: Any, factors: Any, n: int) -> list[tuple[int, int, float]]:
    """Axis, new size and old pixels for each new one of an image that gets another size."""
    found = []
    for i in range(n):
        axis = i - n
        old = x.shape[axis]
        new = size[i] if size is not None else math.floor(old * factors[i])
        found.append((axis, new, 1 / factors[i] if factors else old / new))
    return found


def _nearest(n: int) -> Any:
    def upsample(x: Any, size: Any, factors: Any = None) -> Any:
        for axis, new, step in _sizes(x, size, factors, n):
            at = np.minimum(np.floor(np.arange(new) * np.float32(step)).astype(int), x.shape[axis] - 1)
            x = jnp.take(x, jnp.asarray(at), axis)
        return x

    return upsample


def _linear(n: int) -> Any:
    def upsample(x: Any, size: Any, align_corners: bool, factors: Any = None) -> Any:
        for axis, new, step in _sizes(x, size, factors, n):
            old = x.shape[axis]
            if align_corners:
                at = np.arange(new) * ((old - 1) / (new - 1) if new > 1 else 0)
            else:
                at = np.maximum((np.arange(new) + 0.5) * step - 0.5, 0)
            low = np.minimum(np.floor(at).astype(int), old - 1)
            matrix = np.zeros((new, old))
            np.add.at(matrix, (np.arange(new), low), 1 - (at - low))
            np.add.at(matrix, (np.arange(new), np.minimum(low + 1, old - 1)), at - low)
            x = _along(x, axis, matrix)
        return x

    return upsample


WINDOWS = {
    "convolution": _convolution, "max_pool2d_with_indices": _max_pool(2), "max_pool3d_with_indices": _max_pool(3),
    "avg_pool1d": _avg_pool(1), "avg_pool2d": _avg_pool(2), "avg_pool3d": _avg_pool(3),
    "_adaptive_avg_pool2d": _adaptive_average, "_adaptive_avg_pool3d": _adaptive_average,
    "upsample_nearest1d.vec": _nearest(1), "upsample_nearest2d.vec": _nearest(2), "upsample_nearest3d.vec": _nearest(3),
    "upsample_linear1d.vec": _linear(1), "upsample_bilinear2d.vec": _linear(2), "upsample_trilinear3d.vec": _linear(3),
}  # fmt: skip
"""The operations by their names."""
