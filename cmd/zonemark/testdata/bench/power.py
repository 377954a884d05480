"""Makes the trials of power.sh and prints their table."""
import collections
import csv
import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import time

HERE, WORK, ZONEMARK, FILE = sys.argv[1:5]
TRIALS = int(os.environ.get("TRIALS", "100"))
SECONDS = float(os.environ.get("SECONDS_EACH", "2"))
LOAD = os.environ.get("LOAD", "") == "1"
REPETITIONS = 10

# name: (work of a call, elements of the array, prototype, inputs)
KERNELS = {
    "core": (4000, 1, "void core(float w[1])", ["w=0"]),
    "l2": (8000, 65536, "void l2(const uint64_t x[65536], uint64_t out[1])", ["x=1"]),
    "l3": (8000, 524288, "void l3(const uint64_t x[524288], uint64_t out[1])", ["x=1"]),
    "memory": (8000, 8388608, "void memory(const uint64_t x[8388608], uint64_t out[1])", ["x=1"]),
}
TOOLS = ["zonemark", "benchstat", "compare.py wall", "compare.py cpu", "asv", "hyperfine"]
FIELDS = ["kernel", "percent", "load", "tool", "verdict", "seconds"]
FOUND, WRONG, UNDECIDED, NOT = "found", "wrong", "undecided", "not found"


