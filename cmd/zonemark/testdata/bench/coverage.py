"""Evaluates the journals of coverage.sh: coverage.py FOLDER, with the folders quiet and loaded, or one of them, inside.

Prints a table for each figure, and the goals below it. Exits with 1 when a goal is missed.
"""

import itertools
import json
import pathlib
import statistics
import sys

# What bounds a function. The clock of the core alone moves the time of those bound by the core. The arrays of product64,
# 48 KiB, do not fit in the first cache: in a quarter of the launches it takes 0.9 % longer, on other physical pages for
# them (in C, too: each move of the arrays changes it, and no move of the code does).
KINDS = {
    "hat add4": "core",
    "hat scale256": "core",
    "hat add1024": "core",
    "hat product64": "caches",
    "hat gather": "memory",
    "hat chain": "core",
    "dispatch product": "core",
    "dispatch softmax": "core",
    "capi tiny": "runtime",
    "capi mlp": "runtime",
    "pjrt add": "runtime",
    "pjrt product": "runtime",
}

# A figure: its unit, the keys of value and interval, in a row or in its counters, and the goals in percent.
FIGURES = [
    {
        "name": "time", "unit": "ns", "keys": ("median_ns", "ci_low_ns", "ci_high_ns"),
        "coverage": None, "core_spread": None,
    },
    {
        "name": "reference clock", "unit": "ns",
        "keys": ("reference_ns", "reference_ci_low_ns", "reference_ci_high_ns"),
        "coverage": 92, "core_spread": 0.6, "beyond_time": 0.1,
    },
    {
        "name": "cycles", "unit": "cycles", "keys": ("cycles", "cycles_ci_low", "cycles_ci_high"),
        "coverage": 92, "core_spread": 0.3,
    },
]
WIDEST = 2  # spreads of the runs that half of an interval may be wide
FINE = 0.1  # percent; nobody minds a half that is narrower: runs may agree to the last step of a counter
ODD = 8  # an interval reaches what one in so many launches takes, two at least
LEAST_ROWS = 3  # that coverage is judged by
LEAST_CLEAN = 50  # percent of all rows


def read_journal(path):
    """Returns the rows of a journal by name. A line that was cut ends an unfinished journal."""
    rows = {}
    with open(path) as lines:
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                print(f"{path}: a line is torn; the rows before it count", file=sys.stderr)
                break
            if record.get("kind") == "result":
                rows[record["name"]] = record
    return rows


def read_runs(folder):
    """Returns the rows of each run, and the wall seconds of those that say them."""
    runs, seconds = [], []
    for path in sorted(folder.glob("*.ndjson")):
        runs.append(read_journal(path))
        if (clock := path.with_suffix(".seconds")).exists():
            start, end = map(float, clock.read_text().split())
            seconds.append(end - start)
    return runs, seconds


def clean(row):
    return row["status"] == "ok" and row.get("verdict") in (None, [], ["clean"])


def judged_rows(rows):
    """Returns the clean rows. If they are too few, it returns all that nobody disturbed: they have intervals, too."""
    few = list(filter(clean, rows))
    if len(few) >= LEAST_ROWS:
        return few
    return [row for row in rows if row["status"] == "ok" and "contended" not in (row.get("verdict") or [])]


def value_of(row, figure):
    """Returns (value, low, high) of a figure, None where the row lacks one of them."""
    counters = row.get("counters")
    counters = counters if isinstance(counters, dict) else {}
    found = tuple(row.get(key, counters.get(key)) for key in figure["keys"])
    return None if None in found else found


def coverage(values):
    """Returns the percentage of ordered pairs in which the median of the one lies in the interval of the other."""
    pairs = [low <= median <= high for (_, low, high), (median, _, _) in itertools.permutations(values, 2)]
    return 100 * sum(pairs) / len(pairs)


