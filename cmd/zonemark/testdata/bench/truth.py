"""Measures the functions of truth_functions.py with zonemark and with a loop in C, in turns, and prints the table of
truth.sh.

Usage: truth.py ZONEMARK CC FOLDER; the environment is that of truth.sh
       truth.py --check CC FOLDER   builds everything, and calls each function once
       truth.py --list
"""

import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

import truth_functions

HERE = pathlib.Path(__file__).resolve().parent
TOGETHER = 8  # functions that zonemark measures launch by launch in turns, and C just before and just after
MORE = 2  # times that C takes as many processes again, for a function whose truth is vague
PROCESSES = int(os.environ.get("PROCESSES", "8"))  # of C before zonemark, and as many after it
RUNS = int(os.environ.get("RUNS", "1"))
LOAD = os.environ.get("LOAD", "0") == "1"
ONLY = os.environ.get("ONLY", "")
KEEP = os.environ.get("KEEP", "")
SEED = 40
NEAR = 0.01  # of the truth
ALIKE = 0.03  # fresh and worn arguments, of functions on which these have no effect
AGAIN = 3  # times that the functions are measured again at the end of whose truth nothing is known
LOOKS = 40  # at the core, before anything is measured
CALM, LONGEST_STORM = 0.8, 120  # share of quiet batches of a calm core; seconds to wait for it
LEAST_QUIET = 0.05  # share of quiet batches of a process that had the core for itself in these
ENOUGH = 6  # such processes
VAGUE = 0.1  # scatter of a truth that tells nothing
FEW = 5  # processes, whose interval is the whole range
SLACK = 10  # cycles by which a call may differ from its chain
LONG = 10**7  # cycles: of calls that take longer, nothing tells apart what a host took
LIMIT = 20  # seconds for a function in a program


def run(command, seconds, **settings):
    """Runs a program and returns its status and outputs; it and what it has started are killed when time is over."""
    process = subprocess.Popen(command, start_new_session=True, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, **settings)
    try:
        out, err = process.communicate(timeout=seconds)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return None, out, err
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def processor():
    """Returns the vendor and the flags of the processor, as far as the system tells."""
    vendor, flags = "", set()
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "vendor_id":
                vendor = value.strip()
            elif key.strip() == "flags":
                flags = set(value.split())
    return vendor, flags


