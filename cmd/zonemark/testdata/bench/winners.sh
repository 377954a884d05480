#!/bin/sh
# Counts how often zonemark names the faster one of two functions, of which one uses wide registers and lowers the clock
# of its core. It takes fewer cycles and, by the wall, more time. Four ways in each round: a ranking (run --group), two
# journals (compare), both at once (compare --measure), and a suite with an axis of compiler flags. A loop in C that
# takes turns between both tells the truth, before and after each way.
#
# Usage: winners.sh [rounds]   (5 by default; needs go, cc, python3, and a processor with AVX-512)
# WORK is the share of the rounds that the wide function makes: by default, the one that makes it 4 % slower by the wall.
# Exits with 1 if an answer is wrong; an answer that says that it cannot tell is counted apart.
set -eu

rounds=${1:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
grep -qs avx512f /proc/cpuinfo || { echo "winners.sh needs a processor with AVX-512" >&2; exit 1; }

truth() { cc -O2 -DMAIN -DWORK="$1" -o "$work/truth" "$here/winners.c" && "$work/truth"; }
share=${WORK:-$(truth 1 | awk '{ printf "%.3f", 1.04 / $1 }')}
truth "$share" >/dev/null
cp "$here/winners.c" "$work"
for one in narrow wide; do printf '#define ONE %s\n#include "winners.c"\n' "$one" >"$work/$one.c"; done
cd "$here/../../../.."
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
python3 "$here/winners.py" "$work" "$rounds" "$share"
