"""Schedules a small pipeline: schedule.py PLUGIN WEIGHTS PARALLELISM FEATURES writes its features to a file."""

import sys

import halide as hl

plugin, weights, parallelism, features = sys.argv[1:]
x, y = hl.Var("x"), hl.Var("y")
source = hl.ImageParam(hl.UInt(8), 2, "source")
rows, result = hl.Func("rows"), hl.Func("result")
padded = hl.BoundaryConditions.repeat_edge(source)
rows[x, y] = hl.cast(hl.UInt(16), padded[x - 1, y]) + padded[x, y] + padded[x + 1, y]
result[x, y] = hl.cast(hl.UInt(8), (rows[x, y - 1] + rows[x, y] + rows[x, y + 1]) / 9)
source.set_estimates([hl.Range(0, 1536), hl.Range(0, 1024)])
result.set_estimates([hl.Range(0, 1536), hl.Range(0, 1024)])

hl.load_plugin(plugin)
parameters = {"parallelism": parallelism, "beam_size": "1", "weights_path": weights}
scheduled = hl.Pipeline(result).apply_autoscheduler(
    hl.get_host_target(), hl.AutoschedulerParams("Adams2019", parameters)
)
with open(features, "wb") as file:
    file.write(bytes(scheduled.featurization))
