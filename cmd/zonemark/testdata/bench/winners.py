"""Has zonemark compare two functions in four ways, and counts right and wrong answers; see winners.sh.

Usage: winners.py FOLDER ROUNDS SHARE; FOLDER has zonemark, truth, winners.c, narrow.c and wide.c
"""

import collections
import csv
import io
import math
import os
import statistics
import subprocess
import sys

folder, rounds, share = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.chdir(folder)
FLAGS = "-O2 -DWORK=" + share
NEAR = 0.01  # by less, no answer is wrong
SUITE = """
[[invocation]]
artifact = "winners.c"
function = "kernel"
group = "registers"
verify = { tolerance = 0.9 }
[invocation.axes]
cflags = ["%s -DONE=narrow", "%s -DONE=wide"]
""" % (FLAGS, FLAGS)
with open("suite.toml", "w") as f:
    f.write(SUITE)


def truth():
    return float(subprocess.run(["./truth"], check=True, capture_output=True, text=True).stdout)


def rows(*command):
    done = subprocess.run(["./zonemark", *command, "--format", "csv"], capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        raise SystemExit("%s failed: %s" % (" ".join(command[:3]), (done.stderr or done.stdout)[-1000:]))
    return list(csv.DictReader(io.StringIO(done.stdout)))


def ranked(found, wide):
    """narrow or wide, the best of a ranking; None if others may be as good."""
    best = [r for r in found if r["standing"] == "best"]
    rest = [r for r in found if r["standing"] == "slower"]
    if len(best) != 1 or len(rest) != 1:
        return None
    return "wide" if wide(best[0]) else "narrow"


def compared(found):
    return {"faster": "wide", "slower": "narrow"}.get(found[0]["verdict"])


def by_group():
    return ranked(rows("run", "winners.c", "--function", "narrow", "--function", "wide", "--cflags", FLAGS, "--group",
                       "--tolerance", "90%"), lambda r: r["name"] == "wide")


def by_journals():
    for one in ("narrow", "wide"):
        rows("run", one + ".c", "--function", "kernel", "--cflags", FLAGS, "-o", one + ".ndjson", "--overwrite")
    return compared(rows("compare", "narrow.ndjson", "wide.ndjson"))


def at_once():
    return compared(rows("compare", "--measure", "narrow.c", "wide.c", "--function", "kernel", "--cflags", FLAGS,
                         "--tolerance", "90%"))


def by_suite():
    return ranked(rows("run", "suite.toml"), lambda r: "wide" in r["params"] + r["name"])


WAYS = {"run --group": by_group, "compare of journals": by_journals, "compare --measure": at_once, "suite": by_suite}
truths, answers = [truth()], {way: [] for way in WAYS}
for _ in range(rounds):
    for way, ask in WAYS.items():
        answers[way].append(ask())
        truths.append(truth())
ratio = statistics.median(truths)
print("wide / narrow by the wall: %.4f (%.4f to %.4f in %d looks), with %s of the rounds" %
      (ratio, min(truths), max(truths), len(truths), share))
agree = sum((t > 1) == (ratio > 1) for t in truths)
right = "narrow" if ratio > 1 else "wide"
wrong = 0
for way, given in answers.items():
    count = collections.Counter("right" if a == right else "cannot tell" if a is None else "wrong" for a in given)
    wrong += count["wrong"]
    print("%-20s %d right, %d cannot tell, %d wrong" % (way, count["right"], count["cannot tell"], count["wrong"]))
known = abs(math.log(ratio)) >= NEAR and agree >= 0.75 * len(truths)
if not known:
    print("the two are too near, or only some looks agree (%d of %d): no answer counts as wrong" % (agree, len(truths)))
sys.exit(1 if wrong and known else 0)
