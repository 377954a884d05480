#!/bin/sh
# Compares the wire format with Python's multiprocessing.Pipe, each between two processes: results of 1,000 timings per
# second, and the round trip of an invocation of three arguments and a result of ten timings. The two take turns in one
# run, and the best of each counts.
#
# Usage: wire.sh [rounds]   (5 by default; needs go and python3)
# Exit status: 0 if zonemark carries at least three times the results and takes at most half the round trip, else 1.
set -eu

rounds=${1:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$here/../../../.."
CGO_ENABLED=0 go test -c -o "$work/wire.test" ./invocations/wire

round=0
while [ "$round" -lt "$rounds" ]; do
	round=$((round + 1))
	"$work/wire.test" -test.run='^$' -test.bench='Pipe' -test.benchtime=0.5s >"$work/ours"
	# go test prints "value unit" pairs in columns
	awk '/^BenchmarkPipe/ { for (i = 2; i <= NF; i++) if ($i == "results/s" || $i == "rtt-ns") print "ours", $(i - 1), $i }' "$work/ours" >>"$work/all"
	python3 "$here/wire.py" >"$work/python"
	sed 's/^/python /' "$work/python" >>"$work/all"
done

awk '
	$3 == "results/s" && $2 > rate[$1] { rate[$1] = $2 }
	$3 == "rtt-ns" && (!($1 in trip) || $2 < trip[$1]) { trip[$1] = $2 }
	END {
		if (!rate["ours"] || !rate["python"] || !trip["ours"] || !trip["python"]) { print "wire.sh: a measurement is missing" > "/dev/stderr"; exit 1 }
		more = rate["ours"] / rate["python"]; less = trip["ours"] / trip["python"]
		printf "results of 1,000 timings per second: zonemark %d, Python %d, ratio %.2f (at least 3)\n", rate["ours"], rate["python"], more
		printf "round trip of small messages, ns:    zonemark %d, Python %d, ratio %.2f (at most 0.5)\n", trip["ours"], trip["python"], less
		exit !(more >= 3 && less <= 0.5)
	}' "$work/all"
