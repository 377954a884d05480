package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"

	"github.com/spf13/pflag"
)

// meanings has what a flag means in all verbs that have it, for flags that verbs explain in words of their own. Flags
// that are not in it have the same words everywhere.
var meanings = map[string]string{
	"alpha":           "chance that a verdict is wrong if nothing has changed",
	"arch":            "name of the architecture of Tenstorrent's device",
	"all":             "show all rows; without it, each verdict that is not worse has at most a page",
	"beam":            "width of an autoscheduler's search",
	"chips":           "devices that run a program at once; 0: all",
	"compile-option":  "one option of a PJRT plugin's compiler, NAME=VALUE, such as optimization_level=1; repeatable",
	"dataformat":      "format of the numbers: Float16_b, Bfp8_b, Int8, …",
	"device":          "device of IREE modules: local-sync, local-task, or another that the runtime has",
	"dim":             "size of an open dimension, NAME=SIZE; repeatable",
	"dry-run":         "show what would be done, and stop",
	"emulate-formats": "where the device lacks a block format, round to it: shows its accuracy, not its speed",
	"env":             "native code gets this variable of the environment, too; repeatable. It gets those of the loader, the C library and runtimes, and no others",
	"filter":          "keep only what has a name that matches this regular expression: invocations, measurements, zones, ops",
	"folder":          "folder in which the verb keeps its work",
	"format":          "report on standard output",
	"from":            "keep only what comes after this: a time, or a signpost of tt-metal's tables",
	"html":            "write a page (HTML) for people to this file, which is replaced",
	"limit":           "show at most this many rows; 0: all",
	"list":            "show what there is, and stop",
	"margin":          "relative difference that does not matter",
	"models":          "file of fitted models (JSON): fit writes it, estimate reads it",
	"op-name":         "operation, such as gelu, gelu_approx, add",
	"op-type":         "kind of the operation: unary, binary, reduce, matmul, …",
	"output":          "write what is kept for later to this file: the journal or, of a verb without one, its record",
	"overwrite":       "replace the file of -o if it is there",
	"parallelism":     "threads that schedules are made for",
	"params-dir":      "write ARCH_params.yaml to this folder, or the next version if it is there; models beside it",
	"plugin":          "PJRT plugin: a path, tt (Tenstorrent's) or cpu (XLA's); ZONEMARK_PJRT_PLUGIN when left out",
	"python":          "interpreter or virtual environment to use instead of zonemark's own",
	"quiet":           "no progress and no messages but errors; verbs that measure and install nothing still warn",
	"runtime":         "runtime that measures, when names of artifacts do not tell: hat, iree, tt, ttsim, halide, c, command, python",
	"seed":            "seed of random contents, and of the order of measuring",
	"self":            "times without the zones inside",
	"sort":            "what rows are sorted by",
	"spread":          "with several hosts (--via), measure everything on all of them, and show how much the hosts differ; intervals then hold for any of these hosts",
	"task-threads":    "workers of the device local-task; threads of Halide pipelines (default: the CPUs of the process)",
	"time-limit":      "end after this time, and keep what there is; 0: no limit",
	"timeout":         "kill what takes longer, preparation included",
	"to":              "keep only what comes before this: a time, or a signpost of tt-metal's tables",
	"verbose":         "say more: each result as it comes, what the counters counted",
	"via":             "work on another host, where this command runs a shell: 'ssh HOST', 'srun -u -N1 -w NODE'; repeatable: several hosts share the work",
	"warmup":          "calls that do not count, before those that do; 0: until times are steady",
}

// whole are the flags of which meanings tells all that there is to say.
var whole = []string{"quiet"}

// foreign has the verbs whose letters are those of another program, for whose users they are made.
var foreign = map[string]string{"bench": "PyBuda's benchmark", "trace csv": "tracy-csvexport"}

// plurals has the flags that differ from another one by an s, and stand for something else.
var plurals = map[string]string{
	"shards":     "--shard is the number of one part, --shards how many there are",
	"schedulers": "halide run compares the schedules of several",
	"models":     "bench takes --model from PyBuda's benchmark; fit and estimate keep fitted models",
	"threads":    "--thread is one of a capture, --threads how many an executor may have",
	"params":     "a parameter file, which the older scripts call so",
}

