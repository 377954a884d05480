#!/usr/bin/env bash
# Does the sandbox change the measured times? Measures the shipped example inside every layer and outside, in turns, and
# prints the ratio of the least medians. Usage: sandbox.sh [ROUNDS]. Needs Go, a C compiler and Python 3.
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
import json, sys
def least(name):
    times = {}
    for line in open(f"{sys.argv[1]}/{name}"):
        r = json.loads(line)
        if r.get("median_ns") is not None:
            times.setdefault(r["function"], []).append(r["median_ns"])
    return {f: min(t) for f, t in times.items()}
inside, outside = least("require"), least("off")
print(f"{'function':16} {'inside ns':>12} {'outside ns':>12} {'ratio':>7}")
for f in inside:
    print(f"{f:16} {inside[f]:12.1f} {outside[f]:12.1f} {inside[f] / outside[f]:7.3f}")
E2
