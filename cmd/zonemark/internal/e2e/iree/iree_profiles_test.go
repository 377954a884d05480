package iree

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/dispatches"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup"
	"zonemark/driver/setup/setuptest"
	"zonemark/trace/dispatchcsv"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestIREEDispatchFileOfProfiles checks that the dispatch CSV has medians if a profiler knows nothing else, and that a
// resumed run keeps the rows of others.
func TestIREEDispatchFileOfProfiles(t *testing.T) {
	t.Parallel()
	e2e.NeedsIREE(t, setup.ToolsVariable)
	dir := t.TempDir()
	rowsFile, output := filepath.Join(dir, "d.csv"), filepath.Join(dir, "run.ndjson")
	quick := []string{"--provider", "python", "--dispatches", "profile", "-d", rowsFile, "-o", output,
		"--min-time", "1ms", "--max-time", "20ms"}
	want := map[string]int{}
	check := func() {
		t.Helper()
		f, err := os.Open(rowsFile)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := dispatchcsv.Read(rowsFile, f)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, row := range rows {
			got[row.Name]++
			if row.Calls != dispatches.ProfiledCalls || row.DurationNS <= 0 || row.Dispatch == "" ||
				row.Workgroups < 1 {
				t.Errorf("%+v", row)
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("dispatches by name (-want +got):\n%s", diff)
		}
	}
	mlp, softmax := e2e.Example(t, "mlp.mlir"), e2e.Example(t, "softmax.mlir")
	e2e.Runs(t, cli.ExitOK, append([]string{"run", mlp, softmax, "--filter", "mlp"}, quick...)...)
	for _, r := range e2e.Journal(t, output) {
		want[r.Name] = len(r.Dispatches)
	}
	check()
	e2e.Runs(t, cli.ExitOK, append([]string{"run", mlp, softmax, "--resume"}, quick...)...)
	for _, r := range e2e.Journal(t, output) {
		want[r.Name] = len(r.Dispatches)
	}
	if len(want) < 2 {
		t.Fatalf("results of %v only", want)
	}
	check()
	if out := e2e.Runs(t, cli.ExitError, "run", mlp, "--dispatches", "off", "-d", rowsFile); !strings.Contains(out,
		"--dispatch-csv needs dispatches") {
		t.Errorf("without dispatches:\n%s", out)
	}
	if out := e2e.Runs(t, cli.ExitError, "run", mlp, "--mode", "dispatch", "-d", rowsFile); !strings.Contains(out,
		"leave out -d") {
		t.Errorf("dispatches alone:\n%s", out)
	}
	check() // the existing rows are unchanged
}

// TestIREEOtherVersion runs a module of an older release in every way. If it cannot run, the error names both versions
// and the remedy. Its dispatches run alone.
func TestIREEOtherVersion(t *testing.T) {
	e2e.NeedsIREE(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the module holds code for x86-64")
	}
	old := e2e.Top(t, "executor", "iree", "testdata", "tiny_3.6.vmfb")
	ways := [][]string{{"--provider", "python"}, {"--provider", "python", "--dispatches", "profile"},
		{"--dispatches", "tracy"}}
	if setuptest.Getenv(setup.CAPIVariable) != "" {
		ways = append(ways, []string{"--provider", "capi"})
	}
	for _, way := range ways {
		out := e2e.Runs(t, cli.ExitNotOK, append([]string{"run", old}, way...)...)
		for _, want := range []string{"tiny_3.6.vmfb: ", "bytecode has version 15.0", "runs version 17.0",
			"interface version 0.5", "calls version 0.6", "compile it again", "--mode dispatch"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q: no %q in\n%s", way, want, out)
			}
		}
	}
	out := e2e.Runs(t, cli.ExitNotOK, "run", old, "--mode", "dispatch")
	for _, want := range []string{"bytecode has version 15.0", "runs version 17.0", "--param workgroups"} {
		if !strings.Contains(out, want) {
			t.Errorf("its dispatches: no %q in\n%s", want, out)
		}
	}
	e2e.Runs(t, cli.ExitOK, "run", "-c", old, "--mode", "dispatch", "--param", "workgroups=1",
		"--param", "bindings=16:16:16")
}
