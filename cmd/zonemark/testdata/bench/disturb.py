"""Measures functions under disturbances that it makes; see disturb.sh.

Usage: disturb.py ZONEMARK DISTURB_LOAD FOLDER [--only NAME]… [--step-clock]
"""

import argparse
import contextlib
import itertools
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import coverage

HERE = pathlib.Path(__file__).resolve().parent
FUNCTIONS = ["add1024", "product64", "gather", "chain"]
QUIET_RUNS = 3
RUN_TIMEOUT = 180  # seconds
LONG = ["--min-time", "4s", "--max-time", "8s"]  # of runs that are disturbed in the middle
MIDDLE = 1.5  # seconds after the start of such a run
STOPPED = 2.0  # seconds that a process is stopped for
CLOCK_STEP = 3600.0  # seconds
MEMORY_MIB = 512
PAGES = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
SEEDS = range(1, 20)
FORMAT = "{:22} {:14} {:>15} {:>9} {:>15} {:>9}  {:28} {:>6}  {}"


class Impossible(Exception):
    """A disturbance that cannot be made here; the text says why."""


class Missed(Exception):
    """The run was over before it could be disturbed."""


class Machine:
    """The program that measures, the CPUs, and everything that must be ended or restored."""

    def __init__(self, options, cleanup):
        self.zonemark, self.load, self.folder = options.zonemark, options.load, pathlib.Path(options.folder)
        self.step_clock = options.step_clock
        self.cleanup = cleanup
        self.journals = itertools.count()
        cpus = sorted(os.sched_getaffinity(0))
        self.ours, self.other = cpus[-1], cpus[0] if len(cpus) > 1 else None
        self.help = subprocess.run([self.zonemark, "run", "--help", "all"], capture_output=True, text=True).stdout

    def need_other(self):
        if self.other is None:
            raise Impossible("needs a second CPU")
        return self.other

    def start(self, command, **settings):
        """Starts a process in a session of its own, which ends with this program."""
        process = subprocess.Popen(command, start_new_session=True, **settings)
        self.cleanup.callback(end, process)
        return process

    def run(self, arguments, during=None):
        """Runs zonemark, calls during(process) meanwhile, and returns the rows in the order of measuring."""
        journal = self.folder / f"r{next(self.journals)}.ndjson"
        with open(journal.with_suffix(".log"), "w+") as log:
            command = [self.zonemark, "run", "-q", "--cpu", str(self.ours), "-o", str(journal), *map(str, arguments)]
            process = self.start(command, stdout=subprocess.DEVNULL, stderr=log)
            try:
                if during:
                    during(process)
                status = process.wait(RUN_TIMEOUT)
            except subprocess.TimeoutExpired:
                sys.exit(f"disturb.py: zonemark did not end within {RUN_TIMEOUT} s")
            finally:
                end(process)
            if status not in (0, 2):  # 2: a row tells
                log.seek(0)
                sys.exit(f"disturb.py: zonemark ended with status {status}: {log.read().strip()}")
        return list(coverage.read_journal(journal).values())


def end(process):
    """Kills a process of ours and waits for it. Executors die with their driver, stopped ones, too."""
    if process.poll() is None:
        process.kill()
        process.wait()


def children(pid):
    """Returns the ids of the processes that pid has started."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def stop_for_a_while(process, pids):
    """Stops processes of the run's own and lets them go on. They are continued in every case."""
    with contextlib.ExitStack() as stack:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                stack.callback(continue_process, pid)
                os.kill(pid, signal.SIGSTOP)
        time.sleep(STOPPED)
        if not pids or process.poll() is not None:
            raise Missed()


