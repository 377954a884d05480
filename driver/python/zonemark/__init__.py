"""Measures native kernels, and the dispatches inside them, with the zonemark binary that this package carries.

    import zonemark

    run = zonemark.run("suite.toml", mode="cold", on_result=lambda r: print(r.name, r.median_ns))
    for result in run.results:
        for dispatch in result.dispatches:
            print(dispatch.name, dispatch.median_ns)
    table = run.dispatches_to_pandas()
    run = zonemark.measure(library.saxpy, 4096, 2.0, x, y)     # a function of ctypes, cffi or numba, or of Python

All measuring happens in the binary; times are in nanoseconds per call, sizes in bytes.
"""

from typing import Any

from zonemark.compare import Comparison, Row, compare
from zonemark.errors import Error, Interrupted
from zonemark.journal import Run, load
from zonemark.launch import run
from zonemark.measure import measure
from zonemark.records import Argument, Crash, Dispatch, End, Header, HostTimes, Result, SimulatedCore, SimulatedZone

__all__ = [
    "Argument",
    "Comparison",
    "Crash",
    "Dispatch",
    "End",
    "Error",
    "Header",
    "HostTimes",
    "Interrupted",
    "Result",
    "Row",
    "Run",
    "SimulatedCore",
    "SimulatedZone",
    "compare",
    "load",
    "measure",
    "run",
]


def __getattr__(name: str) -> Any:
    """The version, which is looked up when somebody asks: "devel" for sources that are not installed."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import metadata

    try:
        return metadata.version("zonemark")
    except metadata.PackageNotFoundError:
        return "devel"
