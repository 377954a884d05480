"""What goes wrong with a model, and the place in the model's own file where it does."""

import inspect
import os
import re
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal

Kind = Literal["unknown-model", "unknown-config", "config-required", "mistake", "exception", "return-value", "shape", "unsupported"]
"""What kind of failure it is: names and options that fit no model, a file that cannot be read as models, a model that raises, returns what is no
model or computes with shapes that do not fit, and what a model or the exporter does not do."""

_SHAPES = re.compile(r"shape|dimension|rank|broadcast|incompatible|size|axis|axes", re.IGNORECASE)


class Failure(Exception):
    """A failure that is the model's or the caller's, with the file and the line to look at ("" and 0 where there is none)."""

    def __init__(self, kind: Kind, message: str, file: str = "", line: int = 0) -> None:
        """A failure at a place in the model's file."""
        super().__init__(message)
        self.kind, self.file, self.line = kind, file, line


def of_exception(error: BaseException, function: Callable[..., Any], doing: str) -> Failure:
    """What a model's function, or one that it returned, raised while it was called, placed in the model's file."""
    if isinstance(error, Failure):
        return error
    file, first_line = place_of(function)
    line, raised_here = line_in(error.__traceback__, file)
    if line == 0:  # a function of another file of the model's folder
        file, line, raised_here = _innermost_beside(error.__traceback__, file) or (file, first_line, False)
    shapes = isinstance(error, (TypeError, ValueError)) and not raised_here and _SHAPES.search(str(error))
    return Failure("shape" if shapes else "exception", f"{doing}: {described(error)}", file, line)


def place_of(*functions: Callable[..., Any]) -> tuple[str, int]:
    """The file and the line where the first of the functions that is written in Python is defined; "" and 0 if none is."""
    for function in functions:
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is not None:
            return os.path.abspath(code.co_filename), code.co_firstlineno
    return "", 0


def line_in(trace: TracebackType | None, file: str) -> tuple[int, bool]:
    """The line of the innermost frame in a file, 0 if there is none, and whether it is the innermost of all."""
    line, innermost = 0, False
    for frame, at in traceback.walk_tb(trace):
        innermost = os.path.abspath(frame.f_code.co_filename) == file
        line = at if innermost else line
    return line, innermost


def described(error: BaseException) -> str:
    """An exception as its type and the first paragraph of its message; JAX and Keras append pages."""
    paragraph = str(error).strip().split("\n\n")[0]
    return f"{type(error).__name__}: {paragraph}" if paragraph else type(error).__name__


def _innermost_beside(trace: TracebackType | None, file: str) -> tuple[str, int, bool] | None:
    folder = os.path.dirname(file) + os.sep
    found = None
    for frame, at in traceback.walk_tb(trace):
        name = os.path.abspath(frame.f_code.co_filename)
        if os.path.dirname(name) + os.sep == folder:
            found = (name, at, True)
        elif found:
            found = (*found[:2], False)
    return found
