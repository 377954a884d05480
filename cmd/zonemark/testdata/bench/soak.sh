#!/usr/bin/env bash
# Does anything get lost when runs are killed? Starts runs, disturbs them at random moments, and continues each with
# --resume. After each round, every result must be in the journal once, and no process and no file may be left. Prints a
# line a round: where it measured, how much, and what happened at which moment, with how the run ended of it.
#
# A round measures on this machine, on three nodes of a Slurm cluster, or on two hosts by ssh. Disturbances everywhere:
# SIGKILL, SIGTERM, SIGHUP and SIGINT to the driver, SIGKILL to an executor, SIGSTOP for a while, a full disk, a limit
# of the size of files, a damaged cache, a torn last line. With hosts: SIGKILL to a connection or to a host's process; a
# node that loses its power or is drained, and comes back; a network that lets nothing through for a while.
#
# All of that is the script's own. The full disk is a small tmpfs in a mount namespace of the run alone. The cluster has
# its own daemons, configuration and keys. The network is a network namespace with an ssh server. Before anything is
# changed in it, a shell checks that it is not in the namespace of everybody else, and that there is no device but lo.
# What cannot be had is left out, with a sentence.
#
# Usage: soak.sh [HOURS [SEED]]   (2 hours by default; fractions are allowed)
# Needs Linux, Go and a C compiler; for the full disk, root and unshare; for the network, root, unshare, nsenter, ip and
# openssh-server; for the cluster, root, slurm-wlm and munge (names of Debian's packages). Exits with 1 after the first
# round that fails, and keeps its folder.
set -eu
hours=${1:-2}
seed=${2:-$(date +%s)}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
export CGO_ENABLED=0
cd "$here/../../../.."
go build -o "$work/zonemark" ./cmd/zonemark
go build -o "$work/soak" ./cmd/zonemark/testdata/bench/soak
mkdir "$work/in"
cp "$here/large.hat" "$work/in"
echo 'void add(float *a) { a[0] += 1; }' >"$work/large.c"
"${CC:-cc}" -O2 -shared -fPIC -o "$work/in/liblarge.so" "$work/large.c"
"$work/soak" "$work" "$hours" "$seed"
rm -rf "$work"
