#!/bin/sh
# Compares zonemark's timing loop with a loop in C and with Google Benchmark, on the same functions, in one process, in
# turns.
# Needs: go, a C compiler ($CC, else cc); optional: a C++ compiler ($CXX, else c++) with Google Benchmark (Debian:
# libbenchmark-dev).
# Usage: loop.sh [CPU to pin to]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc} cxx=${CXX:-c++}
for tool in go "$cc"; do
    command -v "$tool" >/dev/null || { echo "loop.sh needs $tool on the PATH" >&2; exit 1; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# The kernels are in a library of their own, as the kernels that one measures are.
"$cc" -O2 -fPIC -shared "$here/kernels.c" -o "$dir/libkernels.so"
"$cc" -O2 -fPIC -c "$here/cloop.c" -o "$dir/cloop.o"
if ! "$cxx" -O2 -fPIC -shared "$here/gbench.cc" "$dir/cloop.o" -lbenchmark -lpthread -o "$dir/libloops.so" 2>"$dir/log"; then
    echo "without Google Benchmark: $cxx -lbenchmark failed ($(head -n 1 "$dir/log")); Debian: apt-get install libbenchmark-dev" >&2
    "$cc" -shared "$dir/cloop.o" -o "$dir/libloops.so"
fi

cd "$here/../../../.."
CGO_ENABLED=0 ZONEMARK_PEER_KERNELS=$dir/libkernels.so ZONEMARK_PEER_LOOPS=$dir/libloops.so ZONEMARK_PEER_CPU=${1:-} \
    go test -run='^$' -bench="Peers|Canary" -benchtime=1x ./executor/native >"$dir/out" || { cat "$dir/out" >&2; exit 1; }

# One benchmark line a kernel: name, 1, then pairs of value and unit.
awk '
/^cpu:/ { print }
/^BenchmarkPeers\// {
    split($1, name, "/"); sub(/-[0-9]+$/, "", name[2]); delete v
    for (i = 3; i < NF; i += 2) v[$(i+1)] = $i
    if (!head++) printf "%-8s %10s %10s %10s %10s %10s %10s %10s %10s | %8s %8s %8s\n", "ns/call", "C min", "median", "google min", "median",
        "zonemark", "median", "net min", "median", "min/C", "median/C", "min/ggl"
    printf "%-8s %10.3f %10.3f %10s %10s %10.3f %10.3f %10.3f %10.3f | %8.3f %8.3f %8s\n", name[2], v["c-min"], v["c-median"],
        ("google-min" in v) ? sprintf("%.3f", v["google-min"]) : "-", ("google-min" in v) ? sprintf("%.3f", v["google-median"]) : "-",
        v["min"], v["median"], v["net-min"], v["net-median"], v["min"] / v["c-min"], v["median"] / v["c-median"],
        ("google-min" in v) ? sprintf("%.3f", v["min"] / v["google-min"]) : "-"
}
/^BenchmarkCanary/ {
    delete w; for (i = 3; i < NF; i += 2) w[$(i+1)] = $i
    canary = sprintf("canary: %.0f ns a probe, one between two batches takes %.2f %% of 100 us (goal: at most 2); batches with probes / without, median: %.4f",
        w["ns/probe"], w["%/batch"], w["with/without"])
}
END {
    if (!head) { print "no measurement came back" > "/dev/stderr"; exit 1 }
    print (canary != "") ? canary : "canary: not here, the clock is too coarse"
    print "targets: min/C at most 1.1 for empty, within 0.95 and 1.05 for the others; net: overhead of an empty loop subtracted"
}' "$dir/out"
