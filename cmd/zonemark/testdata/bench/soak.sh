#!/usr/bin/env bash
# Does anything get lost when runs are killed? Starts runs, disturbs them at random moments, and continues each with
# --resume: SIGKILL, SIGTERM, SIGHUP and SIGINT to the driver, SIGKILL to an executor, SIGSTOP for a while, a full disk,
# a limit of the size of files, a damaged cache, a torn last line. After each round, every result must be in the journal
# once, and no process and no file may be left. Prints a line a round. The full disk is a small tmpfs in a mount namespace
# of the run alone; without the right to make one, that disturbance is left out.
#
# Usage: soak.sh [HOURS [SEED]]   (2 hours by default; fractions are allowed)
# Needs Linux, Go and a C compiler; for the full disk root and unshare. Exits with 1 after the first round that fails,
# and keeps its folder.
set -eu
hours=${1:-2}
seed=${2:-$(date +%s)}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
export CGO_ENABLED=0
(cd "$here/../../../.." && go build -o "$work/zonemark" ./cmd/zonemark && go build -o "$work/soak" ./cmd/zonemark/testdata/bench/soak)
mkdir "$work/in"
cp "$here/large.hat" "$work/in"
echo 'void add(float *a) { a[0] += 1; }' >"$work/large.c"
"${CC:-cc}" -O2 -shared -fPIC -o "$work/in/liblarge.so" "$work/large.c"
"$work/soak" "$work" "$hours" "$seed"
rm -rf "$work"
