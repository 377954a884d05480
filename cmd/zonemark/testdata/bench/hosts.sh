#!/usr/bin/env bash
# Does the rate grow with the hosts? Three nodes of a Slurm cluster, all on this machine, measure a function that waits
# rather than computes, since they share its processor. It prints results a second of one node and of three, which take
# turns, and their ratio; and the same with long replies, which srun would hold back. The time that a run of three
# results takes is subtracted: it is that of connecting. Then three nodes measure a suite of 100,000 invocations: it
# prints the memory of the driver, and whether each result is in the journal once.
#
# Usage: hosts.sh [POINTS [ROUNDS]]   (100,000 points by default, and 2 rounds)
# Needs Linux, Go, a C compiler, Python 3, GNU time; Slurm and root (Debian: packages slurm-wlm, munge), else an ssh
# server (openssh-server), to which it opens three connections. Exits with 1 if a goal is missed. Takes ten minutes.
set -eu
points=${1:-100000}
rounds=${2:-2}
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${ZONEMARK_BENCH_HOSTS:-}" ]; then # begins again, with hosts
	work=$(mktemp -d)
	server=
	trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
	export CGO_ENABLED=0 ZONEMARK_BENCH_HOSTS=$work
	cd "$here/../../../.."
	go build -o "$work/zonemark" ./cmd/zonemark
	go build -o "$work/cluster" ./cmd/zonemark/testdata/bench/cluster
	printf 'srun -u -N1 -w n%s\n' 1 2 3 >"$work/hosts"
	status=0
	"$work/cluster" bash "$here/hosts.sh" "$points" "$rounds" || status=$?
	[ "$status" = 77 ] || exit "$status" # there can be no cluster
	for key in host user; do
		ssh-keygen -q -t ed25519 -N '' -f "$work/$key"
	done
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	cat >"$work/sshd_config" <<E2
ListenAddress 127.0.0.1:$port
HostKey $work/host
AuthorizedKeysFile $work/user.pub
StrictModes no
PasswordAuthentication no
PermitRootLogin yes
PidFile none
SetEnv "ZONEMARK_HOME=$work/home"
E2
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd # it wants this folder, which its service makes
	"$(PATH=$PATH:/usr/sbin command -v sshd)" -D -f "$work/sshd_config" &
	server=$!
	for _ in 1 2 3; do
		echo "ssh -F none -i $work/user -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null" \
			"-o LogLevel=ERROR -p $port 127.0.0.1"
	done >"$work/hosts"
	until ssh-keyscan -p "$port" 127.0.0.1 >/dev/null 2>&1; do
		kill -0 "$server"
		sleep 0.1
	done
	bash "$here/hosts.sh" "$points" "$rounds"
	exit
fi

cd "$ZONEMARK_BENCH_HOSTS"
export ZONEMARK_HOME=$PWD/home
mapfile -t hosts <hosts
cat >kernels.c <<'E2'
#include <time.h>
void wait_for(long us, float a[1]) {
    struct timespec t = {0, us * 1000};
    nanosleep(&t, 0);
    a[0] += 1;
}
E2

suite() { # NAME POINTS US MIN_TIME
	cat >"$1.toml" <<E2
[[invocation]]
name = "wait"
artifact = "kernels.c"
function = "wait_for"
params = { us = $3 }
launches = 1
min_time = "$4"
max_time = "$4"
[invocation.axes]
seed = { from = 1, to = $2, step = 1 }
E2
}

# measure runs a suite on the first hosts. It prints seconds and the driver's highest memory in kB.
measure() { # SUITE HOSTS
	local via=() host
	for host in "${hosts[@]:0:$2}"; do
		via+=(--via "$host")
	done
	rm -f "$1.ndjson"
	if ! \time -f '%e %M' -o time ./zonemark run -q "$1.toml" "${via[@]}" -o "$1.ndjson" >report.txt 2>said.txt; then
		cat said.txt >&2
		return 1
	fi
	cat time
}

missed=0
suite few 3 5000 1us
suite short 1000 5000 1us
suite long 250 100 60ms # hundreds of samples: replies of some kB
measure short 3 >/dev/null # brings the program and the files
for round in $(seq "$rounds"); do
	for name in few short long; do
		for count in 1 3; do
			echo "$name $count $(measure $name $count)" >>times
		done
	done
done
python3 - times <<'E2' || missed=1
import sys
best = {}
for line in open(sys.argv[1]):
    name, hosts, seconds, _ = line.split()
    best.setdefault((name, hosts), []).append(float(seconds))
missed = False
start = {hosts: min(best["few", hosts]) for hosts in "13"}
print(f"connecting, and three results: one host {start['1']:.2f} s, three {start['3']:.2f} s")
for name, points, what in ("short", 1000, "calls of 5 ms"), ("long", 250, "hundreds of calls of 0.1 ms, long replies"):
    one, three = (min(best[name, hosts]) - start[hosts] for hosts in "13")
    print(f"{what}: one host {(points - 3) / one:.1f} results a second, three {(points - 3) / three:.1f}, "
          f"ratio {one / three:.2f} (goal: at least 2.5)")
    missed |= one / three < 2.5
sys.exit(missed)
E2

suite large "$points" 1000 1us
read -r seconds kilobytes <<<"$(measure large 3)"
PYTHONPATH=$here/../../../../driver/python python3 - large.ndjson "$points" "$seconds" "$kilobytes" <<'E2' || missed=1
import collections, sys
import zonemark
points, seconds, kilobytes = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
results = zonemark.load(sys.argv[1]).results
ids = {one.id for one in results}
hosts = collections.Counter(one.host for one in results)
bad = sum(one.status != "ok" for one in results)
print(f"{points} invocations on three hosts in {seconds:.0f} s: {points / seconds:.0f} results a second, "
      + ", ".join(f"{host} {n}" for host, n in sorted(hosts.items())))
print(f"results {hosts.total()}, of them different {len(ids)}, not ok {bad}; "
      f"driver {kilobytes // 1024} MB (goal: at most 150)")
sys.exit(not (hosts.total() == len(ids) == points and bad == 0 and kilobytes <= 150 * 1024))
E2
exit "$missed"
