package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// leaves import nothing of this module but leaves below invocations, and may be imported by every package of their part.
// The keys are matched with path.Match.
var leaves = []string{
	"invocations/building", "invocations/cgroups", "invocations/cpuinfo", "invocations/environ", "invocations/figures",
	"invocations/files", "invocations/foreign", "invocations/lazyregexp", "invocations/loans", "invocations/packed",
	"invocations/remedy", "invocations/repeats", "invocations/shellwords", "invocations/spelling", "invocations/stats", "invocations/testneeds",
	"invocations/tomltext", "invocations/tracerule", "driver/jsonshape", "driver/report/texttable",
	"executor/compilerflags", "executor/elfimage", "executor/platform",
	"trace/capture", "trace/csvtext", "trace/histogram",
}

// mayImport lists what each package that is not a leaf may import of this module, beside the leaves. A runtime's
// package is below executor and may not be imported by another one. The keys are matched with path.Match; the first
// match decides.
var mayImport = []struct {
	name    string
	imports []string
}{
	{"invocations", nil},
	{"invocations/suite", []string{"invocations"}},
	{"invocations/wire", []string{"invocations"}},
	{"executor", []string{"invocations", "executor/arguments", "executor/native", "executor/tracy"}},
	{"executor/timers", []string{"invocations", "executor", "executor/arguments", "executor/native"}},
	{"executor/rounds", []string{"invocations", "invocations/wire", "executor", "executor/arguments", "executor/native",
		"executor/rounds/learned", "executor/rounds/noise", "executor/rounds/statuses", "executor/rounds/unfinished",
		"executor/rounds/wear", "executor/timers"}},
	{"executor/rounds/learned", []string{"executor/rounds/wear"}},
	{"executor/rounds/noise", []string{"invocations", "executor/native"}},
	{"executor/rounds/statuses", []string{"invocations"}},
	{"executor/rounds/unfinished", []string{"invocations"}},
	{"executor/rounds/wear", nil},
	{"executor/serving", []string{"invocations", "invocations/wire", "executor", "executor/dl", "executor/native",
		"executor/rounds", "executor/tracy"}},
	{"executor/arguments", []string{"invocations", "executor/native", "executor/values"}},
	{"executor/values", []string{"invocations"}}, // for element types and contents
	{"executor/dl", nil},
	{"executor/toolchain", nil},
	{"executor/native", []string{"executor/dl"}},
	{"executor/platform/exchangetest", nil}, // for tests
	{"executor/sandbox", []string{"executor/sandbox/seccomp", "executor/sandbox/signals", "executor/sandbox/threads"}},
	{"executor/sandbox/seccomp", nil},
	{"executor/sandbox/signals", nil},
	{"executor/sandbox/threads", []string{"executor/sandbox/signals"}},
	{"executor/pipelines", []string{"invocations"}},
	{"executor/iree", []string{"executor", "executor/arguments", "executor/native", "executor/dl", "executor/pipelines",
		"executor/toolchain", "executor/tracy", "executor/values", "executor/iree/*", "invocations"}},
	{"executor/iree/functions", []string{"executor/arguments", "executor/values", "executor/iree/tensor",
		"executor/iree/vmfb", "invocations"}},
	// It knows no provider of IREE's runtime: what it needs of one is handed to it.
	{"executor/iree/dispatchmode", []string{"executor", "executor/arguments", "executor/native", "executor/values",
		"executor/iree/dispatchplan", "executor/iree/executable", "executor/iree/functions", "executor/iree/tensor",
		"executor/iree/vmfb", "invocations"}},
	{"executor/iree/dimensions", []string{"executor/values", "executor/iree/dispatchmode", "invocations"}},
	{"executor/iree/releases", []string{"executor/iree/vmfb"}},
	{"executor/iree/tally", []string{"executor/iree/halprofile", "invocations"}},
	{"executor/iree/bindings", []string{"executor/iree/libpython"}},
	{"executor/iree/callprofile", []string{"executor", "executor/iree/capi", "executor/iree/halprofile",
		"executor/iree/tally", "invocations"}},
	{"executor/iree/*", []string{"executor/native", "executor/dl", "executor/tracy", "executor/iree/tensor",
		"invocations"}},
	{"executor/tt", []string{"executor", "executor/arguments", "executor/native", "executor/pipelines", "executor/values",
		"executor/tt/*", "invocations"}},
	{"executor/tt/*", []string{"executor/dl", "executor/native"}},
	{"executor/halide", []string{"executor", "executor/arguments", "executor/native", "executor/dl",
		"executor/values", "executor/halide/metadata", "executor/halide/generator", "executor/halide/hexagon",
		"executor/toolchain", "invocations"}},
	{"executor/halide/metadata", nil},
	{"executor/halide/generator", []string{"executor/toolchain"}},
	{"executor/halide/hexagon", []string{"executor/halide/metadata", "executor/toolchain"}},
	// Runtimes that call functions of C share an engine, and what reads C and compiles it. The engine reads no text.
	{"executor/cfunction", []string{"executor", "executor/arguments", "executor/native", "executor/dl", "executor/values",
		"executor/cfunction/sizes", "executor/cfunction/exports", "invocations"}},
	{"executor/cfunction/sizes", nil},
	{"executor/cfunction/declarations", []string{"executor/cfunction/sizes", "invocations"}},
	{"executor/cfunction/exports", []string{"executor/dl"}},
	{"executor/hat", []string{"executor", "executor/cfunction", "executor/cfunction/*", "executor/toolchain",
		"invocations"}},
	{"executor/csource", []string{"executor", "executor/cfunction", "executor/cfunction/*", "executor/toolchain",
		"invocations"}},
	{"executor/peaks", []string{"executor", "executor/native", "executor/dl", "invocations"}},
	{"executor/*", []string{"executor", "executor/arguments", "executor/native", "executor/dl", "executor/values",
		"invocations"}},
	{"driver", []string{"invocations", "invocations/wire", "driver/combine", "driver/executors", "driver/filehash",
		"driver/journal", "driver/launch", "driver/machine", "driver/plan", "driver/schedule"}},
	// It decides, and starts nothing: it knows no executors and no journal. Whoever makes a launch decides nothing.
	{"driver/schedule", []string{"invocations", "invocations/wire", "driver/combine", "driver/machine", "driver/plan"}},
	{"driver/launch", []string{"invocations", "invocations/wire", "driver/combine", "driver/executors"}},
	{"driver/combine", []string{"invocations", "driver/machine"}},
	{"driver/combine/combinetest", []string{"invocations"}},
	{"driver/executors", []string{"invocations", "invocations/wire"}},
	{"driver/journal", []string{"invocations", "driver/journal/shortlines"}},
	{"driver/journal/shortlines", []string{"invocations"}},
	{"driver/journal/journaltest", []string{"invocations"}},
	{"driver/machine", []string{"invocations"}},
	{"driver/plan", []string{"invocations", "invocations/wire", "driver/executors", "driver/journal"}},
	{"driver/report", []string{"invocations", "driver/report/rank"}},
	{"driver/report/rank", []string{"invocations"}},
	{"driver/report/hatcsv", []string{"invocations", "driver/report"}},
	{"driver/report/drawing", nil},
	{"driver/report/reportpage", []string{"invocations", "driver/peaks", "driver/report", "driver/report/drawing",
		"driver/report/rank"}},
	{"driver/peaks", []string{"invocations"}},
	{"driver/setup", []string{"driver/filehash", "driver/setup/command", "driver/setup/pip", "driver/setup/python"}},
	{"driver/setup/command", nil},
	{"driver/setup/python", []string{"driver/setup/command"}},
	{"driver/setup/pip", []string{"driver/filehash", "driver/setup/command", "driver/setup/python"}},
	// These are for tests, which may import what they need. The other rows hold for the program.
	{"executor/cfunction/cfunctiontest", []string{"executor/dl/dltest", "executor", "executor/native", "invocations"}},
	{"driver/setup/setuptest", []string{"driver/setup", "invocations/race"}},
	{"invocations/files/faults", nil},
	{"executor/dl/dltest", nil},
	{"executor/sandbox/sandboxtest", nil},
	{"cmd/zonemark/internal/commands/commandstest", []string{"driver/setup/setuptest"}},
	{"cmd/zonemark/internal/slurmtest", nil},
	{"cmd/zonemark/internal/e2e", []string{"*", "*/*", "driver/setup/setuptest", "executor/dl/dltest"}},
	{"cmd/zonemark/internal/e2e/*", nil}, // nothing but tests
	{"invocations/race", nil},
	{"invocations/recordstest", []string{"invocations"}},
	{"invocations/wire/wiretest", []string{"invocations", "invocations/wire"}},
	{"cmd/zonemark/internal/hosting/hostingtest", []string{
		"invocations", "invocations/wire", "invocations/wire/wiretest", "driver/executors", "executor", "executor/serving",
		"cmd/zonemark/internal/*",
	}},
	{"invocations/testsize", nil},
	{"driver/filehash", []string{"invocations/files"}},
	{"driver/remote", []string{"invocations", "invocations/wire", "driver/executors"}},
	{"driver/sweep", []string{"invocations", "driver/sweep/*"}},
	{"driver/sweep/operations", nil},
	{"driver/sweep/program", []string{"invocations", "driver/sweep/operations"}},
	{"driver/costmodel", []string{"driver/costmodel/*"}},
	{"driver/costmodel/*", nil},
	{"driver/halide", nil},
	{"driver/halide/adams2019", nil},
	{"driver/halide/trainingpage", []string{"driver/report", "driver/report/drawing"}},
	{"driver/tune", []string{"invocations", "driver/halide/adams2019"}},
	{"driver/compare/comparepage", []string{"driver/report", "driver/report/drawing"}},
	{"driver/bundle", []string{"invocations", "driver/plan"}},
	{"driver/compare", []string{"invocations", "driver/journal"}},
	{"driver/farm", []string{"invocations", "driver/combine", "driver/journal", "driver/machine"}},
	{"driver/*", []string{"invocations"}},
	{"trace", nil},
	{"trace/internal/*", []string{"trace", "trace/internal/*"}},
	{"trace/correlate", []string{"trace", "trace/dispatchcsv", "invocations"}},
	{"trace/ttmetal", []string{"trace", "invocations", "trace/ttmetal/columns"}},
	{"trace/ttmetal/columns", nil},
	{"trace/*", []string{"trace", "invocations"}},
	{"cmd/zonemark", []string{"*", "*/*", "driver/compare/*", "driver/report/*", "driver/sweep/*", "driver/halide/*",
		"cmd/zonemark/internal/*"}},
	{"cmd/zonemark/internal/cli", nil},
	{"cmd/zonemark/internal/hosting", []string{
		"invocations", "invocations/wire", "driver", "driver/executors", "driver/plan", "executor", "executor/dl",
		"executor/native", "executor/sandbox", "executor/sandbox/signals", "executor/serving", "cmd/zonemark/internal/cli",
		"cmd/zonemark/internal/watching",
	}},
	{"cmd/zonemark/internal/watching", []string{"driver/executors"}},
	{"cmd/zonemark/internal/rowtext", nil},
	{"cmd/zonemark/internal/commits", nil},
	{"cmd/zonemark/internal/inputs", []string{"invocations", "executor/values"}},
	{"cmd/zonemark/internal/statstable", []string{"driver/report", "trace", "trace/zonestats",
		"cmd/zonemark/internal/rowtext"}},
	{"cmd/zonemark/internal/ttreport", []string{"invocations", "driver/report", "driver/report/drawing", "trace/ttmetal",
		"cmd/zonemark/internal/rowtext"}},
	{"cmd/zonemark/internal/cachedir", []string{"driver/setup"}},
	{"cmd/zonemark/internal/runtimes", []string{"invocations", "executor", "executor/*", "driver/setup"}},
	{"cmd/zonemark/internal/fitting", []string{
		"invocations", "driver/journal", "driver/report", "driver/report/drawing", "driver/costmodel", "driver/costmodel/*",
		"cmd/zonemark/internal/cli", "cmd/zonemark/internal/program", "cmd/zonemark/internal/rowtext",
	}},
	{"cmd/zonemark/internal/estimating", []string{
		"driver/report", "driver/costmodel", "driver/costmodel/*", "cmd/zonemark/internal/cli",
		"cmd/zonemark/internal/program", "cmd/zonemark/internal/rowtext",
	}},
	// Packages below it know the tables of the program.
	{"cmd/zonemark/internal/*", []string{"*", "*/*", "driver/compare/*", "driver/report/*", "driver/sweep/*",
		"driver/halide/*", "driver/costmodel/*", "executor/halide/*", "executor/iree/tally", "executor/cfunction/*",
		"cmd/zonemark/internal/*"}},
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports", "zonemark/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, "zonemark/")
		allowed, planned := plan(name)
		if planned && !isLeaf(name) {
			allowed = append(slices.Clone(allowed), leaves...)
		}
		if !planned {
			t.Errorf("%s: a package that the table does not know", name)
		}
		for _, imported := range p.Imports {
			checked++
			if imported == "github.com/ebitengine/purego" && name != "executor/dl" {
				t.Errorf("%s imports purego; only executor/dl may", name)
			}
			other, ours := strings.CutPrefix(imported, "zonemark/")
			if ours && !slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, other) }) {
				t.Errorf("%s imports %s; it may import %v", name, other, allowed)
			}
		}
	}
	if checked == 0 {
		t.Error("no imports were checked")
	}
}

