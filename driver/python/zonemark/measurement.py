"""Measures a function that Python can call, with the arguments that it would be called with."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zonemark import launch, words
from zonemark.errors import ArgumentError
from zonemark.journal import Run
from zonemark.records import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from zonemark import flags as keywords

    class Settings(keywords.Measure, total=False):
        """Keywords of ``zonemark.measure`` that are those of ``zonemark.run``."""

        journal: launch.StrPath | None
        on_result: Callable[[Result], object] | None
        on_message: Callable[[str], object] | None

_OF_RUN = ("journal", "on_result", "on_message")
_OF_THE_FUNCTION = ("function", "input", "param", "expected_output")  # flags that the function and its arguments become


def measure(
    function: Callable[..., Any],
    *arguments: Any,
    out: Sequence[Any] | None = None,
    verify: Any = None,
    **settings: Unpack[Settings],
) -> Run:
    """Measures one call of a function and returns the run, whose only result has the times.

    A native function (of ctypes, of cffi's ``dlopen``, or numba's ``cfunc``) is called in a sandboxed process, without
    Python. Its library is loaded there anew, so what was set up in this process is unknown to it. NumPy arrays are
    copied as they are now; the function does not change them here. Any other callable is timed in fresh Python
    interpreters, unconfined, as the note of its result says.

    Args:
        function: What is measured. A ctypes function needs ``argtypes``.
        arguments: Numbers and NumPy arrays for a native function; anything that can be pickled for another one.
        out: The arrays that a native function writes, themselves or by their position among the arguments, from 0.
            Without it, these are all arrays that are not read-only (``array.flags.writeable``).
        verify: What these arrays must hold after a call, in their order, and behind them the value that the function
            returns, if that shall be compared, too. A single array need not be in a list.
        settings: As those of ``zonemark.run``: ``journal=``, ``on_result=``, and flags such as ``tolerance=1e-4``.

    Raises:
        FunctionError: The function cannot be handed over.
        ArgumentError: An argument, of the function or of this one, is wrong.
        Error: zonemark could not do its work.
        Interrupted: Ctrl-C.
    """
    from zonemark import callables, flags, native, native_call

    known = [*_OF_RUN, *(name for name in flags.KINDS["run"] if name not in _OF_THE_FUNCTION)]
    words.check("measure", settings, known, flags.FORMERLY["run"].keys() - _OF_THE_FUNCTION)
    with tempfile.TemporaryDirectory(prefix="zonemark-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        if native.is_native(function):
            return native_call.run(native.describe(function, folder), arguments, out, verify, folder, settings)
        if out is not None or verify is not None:
            said = "out= and verify= are for native functions; the outputs of a Python function are not compared"
            raise ArgumentError(said, "verify" if out is None else "out")
        return launch.run(callables.suite(function, arguments, folder), **settings)