class Workshop:
    """The folder with the library, the loop in C, the contents of arrays, and journals."""

    def __init__(self, zonemark, cc, folder, functions):
        self.zonemark, self.cc, self.folder, self.functions = zonemark, cc, folder, functions
        self.library = folder / "code" / "libtruth.so"
        self.journals, self.help, self.libm = 0, "", ""
        self.level = 0  # the least that processes of C have seen: that of a core that nobody shares

    def ask(self):
        """Asks the program which flags it has."""
        status, text, _ = run([self.zonemark, "run", "--help", "all"], LIMIT)
        self.help = text if status == 0 else ""

    def find_quiet(self):
        """Looks for moments in which nobody shares the core."""
        for _ in range(LOOKS):
            self.loop([])
            time.sleep(0.05)

    def wait_for_calm(self, function):
        """Waits until nobody shares the core, or for a while."""
        start = time.monotonic()
        while time.monotonic() - start < LONGEST_STORM:
            line = self.loop([function]).get(key(function))
            if line and line[QUIET] >= CALM:
                return
            time.sleep(1)

    def build(self):
        (self.folder / "code").mkdir()
        (self.folder / "data").mkdir()
        table = pathlib.Path(os.environ["TABLE"])  # beside no artifact: the sandbox keeps native code from it
        table.write_bytes(bytes(4 * 4096))
        objects = []
        for source, flags in (("kernels", ["-O2", f'-DTABLE="{table}"']), ("polybench", ["-O2"]),
                              ("vectors", ["-O3", "-march=native"])):
            objects.append(str(self.folder / f"{source}.o"))
            self.compile("-std=gnu11", *flags, "-fPIC", "-c", HERE / f"truth_{source}.c", "-o", objects[-1])
        self.compile("-shared", *objects, "-lm", "-lpthread", "-o", self.library)
        self.contents()
        self.find_libm()
        self.calls()
        self.compile("-std=gnu11", "-O2", f"-I{self.folder}", HERE / "truth_loop.c", "-ldl",
                     "-lpthread", "-o", self.folder / "loop")

    def compile(self, *words):
        status, out, err = run([*self.cc.split(), *map(str, words)], 120)
        if status != 0:
            sys.exit(f"truth.sh: the compiler fails:\n{out}{err}")

    def contents(self):
        for number, function in enumerate(self.functions):
            random.seed(SEED + number)
            for array in function.arrays():
                array.write(self.path_of(function, array))

    def path_of(self, function, array):
        return self.folder / "data" / f"{self.functions.index(function)}-{array.name}.npy"

    def find_libm(self):
        """Sets the path of the mathematics library that a C program gets."""
        source, program = self.folder / "libm.c", self.folder / "libm"
        source.write_text("#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <math.h>\n#include <stdio.h>\n"
                          "int main(void) { Dl_info i; dladdr((void *)cbrt, &i); puts(i.dli_fname); return 0; }\n")
        self.compile("-O2", source, "-ldl", "-lm", "-o", program)
        self.libm = os.path.realpath(run([str(program)], LIMIT)[1].strip())

    def library_of(self, function):
        return self.libm if function.library == "libm" else str(self.library)

    def calls(self):
        """Writes the batches of calls in C, as a program makes them that knows the prototypes. It has the addresses of
        arrays in variables: a load from other memory would wait for what a call has stored at the same offset of another
        page, 14 cycles where an array covers a page."""
        lines = ["#include <stdint.h>", f'#define LIBRARY "{self.library}"', '#define SET_UP "set_up"']
        rows = []
        for number, f in enumerate(self.functions):
            head, _, rest = f.prototype.partition(f.symbol)
            call = f"call({f.passed()});"
            variables = "".join(f"    void *array{i} = arrays[{i}];\n" for i in range(len(f.arrays())))
            lines.append(f"static void batch{number}(void *function, long calls, void **arrays)\n{{\n"
                         f"    {head}(*call){rest} = function;\n    long i = 0;\n    (void)arrays;\n{variables}"
                         f"    if (unrolled)\n        for (; i + 4 <= calls; i += 4) {{ {' '.join([call] * 4)} }}\n"
                         f"    for (; i < calls; i++) {call}\n}}")
            arrays = ", ".join(f'{{"{self.path_of(f, a)}", {a.bytes()}, {int(a.changes)}}}' for a in f.arrays())
            rows.append(f'    {{"{key(f)}", "{self.library_of(f)}", "{f.symbol}", batch{number}, '
                        f"{int(f.in_place)}, {int(f.reordered)}, {{{arrays or '{0}'}}}}},")
        lines += ["static const struct function functions[] = {", *rows, "};"]
        (self.folder / "truth_calls.h").write_text("\n".join(lines) + "\n")

    def check(self):
        """Calls each function once that a caller survives, and returns an exit status."""
        names = [key(f) for f in self.functions if f.truth and not f.slow]
        status, out, err = run([str(self.folder / "loop"), "once", "0", *names], 10 * LIMIT)
        if status != 0 or out.split() != names:
            sys.exit(f"truth.sh: the loop in C ended with status {status} after {out.split()[-1:]}: {err}")
        print(f"{len(names)} functions can be called")
        return 0

    def loop(self, functions, process=(0, 0, 0, 0)):
        """Measures functions in one process of C, in any order; returns lines of figures by their names.

        process says what the process does, 0 or 1 for each of CONTEXTS. These are the last figures of each line, after the
        share of quiet batches.
        """
        found, left = {}, [key(f) for f in functions if f.truth]
        random.shuffle(left)
        while True:
            seed = random.randrange(1 << 26) << len(process) | sum(does << bit for bit, does in enumerate(process))
            status, out, _ = run([str(self.folder / "loop"), str(seed), str(self.level), *left], LIMIT * len(left) + 1)
            for line in out.splitlines():
                name, *figures = line.split()
                if name == "level":
                    self.level = float(figures[0])
                else:
                    found[name] = [*map(float, figures), *process]
            if status == 0:
                return found
            left = left[sum(name in found for name in left) + 1:]  # without the one that did not end
            if not left:
                return found

    def rows(self, functions):
        """Measures functions with zonemark; returns its rows, and what it said where one is missing, by their names."""
        rows, said = self.suite(functions)
        missing = [f for f in functions if key(f) not in rows]
        if missing and len(functions) > 1:
            for f in missing:
                more, said = self.suite([f])
                rows.update(more)
                rows.setdefault(key(f), {"status": "failed", "error": said})
        elif missing:
            rows[key(missing[0])] = {"status": "failed", "error": said}
        return rows

    def suite(self, functions):
        self.journals += 1
        suite, journal = (self.folder / f"{self.journals}.{end}" for end in ("toml", "ndjson"))
        suite.write_text("\n".join(self.entry(f) for f in functions))
        status, _, err = run([self.zonemark, "run", str(suite), "-q", "-o", str(journal)], LIMIT * len(functions) + 20)
        said = err.strip().splitlines()[-1] if err.strip() else f"zonemark ended with status {status}"
        return (read_journal(journal) if journal.exists() else {}), said

    def entry(self, f):
        """Returns an entry of a suite in TOML."""
        keys = {"name": key(f), "artifact": self.library_of(f), "runtime": "c", "function": f.symbol,
                "timeout": f"{LIMIT}s"}
        prototypes = [f.prototype]
        for name, value in f.keys.items():
            if name == "prototype":
                prototypes.append(value)
            else:
                keys[name] = value
        if f.init and "--init" in self.help:
            keys["init"] = f.init
        keys["prototype"] = "; ".join(prototypes)
        if f.params:
            keys["params"] = f.params
        if f.reordered:
            keys["arguments"] = {a.name: "random" for a in f.arrays()}
        elif arrays := f.arrays():
            keys["arguments"] = {a.name: str(self.path_of(f, a)) for a in arrays}
        return "[[invocation]]\n" + "".join(f"{name} = {toml(value)}\n" for name, value in keys.items())


