#!/usr/bin/env bash
# What do large runs cost? Writes a journal of 100,000 results of a trivial function, and one of twice as many, as a run
# would. Prints the memory and the time of the driver that continues each, which has nothing left to measure, and reports
# it, the time until it could measure, the memory and the time of a fit to the results, of the page about some of them and
# of comparing them with themselves, and the lengths of the lines. Exits with 1 if a goal is missed. Needs Go, a C compiler,
# Python 3 and GNU time.
#
# Usage: large.sh [POINTS [GB]]
# With GB, it also reads a journal of so many gigabytes, of results of 10 kB, and a capture of 1 GB. Both are made in
# $TMPDIR, and removed.
set -eu
points=${1:-100000}
gigabytes=${2:-0}
cd "$(dirname "$0")/../../../.."
sources=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -o "$work/zonemark" ./cmd/zonemark
cp cmd/zonemark/testdata/bench/large.hat "$work"
echo 'void add(float *a) { a[0] += 1; }' >"$work/large.c"
"${CC:-cc}" -O2 -shared -fPIC -o "$work/liblarge.so" "$work/large.c"
suite() { # NAME POINTS MAX_TIME
    cat >"$work/$1.toml" <<E2
[[invocation]]
name = "add"
artifact = "large.hat"
launches = 1
min_time = "100us"
max_time = "$3"
[invocation.axes]
seed = { from = 1, to = $2, step = 1 }
E2
}
cd "$work"
for time in 100us 1ms; do # from 1000 points on, journals have once what results share
    suite few 1000 $time
    ./zonemark run -q few.toml -o "few.$time.ndjson" --format ndjson >/dev/null
done
ln -s few.1ms.ndjson few.ndjson
for n in "$points" $((2 * points)); do
    suite many "$n" 1ms
    ./zonemark run -q many.toml --dry-run >plan.txt
    python3 - few.ndjson plan.txt many.ndjson <<'E2'
import json, random, sys
few, plan, out = sys.argv[1:]
random.seed(1)
before, results = [], []
for line in open(few):
    kind = json.loads(line)["kind"]
    if kind == "result":
        results.append(json.loads(line))
    elif kind != "end":
        before.append(line)
with open(out, "w") as file:
    file.writelines(before)
    for line in open(plan):
        words = line.split()
        if len(words) < 2 or len(words[0]) != 16:
            continue
        factor, one = random.uniform(1, 1.1), dict(random.choice(results), id=words[0], name=words[1])
        for key, value in one.items():
            if key.endswith("_ns"):
                scaled = [float(f"{x * factor:.9g}") for x in (value if isinstance(value, list) else [value])]
                one[key] = scaled if isinstance(value, list) else scaled[0]
        file.write(json.dumps(one, separators=(",", ":")) + "\n")
E2
    cp many.ndjson before.ndjson
    # The run says how many results are done when it has planned and read the journal. Before, it says what takes long.
    rm -f notes && mkfifo notes
    begin=$EPOCHREALTIME
    ./zonemark run many.toml -o many.ndjson --resume --format csv >/dev/null 2>notes &
    driver=$!
    {
        while read -r note && [[ $note != *"invocations are done"* ]]; do :; done
        now=$EPOCHREALTIME
        ticks=$(awk '{ print $14 + $15 }' "/proc/$driver/stat")
        cat >/dev/null
    } <notes
    wait "$driver"
    [[ $note = *"$n of $n invocations are done"* ]]
    awk -v n="$n" -v begin="$begin" -v now="$now" -v ticks="$ticks" -v second="$(getconf CLK_TCK)" 'BEGIN {
        printf "%d results: could measure after %.2f s (goal for 100000: at most 2), CPU time %.2f s\n",
            n, now - begin, ticks / second }'
    cp before.ndjson many.ndjson
    \time -f "%M %e %U" -o "time.$n" ./zonemark run -q many.toml -o many.ndjson --resume >report.txt
    read -r kilobytes seconds cpu <"time.$n"
    echo "$n results: driver $((kilobytes / 1024)) MB (goal: at most 150), continued and reported in $seconds s, CPU $cpu s," \
        "report $(wc -c <report.txt) bytes, journal $(wc -c <many.ndjson) bytes"
    echo "$kilobytes" >>memory
    python3 - before.ndjson sweep.ndjson <<'E2'
