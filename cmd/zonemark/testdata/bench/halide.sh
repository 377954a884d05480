#!/bin/sh
# Compares pipelines that zonemark calls with RunGen, the runner of Halide's package, on the same objects: what a call of
# a pipeline of 64 floats costs, which is nearly all overhead, and three kernels. The programs take turns, launch by
# launch, and are compared at the same clock (turns.py). RunGen's figure is the best of its samples; zonemark's are the
# median of its batches, and the least. Goals: the overhead is at most RunGen's, and the others are within 2 % of it.
# Exits with 1 if a whole interval misses its goal.
# Needs: go, cc, g++, and ZONEMARK_HALIDE_PYTHON, a Python interpreter with Halide's package. Usage: halide.sh [rounds]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
python=${ZONEMARK_HALIDE_PYTHON:?name a Python interpreter with the package of Halide}
rounds=${1:-20}
for tool in go cc g++; do
    command -v "$tool" >/dev/null || { echo "halide.sh needs $tool on the PATH" >&2; exit 1; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

cd "$here/../../../.."
CGO_ENABLED=0 go build -o "$dir/zonemark" ./cmd/zonemark
halide=$("$python" -c 'import halide, os; print(os.path.dirname(halide.__file__))')
kernels="gaussian matmul sobel"
for k in tiny $kernels; do
    target=host-no_runtime
    [ "$k" != tiny ] || target=host # one of them brings the runtime
    echo "-g $k -f $k -o '$dir' -e object,registration target=$target"
done | "$python" "$here/halidepipelines.py"
objects=$(for k in tiny $kernels; do printf '%s ' "$dir/$k.o"; done)
registrations=$(for k in tiny $kernels; do printf '%s ' "$dir/$k.registration.cpp"; done)
# shellcheck disable=SC2086 # they are lists
g++ -shared -o "$dir/kernels.so" $objects -lpthread -ldl -lm
# shellcheck disable=SC2086
g++ -std=c++17 -O2 -DHALIDE_NO_PNG -DHALIDE_NO_JPEG -I"$halide/include" -I"$halide/share/tools" -o "$dir/rungen" \
    "$halide/share/tools/RunGenMain.cpp" $registrations $objects -lpthread -ldl

"$python" "$here/halidepeers.py" "$dir/zonemark" "$dir/rungen" "$dir/kernels.so" "$dir" "$rounds"
