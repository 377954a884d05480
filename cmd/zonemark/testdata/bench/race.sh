#!/bin/sh
# Races 120 schedules of one matrix product, whose true order comes from runs without a race, in turns with the races:
# how often the winner is the best or within 1 % of it, how long each takes, and how much CPU time. On a machine that
# others use, only the latter tells something.
# Needs: go, python3, and a C compiler ($CC, else cc). Usage: race.sh [--zonemark BINARY] [RUNS without a race] [RACES]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
zonemark=''
if [ "${1:-}" = --zonemark ]; then
    case ${2:-} in /*) zonemark=$2 ;; *) zonemark=$PWD/${2:-} ;; esac
    shift 2
fi
runs=${1:-2} races=${2:-5}
[ "$runs" -gt 0 ] && [ "$races" -gt 0 ] || { echo "race.sh: want a run without a race and a race at least" >&2; exit 1; }
for tool in go python3 "${CC:-cc}"; do
    command -v "$tool" >/dev/null || { echo "race.sh needs $tool on the PATH" >&2; exit 1; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
if [ -z "$zonemark" ]; then
    zonemark=$dir/zonemark
    (cd "$here/../../../.." && CGO_ENABLED=0 go build -o "$zonemark" ./cmd/zonemark)
fi
python3 "$here/race.py" kernels >"$dir/schedules.c"
"$zonemark" run -q -c "$dir/schedules.c" --group >/dev/null # builds it, and compares the outputs

# measure NAME FLAG…: measures all once, as CSV, and keeps how long that took.
measure() {
    name=$1
    shift
    python3 "$here/race.py" measure "$dir/$name" "$zonemark" run -q "$dir/schedules.c" --group --format csv "$@"
}

n=0
while [ "$n" -lt "$runs" ] || [ "$n" -lt "$races" ]; do
    if [ "$n" -lt "$runs" ]; then measure "off-$n" --race off; fi
    if [ "$n" -lt "$races" ]; then measure "race-$n" --seed "$n"; fi
    n=$((n + 1))
done
python3 "$here/race.py" judge "$dir"