// TestOneMeaning: a flag, and a letter, means one thing in all verbs.
func TestOneMeaning(t *testing.T) {
	t.Parallel()
	shared, letters := map[string][]verbFlag{}, map[string]string{}
	for _, f := range allFlags(pages(t.Context(), program.Standard())) {
		shared[f.Name] = append(shared[f.Name], f)
		if strings.Contains(f.Usage, "(HTML)") != (f.Name == "html") {
			t.Errorf("%s --%s: a page is what --html writes, and nothing else is", f.verb, f.Name)
		}
		if f.Shorthand == "" || foreign[f.verb] != "" {
			continue
		}
		if other := letters[f.Shorthand]; other != "" && other != f.Name {
			t.Errorf("%s: -%s is --%s, and --%s elsewhere", f.verb, f.Shorthand, f.Name, other)
		}
		letters[f.Shorthand] = f.Name
	}
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		list := shared[name]
		if shared[name+"s"] != nil && plurals[name+"s"] == "" {
			t.Errorf("--%s and --%[1]ss: users cannot tell them apart", name)
		}
		differ := ""
		for _, f := range list[1:] {
			if f.Usage != list[0].Usage {
				differ = f.verb
			}
			if f.Shorthand != list[0].Shorthand && foreign[f.verb] == "" && foreign[list[0].verb] == "" {
				t.Errorf("--%s has the letter %q in %s, and %q in %s", name, f.Shorthand, f.verb, list[0].Shorthand,
					list[0].verb)
			}
		}
		if said := meanings[name] != ""; said != (differ != "") {
			t.Errorf("--%s: %s explains it otherwise than %s (none: it does not), and what it means in all verbs is told: "+
				"%v; say it in meanings, or name the flag differently", name, differ, list[0].verb, said)
		}
	}
	for name := range meanings {
		if shared[name] == nil {
			t.Errorf("meanings has --%s, which no verb has", name)
		}
	}
}

// TestFormerSpellings: an older spelling sets the flag that took its place.
func TestFormerSpellings(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range allFlags(pages(t.Context(), program.Standard())) {
		for _, older := range cli.FormerSpellings(f.Flag) {
			seen[f.verb+" "+older] = true
			own := f.set.Lookup(older)
			if len(older) == 1 {
				own = f.set.ShorthandLookup(older)
			}
			if own != f.Flag && (own == nil || !own.Hidden) {
				t.Errorf("zonemark %s: %s is not taken for --%s", f.verb, older, f.Name)
			}
		}
	}
	for _, want := range []string{"run report", "run plot", "run repetitions", "history o", "report output",
		"halide pretrain o", "halide pretrain plot", "fit plot", "fit model", "trace zones name", "estimate output-format",
		"bench models", "setup env", "doctor time", "hat functions", "run compile-options"} {
		if !seen[want] {
			t.Errorf("%s is not taken any more", want)
		}
	}
	for _, line := range [][2]string{{"history", "-o=a.html"}, {"report", "--output=a.html"}, {"fit", "--plot=a.html"},
		{"run", "--report=a.html"}, {"halide pretrain", "-o=a.html"}} {
		set := flagsOf(t, line[0])
		if err := set.Parse([]string{line[1]}); err != nil {
			t.Errorf("%v: %v", line, err)
		}
		name := "html"
		if line[0] == "halide pretrain" {
			name = "folder"
		}
		if got := set.Lookup(name).Value.String(); got != "a.html" && got != "=a.html" {
			t.Errorf("%v: --%s is %q", line, name, got)
		}
	}
}

// flagsOf returns the flags of a verb.
func flagsOf(t *testing.T, verb string) *pflag.FlagSet {
	for _, page := range pages(t.Context(), program.Standard()) {
		if page.Name == verb {
			return page.Flags
		}
	}
	t.Fatalf("there is no verb %s", verb)
	return nil
}
