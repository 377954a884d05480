"""Takes turns between launches inside the sandbox and outside; see sandbox.sh.

Usage: sandboxturns.py ZONEMARK PACKAGE FOLDER ROUNDS
"""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # leaves nothing beside the scripts
import turns

zonemark, package, folder, rounds = sys.argv[1:4] + [int(sys.argv[4])]
FUNCTIONS = ["matmul_ijk", "matmul_ikj", "matmul_tiled", "matmul_rows4"]
SECONDS = 0.1  # of each launch


def launch(function, sandbox):
    """Median of a call in ns."""
    out = os.path.join(folder, "result.ndjson")
    subprocess.run([zonemark, "run", package, "--function", function, "--sandbox", sandbox, "-o", out, "--overwrite", "-q",
                    "--launches", "1", "--precision", "0", "--min-time", f"{SECONDS}s"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out) as f:
        return next(r["median_ns"] for r in map(json.loads, f) if r["kind"] == "result")


turns.on_one_cpu()
clock, table = turns.Clock(folder), turns.Table()
for function in FUNCTIONS:
    programs = {sandbox: lambda sandbox=sandbox: launch(function, sandbox) for sandbox in ("require", "off")}
    times, chain = turns.take(programs, rounds, clock)
    table.row(function, times["require"], times["off"], chain, 0.995, 1.005)
sys.exit("the sandbox changes times" if table.missed else 0)
