#!/bin/sh
# Compares zonemark's times of StableHLO programs on XLA's CPU plugin with two peers. One tiny operation, which is all
# overhead, is compared with the same program through JAX's own dispatch on the CPU (each call waited for). A 512x512
# matrix product is compared with a bare loop in C over the same plugin. All programs take turns, launch by launch, and
# are compared at the same clock (turns.py).
#
# Usage: pjrt.sh [rounds]   (20 by default; needs go, cc and python3 with venv; installs JAX into an environment of its
# own, which it removes again, unless PJRT_JAX_PYTHON names an interpreter that has it; and the plugin, with "zonemark
# setup pjrt-cpu", unless ZONEMARK_PJRT_CPU names one)
# Exit status: 1 if something cannot be run, or a goal is missed by a whole interval: overhead at most 0.35 of JAX's and
# 1.05 of the same loop in C, the product within 2 % of it.
set -eu

rounds=${1:-20}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cd "$here/../../../.."
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
cc -O2 -Wall -o "$work/loop" "$here/pjrtloop.c" -ldl
if [ -z "${ZONEMARK_PJRT_CPU:-}" ]; then
    "$work/zonemark" setup pjrt-cpu >&2
    ZONEMARK_PJRT_CPU=$("$work/zonemark" setup --env 2>/dev/null | sed -n "s/^export ZONEMARK_PJRT_CPU='\(.*\)'$/\1/p")
    export ZONEMARK_PJRT_CPU
fi
if [ -z "${PJRT_JAX_PYTHON:-}" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check 'jax==0.10.2; python_version >= "3.11"' 'jax==0.6.2; python_version < "3.11"'
    PJRT_JAX_PYTHON=$work/venv/bin/python
fi
"$PJRT_JAX_PYTHON" "$here/pjrtpeers.py" "$work/zonemark" "$work/loop" "$ZONEMARK_PJRT_CPU" "$work" "$rounds"
