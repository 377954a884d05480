"""Measures pipelines with zonemark and with RunGen in turns and prints the ratios; see halide.sh.

Usage: halidepeers.py ZONEMARK RUNGEN LIBRARY FOLDER ROUNDS
"""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # leaves nothing beside the scripts
import turns

zonemark, rungen, library, folder, rounds = sys.argv[1:5] + [int(sys.argv[5])]
PIPELINES = ["tiny", "gaussian", "matmul", "sobel"]
SECONDS = 0.1  # of a launch


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HL_NUM_THREADS": "1"})
    if done.returncode != 0:
        raise SystemExit("%s failed:\n%s" % (" ".join(command[:4]), (done.stderr or done.stdout)[-2000:]))
    return done.stdout


def ours(name, figure):
    """The median or the least time of a call in ns. That of the tiny one is raw, the loop included, as RunGen's is."""
    out = run(zonemark, "run", "-q", "--task-threads", "1", "--precision", "0", "--min-time", "%gs" % SECONDS, "--launches", "1",
              "--format", "ndjson", "--function", name, library)
    result = next(r for r in map(json.loads, out.splitlines()) if r.get("kind", "result") == "result")
    return result[figure] + (result["overhead_ns"] if name == "tiny" else 0)


def theirs(name):
    """RunGen's best time of a call in ns. It is the least of some samples, each the mean of many calls."""
    out = run(rungen, "--name=" + name, "--benchmarks=all", "--benchmark_min_time=%g" % SECONDS, "--estimate_all", "--parsable_output")
    return next(1e6 * float(line.split()[2]) for line in out.splitlines() if line.split()[1:2] == ["BEST_TIME_MSEC_PER_ITER"])


turns.on_one_cpu()
clock, table = turns.Clock(folder), turns.Table()
for name in PIPELINES:
    times, chain = turns.take({
        "median": lambda: ours(name, "median_ns"),
        "least": lambda: ours(name, "min_ns"),
        "RunGen": lambda: theirs(name),
    }, rounds, clock)
    for figure in ("median", "least"):
        goal = (None, 1) if name == "tiny" else (0.98, 1.02)
        table.row("%s: %s / RunGen's best" % (name, figure), times[figure], times["RunGen"], chain, *goal)
sys.exit(table.missed)