def key(function):
    """Returns the name of a function as one word."""
    return function.name.replace(" ", "_")


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(v)}" for name, v in value.items()) + " }"
    return json.dumps(value)


def read_journal(path):
    """Returns the results of a journal by their names, with what they have in common."""
    rows, common = {}, {}
    for line in path.read_text().splitlines():
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            if record.get("kind") == "common":
                common[record["common"]] = record
            elif record.get("kind") == "result":
                rows[record["name"]] = {**common.get(record.get("common"), {}), **record}
    return rows


@dataclasses.dataclass
class Truth:
    """What a call takes by the loop in C: the least and the most that may be said of it, and the scatter in that."""

    low: float
    high: float
    scatter: float = 0  # of processes, half the width of their interval as a share
    disturbed: bool = False  # too few processes had the core for themselves, so that all count

    def middle(self):
        return (self.low + self.high) / 2

    def holds(self, value):
        return self.low * (1 - NEAR) <= value <= self.high * (1 + NEAR)

    def joined(self, other):
        return Truth(min(self.low, other.low), max(self.high, other.high), max(self.scatter, other.scatter),
                     self.disturbed or other.disturbed)

    def shown(self):
        """Returns the truth in words: two ends where not only scatter lies between them."""
        if self.high > self.low * (1 + 4 * self.scatter + 4 * NEAR):
            return f"{self.low / scale(self.high)[1]:.3g}–{duration(self.high)}"
        return duration(self.middle())


