#!/bin/sh
# Runs the node tests of the Python package onnx through IREE's own tools (iree-import-onnx, iree-compile,
# iree-run-module with the expected outputs) and through zonemark run --check. Prints a table, and each test that works
# with IREE's tools and not with zonemark.
#
# Usage: onnxnodes.sh FOLDER [EVERY [RESULTS]]
# FOLDER is backend/test/data/node of an installed package onnx: releases up to 1.20 ship it. EVERY takes each EVERY-th
# test (1 by default: all, in about two hours). RESULTS keeps a line for each test and tool, and continues if it is
# there. zonemark comes first, then IREE's tools, on what zonemark refuses first. What IREE 3.13 compiles of
# test_gridsample_zeros_padding reads beyond its input, so its result depends on what lies there.
# Needs go, and IREE with its importer: eval "$(zonemark setup --env)" sets ZONEMARK_IREE_PYTHON, ZONEMARK_IREE_COMPILE,
# ZONEMARK_IREE_TOOLS and ZONEMARK_IREE_ONNX.
# Exit status: 1 if something cannot be run, or a test works with IREE's tools and not with zonemark.
set -eu

nodes=${1:?name the folder of the node tests}
: "${ZONEMARK_IREE_PYTHON:?name the Python interpreter of IREE}"
: "${ZONEMARK_IREE_COMPILE:?name the iree-compile program}"
: "${ZONEMARK_IREE_TOOLS:?name the folder of iree-run-module}"
: "${ZONEMARK_IREE_ONNX:?name the folder of the package onnx that IREE imports with}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

(cd "$here/../../../.." && CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark)
PYTHONPATH=$ZONEMARK_IREE_ONNX "$ZONEMARK_IREE_PYTHON" -B "$here/onnxnodes.py" "$work/zonemark" "$work" "$nodes" "${2:-1}" "${3:-$work/results}"