def continue_process(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def loaded(machine, *arguments):
    """A process that works on another's behalf."""
    process = machine.start([machine.load, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout.readline().strip() != "ready":
            raise Impossible(f"{machine.load} {' '.join(map(str, arguments))} did not start")
        yield
        if process.poll() is not None:
            raise Impossible("the load has ended meanwhile")
    finally:
        end(process)
        process.stdout.close()


@contextlib.contextmanager
def written(machine, path, text):
    """A setting of the system, which is restored."""
    before = path.read_text().strip()
    if selected := re.search(r"\[(.*?)\]", before):  # always [madvise] never
        before = selected.group(1)
    restore = contextlib.ExitStack()
    restore.callback(path.write_text, before)
    machine.cleanup.callback(restore.close)
    try:
        try:
            path.write_text(text)
        except OSError as err:
            raise Impossible(f"{path} cannot be written: {err.strerror}") from err
        yield
    finally:
        restore.close()


def measure(machine, function, *flags, during=None):
    return machine.run([HERE / "coverage.hat", "--function", function, *flags], during)


def functions_under(context):
    """A disturbance that lasts while each of the functions is measured once; context(machine) makes it."""
    def disturb(machine):
        with context(machine):
            for function in FUNCTIONS:
                yield from ((function, row) for row in measure(machine, function))
    return disturb


def functions_during(action):
    """A disturbance in the middle of a longer run of each function; action(machine, process) makes it."""
    def disturb(machine):
        def during(process):
            time.sleep(MIDDLE)
            if process.poll() is not None:
                raise Missed()
            action(machine, process)
        for function in FUNCTIONS:
            try:
                yield from ((function, row) for row in measure(machine, function, *LONG, during=during))
            except Missed:
                yield function, None
    return disturb


def same_core(machine):
    return loaded(machine, "spin", machine.ours)


def other_core(machine):
    return loaded(machine, "spin", machine.need_other())


def memory(machine):
    return loaded(machine, "stream", machine.need_other(), MEMORY_MIB)


def stop_driver(_, process):
    stop_for_a_while(process, [process.pid])


def stop_executor(_, process):
    stop_for_a_while(process, children(process.pid))


def step_clock(*_):
    """Steps the clock forward and back; the monotonic clock says what time it is in the end."""
    began, monotonic = time.time(), time.monotonic()

    def restore():
        time.clock_settime(time.CLOCK_REALTIME, began + time.monotonic() - monotonic)
    with contextlib.ExitStack() as stack:
        stack.callback(restore)
        try:
            time.clock_settime(time.CLOCK_REALTIME, began + CLOCK_STEP)
        except OSError as err:
            stack.pop_all()
            raise Impossible(f"the clock cannot be set: {err.strerror}") from err
        time.sleep(1)


def clock_step(machine):
    if not machine.step_clock:
        raise Impossible("only with --step-clock")
    if os.geteuid() != 0:
        raise Impossible("needs root")
    yield from functions_during(step_clock)(machine)


def affinity(machine):
    """A function that moves its own thread, and the same product by one that does not, in one process."""
    for row in machine.run([HERE / "coverage.hat", "--function", "product64_moving", "--function", "product64"]):
        yield "product64", row


def rounding(machine):
    """What is measured after a function that leaves another rounding mode behind it, in the first order that tells."""
    for seed in SEEDS:
        rows = machine.run([HERE / "disturb.toml", "--seed", seed])
        after = list(itertools.dropwhile(lambda row: row["function"] != "set_rounding", rows))
        told = [row for row in after if row["function"] == "rounding_sensitive"]
        if told:
            for row in told:
                yield "rounding_sensitive", row
            return
    raise Impossible("no seed measures the sensitive function last")


def frequency(machine):
    folder = pathlib.Path(f"/sys/devices/system/cpu/cpu{machine.ours}/cpufreq")
    try:
        least = (folder / "cpuinfo_min_freq").read_text().strip()
    except OSError as err:
        raise Impossible("cannot be set here") from err
    yield from functions_under(lambda m: written(m, folder / "scaling_max_freq", least))(machine)


def pages(value):
    """Transparent huge pages of the whole machine."""
    def disturb(machine):
        if not PAGES.exists():
            raise Impossible("the system has none")
        if os.geteuid() != 0:
            raise Impossible("needs root")
        yield from functions_under(lambda m: written(m, PAGES, value))(machine)
    return disturb


def huge_pages(machine):
    flag = re.search(r"--huge-pages(?: (\S+))?", machine.help)
    if not flag:
        raise Impossible("zonemark run has no --huge-pages")
    value = next((v for v in ("on", "always") if v in (flag.group(1) or "").split("|")), None)
    for function in FUNCTIONS:
        for row in measure(machine, function, "--huge-pages" + (f"={value}" if value else "")):
            yield function, row


DISTURBANCES = {
    "same-core": functions_under(same_core),
    "other-core": functions_under(other_core),
    "memory": functions_under(memory),
    "stop-driver": functions_during(stop_driver),
    "stop-executor": functions_during(stop_executor),
    "clock-step": clock_step,
    "affinity": affinity,
    "rounding": rounding,
    "frequency": frequency,
    "pages-always": pages("always"),
    "pages-never": pages("never"),
    "huge-pages": huge_pages,
}
QUIET_OF = {"affinity": ["product64"], "rounding": ["rounding_sensitive"]}  # of the others: FUNCTIONS


class Quiet:
    """The undisturbed value of a function: the middle one of its clean runs, of all where none is clean. These show a
    difference, and judge nothing."""

    def __init__(self, rows):
        figures = {figure["name"]: figure for figure in coverage.FIGURES}
        self.figure = figures["reference clock"]
        if not any(coverage.value_of(row, self.figure) for row in rows):
            self.figure = figures["time"]
        self.clean = [row for row in rows if coverage.clean(row)]
        values = sorted(v for row in self.clean or rows if (v := coverage.value_of(row, self.figure)))
        if not values:
            name = rows[0]["name"] if rows else "a function"
            raise SystemExit(f"disturb.py: {name} could not be measured without a disturbance")
        self.value, self.low, self.high = values[len(values) // 2]

    def half_width(self):
        return (self.high - self.low) / 2


def quiet_value(machine, function):
    rows = []
    for _ in range(QUIET_RUNS):
        if function == "rounding_sensitive":
            rows += machine.run([HERE / "disturb.toml", "--filter", "^rounding_sensitive 1$"])
        else:
            rows += measure(machine, function)
    return Quiet(rows)


def judge(row, value, quiet):
    """Returns what to say of a row, and whether it is wrong."""
    if row["status"] == "mismatch":
        return f"WRONG: outputs differ: {row.get('error', '')}", True
    if not value:
        return f"ok: no value ({row['status']})", False
    if not coverage.clean(row):
        return "ok", False
    if not quiet.clean:
        return "clean; nothing to compare with: no undisturbed run was", False
    if value[1] > quiet.high or value[2] < quiet.low:
        return "WRONG: clean, and its interval and the quiet one are apart", True
    return "ok", False


def percent(part, whole, form):
    return format(100 * part / whole, form) if whole else "-"


def print_row(disturbance, row, quiet):
    """Prints the line of a row under a disturbance; returns whether it is wrong."""
    value = coverage.value_of(row, quiet.figure)
    text, wrong = judge(row, value, quiet)
    share = row.get("quiet_share")
    measured, half, difference = "-", "-", "-"
    if value:
        measured, half = f"{value[0]:,.3f}", percent((value[2] - value[1]) / 2, value[0], ".4f")
        difference = percent(value[0] - quiet.value, quiet.value, "+.3f")
    print(FORMAT.format(
        row["name"], disturbance, measured, half, f"{quiet.value:,.3f}", difference,
        " ".join(row.get("verdict") or [row["status"]]), coverage.number(share, ".2f"), text), flush=True)
    return wrong


def compare(machine, names):
    functions = list(dict.fromkeys(f for name in names for f in QUIET_OF.get(name, FUNCTIONS)))
    print(FORMAT.format("function", "disturbance", "value ns", "± %", "quiet ns", "differs %", "verdicts", "quiet",
                        "").rstrip())
    quiet = {}
    for function in functions:
        quiet[function] = q = quiet_value(machine, function)
        print(FORMAT.format(
            function, "none", "", percent(q.half_width(), q.value, ".4f"), f"{q.value:,.3f}", "",
            f"{len(q.clean)} of {QUIET_RUNS} runs clean", "", q.figure["name"]), flush=True)
    wrong = 0
    for name in names:
        try:
            for function, row in DISTURBANCES[name](machine):
                if row is None:
                    print(f"{function:22} {name:14} the run was over too soon", flush=True)
                    continue
                wrong += print_row(name, row, quiet[function])
        except Impossible as err:
            print(f"{'':22} {name:14} not made: {err}", flush=True)
    print(f"{wrong} rows are WRONG" if wrong else "no row is WRONG")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(prog="disturb.py")
    parser.add_argument("zonemark")
    parser.add_argument("load")
    parser.add_argument("folder")
    parser.add_argument("--only", action="append", choices=DISTURBANCES, metavar="NAME")
    parser.add_argument("--step-clock", action="store_true")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    with contextlib.ExitStack() as cleanup:
        return compare(Machine(options, cleanup), options.only or list(DISTURBANCES))


if __name__ == "__main__":
    sys.exit(main())