def odd_launches(row):
    """Returns how far, in percent, the outermost launches are from the median on average: intervals reach odd ones."""
    launches = sorted(row.get("launch_reference_ns") or row.get("launch_medians_ns") or [])
    if len(launches) < 2:
        return 0.0
    middle, outer = statistics.median(launches), max(2, len(launches) // ODD)
    low, high = statistics.mean(launches[:outer]), statistics.mean(launches[-outer:])
    return 100 * max(middle - low, high - middle) / abs(middle)


def mean_of(rows, key):
    given = [row[key] for row in rows if row.get(key) is not None]
    return statistics.fmean(given) if given else None


def summarize(name, rows, figure):
    """Returns what the table shows of one function. Spread, width and coverage are of the judged rows only."""
    judged = judged_rows(rows)
    values = [v for row in judged if (v := value_of(row, figure))]
    anyone = [v for row in rows if (v := value_of(row, figure))]
    line = {
        "name": name,
        "kind": KINDS.get(name, "runtime"),
        "rows": len(rows),
        "clean": sum(map(clean, rows)),
        "values": len(values),
        "known": bool(anyone),
        "quiet": mean_of(rows, "quiet_share"),
        "launches": mean_of(rows, "launches"),
        "failed": sorted({row["status"] for row in rows} - {"ok"}),
        "verdicts": sorted({v for row in rows for v in row.get("verdict") or [] if v != "clean"}),
        "median": None, "spread": None, "half": None, "odd": None, "coverage": None,
    }
    if anyone:
        line["median"] = statistics.median(v[0] for v in values or anyone)
    if values and line["median"]:
        medians = [v[0] for v in values]
        if len(medians) > 1:
            line["spread"] = 100 * (max(medians) - min(medians)) / abs(line["median"])
        line["odd"] = statistics.median(map(odd_launches, judged))
        line["half"] = 100 * statistics.median((high - low) / 2 / abs(m) if m else 0 for m, low, high in values)
    if len(values) >= LEAST_ROWS:
        line["coverage"] = coverage(values)
    return line


def number(value, form):
    return "-" if value is None else format(value, form)


def remark(line):
    parts = []
    if not line["known"]:
        parts.append("not in the journals")
    elif line["values"] < LEAST_ROWS:
        parts.append(f"{line['values']} rows are judged: fewer than {LEAST_ROWS}")
    elif line["clean"] < LEAST_ROWS:
        parts.append("judged by rows that are not clean")
    return ", ".join(parts + line["failed"] + line["verdicts"])


def print_table(lines, figure):
    form = "  {:18} {:8} {:>16} {:>9} {:>8} {:>10} {:>7} {:>6} {:>8}  {}"
    print(form.format("function", "bound by", "median " + figure["unit"], "spread %", "± %", "coverage %", "clean",
                      "quiet", "launches", "").rstrip())
    for line in lines:
        print(form.format(
            line["name"], line["kind"], number(line["median"], ",.3f"), number(line["spread"], ".3f"),
            number(line["half"], ".4f"), number(line["coverage"], ".1f"), f"{line['clean']}/{line['rows']}",
            number(line["quiet"], ".2f"), number(line["launches"], ".1f"), remark(line)).rstrip())


def print_goal(text, misses):
    """Prints a goal and who misses it; returns whether somebody does."""
    print(f"  goal: {text}: " + ("MISSED by " + ", ".join(misses) if misses else "met"))
    return bool(misses)


def coverage_misses(lines, least):
    misses = []
    for line in lines:
        if line["coverage"] is None:
            misses.append(f"{line['name']} (too few rows)")
        elif line["coverage"] < least:
            misses.append(f"{line['name']} ({line['coverage']:.1f} %)")
    return misses


def judge(lines, figure, times):
    """Prints the goals of a figure; returns whether one is missed. times are the spreads of the time, by function.

    A correction is never worse than none: where time spreads by little, the figure spreads by hardly more.
    Functions without the figure are not judged: a runtime with threads of its own may have no cycles. Of functions with
    few clean rows, only the coverage is judged.
    """
    if figure["coverage"] is None:
        print("  no goal: time moves with the clock of the core")
        return False
    judged = [line for line in lines if line["known"]]
    sure = [line for line in judged if line["clean"] >= LEAST_ROWS and line["spread"] is not None]
    core = [line for line in sure if line["kind"] == "core"]
    others = [line for line in sure if line["kind"] != "core"]
    missed = print_goal(f"coverage at least {figure['coverage']} %", coverage_misses(judged, figure["coverage"]))
    most, beyond = figure["core_spread"], figure.get("beyond_time")
    text = f"spread of functions bound by the core at most {most} %"
    if beyond is not None:
        text += f", and {beyond} % more than that of their time"
    allowed = {line["name"]: most for line in core}
    for line in core:
        if beyond is not None and times.get(line["name"]) is not None:
            allowed[line["name"]] = min(most, beyond + times[line["name"]])
    wide = [f"{line['name']} ({line['spread']:.2f} of {allowed[line['name']]:.2f} %)" for line in core
            if line["spread"] > allowed[line["name"]]]
    missed |= print_goal(text, wide)
    half = {line["name"]: max(WIDEST * line["spread"], FINE, line["odd"]) for line in core}
    wide = [f"{line['name']} ({line['half']:.2f} of {half[line['name']]:.2f} %)" for line in core
            if line["half"] > half[line["name"]]]
    missed |= print_goal(f"half of their intervals at most {WIDEST} times their spread, {FINE} %, or what one in {ODD} "
                         "launches takes", wide)
    wide = [f"{line['name']} ({line['spread']:.2f} of {2 * line['half']:.2f} %)" for line in others
            if line["spread"] > 2 * line["half"]]
    missed |= print_goal("spread of the others at most the width of their interval", wide)
    return missed


def report(condition, runs, seconds):
    """Prints the tables of one condition; returns whether a goal is missed."""
    wall = f"{statistics.fmean(seconds):.1f} s a run" if seconds else "wall time not known"
    print(f"{condition}: {len(runs)} runs, {wall}")
    present = {name for rows in runs for name in rows}
    names = [name for name in KINDS if name in present] + sorted(present - set(KINDS))
    by_name = {name: [rows[name] for rows in runs if name in rows] for name in names}
    missed, judged, times = False, False, {}
    for figure in FIGURES:
        lines = [summarize(name, rows, figure) for name, rows in by_name.items()]
        if figure["keys"][0] == "median_ns":
            times = {line["name"]: line["spread"] for line in lines}
        print(f"\n {condition}, {figure['name']}")
        if not any(line["known"] for line in lines):
            print("  not in the journals")
            continue
        print_table(lines, figure)
        missed |= judge(lines, figure, times)
        judged |= figure["coverage"] is not None
    print()
    rows = list(itertools.chain.from_iterable(by_name.values()))
    share = 100 * sum(map(clean, rows)) / max(1, len(rows))
    few = [f"{condition} ({share:.0f} %)"] if share < LEAST_CLEAN else []
    missed |= print_goal(f"at least {LEAST_CLEAN} % of all rows clean", few)
    if not judged:
        missed |= print_goal("coverage and spread at the reference clock or in cycles",
                             ["the journals, which have neither"])
    print()
    return missed


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    missed, found = False, False
    for condition in ("quiet", "loaded"):
        runs, seconds = read_runs(folder / condition)
        if runs:
            found = True
            missed |= report(condition, runs, seconds)
    if not found:
        sys.exit(f"coverage.py: {folder} has no journals in quiet or loaded")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
