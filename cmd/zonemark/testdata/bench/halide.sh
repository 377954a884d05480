#!/bin/sh
# Compares pipelines that zonemark calls with RunGen, the runner of Halide's package, on the same objects, in turns: what
# a call of a pipeline of 64 floats costs, which is nearly all overhead, and three kernels. RunGen's figure is the best of
# its samples, each the mean of as many calls as take a third of the least time. That time is short here, so that other
# work on the machine does not fall into every sample. zonemark's figures are the median over calls, and the least.
# Goals: the overhead is at most RunGen's, and medians are within 5 % of RunGen's figures. Exits with 1 if one is missed.
# Needs: go, g++, and ZONEMARK_HALIDE_PYTHON, a Python interpreter with Halide's package. Usage: halide.sh [rounds]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
python=${ZONEMARK_HALIDE_PYTHON:?names a Python interpreter with Halide\'s package}
rounds=${1:-5}
for tool in go g++; do
    command -v "$tool" >/dev/null || { echo "halide.sh needs $tool on the PATH" >&2; exit 1; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

cd "$here/../../../.."
CGO_ENABLED=0 go build -o "$dir/zonemark" ./cmd/zonemark
halide=$("$python" -c 'import halide, os; print(os.path.dirname(halide.__file__))')
kernels="gaussian matmul sobel"
for k in tiny $kernels; do
    target=host-no_runtime
    [ "$k" != tiny ] || target=host # one of them brings the runtime
    echo "-g $k -f $k -o '$dir' -e object,registration target=$target"
done | "$python" "$here/halidepipelines.py"
objects=$(for k in tiny $kernels; do printf '%s ' "$dir/$k.o"; done)
registrations=$(for k in tiny $kernels; do printf '%s ' "$dir/$k.registration.cpp"; done)
# shellcheck disable=SC2086 # they are lists
g++ -shared -o "$dir/kernels.so" $objects -lpthread -ldl -lm
# shellcheck disable=SC2086
g++ -std=c++17 -O2 -DHALIDE_NO_PNG -DHALIDE_NO_JPEG -I"$halide/include" -I"$halide/share/tools" -o "$dir/rungen" \
    "$halide/share/tools/RunGenMain.cpp" $registrations $objects -lpthread -ldl

# theirs NAME: RunGen's best time of a call in nanoseconds, in ten runs.
theirs() {
    for run in 1 2 3 4 5 6 7 8 9 10; do
        HL_NUM_THREADS=1 "$dir/rungen" --name="$1" --benchmarks=all --benchmark_min_time=0.006 --estimate_all \
            --parsable_output >"$dir/out" 2>&1 || { cat "$dir/out" >&2; exit 1; }
        awk '$2 == "BEST_TIME_MSEC_PER_ITER" { print 1e6 * $3 }' "$dir/out"
    done | sort -g | awk -v name="$1" 'NR == 1 { print "theirs", name, $1 }' >>"$dir/times"
}

# ours: all pipelines; times of the tiny one are raw, the loop included, as RunGen's include its own.
ours() {
    "$dir/zonemark" run -q --task-threads 1 --precision 0 --min-time 300ms --max-time 1s --launches 1 --format ndjson \
        "$dir/kernels.so" | "$python" -c 'import json, sys
for line in sys.stdin:
    r = json.loads(line)
    if r["kind"] == "result":
        overhead = r["overhead_ns"] if r["name"] == "tiny" else 0
        print("ours", r["name"], r["median_ns"] + overhead)
        print("least", r["name"], r["min_ns"] + overhead)' >>"$dir/times"
}

round=0
while [ "$round" -lt "$rounds" ]; do
    ours
    for k in tiny $kernels; do theirs "$k"; done
    round=$((round + 1))
done

"$python" - "$dir/times" <<'PY'
import statistics, sys
times = {}
for line in open(sys.argv[1]):
    who, name, ns = line.split()
    times.setdefault(name, {}).setdefault(who, []).append(float(ns))
print(f"{'pipeline':10} {'median':>12} {'least':>12} {'RunGen':>12} {'median/':>8} {'least/':>8}   (ns, medians of rounds)")
missed = []
for name, t in times.items():
    median, least, theirs = (statistics.median(t[who]) for who in ("ours", "least", "theirs"))
    print(f"{name:10} {median:12.1f} {least:12.1f} {theirs:12.1f} {median / theirs:8.3f} {least / theirs:8.3f}")
    if name == "tiny" and median > theirs or name != "tiny" and abs(median / theirs - 1) > 0.05:
        missed.append(name)
if missed:
    print("missed: " + ", ".join(missed))
    sys.exit(1)
PY
