package measureflags

import (
	"maps"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"

	"github.com/spf13/pflag"
)

// calledElsewhere has what hyperfine, Google Benchmark, pytest-benchmark and criterion.rs call flags of run.
var calledElsewhere = map[string][]string{
	"warmup":         {"w", "benchmark-warmup-iterations"},
	"launches":       {"r", "runs", "sample-size", "benchmark-repetitions", "repeat"},
	"min-iterations": {"m", "min-runs", "benchmark-min-rounds", "iterations", "number"},
	"min-time":       {"benchmark-min-time", "measurement-time"},
	"max-time":       {"benchmark-max-time", "time", "duration"},
	"cpu":            {"pin", "affinity", "taskset"},
	"precision":      {"resolution", "noise-threshold"},
	"filter":         {"benchmark-filter"},
	"output":         {"export-json", "benchmark-out", "benchmark-json", "benchmark-save", "save-baseline"},
	"format":         {"benchmark-format", "benchmark-out-format", "output-format", "json=ndjson", "csv=csv", "export-csv=csv>"},
	"html":           {"export-html", "benchmark-histogram"},
	"param":          {"P..", "L,", "parameter-scan..", "parameter-list,"},
	"prepare":        {"p"},
	"setup":          {"s"},
	"shell":          {"S"},
	"ignore-failure": {"i"},
}

const compares = "is a comparison here: keep both runs (-o old.ndjson, -o new.ndjson), then zonemark compare old.ndjson " +
	"new.ndjson"

// needlessElsewhere has the flags of others that have no counterpart, by a flag of ours that is near.
var needlessElsewhere = map[string][]string{
	"cflags": {"l", "is for compilers: measure a library by its path, such as /lib/x86_64-linux-gnu/libm.so.6; sources take " +
		"--cflags -lNAME"},
	"shell": {"N", "is not needed: commands run without a shell unless --shell is given",
		"show-output", "has no counterpart: what commands print is not shown"},
	"format": {"benchmark-only", "is not needed: everything is measured",
		"baseline", compares, "benchmark-compare", compares, "load-baseline", compares,
		"export-markdown", "is --format markdown of zonemark compare; a run has --format csv"},
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