def interval(values):
    """Returns an interval that holds the median of such values in 95 of 100 cases, as far as there are so many. Of few, it
    has all but those that are twice as long as the middle one. If a tenth are faster than that, by more than half its
    width, they are the scatter: most of the others may have been disturbed, in the same way."""
    values = sorted(values)
    if len(values) <= FEW:
        values = [value for value in values if value <= 2 * statistics.median(values)]
    n = len(values)
    cut = max(0, int((n - 1.96 * n ** 0.5) / 2)) if n > FEW else 0
    low, high = values[cut], values[n - 1 - cut]
    faster = 1 - values[n // 10] / low if low > 0 else 0
    return Truth(low, high, max((high - low) / max(high + low, 1e-9), faster))


def same(one, other):
    return abs(one.middle() / max(other.middle(), 1e-9) - 1) <= NEAR


def held_still(function, before, after):
    """Returns whether processes of C before zonemark's turn and after it took the same time. Where calls find other memory
    in each process, nothing tells."""
    if function.allocates or not before or not after:
        return True
    one, other = (interval([line[GROSS] for line in lines]) for lines in (before, after))
    return same(one, other) or one.high >= other.low and other.high >= one.low


NET, GROSS, FRESH, SINGLE, CYCLES = 0, 1, 2, 3, 4  # of a line of the loop
QUIET, *CONTEXTS = -5, -4, -3, -2, -1
# What a process of the loop does, by the bits of its seed: it calls in a second thread, prints numbers between batches,
# calls each function for some time first, or has freed some of its memory.
THREADS, PRINTS, LEARNS, HOLES = CONTEXTS


def quiet_lines(lines):
    """Returns the lines of processes that had the core for themselves, if these are enough; and whether they are not."""
    quiet = [line for line in lines if line[QUIET] >= LEAST_QUIET]
    return (lines, True) if len(quiet) < min(ENOUGH, len(lines) / 2) else (quiet, False)


def by_loop(function, lines, offset, overhead):
    """Returns the truth in ns (offset 0) or in cycles of scalar code (offset CYCLES).

    How much of the time of a short call is the call's own depends on what surrounds it. It is at most what the loop
    takes, and at least what the loop takes longer than around an empty function, be it this loop in C or zonemark's,
    whose overhead is in the same unit: zonemark loads more registers, meanwhile the call works. If what runs between
    batches matters, or for how long calls were made before, a program may wait for either time. So it is with threads
    and freed memory where calls allocate some.
    """
    if function.allocates:
        plain, kinds = dataclasses.replace(function, allocates=False), {}
        for line in lines:
            kinds.setdefault((line[THREADS], line[HOLES]), []).append(line)
        truths = [by_loop(plain, some, offset, overhead) for some in kinds.values()]
        return dataclasses.replace(functools.reduce(Truth.joined, truths), scatter=0)  # which block it is differs, too
    for context in (PRINTS, LEARNS):
        without, within = ([line for line in lines if line[context] == k] for k in (0, 1))
        both = [interval([line[offset + GROSS] for line in some]) for some in (without, within) if some]
        if len(both) == 2 and not same(*both):
            usual = by_loop(function, without, offset, overhead)
            either = usual.joined(by_loop(function, within, offset, overhead))
            return either if context == PRINTS else dataclasses.replace(either, scatter=usual.scatter)
    net, gross, fresh, single = (interval([line[offset + k] for line in lines]) for k in (NET, GROSS, FRESH, SINGLE))
    fresh = fresh.joined(single)
    worn = Truth(max(0, min(net.low, gross.low - overhead)), gross.high, gross.scatter)
    if not function.in_place:
        return worn
    return fresh.joined(worn) if abs(worn.middle() / fresh.middle() - 1) <= ALIKE else fresh


def truth_of(function, lines, row, vendor, still):
    """Returns what zonemark's figure should be, and a remark on it; None if there is no truth. still says that the loop in C
    held still."""
    if not lines:
        return None, "the loop in C did not end"
    lines, disturbed = quiet_lines(lines)
    truth, remark = truth_by(function, lines, row, vendor)
    exact = function.cycles.get(vendor) and function.kind != "wall"
    return dataclasses.replace(truth, disturbed=(disturbed or not still) and not exact), remark


def truth_by(function, lines, row, vendor):
    overhead = row.get("overhead_ns") or 0
    wall = by_loop(function, lines, 0, overhead)
    clock = row.get("reference_clock_ghz")
    if row.get("reference_ns") is None or not clock or function.kind == "wall":
        if function.kind != "wall":  # zonemark converts its time to no clock, and that of each process was another one
            for line in lines:
                wall = wall.joined(by_loop(function, [line], 0, overhead))
        return wall, ""
    cycles, remark = by_loop(function, lines, CYCLES, overhead * clock), ""
    if exact := function.cycles.get(vendor):
        known = Truth(exact - SLACK, exact + SLACK)
        if cycles.high < known.low * (1 - NEAR) or cycles.high > known.high * (1 + NEAR):
            remark = f"the loop in C takes {cycles.high / exact:.3f} times the cycles of the chain"
        if exact > LONG:
            known = known.joined(dataclasses.replace(cycles, scatter=0))
        cycles = known
    scaled = Truth(cycles.low / clock, cycles.high / clock, cycles.scatter)
    # Wide vector units have a limit of their own: where scalar code is faster than that, they do not follow its clock.
    return (scaled.joined(wall) if function.kind == "mixed" or function.needs else scaled), remark


def figure_of(row):
    """Returns the figure that zonemark ranks by, and its interval."""
    for prefix, name in (("reference_", "reference_ns"), ("", "median_ns")):
        if row.get(name) is not None:
            return row[name], row.get(prefix + "ci_low_ns"), row.get(prefix + "ci_high_ns")
    return None, None, None


def says(row):
    """Returns what a row says about how far to trust it."""
    lines = [f"verdict {word}" for word in row.get("verdict") or [] if word != "clean"]
    if row["status"] != "ok":
        lines.append(f"status {row['status']}: {row.get('error', '')}")
    return lines, lines + [f"note: {text}" for text in row.get("notes") or []]


RIGHT, WRONG, UNKNOWN = "ok", "WRONG", "unknown"


def judge(function, truth, row):
    """Returns whether a row is right, and why; unknown if the loop in C tells no truth."""
    value, low, high = figure_of(row)
    trouble, lines = says(row)
    if truth and row["status"] == "ok" and value is not None and truth.scatter <= VAGUE and truth.holds(value):
        return RIGHT, ""
    for reason in truth_functions.ANY + function.reasons:
        for line in lines if trouble else []:
            if re.search(reason, line):
                return RIGHT, line
    if truth and "verdict not-converged" in trouble and low is not None:
        if low <= truth.high * (1 + NEAR) and high >= truth.low * (1 - NEAR):
            return RIGHT, "not converged; its interval holds the truth"
    if truth and truth.scatter > VAGUE:
        return UNKNOWN, f"the truth is vague: ± {100 * truth.scatter:.0f} %"
    if truth and truth.disturbed:
        return UNKNOWN, "the loop in C was disturbed"
    if not trouble:
        return WRONG, "clean" if truth else "clean, and should not be"
    return WRONG, "; ".join(trouble)


def scale(ns):
    """Returns the unit in which a time is shown, and its nanoseconds."""
    return next(((unit, size) for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)) if ns >= size), ("ns", 1))


