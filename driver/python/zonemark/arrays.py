"""NumPy arrays as the contents of arguments: files in NumPy's format, which the binary reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from zonemark.errors import ArgumentError, Error

if TYPE_CHECKING:
    import numpy

_PLAIN = {"bool": "bool", "float16": "float16_t", "bfloat16": "bfloat16_t", "float32": "float", "float64": "double"}


def is_array(value: object) -> bool:
    """Whether a value is a NumPy array, without importing NumPy."""
    kind = type(value)
    return any(one.__module__ == "numpy" and one.__name__ == "ndarray" for one in kind.__mro__)


def dense(array: Any, what: str) -> numpy.ndarray[Any, Any]:
    """The array as a dense one in row-major order over the same memory.

    Complex numbers become pairs in a further dimension. Raises ArgumentError, naming the argument, for what has no such form.
    """
    import numpy

    if not array.flags.c_contiguous:
        if not array.flags.f_contiguous:
            raise ArgumentError(f"{what}: the array has gaps (strides {array.strides}); pass numpy.ascontiguousarray of it", what)
        array = array.T  # column-major memory is row-major memory of the transpose
    if array.size == 0:
        raise ArgumentError(f"{what}: the array is empty; pass one with at least one element", what)
    if not array.dtype.isnative:
        raise ArgumentError(f"{what}: the array has foreign byte order; pass array.astype(array.dtype.newbyteorder('='))", what)
    if array.dtype.name in ("complex64", "complex128"):
        real = numpy.dtype(f"float{array.dtype.itemsize * 4}")
        return array.reshape(*array.shape, 1).view(real)  # type: ignore[no-any-return]
    element(array.dtype, what)
    return array  # type: ignore[no-any-return]


def element(dtype: Any, what: str) -> str:
    """C's name of an element type. Raises ArgumentError, naming the argument, if it has none."""
    if dtype.name in _PLAIN:
        return _PLAIN[dtype.name]
    if dtype.kind in "iu" and dtype.itemsize <= 8:
        return f"{'u' if dtype.kind == 'u' else ''}int{8 * dtype.itemsize}_t"
    raise ArgumentError(f"{what}: arrays of {dtype} cannot be handed over; use booleans, integers, floats or complex numbers", what)


def save(array: numpy.ndarray[Any, Any], path: Path) -> Path:
    """Writes a dense array to a file and returns its path."""
    import numpy

    try:
        numpy.save(path, array, allow_pickle=False)
    except OSError as error:
        raise Error(f"write the array to {path}: {error}") from error
    return path
