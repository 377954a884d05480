"""Calls as users write them; mypy --strict must find nothing. Nobody runs this file."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy
import pandas
from typing_extensions import assert_type

import zonemark

x = numpy.ones(16, "float32")

run = zonemark.run("suite.toml")
run = zonemark.run(Path("suite.toml"), max_time=2, min_time=timedelta(milliseconds=250), timeout="1m", memory=2**30, tolerance="1%", precision=0.01)
run = zonemark.run(["a.hat", "b.hat"], journal="j.ndjson", resume=True, mode="cold", function=["f", "g"], param={"M": [64, 128], "K": 4})
run = zonemark.run([{"artifact": "kernels.c", "arguments": {"x": x}, "axes": {"n": [64]}}], check=True, on_result=lambda result: print(result.name))
run = zonemark.run("model.mlir", input=[x, "4xf32=0.5", 3], expected_output=x, mode=["dispatch", "cold"], shell=True, via=None)
run = zonemark.run("model.mlir", input={"x": x, "y": "zeros"})
run = zonemark.measure(sum, [1, 2], max_time=0.5, launches=3, journal="j.ndjson", on_message=print)
run = zonemark.measure(sum, x, out=[x], verify=2 * x, mode="flush")

assert_type(run, zonemark.Run)
assert_type(run.results[0].median_ns, float | None)
assert_type(run.to_pandas(), pandas.DataFrame)
assert_type(run.dispatches_to_pandas(), pandas.DataFrame)
run.results[0].plot().save("picture.svg")

comparison = zonemark.compare(run, "old.ndjson", margin=0.02, fdr=True)
assert_type(comparison.rows[0].ratio, float | None)

trace = zonemark.open_trace("run.tracy")
assert_type(trace.zones(min_duration=1e-3, from_="1s", sort="duration", limit=10), Iterator[zonemark.Zone])
assert_type(trace.statistics(sort="self", self_=True), list[zonemark.ZoneStatistics])
assert_type(trace.zones_to_pandas(filter="matmul"), pandas.DataFrame)

try:
    zonemark.run("suite.toml")
except zonemark.ArgumentError as error:
    assert_type(error.argument, str)
    assert_type(error.run, zonemark.Run | None)
except zonemark.Interrupted as stopped:
    print(stopped.run.to_pandas())
