#!/usr/bin/env bash
# Does the sandbox change the measured times? Functions of the shipped example are measured inside every layer and outside,
# launch by launch in random order, on one CPU and at the same clock. Prints the ratio of a function inside to outside,
# with its interval.
# Usage: sandbox.sh [ROUNDS]   (60 by default). Needs Go, a C compiler and Python 3.
# Exit status: 1 when something cannot be run, or the whole interval of a ratio lies outside 0.995 to 1.005.
set -eu
rounds=${1:-60}
cd "$(dirname "$0")/../../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
python3 cmd/zonemark/testdata/bench/sandboxturns.py "$work/zonemark" cmd/zonemark/example/matmul.hat "$work" "$rounds"
