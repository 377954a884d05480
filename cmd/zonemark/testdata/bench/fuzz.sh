#!/usr/bin/env bash
# Do parsers survive whatever they are given? Runs every fuzz target of the module in turn and prints a line for each.
# Inputs that reach new code, the corpus, are kept in Go's cache ($(go env GOCACHE)/fuzz) until "go clean -fuzzcache".
# The next run goes on from there. With a FOLDER, which may come from another machine, they are kept there as well: each
# target begins with what the folder has of it, and leaves there what it has found.
# An input that fails is written to testdata/fuzz/NAME of its package: commit it with the correction.
#
# Usage: fuzz.sh [MINUTES [PATTERN [FOLDER]]]
# MINUTES in all (120 by default), the same for each target, at least 10 seconds. PATTERN is a regular expression of a
# package and a target, such as "machine FuzzMachines"; "." is all of them.
# Needs Go. Exits with 1 if a target failed.
set -eu
minutes=${1:-120}
pattern=${2:-.}
folder=${3:-}
[ -z "$folder" ] || { mkdir -p "$folder" && folder=$(cd "$folder" && pwd); }
cd "$(dirname "$0")/../../../.."
export CGO_ENABLED=0
cache=$(go env GOCACHE)/fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# go test prints the names of a package's targets, and then a line with the package.
go test -list '^Fuzz' ./... >"$work/list" || { cat "$work/list" >&2; exit 1; }
awk '/^Fuzz/ { names[++n] = $1 } $1 == "ok" { for (i = 1; i <= n; i++) print $2, names[i]; n = 0 }' "$work/list" |
	grep -E -e "$pattern" >"$work/targets" || {
	echo "fuzz.sh: no target matches $pattern" >&2
	exit 1
}
count=$(wc -l <"$work/targets")
seconds=$(awk -v m="$minutes" -v n="$count" 'BEGIN { s = int(60 * m / n); print s < 10 ? 10 : s }')
echo "$count targets, $seconds s each"

# Go's fuzzer sometimes takes the end of its time for a failure. Then no input has failed.
only_late() {
	grep -q '^ *context deadline exceeded$' "$work/log" && ! grep -q 'Failing input' "$work/log"
}

# Copies the inputs of a target that are in one folder into another one.
copy_inputs() { # FROM TO
	[ ! -d "$1" ] || { mkdir -p "$2" && cp -R "$1/." "$2"; }
}

failed=0
while read -r package name; do
	[ -z "$folder" ] || copy_inputs "$folder/$package/$name" "$cache/$package/$name"
	if go test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "${seconds}s" -fuzzminimizetime 20x -parallel 1 \
		</dev/null >"$work/log" 2>&1 || only_late; then
		echo "ok      $package $name $(sed -n 's/.*\(execs: [0-9]*\).*\((total: [0-9]*)\).*/\1 \2/p' "$work/log" | tail -1)"
	else
		failed=$((failed + 1))
		echo "FAILED  $package $name"
		tail -n 40 "$work/log"
	fi
	[ -z "$folder" ] || copy_inputs "$cache/$package/$name" "$folder/$package/$name"
done <"$work/targets"
echo "$count targets, $failed failed"
[ "$failed" = 0 ]
