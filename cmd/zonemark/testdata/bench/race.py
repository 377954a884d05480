"""Helps race.sh: writes the schedules that race, and judges who has won.

race.py kernels: writes a C file with 120 schedules of one matrix product: orders of loops, and sizes of tiles.
race.py truth PROGRAM LIBRARY FOLDER: writes truth: the true time of each variant to that of the others, by race_truth.c.
race.py measure NAME COMMAND: runs a command. Its output goes to NAME.csv, its wall and CPU seconds to NAME.seconds.
race.py judge FOLDER: reads truth, race-N.csv, race-N.seconds and off-N.seconds. A winner is wrong if it is
slower than the best by more than the margin. The ranking is wrong if it also calls the best slower, and does not leave
open which of the two is better.
"""

import csv
import glob
import itertools
import math
import os
import resource
import statistics
import subprocess
import sys
import time

SIZE = 128
MARGIN = 1.01  # winners that are slower than the best by less are right
NEAR = 1.15  # variants that are slower than the best by less at first may be the best


def kernels():
    names = []
    print(f"enum {{ SIZE = {SIZE} }};")
    for order in itertools.permutations("ijk"):
        for rows, columns in itertools.product((4, 8, 16, 32, 64), (8, 16, 32, 64)):
            loops = {
                "i": f"for (long i = ii; i < ii + {rows}; i++)",
                "j": f"for (long j = jj; j < jj + {columns}; j++)",
                "k": f"for (long k = 0; k < {SIZE}; k++)",
            }
            square = f"[{SIZE}][{SIZE}]"
            names.append(f"mm_{''.join(order)}_{rows}_{columns}")
            print(f"void {names[-1]}(const float a{square}, const float b{square}, "
                  f"float c{square}) {{")
            print(f"    for (long i = 0; i < {SIZE}; i++) for (long j = 0; j < {SIZE}; j++) c[i][j] = 0;")
            print(f"    for (long ii = 0; ii < {SIZE}; ii += {rows}) for (long jj = 0; jj < {SIZE}; jj += {columns})")
            print("        " + " ".join(loops[name] for name in order) + " c[i][j] += a[i][k] * b[k][j];\n}")
    print("#define VARIANTS " + " ".join(f"X({name})" for name in names))


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def measure(name, command):
    begun = time.monotonic()
    with open(name + ".csv", "w") as output:
        subprocess.run(command, stdout=output, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(name + ".seconds", "w") as file:
        print(time.monotonic() - begun, used.ru_utime + used.ru_stime, file=file)


def seconds(folder, kind):
    """The medians of wall and CPU seconds."""
    list_ = []
    for path in glob.glob(os.path.join(folder, kind + "-*.seconds")):
        with open(path) as file:
            list_.append([float(word) for word in file.read().split()])
    return [statistics.median(column) for column in zip(*list_)]


def processes(program, library, count, rounds, names):
    """The medians, over several processes, of the ratio of each variant to the middle of all in that process."""
    logs = {}
    for seed in range(count):
        output = subprocess.run([program, library, str(seed), str(rounds), *names], stdout=subprocess.PIPE, text=True, check=True)
        times = {name: math.log(float(ns)) for name, ns in (line.split() for line in output.stdout.splitlines())}
        middle = statistics.median(times.values())
        for name, ns in times.items():
            logs.setdefault(name, []).append(ns - middle)
    return {name: math.exp(statistics.median(values)) for name, values in logs.items()}


def truth(program, library, folder):
    path = os.path.join(folder, "truth")
    if os.path.exists(path):
        return
    times = processes(program, library, 5, 40, [])
    best = min(times.values())
    near = [name for name, ns in times.items() if ns < NEAR * best]
    finals = processes(program, library, 12, 200, near)
    scale = statistics.median(times[name] / finals[name] for name in near)
    times.update({name: scale * ns for name, ns in finals.items()})
    with open(path, "w") as file:
        for name, ns in times.items():
            print(name, ns, file=file)


def judge(folder):
    with open(os.path.join(folder, "truth")) as file:
        true = {name: float(ns) for name, ns in (line.split() for line in file)}
    order = sorted(true, key=true.get)
    best = true[order[0]]
    near = sum(true[name] <= MARGIN * best for name in order)
    print(f"{len(order)} variants; the slowest takes {true[order[-1]] / best:.1f} times as long as the best, {order[0]}; "
          f"{near} are within {MARGIN - 1:.0%} of it")
    right, wrong = 0, 0
    races = [path[:-len("seconds")] + "csv" for path in sorted(glob.glob(os.path.join(folder, "race-*.seconds")))]
    for path in races:
        rows = rows_of(path)
        winner = next(r["name"] for r in rows if r["rank"] == "1")
        dropped = sum("slower" in r["verdict"].split() for r in rows)
        good = true[winner] <= MARGIN * best
        right += good
        wrong += not good and next(r["standing"] for r in rows if r["name"] == order[0]) == "slower"
        print(f"race: {winner} wins, {true[winner] / best:.3f} times the best; {dropped} of {len(rows)} dropped")
    print(f"right winner in {right} of {len(races)} races, wrong ranking in {wrong}")
    off, on = seconds(folder, "off"), seconds(folder, "race")
    if off and on:
        print(f"without a race {off[0]:.1f} s, with one {on[0]:.1f} s: {on[0] / off[0]:.2f}; "
              f"CPU time {off[1]:.1f} s and {on[1]:.1f} s: {on[1] / off[1]:.2f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["kernels"]:
        kernels()
    elif sys.argv[1] == "truth":
        truth(*sys.argv[2:])
    elif sys.argv[1] == "measure":
        measure(sys.argv[2], sys.argv[3:])
    else:
        judge(sys.argv[2])
