package measuring

import (
	"maps"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"

	"github.com/spf13/pflag"
)

// calledElsewhere has what hyperfine, Google Benchmark, pytest-benchmark and criterion.rs call flags of run.
var calledElsewhere = map[string][]string{
	"warmup":         {"w", "benchmark-warmup-iterations"},
	"launches":       {"r", "runs", "sample-size", "benchmark-repetitions"},
	"min-iterations": {"m", "min-runs", "benchmark-min-rounds"},
	"min-time":       {"benchmark-min-time", "measurement-time"},
	"max-time":       {"benchmark-max-time"},
	"filter":         {"benchmark-filter"},
	"output":         {"export-json", "benchmark-out", "benchmark-json", "benchmark-save", "save-baseline"},
	"format":         {"benchmark-format", "benchmark-out-format", "export-csv=csv"},
	"html":           {"export-html", "benchmark-histogram"},
	"param":          {"P", "L", "parameter-scan", "parameter-list"},
	"prepare":        {"p"},
	"setup":          {"s"},
	"shell":          {"S"},
	"ignore-failure": {"i"},
}

// nameElsewhere tells the flags of a verb that measures what they are called elsewhere.
func nameElsewhere(set *pflag.FlagSet) {
	for _, name := range slices.Sorted(maps.Keys(calledElsewhere)) {
		if set.Lookup(name) != nil {
			cli.Elsewhere(set, name, calledElsewhere[name]...)
		}
	}
	if set.Lookup("shell") != nil {
		cli.Needless(set, "shell", "N", "commands run without a shell unless --shell is given")
	}
}
