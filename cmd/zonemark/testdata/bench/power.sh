#!/bin/sh
# How often zonemark and its peers find a slowdown of known size, and how often they alarm without one. A cell is
# KERNEL:PERCENT, such as core:0.5; its trials are made by each tool in the same time, in random order over the cells:
#   zonemark             compare --measure, in turns until decided (often before the time is over)
#   benchstat            the tool itself, on ten repetitions of Google Benchmark, one program after the other
#   compare.py wall, cpu the rule of Google Benchmark's compare.py (Mann-Whitney, 0.05) on the same repetitions
#   asv                  its rule (Mann-Whitney, exact, 0.002) on the same repetitions
#   hyperfine            the tool itself; an alarm is a ratio that is further from 1 than its deviation
# Kernels: core (chain of additions), l2 (0.5 MiB), l3 (4 MiB), memory (64 MiB).
#
# Results are appended to FILE, one line for each tool and trial. The same command goes on until each cell has its
# trials, so it can be ended and continued; without cells it prints the table only. A trial takes three times
# SECONDS_EACH and a little: 100 trials of a cell take ten minutes and more.
#
# Environment: TRIALS (100) of each cell, SECONDS_EACH (2) for each tool and trial, LOAD=1 loads the last CPU with an
# endless loop. Needs: Linux, cc, c++ with Google Benchmark (libbenchmark-dev), hyperfine, python3, and go.
# Usage: power.sh [--zonemark BINARY] FILE [KERNEL:PERCENT…]
#   power.sh quiet.csv core:0 core:0.5 core:1 l3:0 l3:2 l3:5 memory:0 memory:2 memory:5
set -eu

here=$(cd "$(dirname "$0")" && pwd)
zonemark=''
if [ "${1:-}" = --zonemark ]; then
    case ${2:-} in /*) zonemark=$2 ;; *) zonemark=$PWD/${2:-} ;; esac
    shift 2
fi
[ $# -ge 1 ] || { echo "power.sh: usage: power.sh [--zonemark BINARY] FILE [KERNEL:PERCENT…]" >&2; exit 1; }
[ "$(uname -s)" = Linux ] || { echo "power.sh: needs Linux" >&2; exit 1; }
cc=${CC:-cc} cxx=${CXX:-c++}
for tool in python3 hyperfine go "$cc" "$cxx"; do
    command -v "$tool" >/dev/null || { echo "power.sh needs $tool on the PATH" >&2; exit 1; }
done

work=$(mktemp -d)
python=''
finish() {
    [ -z "$python" ] || kill "$python" 2>/dev/null || true
    [ -z "$python" ] || wait "$python" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

if [ $# -gt 1 ]; then
    top=$here/../../../..
    if [ -z "$zonemark" ]; then
        (cd "$top" && CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark)
        zonemark=$work/zonemark
    fi
    [ -x "$zonemark" ] || { echo "power.sh: $zonemark is no program" >&2; exit 1; }
    (cd "$top" && CGO_ENABLED=0 go build -o "$work/benchstat" golang.org/x/perf/cmd/benchstat)
    "$cc" -O2 -Wall -o "$work/disturb_load" "$here/disturb_load.c"
fi
PYTHONDONTWRITEBYTECODE=1 CC=$cc CXX=$cxx python3 "$here/power.py" "$here" "$work" "$zonemark" "$@" &
python=$!
status=0
wait "$python" || status=$?
python=''
exit "$status"
