"""The operations into which torch.export divides a module, in JAX: the core of ATen, PyTorch's library of operators.

https://docs.pytorch.org/docs/stable/torch.compiler_ir.html lists them. A function here has the parameters of the operator of its name; it has that
name, or one with the overload behind it, where overloads differ in more than their types. Nothing here needs PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from zonemark.models.exporter.aten_windows import WINDOWS

Operation = Callable[..., Any]


def dtype_of(kind: Any) -> Any:
    """The element type of JAX for one of PyTorch's; None for None. Integers have the size that JAX gives them."""
    return None if kind is None else jax.dtypes.canonicalize_dtype(jnp.dtype(str(kind).removeprefix("torch.")))


def operation(name: str) -> Operation | None:
    """The function for an operator such as "add.Tensor"; None if there is none."""
    return OPERATIONS.get(name) or OPERATIONS.get(name.split(".")[0])


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, Sequence) and dim else None if isinstance(dim, Sequence) else dim


def _reduction(function: Operation) -> Operation:
    def reduce(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
        x = x if dtype is None else x.astype(dtype_of(dtype))
        return function(x, axis=_axes(dim), keepdims=keepdim)

    return reduce


def _with_position(values: Operation, positions: Operation) -> Operation:
    return lambda x, dim, keepdim=False: (values(x, axis=dim, keepdims=keepdim), positions(x, axis=dim, keepdims=keepdim))


def _var(x: Any, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> Any:
    return jnp.var(x, axis=_axes(dim), ddof=1 if correction is None else correction, keepdims=keepdim)


def _div(x: Any, y: Any, *, rounding_mode: str | None = None) -> Any:
    if rounding_mode == "floor":
        return jnp.floor_divide(x, y)
    quotient = jnp.divide(x, y)
    return quotient if rounding_mode is None else jnp.trunc(quotient).astype(jnp.result_type(x, y))


def _slice(x: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    return x[(slice(None),) * (dim % x.ndim) + (slice(start, end, step),)]


def _indexed(x: Any, indices: Sequence[Any]) -> Any:
    return x[tuple(slice(None) if index is None else index for index in indices)]


def _gathered(x: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    sizes = [slice(None) if axis == dim % x.ndim else slice(size) for axis, size in enumerate(index.shape)]
    return jnp.take_along_axis(x[tuple(sizes)], index, dim)


def _put(x: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    at = x.at[tuple(slice(None) if index is None else index for index in indices)]
    return at.add(values) if accumulate else at.set(values)


def _split(x: Any, sizes: Any, dim: int = 0) -> list[Any]:
    if isinstance(sizes, int):
        sizes = [sizes] * (x.shape[dim] // sizes) + [x.shape[dim] % sizes] * (x.shape[dim] % sizes > 0)
    return list(jnp.split(x, np.cumsum(sizes)[:-1].tolist(), axis=dim))


def _squeezed(x: Any, dim: Any = None) -> Any:
    dims = range(x.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    return jnp.squeeze(x, tuple(d for d in dims if x.ndim and x.shape[d] == 1))


def _expand(x: Any, size: Sequence[int], *, implicit: bool = False) -> Any:
    own = (1,) * (len(size) - x.ndim) + x.shape
    return jnp.broadcast_to(x, [o if s == -1 else s for o, s in zip(own, size, strict=True)])


def _padded(x: Any, pad: Sequence[int], value: Any = 0) -> Any:
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)][::-1]  # the last axis is the first pair
    return jax.lax.pad(x, jnp.asarray(value, x.dtype), [(0, 0, 0)] * (x.ndim - len(pairs)) + [(low, high, 0) for low, high in pairs])


def _sort(x: Any, dim: int = -1, descending: bool = False) -> tuple[Any, Any]:
    order = jnp.argsort(x, axis=dim, stable=True, descending=descending)
    return jnp.take_along_axis(x, order, dim), order


def _topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    values, order = _sort(x, dim, largest)
    return _slice(values, dim, 0, k), _slice(order, dim, 0, k)


def _unfold(x: Any, dim: int, size: int, step: int) -> Any:
    at = np.arange(0, x.shape[dim] - size + 1, step)[:, None] + np.arange(size)
    return jnp.moveaxis(jnp.take(x, at, dim), dim % x.ndim + 1, -1)


def _clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    return jnp.clip(x, min, max)


def _addmm(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = jnp.matmul(a, b) if alpha == 1 else alpha * jnp.matmul(a, b)
    return product + (x if beta == 1 else beta * x)


def _batch_norm(x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float) -> tuple[Any, ...]:
    def across(value: Any) -> Any:
        return value.reshape((1, -1) + (1,) * (x.ndim - 2))

    y = (x - across(mean)) * jax.lax.rsqrt(across(var) + eps)
    y = y if weight is None else y * across(weight)
    return (y if bias is None else y + across(bias)), None, None


def _normalized(x: Any, axes: tuple[int, ...], eps: float) -> Any:
    mean = x.mean(axes, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(axes, keepdims=True) + eps)


def _layer_norm(x: Any, shape: Sequence[int], weight: Any, bias: Any, eps: float) -> tuple[Any, ...]:
    y = _normalized(x, tuple(range(-len(shape), 0)), eps)
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias), None, None


def _group_norm(x: Any, weight: Any, bias: Any, n: int, c: int, size: int, group: int, eps: float) -> tuple[Any, ...]:
    y = _normalized(x.reshape(n, group, -1), (2,), eps).reshape(x.shape)
    across = (1, -1) + (1,) * (x.ndim - 2)
    y = y if weight is None else y * weight.reshape(across)
    return (y if bias is None else y + bias.reshape(across)), None, None


def _full(size: Sequence[int], value: Any, *, dtype: Any = None, **_: Any) -> Any:
    return jnp.full(tuple(size), value, dtype_of(dtype))


def _like(value: Any = 0) -> Operation:
    return lambda x, fill=value, *, dtype=None, **_: jnp.full(x.shape, fill, dtype_of(dtype) or x.dtype)


def _arange(start: Any, end: Any, step: Any = 1, *, dtype: Any = None, **_: Any) -> Any:
    return jnp.arange(start, end, step, dtype=dtype_of(dtype))


def _copy(x: Any, *, dtype: Any = None, **_: Any) -> Any:
    return x if dtype is None else x.astype(dtype_of(dtype))


def _same(x: Any, *_: Any, **__: Any) -> Any:
    return x


def _gelu(x: Any, *, approximate: str = "none") -> Any:
    return jax.nn.gelu(x, approximate=approximate == "tanh")


def _elu(x: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    return scale * jnp.where(x > 0, x, alpha * jnp.expm1(jnp.minimum(x, 0) * input_scale))


def _softplus(x: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    return jnp.where(x * beta > threshold, x, jax.nn.softplus(x * beta) / beta)


_UNARY = {
    name: getattr(jnp, name)
    for name in (
        "abs ceil cos cosh erf exp expm1 floor isinf isnan log log10 log1p log2 logical_not reciprocal round sign sin sinh sqrt tan tanh trunc"
        " arccos arccosh arcsin arcsinh arctan arctanh"
    ).split()
    if hasattr(jnp, name)
}
_BINARY = {
    name: getattr(jnp, name)
    for name in "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor maximum minimum fmod remainder matmul".split()
}

OPERATIONS: dict[str, Operation] = (
    WINDOWS
    | _UNARY
    | _BINARY
    | {"a" + name.removeprefix("arc"): function for name, function in _UNARY.items() if name.startswith("arc")}
    | {
        "neg": jnp.negative, "erf": jax.scipy.special.erf, "rsqrt": jax.lax.rsqrt, "relu": jax.nn.relu, "sigmoid": jax.nn.sigmoid,
        "bitwise_not": jnp.bitwise_not, "gelu": _gelu, "elu": _elu, "softplus": _softplus, "silu": jax.nn.silu,
        "leaky_relu": lambda x, slope=0.01: jnp.where(x > 0, x, x * slope), "hardtanh": lambda x, low=-1, high=1: jnp.clip(x, low, high),
        "hardsigmoid": lambda x: jnp.clip(x / 6 + 0.5, 0, 1), "hardswish": lambda x: x * jnp.clip(x / 6 + 0.5, 0, 1),
        "add": lambda x, y, *, alpha=1: x + (y if alpha == 1 else alpha * y), "sub": lambda x, y, *, alpha=1: x - (y if alpha == 1 else alpha * y),
        "rsub": lambda x, y, alpha=1: y - (x if alpha == 1 else alpha * x), "mul": jnp.multiply, "div": _div, "pow": jnp.power, "atan2": jnp.arctan2,
        "eq": jnp.equal, "ne": jnp.not_equal, "lt": jnp.less, "le": jnp.less_equal, "gt": jnp.greater, "ge": jnp.greater_equal,
        "where": jnp.where, "clamp": _clamp, "masked_fill": lambda x, mask, value: jnp.where(mask, jnp.asarray(value, x.dtype), x),
        "mm": jnp.matmul, "bmm": jnp.matmul, "dot": jnp.matmul, "addmm": _addmm, "baddbmm": _addmm,
        "linear": lambda x, w, bias=None: x @ w.T if bias is None else x @ w.T + bias,
        "sum": _reduction(jnp.sum), "mean": _reduction(jnp.mean), "amax": _reduction(jnp.max), "amin": _reduction(jnp.min),
        "prod": _reduction(jnp.prod), "any": _reduction(jnp.any), "all": _reduction(jnp.all), "var": _var,
        "argmax": _reduction(jnp.argmax), "argmin": _reduction(jnp.argmin), "max": jnp.max, "min": jnp.min,
        "max.dim": _with_position(jnp.max, jnp.argmax), "min.dim": _with_position(jnp.min, jnp.argmin),
        "cumsum": lambda x, dim, *, dtype=None: jnp.cumsum(x, dim, dtype=dtype_of(dtype)), "sort": _sort, "topk": _topk,
        "_softmax": lambda x, dim, half: jax.nn.softmax(x, dim), "_log_softmax": lambda x, dim, half: jax.nn.log_softmax(x, dim),
        "_native_batch_norm_legit_no_training": _batch_norm, "native_layer_norm": _layer_norm, "native_group_norm": _group_norm,
        "view": jnp.reshape, "reshape": jnp.reshape, "_unsafe_view": jnp.reshape, "permute": jnp.transpose, "unsqueeze": jnp.expand_dims,
        "transpose": jnp.swapaxes, "t": jnp.transpose,
        "squeeze": _squeezed, "expand": _expand, "repeat": jnp.tile, "cat": lambda parts, dim=0: jnp.concatenate(parts, dim),
        "stack": lambda parts, dim=0: jnp.stack(parts, dim), "split": _split, "split_with_sizes": _split, "slice": _slice,
        "select": lambda x, dim, index: jax.lax.index_in_dim(x, index, dim, keepdims=False), "index": _indexed, "index_put": _put,
        "index_select": lambda x, dim, index: jnp.take(x, index, dim), "gather": _gathered,
        "embedding": lambda weight, index, *_: weight[index], "flip": lambda x, dims: jnp.flip(x, tuple(dims)),
        "roll": lambda x, shifts, dims=(): jnp.roll(x, tuple(shifts), tuple(dims) or None), "constant_pad_nd": _padded,
        "unfold": _unfold,
        "tril": lambda x, diagonal=0: jnp.tril(x, diagonal), "triu": lambda x, diagonal=0: jnp.triu(x, diagonal),
        "full": _full, "zeros": lambda size, **options: _full(size, 0, **options), "ones": lambda size, **options: _full(size, 1, **options),
        "full_like": _like(), "zeros_like": _like(0), "ones_like": _like(1), "arange": _arange,
        "scalar_tensor": lambda value, *, dtype=None, **_: jnp.asarray(value, dtype_of(dtype)),
        "_to_copy": _copy, "to": _copy, "clone": _same, "alias": _same, "detach": _same, "lift_fresh_copy": _same,
        "_assert_async": _same, "_assert_scalar": _same, "_assert_tensor_metadata": _same,
    }
)  # fmt: skip
