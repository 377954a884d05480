#!/bin/sh
# How often does the median of one clean row lie in the interval of another run's clean row of the same function?
# Measures the suite coverage.toml, twelve functions from 1 ns to 10 ms, again and again, each time in a fresh run with
# default settings: first as the machine is, then with one core loaded by an endless loop that stands for somebody
# else's work. Prints a table for time, for the reference clock and for cycles, and the goals below each.
#
# An interval covers what earlier runs on the machine have shown, also those of a busy hour. So each condition has a
# cache of its own, which knows no earlier runs.
#
# Needs: a C compiler, python3, and go unless --zonemark names a binary. Functions of runtimes that are not installed
# are left out, and the script says so ("zonemark setup iree iree-capi pjrt-cpu" installs them).
# Usage: coverage.sh [--repeats N] [--only quiet|loaded] [--zonemark BINARY] [--keep DIR]
#        coverage.sh --report DIR     (evaluates the journals that --keep DIR has left, without measuring)
#   --repeats N   runs of each condition, 30 by default; a run takes 5 to 20 seconds
#   --keep DIR    leaves the journals in DIR/quiet and DIR/loaded
# Exit status: 1 when something cannot be run or a goal is missed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
repeats=30 conditions='quiet loaded' zonemark='' keep='' report=''

usage() {
    echo "coverage.sh: $1" >&2
    echo "usage: coverage.sh [--repeats N] [--only quiet|loaded] [--zonemark BINARY] [--keep DIR] | --report DIR" >&2
    exit 1
}
fail() {
    echo "coverage.sh: $1" >&2
    exit 1
}
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }

while [ $# -gt 0 ]; do
    case $1 in --repeats | --only | --zonemark | --keep | --report) [ $# -ge 2 ] || usage "$1 wants a value" ;; esac
    case $1 in
        --repeats) repeats=$2 ;;
        --only) conditions=$2 ;;
        --zonemark) zonemark=$(absolute "$2") ;;
        --keep) keep=$(absolute "$2") ;;
        --report) report=$(absolute "$2") ;;
        *) usage "no such option: $1" ;;
    esac
    shift 2
done
case $repeats in '' | *[!0-9]* | 0) usage "--repeats wants a number above 0, not \"$repeats\"" ;; esac
case $conditions in
    'quiet loaded' | quiet | loaded) ;;
    *) usage "--only wants quiet or loaded, not \"$conditions\"" ;;
esac
command -v python3 >/dev/null || fail "needs python3 on the PATH"
if [ -n "$report" ]; then
    exec python3 "$here/coverage.py" "$report"
fi
for condition in $conditions; do
    if [ -n "$keep" ] && [ -e "$keep/$condition" ]; then
        fail "$keep/$condition is there already; choose another --keep, or --report $keep"
    fi
done

work=$(mktemp -d)
load='' run=''
# Both processes are ours, and named by their numbers; a run ends its own children.
finish() {
    [ -z "$load" ] || kill "$load" 2>/dev/null || true
    [ -z "$run" ] || kill "$run" 2>/dev/null || true
    [ -z "$run" ] || wait "$run" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

if [ -z "$zonemark" ]; then
    command -v go >/dev/null || fail "needs go on the PATH, or --zonemark BINARY"
    (cd "$here/../../../.." && CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark)
    zonemark=$work/zonemark
fi
[ -x "$zonemark" ] || fail "$zonemark is no program"

# wanted is a regular expression of the first words of the functions that can be measured here.
"$zonemark" setup --env >"$work/env" 2>/dev/null || true
wanted=hat
# need WORD WHAT VARIABLE…: adds the functions that begin with WORD if all variables are known.
need() {
    word=$1 what=$2
    shift 2
    for variable in "$@"; do
        grep -q "^export $variable=" "$work/env" && continue
        echo "without the functions \"$word\": $what is not installed" >&2
        return 0
    done
    wanted="$wanted|$word"
}
if [ "$(uname -m)" = x86_64 ]; then
    wanted="$wanted|dispatch"
else
    echo 'without the functions "dispatch": the module holds code for x86-64' >&2
fi
need capi "iree or iree-capi" ZONEMARK_IREE_COMPILE ZONEMARK_IREE_CAPI
need pjrt "pjrt-cpu" ZONEMARK_PJRT_CPU

# The runtimes stay where they are.
. "$work/env"

# measure ARGUMENT…: runs the suite, so that a signal ends it at once. A function that fails (2) is told by its row.
measure() {
    "$zonemark" run "$here/coverage.toml" --filter "^($wanted) " -q "$@" >"$work/out" 2>"$work/log" &
    run=$!
    status=0
    wait "$run" || status=$?
    run=''
    [ "$status" = 0 ] || [ "$status" = 2 ] || { cat "$work/log" >&2; fail "zonemark ended with status $status"; }
}

now() { python3 -c 'import time; print(time.monotonic())'; }

# The endless loop. It ends by itself when this script was killed in a way that no trap sees.
somebody='while kill -0 "$1" 2>/dev/null; do i=0; while [ "$i" -lt 100000 ]; do i=$((i + 1)); done; done'

journals=${keep:-$work/journals}
for condition in $conditions; do
    mkdir -p "$journals/$condition"
    export ZONEMARK_HOME="$work/home-$condition"
    measure --check # compiles what must be compiled
    [ "$status" = 0 ] || cat "$work/out" >&2
    if [ "$condition" = loaded ]; then
        if command -v taskset >/dev/null; then
            taskset -c 0 sh -c "$somebody" load $$ &
        else
            sh -c "$somebody" load $$ &
        fi
        load=$!
    fi
    i=0
    while [ "$i" -lt "$repeats" ]; do
        i=$((i + 1))
        [ -z "$load" ] || kill -0 "$load" 2>/dev/null || fail "the load has ended"
        start=$(now)
        measure -o "$journals/$condition/r$i.ndjson"
        echo "$start $(now)" >"$journals/$condition/r$i.seconds"
        echo "$condition, run $i of $repeats" >&2
    done
    [ -z "$load" ] || { kill "$load"; wait "$load" 2>/dev/null || true; load=''; }
done
status=0
python3 "$here/coverage.py" "$journals" || status=$?
exit "$status"
