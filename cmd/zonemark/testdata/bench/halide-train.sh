#!/bin/sh
# Holds zonemark's training of Halide's cost model (package driver/halide/adams2019) against the program of the package
# halide, adams2019_retrain_cost_model, on the same samples: a real batch, and made-up ones with more pipelines and
# with more schedules. Both are processes of their own that read the samples, train, and write weights. They take turns
# in each round, and the best round of each counts.
#
# Usage: halide-train.sh [rounds]   (5 by default; needs go; and Halide, with "zonemark setup halide", unless
# ZONEMARK_HALIDE_FOLDER names the folder of its package)
# Exit status: 1 when something cannot be run, when training takes more than 1/3 of the program's time, or when weights
# differ by more than they may: 1e-6 for real samples. The sums of 1,000 schedules differ in their rounding, so made-up
# ones may differ by 1e-5.
set -eu

rounds=${1:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cd "$here/../../../.."
if [ -z "${ZONEMARK_HALIDE_FOLDER:-}" ]; then
    CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
    "$work/zonemark" setup halide >&2
    ZONEMARK_HALIDE_FOLDER=$("$work/zonemark" setup --env 2>/dev/null |
        sed -n "s/^export ZONEMARK_HALIDE_FOLDER='\(.*\)'$/\1/p")
fi
CGO_ENABLED=0 go build -o "$work/train" ./cmd/zonemark/testdata/bench/halidetrain
"$work/train" compare "$ZONEMARK_HALIDE_FOLDER" driver/halide/adams2019/testdata/gauss5.zip "$work" "$rounds"