// ground lists what packages of each part may import of other parts. What two parts share lies below invocations, the
// ground floor, which imports nothing above it.
var ground = map[string][]string{"invocations": nil, "executor": {"invocations"}, "driver": {"invocations"},
	"trace": {"invocations"}}

// forTests may be imported by tests of other parts: what installs what they need as users do, and the side of executors
// of what the driver lends.
var forTests = []string{"driver/setup/setuptest", "executor/platform", "executor/platform/exchangetest"}

// TestDirections checks that executor, driver and trace import nothing of each other, not even leaves.
func TestDirections(t *testing.T) {
	const format = `{{.ImportPath}}{{range .Imports}} {{.}}{{end}} tests{{range .TestImports}} {{.}}{{end}}` +
		`{{range .XTestImports}} {{.}}{{end}}`
	out, err := exec.Command("go", "list", "-f", format, "zonemark/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		own, _, _ := strings.Cut(strings.TrimPrefix(names[0], "zonemark/"), "/")
		allowed, rules := ground[own]
		tests := false
		for _, imported := range names[1:] {
			tests = tests || imported == "tests"
			name, ours := strings.CutPrefix(imported, "zonemark/")
			if part, _, _ := strings.Cut(name, "/"); !rules || !ours || part == own || slices.Contains(allowed, part) {
				continue
			}
			if checked++; !tests || !slices.Contains(forTests, name) {
				t.Errorf("%s imports %s; %s may import %v", names[0], name, own, allowed)
			}
		}
	}
	if checked == 0 {
		t.Errorf("nothing imports %q: is the list empty?", forTests)
	}
}

func isLeaf(name string) bool {
	return slices.ContainsFunc(leaves, func(pattern string) bool { return matches(pattern, name) })
}

func plan(name string) (allowed []string, known bool) {
	if isLeaf(name) {
		return slices.DeleteFunc(slices.Clone(leaves), func(l string) bool { return !strings.HasPrefix(l, "invocations/") }), true
	}
	for _, row := range mayImport {
		if matches(row.name, name) {
			return row.imports, true
		}
	}
	return nil, false
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
