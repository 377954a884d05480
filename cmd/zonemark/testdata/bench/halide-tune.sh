#!/bin/sh
# Compares what a sample of tuning costs, in CPU seconds, with the loop of scripts that the package halide ships
# (adams2019_autotune_loop.sh): there, each sample is built as a static library with a registration, compiled together
# with RunGenMain.cpp, run, and made into a .sample file. Both ways use one generator in C++, one compiler, and samples
# with random choices; the first sample of a batch, whose wide search costs both the same, is left out. Of zonemark, the
# cost of a sample is the difference of a tuning with many and one with few samples, divided by their number: building,
# linking, measuring, checking the outputs and training.
#
# Usage: halide-tune.sh [samples]   (3 by default, of the scripts' way; needs go, a C++ compiler, and Halide, with
# "zonemark setup halide", unless ZONEMARK_HALIDE_FOLDER and the other variables of "setup --env" name it)
# Exit status: 1 when something cannot be run, or when a sample costs more than 1/12 of the scripts' way.
set -eu

samples=${1:-3}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cd "$here/../../../.."
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
if [ -z "${ZONEMARK_HALIDE_FOLDER:-}" ]; then
    "$work/zonemark" setup halide >&2
    eval "$("$work/zonemark" setup --env)"
fi
halide=$ZONEMARK_HALIDE_FOLDER
plugin=$halide/lib64/libautoschedule_adams2019.so
cpus=$("$ZONEMARK_HALIDE_PYTHON" -c 'import os; print(len(os.sched_getaffinity(0)))')

# cpu COMMAND…: prints the CPU seconds of a command and of all that it starts. Its output goes to files.
cpu() {
    "$ZONEMARK_HALIDE_PYTHON" -I -c '
import resource, subprocess, sys
with open(sys.argv[1], "w") as out:
    status = subprocess.run(sys.argv[2:], stdout=out, stderr=subprocess.STDOUT).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if status != 0:
    sys.stderr.write(open(sys.argv[1]).read())
    sys.exit(f"{sys.argv[2]} ended with {status}")
print(f"{used.ru_utime + used.ru_stime:.3f}")' "$work/output" "$@"
}

c++ -std=c++17 -O1 -fno-rtti -rdynamic "$here/halide-tune.cpp" -I"$halide/include" -L"$halide/lib64" \
    -Wl,--whole-archive -lHalide_GenGen -Wl,--no-whole-archive -lHalide -lpthread -ldl -Wl,-rpath,"$halide/lib64" \
    -o "$work/generator"

# scripts N: makes sample N as the shipped loop does, with its command lines.
cat >"$work/scripts" <<EOF
set -eu
d=$work/sample-\$1
mkdir "\$d"
"$work/generator" -g blur -f blur -o "\$d" \
    -e stmt,assembly,static_library,c_header,registration,schedule,featurization target=host -p "$plugin" \
    autoscheduler=Adams2019 autoscheduler.parallelism=$cpus autoscheduler.beam_size=1 autoscheduler.random_dropout=1 \
    autoscheduler.random_dropout_seed=0001000\$1
c++ -std=c++17 -I "$halide/include" "$halide/share/tools/RunGenMain.cpp" "\$d"/*.registration.cpp "\$d"/*.a \
    -o "\$d/bench" -DHALIDE_NO_PNG -DHALIDE_NO_JPEG -ldl -lpthread
HL_NUM_THREADS=$cpus "\$d/bench" --estimate_all --benchmarks=all | tee "\$d/bench.txt"
"$halide/bin/featurization_to_sample" "\$d/blur.featurization" "\$(cut -d' ' -f8 <"\$d/bench.txt")" 1 "\$1" \
    "\$d/blur.sample"
EOF

theirs=0
n=1
while [ "$n" -le "$samples" ]; do
    one=$(cpu sh "$work/scripts" "$n")
    echo "scripts, sample $n: $one CPU s"
    theirs=$(echo "$theirs $one" | awk '{ print $1 + $2 }')
    n=$((n + 1))
done

# tuning SAMPLES: a tuning of one batch.
tuning() {
    cpu "$work/zonemark" halide pretrain "$here/halide-tune.cpp" --batches 1 --samples "$1" -q -o "$work/tuned-$1"
}
few=5
many=21
at_few=$(tuning $few)
at_many=$(tuning $many)
echo "zonemark, tuning with $few samples: $at_few CPU s, with $many: $at_many CPU s"
echo "$theirs $samples $at_few $at_many $few $many" | awk '{
    theirs = $1 / $2; mine = ($4 - $3) / ($6 - $5); met = (theirs >= 12 * mine)
    printf "CPU s a sample: scripts %.2f, zonemark %.2f; ratio %.1f, goal 12: %s\n", theirs, mine, theirs / mine,
        (met ? "met" : "MISSED")
    exit !met }'
