#!/bin/sh
# Are zonemark's figures right? Measures about a hundred functions whose cost is known in another way, and prints for
# each the truth, zonemark's figure, their ratio, the verdict, and whether the row is right: within 1 % of the truth, or
# not clean with the right reason. At the end: how many are. A row is neither right nor wrong if the processes in C
# differ by more than 10 %, also when there are three times as many, or if those before zonemark's turn differ from those
# after it; it is measured again at the end of the table.
#
# The truth is what a caller in C waits for (truth_loop.c): batches of calls through a pointer into the same shared
# library, in eight processes before zonemark measures and eight after it, with arrays that lie elsewhere in each turn,
# and restored before each call where a function changes them. It is an interval: that of the median over processes,
# from the time without that of the loop around an empty function to the time with it. Where zonemark's figure is at
# the reference clock, the truth is converted to this clock by the clock of scalar code just before and after the
# batches, which leaves in it what a function does to the clock itself. For chains of known length it is their cycles.
# truth_functions.py has the table: what each function is called with, and which reasons are right for it.
#
# Environment: RUNS (1) tables; LOAD=1 loads CPU 0 with an endless loop; ONLY is a regular expression of names;
# PROCESSES (8) before and after; KEEP names a folder for journals and everything else.
# Needs: Linux, a C compiler ($CC, else cc), python3, and go unless --zonemark names a binary. A table takes about five
# minutes.
# Usage: truth.sh [--zonemark BINARY]
#        truth.sh --list     (the names, prototypes and reasons, without measuring)
#        truth.sh --check    (builds what it needs and calls each function once, without measuring)
# Exit status: 1 when something cannot be run or a row is wrong.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
zonemark='' check=''
command -v python3 >/dev/null || { echo "truth.sh needs python3 on the PATH" >&2; exit 1; }
export PYTHONDONTWRITEBYTECODE=1
case ${1:-} in
    --list) exec python3 "$here/truth.py" --list ;;
    --check) check=1 ;;
    --zonemark)
        [ $# = 2 ] || { echo "truth.sh: --zonemark wants a binary" >&2; exit 1; }
        case $2 in /*) zonemark=$2 ;; *) zonemark=$PWD/$2 ;; esac
        ;;
    ?*) echo "truth.sh: no such option: $1; usage: truth.sh [--zonemark BINARY] | --list | --check" >&2; exit 1 ;;
esac
[ "$(uname -s)" = Linux ] || { echo "truth.sh: needs Linux" >&2; exit 1; }
cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || { echo "truth.sh needs $cc on the PATH" >&2; exit 1; }

work=$(mktemp -d)
# A file that native code of the sandbox sees and may not read; it has a /tmp of its own.
cache=${XDG_CACHE_HOME:-$HOME/.cache}
mkdir -p "$cache"
TABLE=$(mktemp "$cache/zonemark-truth.XXXXXX")
export TABLE
python=''
# truth.py ends what it has started; it is waited for.
# shellcheck disable=SC2317 # a trap calls it
finish() {
    [ -z "$python" ] || kill "$python" 2>/dev/null || true
    [ -z "$python" ] || wait "$python" 2>/dev/null || true
    rm -rf "$work" "$TABLE"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

if [ -n "$check" ]; then
    zonemark=--check
elif [ -z "$zonemark" ]; then
    command -v go >/dev/null || { echo "truth.sh needs go on the PATH, or --zonemark BINARY" >&2; exit 1; }
    (cd "$here/../../../.." && CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark)
    zonemark=$work/zonemark
fi
[ -n "$check" ] || [ -x "$zonemark" ] || { echo "truth.sh: $zonemark is no program" >&2; exit 1; }
"$cc" -O2 -Wall -o "$work/disturb_load" "$here/disturb_load.c"
python3 "$here/truth.py" "$zonemark" "$cc" "$work" &
python=$!
status=0
wait "$python" || status=$?
python=''
exit "$status"
