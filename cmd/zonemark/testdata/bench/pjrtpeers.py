"""Takes turns between zonemark, JAX and a bare loop in C; see pjrt.sh.

Usage: pjrtpeers.py ZONEMARK LOOP PLUGIN FOLDER ROUNDS
"""

import json
import os
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # leaves nothing beside the scripts
import turns

os.environ["JAX_PLATFORMS"] = "cpu"
import jax

zonemark, loop, plugin, folder, rounds = sys.argv[1:5] + [int(sys.argv[5])]
TINY, SIDE, SECONDS = 2, 512, 0.3  # of each launch


def exported(name, function, *arguments):
    """The StableHLO of a function in a file, the function compiled by JAX, and the loaded executable below it."""
    jitted = jax.jit(function)
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as f:
        f.write(jitted.lower(*arguments).as_text())
    jitted(*arguments).block_until_ready()
    return path, jitted, jitted.lower(*arguments).compile().runtime_executable()


def by_zonemark(path):
    """Median of an execution in ns."""
    out = os.path.join(folder, "result.ndjson")
    if os.path.exists(out):
        os.remove(out)
    subprocess.run([zonemark, "run", path, "--runtime", "tt", "--plugin", plugin, "-o", out, "-q", "--launches", "1", "--precision", "0", "--min-time", f"{SECONDS}s"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(out) as f:
        return next(r["median_ns"] for r in map(json.loads, f) if r["kind"] == "result")


def by_jax(jitted, arguments, wait):
    """Median over batches of the mean of a call in ns, each call waited for, or only the last one."""
    batches, end, calls = [], time.perf_counter() + SECONDS, 500
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        for _ in range(calls):
            result = jitted(*arguments)
            if wait:
                result.block_until_ready()
        result.block_until_ready()
        batches.append((time.perf_counter_ns() - start) / calls)
    return statistics.median(batches)


def by_loop(path, side):
    """Median of an execution in ns."""
    return float(subprocess.run([loop, plugin, path, str(side), str(int(SECONDS * 1000))], check=True, capture_output=True, text=True).stdout)


tiny = [jax.random.uniform(jax.random.key(n), (TINY, TINY)) for n in (1, 2)]
square = [jax.random.uniform(jax.random.key(n), (SIDE, SIDE)) for n in (1, 2)]
add_path, add, add_executable = exported("add", lambda a, b: a + b, *tiny)
matmul_path, _, _ = exported("matmul", lambda a, b: a @ b, *square)

contestants = {
    "add, zonemark": lambda: by_zonemark(add_path),
    "add, loop in C": lambda: by_loop(add_path, TINY),
    "add, JAX, each call waited for": lambda: by_jax(add, tiny, True),
    "add, JAX, the last call waited for": lambda: by_jax(add, tiny, False),
    "add, JAX's executable of the same": lambda: by_jax(lambda *a: add_executable.execute(a)[0], tiny, True),
    f"matmul {SIDE}, zonemark": lambda: by_zonemark(matmul_path),
    f"matmul {SIDE}, loop in C": lambda: by_loop(matmul_path, SIDE),
}
times, chain = turns.take(contestants, rounds, turns.Clock(folder))
table = turns.Table()
for what, one, other, least, most in (
    ("add, zonemark / loop", "add, zonemark", "add, loop in C", None, 1.05),
    ("add, zonemark / JAX", "add, zonemark", "add, JAX, each call waited for", None, 0.35),
    ("add, zonemark / JAX's executable", "add, zonemark", "add, JAX's executable of the same", None, 0.35),
    (f"matmul {SIDE}, zonemark / loop", f"matmul {SIDE}, zonemark", f"matmul {SIDE}, loop in C", 0.98, 1.02),
):
    table.row(what, times[one], times[other], chain, least, most)
print(f"jax {jax.__version__}, plugin {os.path.basename(plugin)}, {rounds} rounds")
sys.exit(table.missed)
