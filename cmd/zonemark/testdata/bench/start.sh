#!/usr/bin/env bash
# How long does an executor take from its start to its first reply, without and with all layers of the sandbox? And how
# many results a second has a suite of 2,000 trivial functions with one launch each? Usage: start.sh [PROGRAM]. PROGRAM
# is another build of zonemark, which takes turns with this one; its executors, too, are started by this build's driver.
# Needs Go and a C compiler. Compare minima.
set -eu
cd "$(dirname "$0")/../../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0
go build -o "$work/linked" ./cmd/zonemark
cp "$work/linked" "$work/zonemark"
go test -c -o "$work/hosting.test" ./cmd/zonemark/internal/hosting
programs=("$work/zonemark")
[ $# -eq 0 ] || { cp "$1" "$work/other" && programs+=("$work/other"); }

for round in 1 2 3; do
    for program in "${programs[@]}"; do
        echo "$program, start in ms, round $round:"
        ZONEMARK_BENCH_PROGRAM="$program" "$work/hosting.test" -test.run '^$' -test.bench '^BenchmarkStart$' \
            -test.benchtime 100x | sed -n 's/^BenchmarkStart[^ \t]*[ \t]*[0-9]*//p'
    done
done

echo 'long nothing(long n) { return n; }' >"$work/trivial.c"
for time in 1ms 100us; do
    cat >"$work/$time.toml" <<SUITE
[defaults]
artifact = "trivial.c"
prototype = "long nothing(long n)"
function = "nothing"
launches = 1
max_time = "$time"

[[invocation]]
name = "nothing {n}"
axes = { n = { from = 1, to = 2000, step = 1 } }
SUITE
    for round in 1 2 3; do
        for program in "${programs[@]}"; do
            begin=$(date +%s%N)
            TIMEFORMAT="%U + %S s of CPU time"
            { time "$program" run -q --overwrite -o "$work/journal" --format csv "$work/$time.toml" >"$work/report"; } \
                2>"$work/cpu"
            end=$(date +%s%N)
            echo "$program, max_time = $time, round $round: $((2000 * 1000000000 / (end - begin))) results a second," \
                "$(grep -c '"status":"ok"' "$work/journal") of 2000 ok, $(tail -n 1 "$work/cpu")"
        done
    done
done
