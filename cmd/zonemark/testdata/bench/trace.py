"""The measuring half of trace.sh: trace.py ZONEMARK ROUNDS CSVEXPORT CAPTURE [CAPTURE-OF-MANY-NAMES]. CSVEXPORT may be empty."""

import math
import os
import re
import subprocess
import sys
import time

# The goals are shares of the exporter's time, for tables that it writes, too. `stats` also computes medians and
# percentiles, which the exporter does not, so its ratio has no goal. With many names it also writes a row for each.
GOALS = {"sums": 0.30, "csv -u": 0.12, "names": 0.60}
MEMORY_GOAL = 0.40  # share of the exporter's memory
BYTES_GOALS = {"names": 150e6}


def measure(command):
    """Runs a command without its output; returns seconds, peak resident bytes and seconds of CPU time."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    talk = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - began
    if status != 0:
        sys.exit(f"trace.sh: {' '.join(command)} failed: {talk.strip()}")
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss * unit, usage.ru_utime + usage.ru_stime


def count_zones(zonemark, capture):
    """Returns how many zones a capture has."""
    info = subprocess.run([zonemark, "trace", "info", capture], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^\s*zones\s+([\d,]+)", info, re.MULTILINE)
    if not found:
        sys.exit(f"trace.sh: zonemark trace info names no number of zones:\n{info}")
    return int(found.group(1).replace(",", ""))


def compare(task, capture, rounds, ours, theirs):
    """Times a task of both programs, theirs unless it is None, and prints the ratio. Returns whether the goals are met."""
    zones, megabytes = count_zones(ours[0], capture), os.path.getsize(capture) / 1e6
    runs = {"zonemark": [], "csvexport": []}
    for _ in range(rounds):
        runs["zonemark"].append(measure(ours))
        if theirs:
            runs["csvexport"].append(measure(theirs))
    best = {}
    for who, measured in runs.items():
        if measured:
            seconds, memory = min(m[0] for m in measured), max(m[1] for m in measured)
            cpu = min(m[2] for m in measured)
            best[who] = seconds, memory, cpu
            print(f"{task:7} {who:9} {seconds:7.2f} s {cpu:7.2f} s CPU {zones / seconds / 1e6:7.2f} M zones/s {megabytes / seconds:7.1f} MB/s {memory / 1e6:7.0f} MB peak")
    if not theirs:
        return True
    share, memory, cpu = (ours / exporters for ours, exporters in zip(best["zonemark"], best["csvexport"]))
    goal = f" (at most {GOALS[task]:.2f})" if task in GOALS else ""
    limit = f" and at most {BYTES_GOALS[task] / 1e6:.0f} MB" if task in BYTES_GOALS else ""
    print(f"{task:7} ratio: {share:.2f} of the time{goal}, {cpu:.2f} of the CPU time, {100 * memory:.0f} % of the memory (at most {100 * MEMORY_GOAL:.0f} %{limit})")
    fits = memory <= MEMORY_GOAL and best["zonemark"][1] <= BYTES_GOALS.get(task, math.inf)
    return share <= GOALS.get(task, math.inf) and fits


def main():
    zonemark, rounds, exporter, *captures = sys.argv[1:]
    # The columns of the exporter on both sides; our own dialect writes 2.5 times the bytes.
    csv = [zonemark, "trace", "csv", "--dialect", "0.11.2"]
    stats = [zonemark, "trace", "stats"]
    tasks = [("sums", captures[0], csv, []), ("stats", captures[0], stats, []), ("csv -u", captures[0], [*csv, "-u"], ["-u"])]
    tasks += [("names", capture, stats, []) for capture in captures[1:]]
    for capture in captures:
        print(f"{count_zones(zonemark, capture):,} zones, {os.path.getsize(capture) / 1e6:.1f} MB of capture, best of {rounds}")
    met = True
    for task, capture, ours, flags in tasks:
        theirs = [exporter, *flags, capture] if exporter else None
        met = compare(task, capture, int(rounds), [*ours, capture], theirs) and met
    sys.exit(0 if met else 1)


main()