import json, random, sys
random.seed(1)
with open(sys.argv[2], "w") as out:
    for line in open(sys.argv[1]):
        one = json.loads(line)
        if one["kind"] == "result":
            size = random.randint(1, 4096)
            one.update(params={"N": str(size)}, median_ns=float(f"{100 + size * random.uniform(1, 1.02):.9g}"))
        out.write(json.dumps(one, separators=(",", ":")) + "\n")
E2
    for verb in "fit -q sweep.ndjson --x N" "report -q many.ndjson --filter seed=12[0-9]/ -o many.html" "compare before.ndjson many.ndjson"; do
        \time -f "%M %e %U" -o verb ./zonemark $verb >verb.txt 2>errors || [ "$?" -le 4 ] # 4: undecided, as the batches were not quiet
        read -r kilobytes seconds cpu < <(tail -n 1 verb)
        echo "$n results: zonemark $verb: $((kilobytes / 1024)) MB, $seconds s, CPU $cpu s"
    done
done
missed=0
python3 - memory few.100us.ndjson few.1ms.ndjson <<'E2' || missed=1
import json, sys
most = max(int(kilobytes) / 1024 for kilobytes in open(sys.argv[1]))
longest = 0
for path in sys.argv[2:]:
    lengths = sorted(len(line) for line in open(path) if json.loads(line)["kind"] == "result")
    late = lengths[len(lengths) * 99 // 100]
    longest = max(longest, late)
    print(f"{path}: lines of results have {lengths[0]} to {lengths[-1]} bytes, median {lengths[len(lengths) // 2]}, "
          f"99th percentile {late} (goal: at most 700)")
sys.exit(most > 150 or longest > 700)
E2
[ "$gigabytes" != 0 ] || exit "$missed"
rm many.ndjson before.ndjson
suite large $((gigabytes * 100000)) 1ms
./zonemark run -q large.toml --dry-run >plan.txt
python3 - few.ndjson plan.txt large.ndjson <<'E2'
import json, random, sys
few, plan, out = sys.argv[1:]
random.seed(1)
before, made, counts = [], [], {"ok": 0}
for line in open(few):
    one = json.loads(line)
    if one["kind"] != "result":
        before += [line] if one["kind"] != "end" else []
    elif len(made) < 100:
        for key in ("samples_ns", "cpu_samples_ns"):
            one[key] = [float(f"{random.uniform(1, 2):.9g}") for _ in range(430)]
        one.update(round_samples=[430], id="@ID@", name="@NAME@", status="ok")
        made.append(json.dumps(one, separators=(",", ":")))
with open(out, "w") as file:
    file.writelines(before)
    for line in open(plan):
        words = line.split()
        if len(words) < 2 or len(words[0]) != 16:
            continue
        counts["ok"] += 1
        file.write(random.choice(made).replace("@ID@", words[0]).replace("@NAME@", words[1]) + "\n")
    file.write(json.dumps({"kind": "end", "results": counts["ok"], "by_status": counts}) + "\n")
E2
bytes=$(wc -c <large.ndjson)
for what in "300 report -q large.ndjson --filter seed=12[0-9]/ -o page.html" "1500 compare large.ndjson large.ndjson" \
    "400 run -q large.toml -o large.ndjson --resume --format csv"; do
    goal=${what%% *} what=${what#* }
    # shellcheck disable=SC2086
    \time -f "%M %e %U" -o verb ./zonemark $what >verb.txt || [ "$?" -le 4 ]
    read -r kilobytes seconds cpu < <(tail -n 1 verb)
    echo "a journal of $bytes bytes: zonemark $what: $((kilobytes / 1024)) MB (goal: at most $goal), $seconds s, CPU $cpu s"
    [ "$kilobytes" -le $((goal * 1024)) ] || missed=1
done
rm large.ndjson
(cd "$sources" && CGO_ENABLED=0 ZONEMARK_TEST_LARGE=1 ZONEMARK_LARGE_TRACY="$work/large.tracy" \
    go test -count=1 -run '^TestLargeCapture$' ./trace)
\time -f "%M %e %U" -o time.trace ./zonemark trace stats large.tracy >stats.txt
read -r traced seconds cpu <time.trace
echo "a capture of $(wc -c <large.tracy) bytes: $((traced / 1024)) MB (goal: at most 150), its zones in $seconds s, CPU $cpu s"
[ "$missed" = 0 ] && [ "$traced" -le $((150 * 1024)) ]
