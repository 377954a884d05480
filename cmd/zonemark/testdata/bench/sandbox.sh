#!/usr/bin/env bash
# Does the sandbox change the measured times? Measures the shipped example inside every layer and outside, in turns, and
# prints the ratio of the medians of the rounds, at the reference clock where it is known.
# Usage: sandbox.sh [ROUNDS]. Needs Go, a C compiler and Python 3.
# Exit status: 1 when something cannot be run, or a ratio is not between 0.995 and 1.005.
set -eu
rounds=${1:-7}
cd "$(dirname "$0")/../../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
for i in $(seq "$rounds"); do
    for sandbox in require off; do
        "$work/zonemark" hat -q --sandbox "$sandbox" --max-time 400ms --min-time 100ms --format ndjson cmd/zonemark/example/matmul.hat >>"$work/$sandbox"
    done
    echo "round $i of $rounds" >&2
done
python3 - "$work" <<'E2'
import json, statistics, sys

NEAR = 0.005


def times(name):
    """Returns the times of the rounds of each function, at the reference clock where it is known."""
    found = {}
    for line in open(f"{sys.argv[1]}/{name}"):
        r = json.loads(line)
        if r.get("median_ns") is not None:
            found.setdefault(r["function"], []).append(r.get("reference_ns", r["median_ns"]))
    return {function: statistics.median(values) for function, values in found.items()}


inside, outside = times("require"), times("off")
print(f"{'function':16} {'inside ns':>12} {'outside ns':>12} {'ratio':>7}   (goal: 0.995 to 1.005)")
for function in inside:
    print(f"{function:16} {inside[function]:12.1f} {outside[function]:12.1f} {inside[function] / outside[function]:7.4f}")
off = [f for f in inside if abs(inside[f] / outside[f] - 1) > NEAR]
if off or not inside:
    sys.exit("off: " + (", ".join(off) or "nothing was measured"))
E2
