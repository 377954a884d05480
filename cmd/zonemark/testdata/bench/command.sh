#!/usr/bin/env bash
# Does zonemark time whole commands as hyperfine does, and what does starting them cost beside that? Both time the same
# commands without a shell, in turns, and the script prints the ratio of the least medians. "true" does nothing, so its
# time is what starting a process takes with either program; "sleep 0.02" shows what both add to a longer command. Exits
# with 1 if zonemark's times are more than a tenth (true) or a fiftieth (sleep) above hyperfine's.
# Usage: command.sh [ROUNDS]. Needs Go, Python 3 and hyperfine 1.13 or later (Debian: hyperfine).
set -eu
rounds=${1:-7}
cd "$(dirname "$0")/../../../.."
command -v hyperfine >/dev/null || { echo "command.sh: hyperfine is not on PATH" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
for i in $(seq "$rounds"); do
    "$work/zonemark" run -q --max-time 1s --format ndjson -- true ::: sleep 0.02 >>"$work/zonemark.ndjson"
    hyperfine --shell none --style none --warmup 1 --min-runs 25 --export-json "$work/$i.json" true 'sleep 0.02' 2>/dev/null
    echo "round $i of $rounds" >&2
done
python3 - "$work" "$rounds" <<'E2'
import json, sys
work, rounds = sys.argv[1], int(sys.argv[2])
ours, theirs = {}, {}
for line in open(f"{work}/zonemark.ndjson"):
    r = json.loads(line)
    if r.get("median_ns") is not None:
        ours.setdefault(r["name"], []).append((r["median_ns"] / 1e6, r["min_ns"] / 1e6))
for i in range(1, rounds + 1):
    for r in json.load(open(f"{work}/{i}.json"))["results"]:
        theirs.setdefault(r["command"], []).append((r["median"] * 1e3, r["min"] * 1e3))
bad = False
print(f"{'command':12} {'':8} {'zonemark ms':>12} {'hyperfine ms':>13} {'ratio':>7}")
for name, goal in (("true", 1.1), ("sleep 0.02", 1.02)):
    for k, what in enumerate(("median", "min")):
        a, b = min(t[k] for t in ours[name]), min(t[k] for t in theirs[name])
        print(f"{name:12} {what:8} {a:12.3f} {b:13.3f} {a / b:7.3f}")
        bad = bad or what == "median" and a > goal * b
sys.exit(bad)
E2
