"""Hands a Python callable to other interpreters, where it is timed."""

from __future__ import annotations

import functools
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from zonemark.errors import FunctionError
from zonemark.suite import Suite


def suite(function: Callable[..., Any], arguments: Sequence[Any], folder: Path) -> list[Suite]:
    """Writes the callable and its arguments to the folder; returns the suite that measures it.

    Raises FunctionError with a remedy if another interpreter cannot have them.
    """
    if not callable(function):
        raise FunctionError(f"{function!r:.80} cannot be called; pass a function and its arguments")
    name = name_of(function)
    folders = [os.path.abspath(entry) for entry in sys.path]
    recorded = {"path": folders, "call": _pickled(name, function, tuple(arguments))}
    path = folder / "call.pickle"
    path.write_bytes(pickle.dumps(recorded))
    if not sys.executable:
        raise FunctionError(f"{name}: this Python does not know the path of its interpreter (sys.executable)")
    words = [sys.executable, str(Path(__file__).with_name("worker.py")), str(path)]
    return [{"name": _literal(name), "runtime": "python", "command": [_literal(word) for word in words]}]


def name_of(function: Any) -> str:
    """The name of a callable for people."""
    if isinstance(function, functools.partial):
        return name_of(function.func)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return str(name or type(function).__qualname__)


def _pickled(name: str, function: Any, arguments: tuple[Any, ...]) -> bytes:
    try:
        import cloudpickle as pickler
    except ImportError:
        pickler = pickle
        inner = function
        while isinstance(inner, functools.partial):
            inner = inner.func
        if getattr(inner, "__module__", "") == "__main__":
            raise FunctionError(f"{name}: a fresh interpreter cannot import it from this script; {_REMEDY}") from None
    try:
        return bytes(pickler.dumps((function, arguments)))
    except Exception as error:  # whatever the objects raise
        remedy = _REMEDY if pickler is pickle else "hand over what can be pickled, or make it inside the function"
        raise FunctionError(f"{name}: it cannot be handed to a fresh interpreter: {error}; {remedy}") from error


_REMEDY = "put it into a module, or install cloudpickle (pip install cloudpickle)"


def _literal(text: str) -> str:
    """The text for a suite, where braces are placeholders."""
    return text.replace("{", "{{").replace("}", "}}")
