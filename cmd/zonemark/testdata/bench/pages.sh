#!/bin/sh
# Makes every page that zonemark writes, with 1, 30 and 1,000 rows, and takes a picture of each at 1280 and 400 pixels,
# light and dark, for people to look at: FOLDER/pictures. A long page has some more pictures. It measures some
# examples for some seconds, and pages.py makes most journals of these results. It names what is wider than its window,
# and exits with 1 if anything is. A FOLDER that has journals keeps them, so that changed pages are soon seen.
# Usage: pages.sh FOLDER [PAGES]   PAGES: a regular expression for the names of pages
# Needs: go, python3, chromium. Takes four minutes.
set -eu

[ $# -ge 1 ] || { sed -n '/^# Usage/s/^# //p' "$0" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
for tool in go python3 chromium; do
    command -v "$tool" >/dev/null || { echo "pages.sh needs $tool on the PATH" >&2; exit 1; }
done
mkdir -p "$1/pages"
folder=$(cd "$1" && pwd)
root=$(cd "$here/../../../.." && pwd)
(cd "$root" && CGO_ENABLED=0 go build -o "$folder/zonemark" ./cmd/zonemark)
cd "$folder"
export ZONEMARK_HOME="$folder/home"
mkdir -p home

if [ ! -e made ]; then
    rm -rf ./*.ndjson nights-*
    example=$root/cmd/zonemark/example
    ./zonemark run "$example/matmul.hat" --group --launches 3 --max-time 500ms -q -o group.ndjson >/dev/null
    ./zonemark run "$example/sizes.toml" --launches 3 --max-time 200ms -q -o sizes.ndjson >/dev/null
    ./zonemark run "$example/schedules.c" --group -q -o race.ndjson >/dev/null
    ./zonemark peaks --quick -q -o peaks.ndjson >/dev/null
    gzip -dc "$root/trace/ttmetal/testdata/perfreport/wh_clip_encoder_2.csv.gz" >ops_perf_results.csv
    python3 "$here/pages.py" journals
    touch made
fi

[ -e tune.ndjson ] || ./zonemark tune "$root/cmd/zonemark/example/tiles.c" --function product --try D.TILE=4,8,16,32 \
    --try cflags=-O1,-O2,-O3 --budget 5s -q -o tune.ndjson >/dev/null

# compared PAGE OLD NEW: compare exits with 3 or 4 for what it finds.
compared() {
    ./zonemark compare "$2" "$3" --html "$1" >/dev/null || [ $? -ge 3 ]
}
for n in 1 30 1000; do
    ./zonemark report "run-$n.ndjson" -q --html "pages/report-$n.html"
    ./zonemark report "run-$n.ndjson" "later-$n.ndjson" -q --html "pages/report-two-$n.html"
    compared "pages/compare-$n.html" "run-$n.ndjson" "later-$n.ndjson"
    ./zonemark report nights-"$n"/0[0-5].ndjson -q --html "pages/report-six-$n.html"
    ./zonemark trace tt "ops_perf_results_$n.csv" --by call --html "pages/tt-$n.html"
    ./zonemark history "nights-$n" -q --html "pages/history-$n.html" >/dev/null
    [ "$n" = 1 ] || ./zonemark fit "products-$n.ndjson" --x M,N -q --html "pages/fit-$n.html" >/dev/null
done
for name in failed dispatches peaks race tune; do
    ./zonemark report $name.ndjson -q --html "pages/$name.html"
done
mv home/peaks.json kept.json # a machine whose peaks are not known
./zonemark report run-30.ndjson -q --html pages/report-no-peaks.html
mv kept.json home/peaks.json
./zonemark fit "$root/cmd/zonemark/example/tanh-op-performance.csv" -q --html pages/fit-sweep.html >/dev/null
cp "$root/driver/halide/trainingpage/testdata/page.html" pages/training.html
./zonemark trace tt ops_perf_results.csv --html pages/tt.html

python3 "$here/pages.py" pictures "${2:-.}"
