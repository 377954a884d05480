#!/bin/sh
# Builds the generator sources of Halide's apps as a user would who knows nothing of them: "zonemark list SOURCE", and if
# that fails, the command that its error gives, once. Prints a table: which sources were built at once, which by the
# command, and which were not, with the error. Sources are files *generator*.cpp and *generators.cpp.
# Goal: 45 of 50 are built, which is nine of ten. Exits with 1 if it is missed.
# Needs: go, g++, and the folder apps of a checkout of Halide, of the release that zonemark installs.
# Usage: halideapps.sh APPS [PATTERN], where PATTERN is a regular expression for paths
set -eu

here=$(cd "$(dirname "$0")" && pwd)
apps=$(cd "${1:?the folder apps of Halide}" && pwd)
pattern=${2:-.}
for tool in go g++; do
    command -v "$tool" >/dev/null || { echo "halideapps.sh needs $tool on the PATH" >&2; exit 1; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

cd "$here/../../../.."
mkdir "$dir/bin"
CGO_ENABLED=0 go build -o "$dir/bin/zonemark" ./cmd/zonemark
PATH=$dir/bin:$PATH
cd "$apps"
find . -name '*generator*.cpp' | sed 's,^\./,,' | sort | grep -E -- "$pattern" >"$dir/sources" || {
    echo "halideapps.sh: no generator source below $apps" >&2
    exit 1
}

# failure FILE: the first line of what zonemark said, without the path of the source.
failure() {
    sed -n 's/^zonemark: //p' "$1" | head -n 1 | sed "s,$apps/,,g" | cut -c1-160
}

all=0 once=0 pasted=0
while read -r source; do
    all=$((all + 1)) how=
    if zonemark list "$source" >"$dir/out" 2>"$dir/err" </dev/null; then
        once=$((once + 1)) how="at once"
    else
        command=$(sed -n 's/.*this gives it: \(zonemark .*\)/\1/p' "$dir/err")
        if [ -n "$command" ] && sh -c "$command" >"$dir/out" 2>"$dir/err" </dev/null; then
            pasted=$((pasted + 1)) how="by: ${command#zonemark list }"
        fi
    fi
    printf '%-64s %s\n' "$source" "${how:-not: $(failure "$dir/err")}"
done <"$dir/sources"

built=$((once + pasted))
echo "$built of $all sources were built: $once at once, $pasted by the command of the first error"
[ $((10 * built)) -ge $((9 * all)) ] || { echo "missed: nine of ten"; exit 1; }
