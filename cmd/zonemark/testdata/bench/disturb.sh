#!/bin/sh
# Makes each disturbance on purpose and prints what the verdicts said. Three undisturbed runs give the quiet value of
# each function, at the reference clock where the journal has it, else as time; then one run is measured under each
# disturbance. A row that is clean is WRONG if its interval and that of the quiet value are apart: of forty rows, two miss
# a known value by chance. All runs are pinned to the last CPU, so that "the same core" is known.
#
# Needs: Linux, a C compiler ($CC, else cc), python3, and go unless --zonemark names a binary. Some disturbances need
# root, and say so.
# Usage: disturb.sh [--zonemark BINARY] [--only NAME] [--step-clock]
#   --only NAME     only this disturbance; repeatable: same-core other-core memory stop-driver stop-executor clock-step
#                   affinity rounding frequency pages-always pages-never huge-pages
#   --step-clock    also step the system's clock by an hour and back (root); other programs of the machine see it
# Exit status: 1 when something cannot be run or a row is WRONG.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
zonemark='' options=''
usage() {
    echo "disturb.sh: $1; usage: disturb.sh [--zonemark BINARY] [--only NAME] [--step-clock]" >&2
    exit 1
}
while [ $# -gt 0 ]; do
    case $1 in
        --zonemark)
            [ $# -ge 2 ] || usage "--zonemark wants a value"
            case $2 in /*) zonemark=$2 ;; *) zonemark=$PWD/$2 ;; esac
            shift
            ;;
        --only)
            case ${2:-} in '' | *[!a-z-]*) usage "--only wants the name of a disturbance" ;; esac
            options="$options --only $2"
            shift
            ;;
        --step-clock) options="$options --step-clock" ;;
        *) usage "no such option: $1" ;;
    esac
    shift
done
[ "$(uname -s)" = Linux ] || { echo "disturb.sh: the disturbances are Linux's" >&2; exit 1; }
cc=${CC:-cc}
for tool in python3 "$cc"; do
    command -v "$tool" >/dev/null || { echo "disturb.sh needs $tool on the PATH" >&2; exit 1; }
done

work=$(mktemp -d)
python=''
# disturb.py ends what it has started and restores what it has set; it is waited for.
finish() {
    [ -z "$python" ] || kill "$python" 2>/dev/null || true
    [ -z "$python" ] || wait "$python" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

if [ -z "$zonemark" ]; then
    command -v go >/dev/null || { echo "disturb.sh needs go on the PATH, or --zonemark BINARY" >&2; exit 1; }
    (cd "$here/../../../.." && CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark)
    zonemark=$work/zonemark
fi
[ -x "$zonemark" ] || { echo "disturb.sh: $zonemark is no program" >&2; exit 1; }
"$cc" -O2 -Wall -o "$work/disturb_load" "$here/disturb_load.c"

# shellcheck disable=SC2086 # the options are words
PYTHONDONTWRITEBYTECODE=1 python3 "$here/disturb.py" "$zonemark" "$work/disturb_load" "$work" $options &
python=$!
status=0
wait "$python" || status=$?
python=''
exit "$status"
