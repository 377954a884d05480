#!/bin/sh
# Sweeps the fourteen operations of example/operations.json on this machine's CPU, through PJRT and through IREE, fits
# models, and prints a table: rows, how many were clean, the cross-validated error, and the error of estimates of every
# fifth row by a model of the others. Needs: go, jq. Takes half an hour.
# Usage: sweep.sh [FOLDER [OPERATIONS]]; a FOLDER keeps the sweeps, and those that it has are finished.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
for tool in go jq; do
    command -v "$tool" >/dev/null || { echo "sweep.sh needs $tool on the PATH" >&2; exit 1; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
folder=${1:-$dir/sweeps}
operations=${2:-$here/../../example/operations.json}
mkdir -p "$folder"
(cd "$here/../../../.." && CGO_ENABLED=0 go build -o "$dir/zonemark" ./cmd/zonemark)
zonemark="$dir/zonemark"

# One CPU: the threads of XLA's pool look for work for a while before they sleep, and disturb the one that works.
pinned=
! command -v taskset >/dev/null || pinned="taskset -c $(($(nproc) - 1))"

# sweep ARCH FLAGS…: sweeps into FOLDER/ARCH.
sweep() {
    arch=$1
    shift
    how=
    [ ! -d "$folder/$arch" ] || how=--continue-run
    $pinned "$zonemark" sweep --launches 9 --operations-cfg "$operations" --arch "$arch" $how --skip-performance-model \
        --perf-sweep-output-dir "$folder/$arch" --raw-data-output-dir "$folder/raw" "$@" >&2
}
sweep pjrt-cpu --plugin cpu
sweep iree-cpu --runtime iree

# heldout TABLE: the mean error of the estimates of every fifth row by a model of the other rows, in percent.
heldout() {
    awk -F, 'NR == 1 || NR % 5 != 3' "$1" >"$dir/fitted.csv"
    awk -F, 'NR == 1 || NR % 5 == 3' "$1" >"$dir/held.csv"
    rm -f "$dir/compared.csv"
    "$zonemark" fit -q "$dir/fitted.csv" --arch x --models "$dir/models.json" -o "$dir/text" &&
        "$zonemark" estimate --models "$dir/models.json" --arch x "$dir/held.csv" "$dir/compared.csv" >/dev/null &&
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ratio") at = i; next }
            $at > 0 { e = $at - 1; sum += e < 0 ? -e : e; n++ } END { printf "%.1f", 100 * sum / n }' \
            "$dir/compared.csv"
}

echo "| operation | on | rows | clean | model | cross-validated error, % | estimates of held-out rows, % |"
echo "|---|---|---|---|---|---|---|"
for arch in pjrt-cpu iree-cpu; do
    for table in "$folder/raw/$arch"/*.csv; do
        "$zonemark" fit -q "$table" --arch "$arch" --format ndjson -o "$dir/fit"
        name=$(basename "$table" -op-performance.csv)
        operation=$(echo "$name" | tr - _)
        [ "$operation" != matmul_sparse ] || operation=matmul_sparse_nz_counts
        clean=$(jq -s 'map(select(.kind == "result" and .verdict == ["clean"])) | length' \
            "$folder/$arch/$operation/results.ndjson")
        jq -r --arg name "$name" --arg arch "$arch" --arg clean "$clean" --arg held "$(heldout "$table")" \
            '"| \($name) | \($arch) | \(.rows) | \($clean) | \(.model) | \(.cv_mape * 10 | round / 10) | \($held) |"' \
            "$dir/fit"
    done
done
