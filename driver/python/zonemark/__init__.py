"""Measures native kernels, and the dispatches inside them, with the zonemark binary that this package carries.

    import zonemark

    run = zonemark.run("suite.toml", mode="cold", max_time=0.5, on_result=lambda r: print(r.name, r.median_ns))
    for result in run.results:
        for dispatch in result.dispatches:
            print(dispatch.name, dispatch.median_ns)
    table = run.dispatches_to_pandas()
    run = zonemark.measure(library.saxpy, 4096, 2.0, x, y)     # a function of ctypes, cffi or numba, or of Python
    table = zonemark.open_trace("run.tracy").statistics_to_pandas()

All measuring happens in the binary. Results are in nanoseconds per call and in bytes; times that are handed over are in
seconds.
"""

__all__ = [
    "Argument",
    "ArgumentError",
    "BinaryError",
    "Comparison",
    "Crash",
    "Dispatch",
    "Dropped",
    "End",
    "Error",
    "FunctionError",
    "Header",
    "HostTimes",
    "Interrupted",
    "JournalError",
    "Picture",
    "Result",
    "Row",
    "Run",
    "SimulatedCore",
    "SimulatedZone",
    "Trace",
    "TraceWarning",
    "UnknownArgumentError",
    "Zone",
    "ZoneStatistics",
    "compare",
    "load",
    "measure",
    "open_trace",
    "run",
]

TYPE_CHECKING = False  # but not for those who check types; importing typing would take most of the time
if TYPE_CHECKING:
    from zonemark.comparison import Comparison, Row, compare
    from zonemark.errors import (
        ArgumentError,
        BinaryError,
        Error,
        FunctionError,
        Interrupted,
        JournalError,
        TraceWarning,
        UnknownArgumentError,
    )
    from zonemark.journal import Run, load
    from zonemark.launch import run
    from zonemark.measurement import measure
    from zonemark.picture import Picture
    from zonemark.records import Argument, Crash, Dispatch, Dropped, End, Header, HostTimes, Result, SimulatedCore, SimulatedZone
    from zonemark.trace import Trace, Zone, ZoneStatistics, open_trace

    __version__: str
else:
    # Importing all modules takes longer than a program should wait that may not need them. No module has the name of
    # something in it that is used from here: whoever imports the module would replace the other.
    _MODULES = {
        "comparison": ("Comparison", "Row", "compare"),
        "errors": (
            *("ArgumentError", "BinaryError", "Error", "FunctionError", "Interrupted", "JournalError", "TraceWarning"),
            "UnknownArgumentError",
        ),
        "journal": ("Run", "load"),
        "launch": ("run",),
        "measurement": ("measure",),
        "picture": ("Picture",),
        "records": ("Argument", "Crash", "Dispatch", "Dropped", "End", "Header", "HostTimes", "Result", "SimulatedCore", "SimulatedZone"),
        "trace": ("Trace", "Zone", "ZoneStatistics", "open_trace"),
    }
    _MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

    def __getattr__(name: str) -> object:
        """What is first used of the package, or its version: "devel" for sources that are not installed."""
        import importlib

        if module := _MODULE_OF.get(name):
            value = getattr(importlib.import_module(f"zonemark.{module}"), name)
        elif name == "__version__":
            value = _version()
        else:
            raise AttributeError(f"module 'zonemark' has no attribute {name!r}", name=name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """The names for completion."""
        return sorted({*globals(), *__all__, "__version__"})

    def _version() -> str:
        from importlib import metadata

        try:
            return metadata.version("zonemark")
        except metadata.PackageNotFoundError:
            return "devel"
