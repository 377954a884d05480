#!/bin/sh
# Compiles MLIR files and calls their functions by IREE's own tools (iree-compile, iree-run-module) and, where these
# work, by zonemark run --check, which is to find the same results. Prints a table, and each file that works with IREE's
# tools and not with zonemark.
#
# Usage: ireemlir.sh FOLDER [EVERY [RESULTS]]
# FOLDER holds .mlir files, such as tests/e2e of IREE's sources. Functions of the check dialect return what they would
# check, since the wheels have no iree-check-module. Flags, inputs and function of a file's RUN lines are used; other
# inputs are 1. EVERY takes each EVERY-th file (1 by default). RESULTS keeps a line for each file, and continues if it is
# there.
# Needs go, and IREE: eval "$(zonemark setup --env)" sets ZONEMARK_IREE_PYTHON, ZONEMARK_IREE_COMPILE and
# ZONEMARK_IREE_TOOLS.
# Exit status: 1 if something cannot be run, or a file works with IREE's tools and not with zonemark.
set -eu

folder=${1:?name a folder of .mlir files}
: "${ZONEMARK_IREE_PYTHON:?name the Python interpreter of IREE}"
: "${ZONEMARK_IREE_COMPILE:?name the iree-compile program}"
: "${ZONEMARK_IREE_TOOLS:?name the folder of iree-run-module}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

(cd "$here/../../../.." && CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark)
"$ZONEMARK_IREE_PYTHON" -B "$here/ireemlir.py" "$work/zonemark" "$work" "$folder" "${2:-1}" "${3:-$work/results}"
