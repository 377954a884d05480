package measureflags

import (
	"maps"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"

	"github.com/spf13/pflag"
)

// calledElsewhere has what hyperfine, Google Benchmark, pytest-benchmark, criterion.rs and compilers' drivers call flags
// of run.
var calledElsewhere = map[string][]string{
	"warmup":         {"w", "benchmark-warmup-iterations"},
	"launches":       {"r", "runs", "M", "max-runs", "sample-size", "benchmark-repetitions", "repeat", "reps", "trials", "rounds"},
	"min-iterations": {"m", "min-runs", "benchmark-min-rounds", "iterations", "iters", "number", "loops"},
	"min-time":       {"benchmark-min-time", "measurement-time", "min-benchmarking-time"},
	"max-time":       {"benchmark-max-time", "time", "duration", "quick=500ms"},
	"cpu":            {"pin", "affinity", "taskset", "core"},
	"precision":      {"resolution"},
	"filter":         {"benchmark-filter", "k", "match"},
	"function":       {"f", "fn", "kernel", "functions", "entry", "entry-function", "file@", "path@", "artifact@"},
	"output": {"export-json", "benchmark-out", "benchmark-json", "benchmark-save", "save-baseline", "save",
		"output-file", "outfile", "out"},
	"format": {"benchmark-format", "benchmark-out-format", "output-format", "json=ndjson", "csv=csv", "export-csv=csv>",
		"text=text"},
	"html":           {"export-html", "benchmark-histogram", "plot", "png", "svg", "pdf"},
	"param":          {"P..", "L,", "parameter-scan..", "parameter-list,", "arg", "args", "parameter", "params"},
	"prepare":        {"p"},
	"setup":          {"s"},
	"shell":          {"S"},
	"ignore-failure": {"i"},
	"header":         {"include"},
	"dry-run":        {"benchmark-list-tests", "benchmark-dry-run", "list", "collect-only"},
	"overwrite":      {"force"},
	"check":          {"test", "benchmark-disable"},
	"counters":       {"benchmark-perf-counters"},
	"compile-flags":  {"compile-flag"},
	"dispatch-limit": {"limit"},
	"dispatch-order": {"slowest=time", "hottest=time"},
	"scheduler":      {"autoscheduler", "autoschedule=adams2019"},
}

const (
	compares = "is a comparison here: keep both runs (-o old.ndjson, -o new.ndjson), then zonemark compare old.ndjson " +
		"new.ndjson"
	exports = "has no counterpart: a run has --format csv; zonemark compare has --format markdown"
	steady  = "is not needed: calls are not timed until times are steady; --warmup N makes at least N calls before that"
	always  = "is not needed: each row has its unit, and rows have the order of the command"
	after   = "has no counterpart: what --prepare runs before each call can clean up; after the last call, the shell does " +
		"(zonemark run …; rm …)"
	quiet = "has no counterpart: launches take turns, and disturbed batches do not count anyway"
)

// needlessElsewhere has the flags of others that have no counterpart, by a flag of ours that is near.
var needlessElsewhere = map[string][]string{
	"cflags": {"l", "is for compilers: measure a library by its path, such as /lib/x86_64-linux-gnu/libm.so.6; sources take " +
		"--cflags -lNAME"},
	"shell": {"N!", "is not needed: commands run without a shell unless --shell is given",
		"show-output!", "has no counterpart: what commands print is not shown"},
	"param": {"D", "has no counterpart: list the values themselves, as in --param n=1,5,9",
		"parameter-step-size", "has no counterpart: list the values themselves, as in --param n=1,5,9"},
	"prepare": {"conclude=", after, "C=", after, "cleanup=", after},
	"group": {"n=", "has no counterpart on a command line: a row is named by its command or function; a suite has names",
		"command-name=", "has no counterpart on a command line: a row is named by its command or function; a suite has names",
		"reference", "is a comparison here: zonemark compare --measure -- REFERENCE COMMAND ::: OTHER COMMAND"},
	"warmup":    {"warm-up-time=", steady, "benchmark-warmup=", steady, "benchmark-min-warmup-time!", steady},
	"precision": {"noise-threshold", "is --margin of zonemark compare"},
	"format": {"benchmark-only!", "is not needed: everything is measured",
		"baseline", compares, "benchmark-compare", compares, "load-baseline", compares, "benchmark-autosave", compares,
		"export-markdown=", "is --format markdown of zonemark compare; a run has --format csv",
		"export-asciidoc=", exports, "export-orgmode=", exports,
		"u=", always, "time-unit=", always, "benchmark-time-unit!", always, "style=", always,
		"sort=", always + "; --dispatch-order time shows the slowest dispatches first",
		"benchmark-sort=", always, "benchmark-columns=", always, "benchmark-group-by=", always, "benchmark-color!", always,
		"benchmark-counters-tabular!", always, "benchmark-report-aggregates-only!", always,
		"benchmark-display-aggregates-only!", always, "noplot!", always, "color=", always,
		"benchmark-enable-random-interleaving!", quiet, "benchmark-disable-gc!", quiet},
}

// nameElsewhere tells the flags of a verb that measures what they are called elsewhere.
func nameElsewhere(set *pflag.FlagSet) {
	for _, name := range slices.Sorted(maps.Keys(calledElsewhere)) {
		if set.Lookup(name) != nil {
			cli.Elsewhere(set, name, calledElsewhere[name]...)
		}
	}
	for name, others := range needlessElsewhere {
		if set.Lookup(name) != nil {
			cli.Needless(set, name, others...)
		}
	}
}
