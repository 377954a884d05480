"""The measuring half of trace.sh: trace.py ZONEMARK CAPTURE ROUNDS [CSVEXPORT]."""

import os
import re
import subprocess
import sys
import time

# The goals are for tables that the exporter writes, too. `stats` also computes medians and percentiles, which the
# exporter does not, so its ratio has no goal.
GOALS = {"sums": 2.5, "csv -u": 5.0}
MEMORY_GOAL = 0.40


def measure(command):
    """Runs a command without its output; returns seconds and peak resident bytes."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    talk = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    if status != 0:
        sys.exit(f"trace.sh: {' '.join(command)} failed: {talk.strip()}")
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss * unit


def main():
    zonemark, capture, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    exporter = sys.argv[4] if len(sys.argv) > 4 else ""
    info = subprocess.run([zonemark, "trace", "info", capture], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^\s*zones\s+([\d,]+)", info, re.MULTILINE)
    if not found:
        sys.exit(f"trace.sh: zonemark trace info names no number of zones:\n{info}")
    zones = int(found.group(1).replace(",", ""))
    megabytes = os.path.getsize(capture) / 1e6

    # The columns of the exporter on both sides; our own dialect writes 2.5 times the bytes.
    csv = [zonemark, "trace", "csv", "--dialect", "0.11.2"]
    ours = {"sums": [*csv, capture], "stats": [zonemark, "trace", "stats", capture], "csv -u": [*csv, "-u", capture]}
    theirs = {"sums": [exporter, capture], "stats": [exporter, capture], "csv -u": [exporter, "-u", capture]}
    print(f"{zones:,} zones, {megabytes:.1f} MB of capture, best of {rounds}")
    missed = False
    for task in ours:
        runs = {"zonemark": [], "csvexport": []}
        for _ in range(rounds):
            runs["zonemark"].append(measure(ours[task]))
            if exporter:
                runs["csvexport"].append(measure(theirs[task]))
        best = {}
        for who, measured in runs.items():
            if measured:
                seconds, memory = min(m[0] for m in measured), max(m[1] for m in measured)
                best[who] = seconds, memory
                print(f"{task:7} {who:9} {seconds:7.2f} s {zones / seconds / 1e6:7.2f} M zones/s {megabytes / seconds:7.1f} MB/s {memory / 1e6:7.0f} MB peak")
        if exporter:
            speed = best["csvexport"][0] / best["zonemark"][0]
            memory = best["zonemark"][1] / best["csvexport"][1]
            goal = f" (at least {GOALS[task]})" if task in GOALS else ""
            print(f"{task:7} ratio: {speed:.2f} times as fast{goal}, {100 * memory:.0f} % of the memory (at most {100 * MEMORY_GOAL:.0f} %)")
            missed = missed or speed < GOALS.get(task, 0) or memory > MEMORY_GOAL
    sys.exit(1 if missed else 0)


main()
