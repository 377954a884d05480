#!/bin/sh
# Compares zonemark's times of a model on IREE with those of iree-benchmark-module: of the module that runs on the device,
# compiled from the same export with the same flags, with the same weights and inputs, on the device local-sync. Both
# take turns in each round, and the best round of each counts. A round's figure is the median for zonemark, and the median
# of five repetitions for iree-benchmark-module. Of wall and CPU time the smaller one counts, since other work on the
# machine lengthens both.
#
# Usage: models.sh [MODEL [CONFIG [rounds]]]   (bert, tiny and 5 by default; needs go; python3; ZONEMARK_IREE_COMPILE,
# ZONEMARK_IREE_TOOLS and ZONEMARK_MODELS_PYTHON, as "zonemark setup --env" prints them)
# Exit status: 1 if something cannot be run, or zonemark's time is not within 5 % of the other.
set -eu

model=${1:-bert}
config=${2:-tiny}
rounds=${3:-5}
: "${ZONEMARK_IREE_COMPILE:?name the iree-compile program}"
: "${ZONEMARK_IREE_TOOLS:?name the folder of iree-benchmark-module}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cd "$here/../../../.."
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
python3 "$here/modelpeers.py" "$work/zonemark" "$work" "$model" "$config" "$rounds"
