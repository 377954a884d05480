"""Measures IREE modules with zonemark, iree-benchmark-module and Python in turns and prints the ratios; see iree.sh.

Usage: ireepeers.py ZONEMARK FOLDER ROUNDS; `ireepeers.py call numpy|device MODULE.vmfb FUNCTION SHAPES…` is the part
that calls f(*args).
"""

import json
import os
import statistics
import subprocess
import sys
import time

MODULES = {
    "tiny": ["4", "4"],
    "matmul": ["256x256", "256x256"],
    "conv": ["1x32x32x64", "3x3x64x64"],
    "softmax": ["128x1024"],
}
VALUE = "0.5"
SECONDS = 0.5  # of each measurement
NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        raise SystemExit("%s failed:\n%s" % (" ".join(command[:4]), (done.stderr or done.stdout)[-2000:]))
    return done.stdout


def zonemark(program, folder, module, provider):
    inputs = [a for shape in MODULES[module] for a in ("--input", "%sxf32=%s" % (shape, VALUE))]
    out = run([program, "run", os.path.join(folder, module + ".vmfb"), "--function", module, "--provider", provider, "--format", "ndjson",
               "--min-time", "%gs" % SECONDS, "-q", *inputs])
    results = [r for r in map(json.loads, out.splitlines()) if r.get("kind", "result") == "result"]
    if len(results) != 1 or results[0]["status"] != "ok":
        raise SystemExit("zonemark --provider %s %s: %s" % (provider, module, out[-2000:]))
    return results[0]["median_ns"], results[0].get("cpu_median_ns", results[0]["median_ns"])


def benchmark_module(folder, module):
    program = os.path.join(os.environ["ZONEMARK_IREE_TOOLS"], "iree-benchmark-module")
    report = json.loads(run([program, "--module=" + os.path.join(folder, module + ".vmfb"), "--function=" + module, "--device=local-sync",
                             "--benchmark_repetitions=5", "--benchmark_min_time=%gs" % (SECONDS / 5), "--benchmark_format=json",
                             *("--input=%sxf32=%s" % (shape, VALUE) for shape in MODULES[module])]))
    runs = [b for b in report["benchmarks"] if b["run_type"] == "iteration"]
    return tuple(statistics.median(b[field] * NS[b["time_unit"]] for b in runs) for field in ("real_time", "cpu_time"))


def python_call(folder, module, where):
    out = run([os.environ["ZONEMARK_IREE_PYTHON"], os.path.abspath(__file__), "call", where, os.path.join(folder, module + ".vmfb"), module, *MODULES[module]])
    return tuple(map(float, out.split()))


def call(where, path, function, shapes):
    """Prints the mean wall and CPU time of f(*args), in ns, with NumPy arrays or with arrays that are on the device already."""
    import numpy
    import iree.runtime as rt

    module = rt.load_vm_flatbuffer_file(path, driver="local-sync")
    device = rt.get_device("local-sync")
    args = [numpy.full([int(n) for n in shape.split("x")], float(VALUE), numpy.float32) for shape in shapes]
    if where == "device":
        args = [rt.asdevicearray(device, a) for a in args]
    f = module[function]
    f(*args)
    calls, start, cpu = 0, time.perf_counter_ns(), time.process_time_ns()
    while time.perf_counter_ns() - start < SECONDS * 1e9:
        for _ in range(50):
            f(*args)
        calls += 50
    print((time.perf_counter_ns() - start) / calls, (time.process_time_ns() - cpu) / calls)


def ways(program, folder):
    """The ways of measuring that there are: functions of a module's name."""
    found = {"iree-benchmark-module": lambda module: benchmark_module(folder, module)}
    for provider, variable in (("capi", "ZONEMARK_IREE_CAPI"), ("python", "ZONEMARK_IREE_PYTHON")):
        if not os.environ.get(variable):
            print("without zonemark --provider %s: %s is not set" % (provider, variable))
            continue
        found["zonemark " + provider] = lambda module, provider=provider: zonemark(program, folder, module, provider)
    if os.environ.get("ZONEMARK_IREE_PYTHON"):
        found["Python f(*args)"] = lambda module: python_call(folder, module, "numpy")
        found["Python on device"] = lambda module: python_call(folder, module, "device")
    for name, measure in list(found.items()):
        try:
            measure("tiny")
        except SystemExit as err:
            print("without %s: %s" % (name, str(err).strip().splitlines()[-1]))
            del found[name]
    return found


def main(program, folder, rounds):
    found = ways(program, folder)
    ours = [name for name in found if name.startswith("zonemark")]
    if "iree-benchmark-module" not in found or not ours:
        raise SystemExit("nothing to compare")
    missed = False
    print("%-8s %-16s %12s %12s %8s  %s" % ("module", "", "ns", "of base", "ratio", "goal"))
    for module in MODULES:
        times = {name: [] for name in found if module == "tiny" or not name.startswith("Python")}
        for _ in range(rounds):
            for name in times:
                times[name].append(min(found[name](module)))

        def row(name, base, good, goal):
            ratio = min(times[name]) / min(times[base])
            print("%-8s %-16s %12.0f %12.0f %8.3f  %s, of %s%s" % (module, name, min(times[name]), min(times[base]), ratio, goal, base,
                  "" if good(ratio) else "  MISSED"))
            return not good(ratio)

        for name in ours:
            if module == "tiny":
                missed |= row(name, "iree-benchmark-module", lambda r: r <= 1.1, "at most 1.1")
            else:
                missed |= row(name, "iree-benchmark-module", lambda r: 0.95 <= r <= 1.05, "0.95 to 1.05")
            if "Python f(*args)" in times:
                missed |= row("Python f(*args)", name, lambda r: r >= 2, "at least 2")
            if "Python on device" in times:
                missed |= row("Python on device", name, lambda r: r >= 2, "at least 2")
    return 1 if missed else 0


if sys.argv[1] == "call":
    call(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
else:
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
