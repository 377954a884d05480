"""Measures a model on IREE with zonemark and iree-benchmark-module in turns and prints the ratio; see models.sh.

Usage: modelpeers.py ZONEMARK FOLDER MODEL CONFIG ROUNDS
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

FLAGS = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"]
NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
GOAL = 1.05
SECONDS = 0.4  # of a repetition


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("%s failed:\n%s" % (" ".join(command[:4]), (done.stderr or done.stdout)[-2000:]))
    return done.stdout


def zonemark(program, suite):
    """The result of the module that runs on the device."""
    out = run(program, "run", str(suite), "--dispatches", "off", "--format", "ndjson", "-q")
    result = next(r for r in map(json.loads, out.splitlines()) if r.get("kind") == "result")
    if result["status"] != "ok":
        raise SystemExit("zonemark: %s: %s" % (result["status"], result.get("error")))
    return result


def benchmark_module(module, inputs):
    program = os.path.join(os.environ["ZONEMARK_IREE_TOOLS"], "iree-benchmark-module")
    report = json.loads(run(program, "--module=%s" % module, "--function=main", "--device=local-sync", "--benchmark_repetitions=5",
                            "--benchmark_min_time=%gs" % SECONDS, "--benchmark_format=json", *inputs))
    runs = [b for b in report["benchmarks"] if b["run_type"] == "iteration"]
    return min(statistics.median(b[field] * NS[b["time_unit"]] for b in runs) for field in ("real_time", "cpu_time"))


def main(program, folder, model, config, rounds):
    suite = Path(folder, "model.toml")
    suite.write_text('[[invocation]]\nmodel = "%s:%s"\nruntime = "iree"\ndevice = "local-sync"\n' % (model, config))
    export = Path(zonemark(program, suite)["artifact"]).parent
    module = Path(folder, "device.vmfb")
    run(os.environ["ZONEMARK_IREE_COMPILE"], *FLAGS, str(export / "device.mlir"), "-o", str(module))
    manifest = json.loads((export / "manifest.json").read_text())
    device = next(m for m in manifest["modules"] if m["role"] == "device")
    inputs = ["--input=@%s" % (export / a["file"]) for a in device["inputs"]]
    ours, theirs = [], []
    for _ in range(rounds):
        result = zonemark(program, suite)
        ours.append(min(result["median_ns"], result.get("cpu_median_ns", result["median_ns"])))
        theirs.append(benchmark_module(module, inputs))
    ratio = min(ours) / min(theirs)
    good = 1 / GOAL <= ratio <= GOAL
    print("%s %s: zonemark %.0f ns, iree-benchmark-module %.0f ns, ratio %.3f  1/%g to %g%s" % (
        model, config, min(ours), min(theirs), ratio, GOAL, GOAL, "" if good else "  MISSED"))
    return 0 if good else 1


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])))
