#!/bin/sh
# Compares dispatches that zonemark calls directly with iree-benchmark-executable of the wheel, on the same libraries,
# in turns. It measures a dispatch of four multiplications, which is all overhead, and the matrix multiplications and
# the softmax of a small perceptron.
# Needs: go, python3 (to unpack a library), and ZONEMARK_IREE_TOOLS, the folder of IREE's tools. Usage: dispatch.sh
# [rounds]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tools=${ZONEMARK_IREE_TOOLS:?names the folder of iree-benchmark-executable}
rounds=${1:-3}
for tool in go python3; do
    command -v "$tool" >/dev/null || { echo "dispatch.sh needs $tool on the PATH" >&2; exit 1; }
done
[ "$(uname -m)" = x86_64 ] || { echo "dispatch.sh: the modules hold code for x86-64" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

cd "$here/../../../.."
CGO_ENABLED=0 go build -o "$dir/zonemark" ./cmd/zonemark
modules=executor/iree/testdata
for m in tiny mlp; do
    python3 -c 'import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
name = next(n for n in z.namelist() if n.endswith(".so"))
open(sys.argv[2], "wb").write(z.read(name))' "$modules/$m.vmfb" "$dir/$m.so"
done

# theirs NAME MODULE ORDINAL WORKGROUPS BINDING…: the time of a dispatch in nanoseconds, in batches of 1,024. The items that the tool counts are workgroups.
theirs() {
    name=$1 module=$2 ordinal=$3 workgroups=$4
    shift 4
    set -- $(for b in "$@"; do printf -- '--binding=%s ' "$b"; done)
    "$tools/iree-benchmark-executable" --device=local-sync --executable_format=embedded-elf-x86_64 --executable_file="$dir/$module.so" --entry_point="$ordinal" \
        --workgroup_count="$workgroups" --batch_size=1024 --benchmark_format=json "$@" 2>"$dir/log" >"$dir/out.json" || { cat "$dir/log" >&2; exit 1; }
    python3 -c 'import json, math, sys
for b in json.load(open(sys.argv[1]))["benchmarks"]:
    print("theirs", sys.argv[2], 1e9 / b["items_per_second"] * math.prod(map(int, sys.argv[3].split(","))))' "$dir/out.json" "$name" "$workgroups" >>"$dir/times"
}

# ours MODULE: raw times, the loop included, as theirs include their own.
ours() {
    "$dir/zonemark" run -q --mode dispatch --precision 0 --min-time 300ms --max-time 1s --format ndjson "$modules/$1.vmfb" | python3 -c 'import json, sys
for line in sys.stdin:
    r = json.loads(line)
    if r["kind"] == "result":
        print("ours", r["name"], r["raw_median_ns"])' >>"$dir/times"
}

round=0
while [ "$round" -lt "$rounds" ]; do
    ours tiny
    theirs tiny_dispatch_0_elementwise_4_f32 tiny 0 1,1,1 4xf32=1 4xf32=2 4xf32=0
    ours mlp
    theirs mlp_dispatch_0_matmul_64x512x256_f32 mlp 0 16,1,1 64x256xf32=0.01 256x512xf32=0.01 40960xf32=0
    theirs mlp_dispatch_1_matmul_64x128x512_f32 mlp 1 16,1,1 40960xf32=0.01 512x128xf32=0.01 40960xf32=0
    theirs mlp_dispatch_2_softmax_64x128xf32_dispatch_tensor_store mlp 2 8,1,1 40960xf32=0.01 64x128xf32=0
    round=$((round + 1))
done

python3 - "$dir/times" <<'PY'
import statistics, sys
times = {}
for line in open(sys.argv[1]):
    who, name, ns = line.split()
    times.setdefault(name, {}).setdefault(who, []).append(float(ns))
print(f"{'dispatch':58} {'zonemark':>12} {'theirs':>12} {'ratio':>7}   (ns, median of rounds; goal: at most 1.1)")
worst = 0
for name, t in times.items():
    a, b = statistics.median(t["ours"]), statistics.median(t["theirs"])
    worst = max(worst, a / b)
    print(f"{name:58} {a:12.1f} {b:12.1f} {a / b:7.3f}")
print(f"worst ratio {worst:.3f}")
PY
