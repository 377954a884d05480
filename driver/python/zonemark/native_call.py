"""Hands a native function and its arguments to the binary, as a library, a prototype and files with arrays."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zonemark import arrays, launch, native
from zonemark.errors import ArgumentError
from zonemark.journal import Run

_NUMPY = {"float": "float32", "double": "float64"}  # other types are called as in C, without _t


def run(
    function: native.Native,
    arguments: Sequence[Any],
    out: Sequence[Any] | None,
    verify: Any,
    folder: Path,
    settings: Mapping[str, Any],
) -> Run:
    """Measures a call of the function; see ``zonemark.measure``. Files with its arrays go to the folder."""
    if len(arguments) != len(function.parameters):
        raise ArgumentError(
            f"{function.name}: it takes {len(function.parameters)} arguments, and {len(arguments)} are given", "arguments"
        )
    values = [_argument(function, at, value) for at, value in enumerate(arguments)]
    _refuse_shared(function, values)
    written = _written(function, values, arguments, out)
    declarations, scalars, inputs = [], {}, []
    for at, (kind, value) in enumerate(zip(function.parameters, values, strict=True)):
        name = f"arg{at + 1}"
        if not kind.pointer:
            declarations.append(f"{kind.name} {name}")
            scalars[name] = value
            continue
        shape = "".join(f"[{n}]" for n in value.shape or (1,))
        constant = "" if at in written else "const "
        declarations.append(f"{constant}{arrays.element(value.dtype, name)} {name}{shape}")
        inputs.append(f"{name}={arrays.save(value, folder / f'{name}.npy')}")
    references = _references(function, verify, [arguments[at] for at in written])
    returned = function.result.name if len(references) > len(written) else native.VOID
    return launch.run(
        os.fspath(function.library),
        function=f"{returned} {function.symbol}({', '.join(declarations) or 'void'})",
        param=scalars,
        input=inputs,
        expected_output=[f"@{arrays.save(one, folder / f'expected{at}.npy')}" for at, one in enumerate(references)],
        **settings,
    )


def _argument(function: native.Native, at: int, value: Any) -> Any:
    """The value as a text, or as a dense array."""
    kind, what = function.parameters[at], f"{function.name}: argument {at + 1}"
    if not kind.pointer:
        value = getattr(value, "value", value)  # of a number of ctypes
        try:
            if kind.name in ("float", "double"):
                return repr(float(value))
            return str(value.__index__() if kind.name != "bool" else int(bool(value)))
        except (TypeError, ValueError, AttributeError):
            raise ArgumentError(f"{what} is {kind}, and {value!r:.80} is given; pass a number", what) from None
    if not arrays.is_array(value):
        raise ArgumentError(f"{what} is {kind}, and {type(value).__name__} is given; pass a NumPy array", what)
    array = arrays.dense(value, what)
    given = arrays.element(array.dtype, what)
    if kind.name not in (native.VOID, given) and kind.name.lstrip("u") != given.lstrip("u") and kind.name != "char":
        raise ArgumentError(f"{what} is {kind}, and the array holds {value.dtype}; convert it", what)
    return array


def _refuse_shared(function: native.Native, values: Sequence[Any]) -> None:
    """Each array becomes one of its own, so that two which share memory would not do so in the call."""
    import numpy

    given = [(at, value) for at, value in enumerate(values, 1) if arrays.is_array(value)]
    for (first, one), (second, other) in itertools.combinations(given, 2):
        if numpy.may_share_memory(one, other):
            raise ArgumentError(
                f"{function.name}: arguments {first} and {second} share memory; pass a copy of one of them", "arguments"
            )


def _written(
    function: native.Native, values: Sequence[Any], given: Sequence[Any], out: Sequence[Any] | None
) -> list[int]:
    """The positions of the arrays that the function writes, in their order."""
    if out is None:
        return [at for at, v in enumerate(values) if arrays.is_array(v) and given[at].flags.writeable]
    arrays_given = [at for at, v in enumerate(values) if arrays.is_array(v)]
    positions = set()
    for one in [out] if arrays.is_array(out) else out:
        named = [at for at in arrays_given if (given[at] is one if arrays.is_array(one) else at == one)]
        if not named:
            raise ArgumentError(f"{function.name}: out= names {one!r:.80}, which is no array among the arguments", "out")
        positions.update(named)
    return sorted(positions)


def _references(function: native.Native, verify: Any, outputs: Sequence[Any]) -> list[Any]:
    """The expected outputs as dense arrays of the types and layouts of the outputs. The last may be the returned value."""
    if verify is None:
        return []
    import numpy

    models = list(outputs)
    if function.result.name != native.VOID and not function.result.pointer:
        models.append(numpy.empty(1, _NUMPY.get(function.result.name, function.result.name.removesuffix("_t"))))
    references = list(verify) if isinstance(verify, (list, tuple)) else [verify]
    if not references or not len(outputs) <= len(references) <= len(models):
        more = " and a return value" if len(models) > len(outputs) else ""
        raise ArgumentError(
            f"{function.name}: verify= has {len(references)} values, and the function has {len(outputs)} outputs{more}; "
            "name the arrays that it writes by out=",
            "verify",
        )
    found = []
    for at, (reference, model) in enumerate(zip(references, models, strict=False)):
        what = f"{function.name}: verify[{at}]"
        if numpy.ndim(reference) > 0 and numpy.shape(reference) != model.shape:
            raise ArgumentError(
                f"{what} has the shape {numpy.shape(reference)}, and the output {model.shape}; make them agree", "verify"
            )
        expected = numpy.empty_like(model)  # in the same order of rows and columns
        try:
            numpy.copyto(expected, reference, casting="same_kind")
        except TypeError:
            kind = numpy.asarray(reference).dtype
            raise ArgumentError(f"{what} holds {kind}, and the output {model.dtype}; convert it", "verify") from None
        found.append(arrays.dense(expected, what))
    return found
