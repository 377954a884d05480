"""Has programs that measure the same take turns, launch by launch, and compares their figures at the same clock.

For iree.sh, halide.sh, pjrt.sh and sandbox.sh. A round is one launch of each program, in random order. All run on one CPU, and the
time of a chain of additions before and after each launch tells how fast its clock was.
"""

import math
import os
import random
import statistics
import subprocess


class Clock:
    """Tells the clock of the core by the time of a chain of additions."""

    def __init__(self, folder):
        self.program = os.path.join(folder, "chain")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chain.c")
        subprocess.run(["cc", "-O2", "-o", self.program, source], check=True)

    def ns(self):
        return float(subprocess.run([self.program], check=True, capture_output=True, text=True).stdout)


def on_one_cpu():
    """Has this process and all that it starts run on one CPU, since the clocks of CPUs differ."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def take(programs, rounds, clock):
    """Returns the times of each program, one a round, in chains: ns divided by the time of a chain beside it.

    programs has a function by name, which makes one launch and returns the time of a call in ns. The second value is the
    middle time of a chain in ns.
    """
    times, chains = {name: [] for name in programs}, []
    for _ in range(rounds):
        before = clock.ns()
        for name in random.sample(list(programs), len(programs)):
            ns = programs[name]()
            after = clock.ns()
            times[name].append(ns / ((before + after) / 2))
            chains.append(before := after)
    return times, statistics.median(chains)


def ratio(ours, theirs):
    """The middle of the ratios of rounds, with the interval that holds it with 95 % confidence."""
    ratios = sorted(a / b for a, b in zip(ours, theirs))
    n, outside = len(ratios), 0.0
    rank = 0  # of the lower end, from 0: as few rounds beyond it as chance allows
    while outside + math.comb(n, rank) / 2**n <= 0.025 and rank < (n - 1) // 2:
        outside += math.comb(n, rank) / 2**n
        rank += 1
    rank = max(0, rank - 1)
    return statistics.median(ratios), ratios[rank], ratios[n - 1 - rank]


class Table:
    """Prints ratios beside their goals. A goal is missed if the whole interval is beyond it, and met if all is within."""

    def __init__(self):
        self.missed = False
        print("%-34s %12s %12s %8s %17s   goal" % ("", "ns", "of base", "ratio", "95 %"))

    def row(self, name, ours, theirs, chain, least, most):
        """ours and theirs are in chains; least or most may be None."""
        middle, low, high = ratio(ours, theirs)
        if (most is not None and low > most) or (least is not None and high < least):
            said, self.missed = "MISSED", True
        elif (most is None or high <= most) and (least is None or low >= least):
            said = "met"
        else:
            said = "undecided"
        goal = "%g to %g" % (least, most) if None not in (least, most) else "at most %g" % most if least is None else "at least %g" % least
        print("%-34s %12.1f %12.1f %8.3f %8.3f … %.3f  %s: %s" % (
            name, chain * statistics.median(ours), chain * statistics.median(theirs), middle, low, high, goal, said), flush=True)
