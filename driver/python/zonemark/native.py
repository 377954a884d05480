"""Finds out what a native function is that Python can call: its library, its symbol and the types of its parameters.

Functions come from ctypes, from cffi's ABI mode, and from numba's cfunc.
"""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zonemark.errors import FunctionError

VOID = "void"

_CTYPES: Any = ctypes._CFuncPtr  # type: ignore[attr-defined]  # what all functions of ctypes are instances of


@dataclass
class Type:
    """A type of C: a number, or a pointer to numbers. ``pointer`` to "void" takes arrays of any type."""

    name: str
    pointer: bool = False

    def __str__(self) -> str:
        """As C writes it."""
        return self.name + " *" * self.pointer


@dataclass
class Native:
    """A native function."""

    name: str
    library: Path
    symbol: str
    parameters: list[Type]
    result: Type


def is_native(function: object) -> bool:
    """Whether ``describe`` is for this object."""
    return isinstance(function, _CTYPES) or _is_cffi(function) or _is_numba(function)


def describe(function: Any, folder: Path) -> Native:
    """Says what a native function is. A shared library that must be made for it goes to the folder.

    Raises FunctionError with a remedy if the function cannot be called from another process, or tells too little.
    """
    if isinstance(function, _CTYPES):
        return _of_ctypes(function)
    if _is_cffi(function):
        return _of_cffi(function)
    from zonemark import numba_library

    return numba_library.describe(function, folder)


def _is_cffi(function: object) -> bool:
    return type(function).__module__ == "_cffi_backend" and not isinstance(function, type)


def _is_numba(function: object) -> bool:
    return type(function).__module__.startswith("numba.") and type(function).__name__ == "CFunc"


def _of_ctypes(function: Any) -> Native:
    name = getattr(function, "__name__", "")
    if function._flags_ & ctypes._FUNCFLAG_PYTHONAPI:  # type: ignore[attr-defined]
        raise FunctionError(f"{name}: a function of Python's own API works in this process only; measure a Python function")
    library, symbol = _library(ctypes.cast(function, ctypes.c_void_p).value or 0, name)
    name = name or symbol
    if function.argtypes is None:
        raise FunctionError(
            f"{name}: ctypes does not know its parameters; set {name}.argtypes, for example to "
            "[ctypes.c_long, ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p]"
        )
    return Native(name, library, symbol, *types_of(function, name))


def types_of(function: Any, name: str) -> tuple[list[Type], Type]:
    """The types of the parameters and of the result of a function of ctypes whose ``argtypes`` are set."""
    parameters = [_ctypes_type(t, f"{name}: argument {at}") for at, t in enumerate(function.argtypes, 1)]
    return parameters, _ctypes_type(function.restype, f"{name}: result") if function.restype else Type(VOID)


def _ctypes_type(kind: Any, what: str) -> Type:
    code = getattr(kind, "_type_", None)
    if hasattr(kind, "_dtype_"):  # numpy.ctypeslib.ndpointer
        from zonemark import arrays

        return Type(VOID if kind._dtype_ is None else arrays.element(_real(kind._dtype_), what), pointer=True)
    if code in ("P", "z"):
        return Type(VOID if code == "P" else "char", pointer=True)
    if isinstance(code, type):  # a pointer or an array
        inner = _ctypes_type(code, what)
        if inner.pointer:
            raise FunctionError(f"{what}: a pointer to a pointer cannot be handed over")
        return Type(inner.name, pointer=True)
    if isinstance(code, str) and code in "bhilqBHILQc":
        return Type(_integer(ctypes.sizeof(kind), code.islower()))
    if isinstance(code, str) and code in "?fd":
        return Type({"?": "bool", "f": "float", "d": "double"}[code])
    raise FunctionError(f"{what}: the type {getattr(kind, '__name__', kind)} cannot be handed over; use numbers and arrays")


def _real(dtype: Any) -> Any:
    """The type of the parts of complex numbers; other types as they are."""
    return dtype.type(0).real.dtype if dtype.kind == "c" else dtype


def _integer(size: int, signed: bool) -> str:
    return f"{'' if signed else 'u'}int{8 * size}_t"


def _of_cffi(function: Any) -> Native:
    import cffi

    ffi = cffi.FFI()
    try:
        kind = ffi.typeof(function)
    except TypeError:
        kind = None
    if kind is not None and kind.kind == "pointer":
        kind = kind.item
    if kind is None or kind.kind != "function":
        raise FunctionError(f"{function!r} is no function of a library; open the library with ffi.dlopen, and take one of its")
    library, symbol = _library(int(ffi.cast("uintptr_t", function)), "")
    if kind.ellipsis:
        raise FunctionError(f"{symbol}: it takes a variable number of arguments; declare them all in ffi.cdef")
    parameters = [_cffi_type(ffi, t, f"{symbol}: argument {at}") for at, t in enumerate(kind.args, 1)]
    return Native(symbol, library, symbol, parameters, _cffi_type(ffi, kind.result, f"{symbol}: result"))


def _cffi_type(ffi: Any, kind: Any, what: str) -> Type:
    if kind.kind == "void":
        return Type(VOID)
    if kind.kind == "pointer" and kind.item.kind in ("void", "primitive"):
        return Type(_cffi_type(ffi, kind.item, what).name, pointer=True)
    if kind.kind == "primitive" and kind.cname in ("float", "double", "_Bool"):
        return Type(kind.cname.replace("_Bool", "bool"))
    if kind.kind == "primitive" and kind.cname not in ("long double", "wchar_t") and "Complex" not in kind.cname:
        signed = kind.cname == "char" or int(ffi.cast(kind, -1)) < 0
        return Type(_integer(ffi.sizeof(kind), signed))
    raise FunctionError(f"{what}: the type {kind.cname} cannot be handed over; use numbers and arrays")


class _Found(ctypes.Structure):
    """What dladdr tells: Dl_info of dlfcn.h."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def _library(address: int, name: str) -> tuple[Path, str]:
    """The file with the function at an address, and the function's symbol there."""
    what = name or f"the function at {address:#x}"
    if sys.platform == "win32":
        raise FunctionError(f"{what}: executors do not start on Windows")
    this = ctypes.CDLL(None)
    found = _Found()
    if not this.dladdr(ctypes.c_void_p(address), ctypes.byref(found)) or not found.file:
        raise FunctionError(f"{what}: it belongs to no library, so that no other process can call it; take one of a library")
    path = Path(os.fsdecode(found.file)).absolute()
    symbol = os.fsdecode(found.symbol) if found.symbol and found.address == address else ""
    if name and _holds(path, name, address):
        symbol = name
    if not symbol:
        raise FunctionError(f"{what}: {path} exports no function at this address; export it, or take another one")
    if not path.is_file():
        raise FunctionError(f"{what}: its library {path} is not there; load it by an absolute path, and keep the file")
    return path, symbol


def _holds(path: Path, name: str, address: int) -> bool:
    """Whether a library, which is loaded, has the address under this name."""
    try:
        function = getattr(ctypes.CDLL(str(path)), name)
    except (OSError, AttributeError):
        return False
    return ctypes.cast(function, ctypes.c_void_p).value == address
