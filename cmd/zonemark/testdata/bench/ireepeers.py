"""Measures IREE modules with zonemark, iree-benchmark-module and Python in turns and prints the ratios; see iree.sh.

Usage: ireepeers.py ZONEMARK FOLDER ROUNDS; `ireepeers.py call numpy|device MODULE.vmfb FUNCTION SHAPES…` is the part
that calls f(*args).
"""

import json
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # leaves nothing beside the scripts
import turns

MODULES = {
    "tiny": ["4", "4"],
    "matmul": ["256x256", "256x256"],
    "conv": ["1x32x32x64", "3x3x64x64"],
    "softmax": ["128x1024"],
}
VALUE = "0.5"
SECONDS = 0.15  # of each launch
NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        raise SystemExit("%s failed:\n%s" % (" ".join(command[:4]), (done.stderr or done.stdout)[-2000:]))
    return done.stdout


def zonemark(program, folder, module, provider):
    inputs = [a for shape in MODULES[module] for a in ("--input", "%sxf32=%s" % (shape, VALUE))]
    out = run([program, "run", os.path.join(folder, module + ".vmfb"), "--function", module, "--provider", provider, "--format", "ndjson",
               "--launches", "1", "--precision", "0", "--min-time", "%gs" % SECONDS, "-q", *inputs])
    results = [r for r in map(json.loads, out.splitlines()) if r.get("kind", "result") == "result"]
    if len(results) != 1 or results[0]["status"] != "ok":
        raise SystemExit("zonemark --provider %s %s: %s" % (provider, module, out[-2000:]))
    return min(results[0]["median_ns"], results[0].get("cpu_median_ns", results[0]["median_ns"]))


def benchmark_module(folder, module):
    program = os.path.join(os.environ["ZONEMARK_IREE_TOOLS"], "iree-benchmark-module")
    report = json.loads(run([program, "--module=" + os.path.join(folder, module + ".vmfb"), "--function=" + module, "--device=local-sync",
                             "--benchmark_min_time=%gs" % SECONDS, "--benchmark_format=json",
                             *("--input=%sxf32=%s" % (shape, VALUE) for shape in MODULES[module])]))
    once = next(b for b in report["benchmarks"] if b["run_type"] == "iteration")
    return min(once[field] * NS[once["time_unit"]] for field in ("real_time", "cpu_time"))


def python_call(folder, module, where):
    out = run([os.environ["ZONEMARK_IREE_PYTHON"], os.path.abspath(__file__), "call", where, os.path.join(folder, module + ".vmfb"), module, *MODULES[module]])
    return min(map(float, out.split()))


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
    turns.on_one_cpu()
    found, clock = ways(program, folder), turns.Clock(folder)
    ours = [name for name in found if name.startswith("zonemark")]
    if "iree-benchmark-module" not in found or not ours:
        raise SystemExit("nothing to compare")
    table = turns.Table()
    for module in MODULES:
        programs = {name: lambda name=name: found[name](module) for name in found if module == "tiny" or not name.startswith("Python")}
        times, chain = turns.take(programs, rounds, clock)

        def row(name, base, least, most):
            if name in times:
                table.row("%s: %s / %s" % (module, name.removeprefix("zonemark "), base.removeprefix("iree-")), times[name], times[base], chain, least, most)

        for name in ours:
            row(name, "iree-benchmark-module", *((None, 1.1) if module == "tiny" else (0.98, 1.02)))
            row("Python f(*args)", name, 2, None)
            row("Python on device", name, 2, None)
    return 1 if table.missed else 0


if sys.argv[1] == "call":
    call(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
else:
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