def output(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout, done


class Cell:
    """A kernel and a slowdown, with both programs built."""

    def __init__(self, text):
        try:
            self.kernel, percent = text.split(":")
            self.percent = float(percent)
            self.work, self.elements, self.prototype, self.inputs = KERNELS[self.kernel]
        except (ValueError, KeyError):
            sys.exit(f"power.sh: {text}: want KERNEL:PERCENT with one of {', '.join(KERNELS)}, such as core:0.5")
        works = [self.work, round(self.work * (1 + self.percent / 100))]
        if abs(works[1] / works[0] - 1 - self.percent / 100) > 1e-5:
            sys.exit(f"power.sh: {text}: {self.work} pieces of work cannot be {self.percent} % more")
        self.libraries, self.programs = [], []
        for side, work in zip(("old", "new"), works):
            base = os.path.join(WORK, f"{self.kernel}-{self.percent}-{side}")
            source = os.path.join(HERE, "power_kernels.c")
            compiler = [os.environ["CC"], "-O2", f"-DWORK={work}L"]
            subprocess.check_call(compiler + ["-shared", "-fPIC", source, "-o", base + ".so"])
            subprocess.check_call(compiler + ["-c", source, "-o", base + ".o"])
            subprocess.check_call([os.environ["CXX"], "-std=c++17", "-O2", f"-DELEMENTS={self.elements}",
                                   f"-DKERNEL={self.kernel if self.elements > 1 else 'l2'}",
                                   os.path.join(HERE, "power_program.cc"), base + ".o", "-o", base,
                                   "-lbenchmark", "-lpthread"])
            self.libraries.append(base + ".so")
            self.programs.append(base)
        self.calls = self.calibrate()

    def calibrate(self):
        """Returns the calls that take about a tenth of a side's time, the start of the program included."""
        calls = 1
        while True:
            took = math.inf
            for _ in range(3):  # the least counts: others may disturb
                begin = time.monotonic()
                subprocess.check_call([self.programs[0], str(calls)])
                took = min(took, time.monotonic() - begin)
            if took > SECONDS / 2 / REPETITIONS * 0.8:
                return calls
            calls = math.ceil(calls * 1.5)

    def judge(self, direction):
        """Returns the verdict of a tool that says 1 (slower), -1 (faster), 0 (no difference)."""
        if direction == 0:
            return NOT
        return FOUND if self.percent > 0 and direction > 0 or self.percent == 0 else WRONG

    def zonemark(self):
        command = [ZONEMARK, "compare", "--measure", *self.libraries, "--function", self.prototype, "--margin", "0.002",
                   "--min-time", "50ms", "--max-time", f"{SECONDS / 2 - 0.05:.3f}s", "--format", "ndjson", "-q"]
        for i in self.inputs:
            command += ["--input", i]
        text, done = output(command)
        if not text:
            sys.exit(f"power.sh: zonemark: {done.stderr}")
        said = json.loads(text)["verdict"]
        if said == "same":
            return [("zonemark", WRONG if self.percent > 0 else NOT)]
        known = {"slower": self.judge(1), "faster": self.judge(-1), "undecided": UNDECIDED}
        if said not in known:
            sys.exit(f"power.sh: zonemark: {text}")
        return [("zonemark", known[said])]

    def google(self):
        """Ten repetitions of each program, one after the other, judged by the rules of three tools."""
        least = SECONDS / 2 / REPETITIONS * 0.9  # the rest is for finding the number of iterations
        sides = []
        for p in self.programs:
            text, _ = output([p, f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_min_time={least}",
                              "--benchmark_format=json"])
            runs = [r for r in json.loads(text)["benchmarks"] if r["run_type"] == "iteration"]
            sides.append({c: [r[c] for r in runs] for c in ("real_time", "cpu_time")})
        wall = [s["real_time"] for s in sides]
        cpu = [s["cpu_time"] for s in sides]
        rules = [("benchstat", self.benchstat(wall)),
                 ("compare.py wall", normal_p(*wall) < 0.05 and sign(*wall)),
                 ("compare.py cpu", normal_p(*cpu) < 0.05 and sign(*cpu)),
                 ("asv", exact_p(*wall) < 0.002 and sign(*wall))]
        return [(tool, self.judge(direction)) for tool, direction in rules]

    @staticmethod
    def benchstat(sides):
        names = []
        for k, side in enumerate(sides):
            names.append(os.path.join(WORK, f"benchstat{k}.txt"))
            with open(names[-1], "w", encoding="utf-8") as f:
                f.writelines(f"BenchmarkKernel 1 {v!r} ns/op\n" for v in side)
        text, done = output([os.path.join(WORK, "benchstat"), "-format", "csv", *names])
        line = [row for row in csv.reader(text.splitlines()) if row and row[0] == "Kernel"]
        if not line:
            sys.exit(f"power.sh: benchstat: {text}{done.stderr}")
        return 0 if line[0][5] == "~" else sign(*sides)

    def hyperfine(self):
        file = os.path.join(WORK, "hyperfine.json")
        subprocess.check_call(["hyperfine", "-N", "--style", "none", "--runs", str(REPETITIONS), "--export-json", file,
                               *(f"{p} {self.calls}" for p in self.programs)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        with open(file, encoding="utf-8") as f:
            old, new = json.load(f)["results"]
        ratio = new["mean"] / old["mean"]
        deviation = ratio * math.hypot(old["stddev"] / old["mean"], new["stddev"] / new["mean"])
        return [("hyperfine", self.judge((abs(ratio - 1) > deviation) * math.copysign(1, ratio - 1)))]


def median(x):
    x = sorted(x)
    return (x[(len(x) - 1) // 2] + x[len(x) // 2]) / 2


def sign(old, new):
    return 1 if median(new) > median(old) else -1


def statistic(x, y):
    return sum((a > b) + 0.5 * (a == b) for a in x for b in y)


def normal_p(x, y):
    """Mann and Whitney's test as scipy has it for more than eight values: normal, with ties and continuity."""
    n, m = len(x), len(y)
    ties = sum(t ** 3 - t for t in collections.Counter(x + y).values())
    deviation = math.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
    if deviation == 0:
        return 1
    u = statistic(x, y)
    return math.erfc(max(0, max(u, n * m - u) - n * m / 2 - 0.5) / deviation / math.sqrt(2))


def exact_p(x, y):
    """Mann and Whitney's test from all ways to divide the ranks."""
    n, m = len(x), len(y)
    counts = collections.Counter({(0, 0): 1})  # values of x taken so far, and their statistic
    for rank in range(n + m):
        more = collections.Counter()
        for (taken, u), ways in counts.items():
            more[taken, u] += ways
            if taken < n:
                more[taken + 1, u + rank - taken] += ways
        counts = more
    u = statistic(x, y)
    most = max(u, n * m - u)
    ways = {u: w for (taken, u), w in counts.items() if taken == n}
    return min(1, 2 * sum(w for u, w in ways.items() if u >= most) / sum(ways.values()))


def read():
    if not os.path.exists(FILE):
        return []
    with open(FILE, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    if rows and list(rows[0]) != FIELDS:
        sys.exit(f"power.sh: {FILE}: no results of power.sh, so nothing is appended to it; name another file")
    return rows


def table(rows):
    cells = collections.defaultdict(list)
    for r in rows:
        cells[r["kernel"], float(r["percent"]), r["load"], r["tool"]].append(r)
    for load, kernel in itertools.product(("0", "1"), KERNELS):
        percents = sorted({c[1] for c in cells if c[0] == kernel and c[2] == load})
        if not percents:
            continue
        print(f"\n{kernel}, {'one core loaded' if load == '1' else 'quiet'}: alarms where nothing changed; else found, "
              "of zonemark also undecided and wrong; percent of trials")
        print(f"{'tool':16} {'s a trial':>9} " + " ".join(f"{f'+{p:g} %':>24}" for p in percents))
        for tool in TOOLS:
            row, took = [], []
            for p in percents:
                seen = cells[kernel, p, load, tool]
                took += [float(r["seconds"]) for r in seen]
                share = lambda v: 100 * sum(r["verdict"] == v for r in seen) / max(1, len(seen))
                text = f"{share(FOUND):.1f}"
                if tool == "zonemark" or share(WRONG):
                    text += f" und. {share(UNDECIDED):.1f} wrong {share(WRONG):.1f}"
                row.append(f"{text:>24}")
            print(f"{tool:16} {sum(took) / max(1, len(took)):9.2f} " + " ".join(row))
        print("trials: " + ", ".join(f"+{p:g} %: {len(cells[kernel, p, load, 'zonemark'])}" for p in percents))


def trials(cells, rows):
    load = str(int(LOAD))
    done = collections.Counter((r["kernel"], float(r["percent"])) for r in rows
                               if r["load"] == load and r["tool"] == "hyperfine")
    order = [c for c in cells for _ in range(TRIALS - done[c.kernel, c.percent])]
    random.shuffle(order)
    print(f"{len(order)} trials, about {len(order) * 3 * SECONDS / 60:.0f} minutes", file=sys.stderr)
    fresh = not os.path.exists(FILE)
    with open(FILE, "a", encoding="utf-8", newline="") as f:
        out = csv.DictWriter(f, FIELDS)
        if fresh:
            out.writeheader()
        for cell in order:
            results = []
            tools = [cell.zonemark, cell.google, cell.hyperfine]
            random.shuffle(tools)
            for tool in tools:
                begin = time.monotonic()
                verdicts = tool()
                seconds = time.monotonic() - begin
                results += [(name, verdict, seconds) for name, verdict in verdicts]
            for name, verdict, seconds in results:  # a trial is kept whole or not at all
                out.writerow({"kernel": cell.kernel, "percent": cell.percent, "load": load, "tool": name,
                              "verdict": verdict, "seconds": f"{seconds:.3f}"})
            f.flush()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    rows, names = read(), sys.argv[5:]
    if names:
        competitor = None
        cells = [Cell(n) for n in names]
        try:
            if LOAD:
                last = max(os.sched_getaffinity(0))
                competitor = subprocess.Popen([os.path.join(WORK, "disturb_load"), "spin", str(last)],
                                              stdout=subprocess.PIPE)
                competitor.stdout.readline()
            trials(cells, rows)
        finally:
            if competitor:
                competitor.kill()
    table(read())


main()
