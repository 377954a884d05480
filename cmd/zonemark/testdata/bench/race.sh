#!/bin/sh
# Races 120 schedules of one matrix product, whose true order a loop in C tells that calls them in turns (3 min), and
# measures them without a race: how often the winner is the best or within 1 % of it, how long each takes, and how much CPU
# time.
# With --into, a folder keeps what was measured, and a further call adds to it: many races can be made in pieces.
# Needs: go, python3, and a C compiler ($CC, else cc).
# Usage: race.sh [--zonemark BINARY] [--into FOLDER] [RUNS without a race] [RACES]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
zonemark='' dir=''
while :; do
    case ${2:-} in /*) path=$2 ;; *) path=$PWD/${2:-} ;; esac
    case ${1:-} in
    --zonemark) zonemark=$path ;;
    --into) dir=$path ;;
    *) break ;;
    esac
    shift 2
done
runs=${1:-2} races=${2:-5}
for tool in go python3 "${CC:-cc}"; do
    command -v "$tool" >/dev/null || { echo "race.sh needs $tool on the PATH" >&2; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
dir=${dir:-$scratch}
mkdir -p "$dir"
if [ -z "$zonemark" ]; then
    zonemark=$scratch/zonemark
    (cd "$here/../../../.." && CGO_ENABLED=0 go build -o "$zonemark" ./cmd/zonemark)
fi
python3 "$here/race.py" kernels >"$dir/schedules.c"
"$zonemark" run -q -c "$dir/schedules.c" --group >/dev/null # builds it, and compares the outputs
# A home of its own has one library: the one that is measured.
ZONEMARK_HOME=$scratch/home "$zonemark" run -q -c "$dir/schedules.c" --group --filter mm_ikj_4_8 >/dev/null
"${CC:-cc}" -O2 -DSCHEDULES="\"$dir/schedules.c\"" -o "$scratch/truth" "$here/race_truth.c" -ldl
python3 "$here/race.py" truth "$scratch/truth" "$scratch"/home/built/c/*.so "$dir"

# count KIND: prints how many there are.
count() { find "$dir" -name "$1-*.seconds" | wc -l; }

# measure KIND FLAG…: measures all once, as CSV, and keeps how long that took. The seed is another one each time.
measure() {
    kind=$1 number=$(count "$1")
    shift
    python3 "$here/race.py" measure "$dir/$kind-$number" "$zonemark" run -q "$dir/schedules.c" --group --format csv \
        --seed "$number" "$@"
}

n=0
while [ "$n" -lt "$runs" ] || [ "$n" -lt "$races" ]; do
    if [ "$n" -lt "$runs" ]; then measure off --race off; fi
    if [ "$n" -lt "$races" ]; then measure race; fi
    n=$((n + 1))
done
python3 "$here/race.py" judge "$dir"
