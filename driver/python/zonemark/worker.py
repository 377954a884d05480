"""Calls a function in this interpreter and times it, as it is asked on standard input.

It is a program of its own. It reads lines with a number of calls, and answers each one with the wall time and the CPU
time of these calls in nanoseconds, page faults, and voluntary and involuntary context switches.
"""

import sys

del sys.path[0]  # the folder of this file, whose modules are not what the function imports

import itertools  # noqa: E402
import os  # noqa: E402
import pickle  # noqa: E402
import resource  # noqa: E402
import time  # noqa: E402
import traceback  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402


def batch(function: Callable[..., Any], arguments: tuple[Any, ...], calls: int) -> str:
    """Makes the calls; returns the answer."""
    turns = itertools.repeat(None, calls)
    before = resource.getrusage(resource.RUSAGE_SELF)
    begin_cpu, begin = time.process_time_ns(), time.perf_counter_ns()
    for _ in turns:
        function(*arguments)
    wall, cpu = time.perf_counter_ns() - begin, time.process_time_ns() - begin_cpu
    after = resource.getrusage(resource.RUSAGE_SELF)
    numbers = [
        wall,
        cpu,
        after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt,
        after.ru_nvcsw - before.ru_nvcsw,
        after.ru_nivcsw - before.ru_nivcsw,
    ]
    return " ".join(str(max(0, number)) for number in numbers)


def main() -> None:
    """Loads the function from the file that the command line names, and answers until standard input ends."""
    asked, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDWR)  # for the function, which may read and print
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    with open(sys.argv[1], "rb") as file:
        recorded = pickle.load(file)
    sys.path[:] = recorded["path"]
    function, arguments = pickle.loads(recorded["call"])
    print("ready", file=answers, flush=True)
    for line in asked:
        print(batch(function, arguments, int(line)), file=answers, flush=True)


def explain(error: BaseException) -> str:
    """The exception behind the places where it passed, one a line, without those in this file."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    places = [f"{frame.filename}:{frame.lineno}: in {frame.name}" for frame in frames]
    return "\n".join([*places, *traceback.format_exception_only(error)])


if __name__ == "__main__":
    try:
        main()
    except Exception as failure:  # of the function
        sys.exit(explain(failure))