def duration(ns):
    unit, size = scale(ns)
    return f"{ns / size:.4g} {unit}"


def percent(half):
    return "" if half is None else f"{100 * half:.2g} %"


FORM = "{:24} {:>14} {:>8}  {:>11} {:>8}  {:>7}  {:20} {}"


def line_of(function, truth, row, right, why, remark):
    value, low, high = figure_of(row)
    half = max(high - value, value - low) / value if value and low is not None and high is not None else None
    ratio = f"{value / truth.middle():.3f}" if truth and value else "-"
    verdict = ", ".join(row.get("verdict") or []) if row["status"] == "ok" else row["status"]
    words = [right + (f": {why}" if why else "")] + ([remark] if remark else [])
    return FORM.format(function.name, truth.shown() if truth else "-", percent(truth and truth.scatter),
                       duration(value) if value is not None else "-", percent(half), ratio, verdict or "clean",
                       "; ".join(words)[:160]).rstrip()


def groups(functions):
    """Returns what is measured together: those that take long beside each other."""
    quick, slow = [f for f in functions if not f.slow], [f for f in functions if f.slow]
    return [part[i:i + TOGETHER] for part in (quick, slow) for i in range(0, len(part), TOGETHER)]


def lines_of(workshop, functions, vendor):
    """Measures functions, prints their lines, and returns by their names whether they are right."""
    found = {}
    for group in groups(functions):
        lines = {key(f): [] for f in group}

        def loops(some, number):
            # What allocates has processes of its own: others leave holes in the heap.
            sharing, alone = [f for f in some if not f.allocates], [[f] for f in some if f.allocates]
            for k in range(number):
                process = (k % 2, k // 2 % 2, int(k % 4 == 0), k // 4 % 2)
                for part in [sharing, *alone] if sharing else alone:
                    for name, figures in workshop.loop(part, process).items():
                        lines[name].append(figures)

        def judged(f):
            own = lines[key(f)]
            still = held_still(f, own[:number], own[number:2 * number])
            truth, remark = truth_of(f, own, rows[key(f)], vendor, still) if f.truth else (None, "")
            return truth, *judge(f, truth, rows[key(f)]), remark
        number = 1 if group[0].slow else PROCESSES
        loops(group, number)
        rows = workshop.rows(group)
        loops(group, number)
        for _ in range(MORE):
            if vague := [f for f in group if judged(f)[1] == UNKNOWN]:
                loops(vague, 2 * number)
        for f in group:
            truth, right, why, remark = judged(f)
            found[key(f)] = right
            print(line_of(f, truth, rows[key(f)], right, why, remark), flush=True)
    return found


def table(workshop, functions, vendor):
    """Measures all functions and prints the table. Those of which the loop in C told no truth are measured again at the
    end, when what disturbed it has ended. Returns how many rows are right, in words, and whether one is wrong."""
    print(FORM.format("function", "truth", "±", "zonemark", "±", "ratio", "verdict", "").rstrip())
    start = time.monotonic()
    right = lines_of(workshop, functions, vendor)
    for _ in range(AGAIN):
        if again := [f for f in functions if right[key(f)] == UNKNOWN]:
            workshop.wait_for_calm(again[0])
            print("once more:")
            right.update(lines_of(workshop, again, vendor))
    found = list(right.values())
    counts = f"{found.count(RIGHT)} of {len(found)}"
    for kind, words in ((WRONG, "wrong"), (UNKNOWN, "without a truth")):
        counts += f", {found.count(kind)} {words}" if kind in found else ""
    print(f"{counts} ({'one core loaded' if LOAD else 'quiet'}, {time.monotonic() - start:.0f} s)", flush=True)
    return counts, WRONG in found


def wanted(flags):
    """Returns the functions that this processor can run and the user wants."""
    chosen = [f for f in truth_functions.FUNCTIONS if re.search(ONLY, f.name)]
    found = [f for f in chosen if set(f.needs) <= flags]
    for f in chosen:
        if f not in found:
            print(f"without {f.name}: the processor has no {', '.join(sorted(set(f.needs) - flags))}", file=sys.stderr)
    if not found:
        sys.exit(f"truth.sh: no function to measure{f' is like {ONLY}' if ONLY else ''}")
    return found


def main():
    if sys.argv[1:] == ["--list"]:
        for f in truth_functions.FUNCTIONS:
            print(f"{f.name}\t{f.prototype}\t{'; '.join(truth_functions.ANY + f.reasons)}")
        return 0
    zonemark, cc, folder = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    vendor, flags = processor()
    functions = wanted(flags)
    workshop = Workshop(zonemark, cc, pathlib.Path(folder), functions)
    workshop.build()
    if zonemark == "--check":
        return workshop.check()
    workshop.ask()
    workshop.find_quiet()
    load = None
    try:
        if LOAD:
            load = subprocess.Popen([os.path.join(folder, "disturb_load"), "spin", "0"], stdout=subprocess.PIPE)
            load.stdout.readline()
        tables = [table(workshop, functions, vendor) for _ in range(RUNS)]
    finally:
        if load:
            load.kill()
            load.wait()
        if KEEP:
            shutil.copytree(folder, KEEP, dirs_exist_ok=True)
    if RUNS > 1:
        print("in turn: " + "; ".join(counts for counts, _ in tables))
    return int(any(wrong for _, wrong in tables))


if __name__ == "__main__":
    sys.exit(main())
