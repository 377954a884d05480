"""Measures native kernels, and the dispatches inside them, with the zonemark binary that this package carries.

    import zonemark

    run = zonemark.run("suite.toml", mode="cold", on_result=lambda r: print(r.name, r.median_ns))
    for result in run.results:
        for dispatch in result.dispatches:
            print(dispatch.name, dispatch.median_ns)
    table = run.dispatches_to_pandas()

All measuring happens in the binary; times are in nanoseconds per call, sizes in bytes.
"""

from zonemark.errors import Error, Interrupted
from zonemark.journal import Run, load
from zonemark.launch import run
from zonemark.records import Argument, Crash, Dispatch, End, Header, Result, SimulatedCore, SimulatedZone

__all__ = ["Argument", "Crash", "Dispatch", "End", "Error", "Header", "Interrupted", "Result", "Run", "SimulatedCore", "SimulatedZone", "load", "run"]
