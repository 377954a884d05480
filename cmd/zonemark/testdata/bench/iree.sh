#!/bin/sh
# Compares zonemark's times of IREE modules with those of iree-benchmark-module and of calls from Python. It measures a
# call of a module with one tiny dispatch, which is all overhead, and of a matrix product (256x256x256), a convolution
# and a softmax. All programs take turns, launch by launch, and are compared at the same clock (turns.py). A launch's
# figure is the median for zonemark, and the mean of thousands of calls for iree-benchmark-module and for Python, with
# NumPy arrays and with arrays that are on the device already. Of wall and CPU time the smaller one counts, since other
# work on the machine lengthens both. A provider that is not installed is left out, with a message.
#
# Usage: iree.sh [rounds]   (20 by default; needs go and cc; ZONEMARK_IREE_COMPILE, iree-compile; ZONEMARK_IREE_TOOLS,
# the folder of iree-benchmark-module; and at least one of ZONEMARK_IREE_CAPI, the runtime library, and
# ZONEMARK_IREE_PYTHON, ZONEMARK_IREE_LIBPYTHON and ZONEMARK_IREE_SITE, an environment with iree-base-runtime)
# Exit status: 1 if something cannot be run, or a goal is missed by a whole interval: overhead at most 1.1 of
# iree-benchmark-module and half of Python's f(*args) in both forms, the others within 2 % of iree-benchmark-module.
set -eu

rounds=${1:-20}
: "${ZONEMARK_IREE_COMPILE:?name the iree-compile program}"
: "${ZONEMARK_IREE_TOOLS:?name the folder of iree-benchmark-module}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for module in tiny matmul conv softmax; do
    "$ZONEMARK_IREE_COMPILE" --iree-hal-target-device=local --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=host \
        "$here/modules/$module.mlir" -o "$work/$module.vmfb"
done
cd "$here/../../../.."
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
"${ZONEMARK_IREE_PYTHON:-python3}" "$here/ireepeers.py" "$work/zonemark" "$work" "$rounds"
