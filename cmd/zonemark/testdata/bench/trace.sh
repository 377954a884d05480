#!/bin/sh
# Times the reading of a large Tracy capture, which the script makes: five zones for each iteration on four threads,
# one in five with a text, emitted through the Tracy client of the wheel iree-base-runtime and written by the capture
# tool of that wheel. Prints seconds, CPU time, zones and megabytes of capture per second and the peak memory of
# `zonemark trace csv --dialect 0.11.2` (sums by location, as the exporter writes them), `zonemark trace stats` and
# `zonemark trace csv -u --dialect 0.11.2`. With TRACY_CSVEXPORT it prints the same for tracy-csvexport, and the
# ratios. The programs take turns in one run. The best time of each counts, and the largest memory. A second capture
# has 200,000 names: of it, `zonemark trace stats` writes a row for each name, and the exporter a row for each
# location. If ZONEMARK_BENCH_TRACY names a capture, the script reads that one instead of the first, and
# ZONEMARK_BENCH_TRACY_NAMES instead of the second; with only the first of them, there is no second.
#
# Usage: trace.sh [zones [rounds]]   (10000000 and 3 by default; needs go, python3 and ZONEMARK_IREE_SITE, the
# site-packages folder with the wheel)
# Exit status: 1 if something cannot be run, or a goal is missed: sums in at most 0.30 of the exporter's time, -u in
# 0.12, stats of many names in 0.60 and in 150 MB; memory at most 40 % of the exporter's.
set -eu

zones=${1:-10000000}
rounds=${2:-3}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$here/../../../.."
export CGO_ENABLED=0
go build -o "$work/zonemark" ./cmd/zonemark
capture=${ZONEMARK_BENCH_TRACY:-}
names=${ZONEMARK_BENCH_TRACY_NAMES:-}
if [ -z "$capture" ]; then
	: "${ZONEMARK_IREE_SITE:?name the site-packages folder with iree-base-runtime 3.13.0}"
	go build -o "$work/tracegen" ./cmd/zonemark/internal/e2e/testdata/tracegen
	capture=$work/load.tracy
	"$work/tracegen" -site "$ZONEMARK_IREE_SITE" -o "$capture" load -zones "$zones"
	if [ -z "$names" ]; then
		names=$work/names.tracy
		"$work/tracegen" -site "$ZONEMARK_IREE_SITE" -o "$names" load -zones "$zones" -names 200000
	fi
fi

python3 "$here/trace.py" "$work/zonemark" "$rounds" "${TRACY_CSVEXPORT:-}" "$capture" ${names:+"$names"}
