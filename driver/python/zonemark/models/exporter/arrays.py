"""Arrays of weights, inputs and results: their types, their names and their files."""

import sys
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from zonemark.models.exporter.module import Parameter, Tree


def is_float(dtype: Any) -> bool:
    """Whether an element type is a floating-point one, bfloat16 included."""
    return bool(jax.numpy.issubdtype(dtype, jax.numpy.floating))


def shape_of(leaf: Any, dtype: str) -> jax.ShapeDtypeStruct:
    """The shape and the element type with which a weight or an input is exported: floating-point ones in the type dtype, others as JAX has them."""
    if isinstance(leaf, Parameter):
        return jax.ShapeDtypeStruct(leaf.shape, dtype)
    if not hasattr(leaf, "dtype"):
        leaf = np.asarray(leaf)
    if leaf.dtype.kind in "OUSMm":
        raise TypeError(f"{leaf.dtype} is no element type of a program")
    own = jax.dtypes.canonicalize_dtype(leaf.dtype)
    return jax.ShapeDtypeStruct(tuple(leaf.shape), dtype if is_float(own) else own)


def value_of(leaf: Any, spec: jax.ShapeDtypeStruct, seed: int, name: str) -> np.ndarray:
    """The contents of a weight or an input in the type that it is exported with."""
    value = leaf.draw(seed, name) if isinstance(leaf, Parameter) else np.asarray(leaf)
    return np.asarray(value, dtype=spec.dtype, order="C")


def save(path: str, value: Any) -> None:
    """Writes a .npy file in C order. NumPy's format has no bfloat16: it is written as elements of two bytes, the type V2."""
    array = np.asarray(value, order="C")
    if array.dtype == jax.numpy.bfloat16:
        array = array.view(np.dtype("V2"))
    np.save(path, array, allow_pickle=False)


def accuracy(got: Sequence[Any], want: Sequence[Any]) -> dict[str, float]:
    """How near results are to exact ones: the cosine of the angle between them, the largest error, and the largest error relative to the exact value.

    Values smaller than the mean magnitude of their array count as the mean: an error of what is nearly nothing says nothing of the whole. Where a
    result is infinite or no number and not what the exact one is, the cosine is 0 and the errors are the largest number.
    """
    product, lengths, largest, relative = 0.0, [0.0, 0.0], 0.0, 0.0
    for a, b in zip(got, want, strict=True):
        if not is_float(b.dtype) or not b.size:
            continue
        a, b = (np.asarray(value, np.float64).ravel() for value in (a, b))
        product += float(a @ b)
        lengths = [lengths[0] + float(a @ a), lengths[1] + float(b @ b)]
        with np.errstate(invalid="ignore"):  # infinities, looked at below
            errors, sizes = np.where(a == b, 0.0, np.abs(a - b)), np.abs(b)
        if not np.isfinite(errors).all():
            return {"cosine": 0.0, "max_abs": sys.float_info.max, "max_rel": sys.float_info.max}
        largest = max(largest, float(errors.max()))
        floor = float(sizes.mean())
        if floor > 0:
            relative = max(relative, float((errors / np.maximum(sizes, floor)).max()))
    length = float(np.sqrt(lengths[0] * lengths[1]))
    return {"cosine": product / length if np.isfinite(length) and length else 1.0, "max_abs": largest, "max_rel": relative}


def names_of(tree: Tree, prefix: str) -> list[str]:
    """A name for every leaf: the prefix and its path, with slashes between."""
    return ["/".join([prefix, *map(_key, path)]) if path else prefix for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]]


def _key(key: Any) -> str:
    for attribute in ("key", "idx", "name"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)
