package pjrt

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/testsize"
)

// cells returns the cells of a row that do not depend on times: those before the results, and status and on.
func cells(row string) []string {
	all := strings.Split(row, ",")
	return append(slices.Clone(all[:23]), all[len(all)-4:]...)
}

// A sweep writes the rows of each operation, says what the device does not apply, and fits models. One that is killed
// and continued has the same rows.
func TestSweep(t *testing.T) {
	t.Parallel()
	setuptest.PJRTCPU(t)
	whole := e2e.NewSweepFolder(t, e2e.SweptOperations)
	said := e2e.Runs(t, cli.ExitOK, whole.Arguments()...)
	for _, want := range []string{
		"2 operations with 6 configurations for mine", "exp: 4 rows measured", "add_bfp8: 0 rows measured",
		", 2 not applied", "exp, mine\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	for _, path := range []string{
		"data/exp/test_configs.yaml", "data/exp/results.ndjson", "raw/mine/exp-op-performance.csv",
		"params/mine_params.yaml", "params/mine_models.json",
	} {
		if info, err := os.Stat(whole.In(filepath.FromSlash(path))); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(whole.In("data", "programs")); err == nil {
		t.Error("programs are left")
	}
	want := whole.Rows(t, "exp")

	killed := e2e.NewSweepFolder(t, e2e.SweptOperations)
	cmd := e2e.Command(t, killed.Arguments("--skip-performance-model", "--quiet")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(killed.Rows(t, "exp")) == 0 {
		select {
		case err := <-ended:
			t.Fatalf("it ended without a row: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	kept := killed.Rows(t, "exp")
	e2e.Runs(t, cli.ExitError, killed.Arguments("--skip-performance-model", "--quiet")...)
	e2e.Runs(t, cli.ExitOK, killed.Arguments("--skip-performance-model", "--quiet", "--continue-run")...)
	got := killed.Rows(t, "exp")
	for _, row := range kept {
		if !slices.Contains(got, row) {
			t.Errorf("the row %s is gone or has changed", row)
		}
	}
	if len(got) != len(want) || len(killed.Rows(t, "add_bfp8")) != 2 {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if !slices.Equal(cells(got[i]), cells(want[i])) {
			t.Errorf("row %d differs:\n%s\n%s", i, got[i], want[i])
		}
	}
}

// A sweep on two runtimes has the rows of each, as sweeps of one have them, and shows all configurations beside each
// other, those that a runtime does not apply as well. Results that are in the journal are not measured again: that is in
// the large size, as TestSweep does the same with one runtime.
func TestSweepBeside(t *testing.T) {
	t.Parallel()
	setuptest.PJRTCPU(t)
	e2e.NeedsIREE(t)
	operations, each := e2e.FewerOperations()
	f := e2e.NewSweepFolder(t, operations)
	arguments := func(more ...string) []string {
		return f.Arguments(append([]string{"--runtime", "tt,iree", "--launches", "2", "--skip-performance-model", "--format",
			"csv", "--quiet"}, more...)...)
	}
	rows := e2e.ComparedRows(t, e2e.Runs(t, cli.ExitOK, arguments()...))
	if len(rows) != 2*2*each {
		t.Fatalf("%d rows, want one for each configuration on each runtime", len(rows))
	}
	for i, row := range rows {
		runtime, operation, status := []string{"tt", "iree"}[i%2], "exp", "ok"
		if i >= 2*each {
			operation, status = "add_bfp8", "not applied"
		}
		if row["runtime"] != runtime || row["operation"] != operation || row["status"] != status {
			t.Errorf("row %d: %v", i, row)
		}
		if row["status"] == "ok" != (row["reason"] == "") {
			t.Errorf("row %d: the reason is %q", i, row["reason"])
		}
		median, _ := strconv.ParseFloat(row["median_ns"], 64)
		compared := operation == "exp" && runtime == "iree"
		if (median > 0) != (status == "ok") || (row["ratio"] != "") != compared || (row["by"] != "") != compared {
			t.Errorf("row %d: %v", i, row)
		}
	}
	summary := f.In("data", "exp", "iree", "perf_sweep_summary.csv")
	for _, path := range []string{summary, f.In("data", "exp", "tt", "perf_sweep_summary.csv"),
		f.In("raw", "mine-tt", "exp-op-performance.csv"), f.In("raw", "mine-iree", "exp-op-performance.csv")} {
		data, err := os.ReadFile(path)
		if err != nil || bytes.Count(data, []byte("\n")) != 1+each {
			t.Errorf("%s: %v, %d lines", path, err, bytes.Count(data, []byte("\n")))
		}
	}
	if !testsize.Large() {
		return
	}
	if err := os.Remove(summary); err != nil {
		t.Fatal(err)
	}
	again := e2e.ComparedRows(t, e2e.Runs(t, cli.ExitOK, arguments("--continue-run")...))
	for i := range rows {
		if !maps.Equal(rows[i], again[i]) {
			t.Errorf("row %d was\n%v, is\n%v", i, rows[i], again[i])
		}
	}
	e2e.Runs(t, cli.ExitOK, arguments("--force-clean", "--op-name", "add_bfp8")...)
	if _, err := os.Stat(f.In("data", "exp")); !os.IsNotExist(err) {
		t.Errorf("results are left: %v", err)
	}
}

// Flags that do not go together are refused before anything is measured.
func TestSweepRuntimesRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flags, want string }{
		{"--runtime tt,irre", `did you mean "iree"?`},
		{"--runtime iree,iree", "iree is there twice"},
		{"--runtime hat", "sweeps have programs for tt (PJRT plugins) and iree (IREE)"},
		{"--format csv", "--format is for several runtimes"},
		{"--runtime all --format table", "want one of text, csv, ndjson"},
		{"--runtime all --simulator x", "--simulator is an option of none of the runtimes all"},
	} {
		said := e2e.Runs(t, cli.ExitError, append([]string{"sweep"}, strings.Fields(c.flags)...)...)
		if !strings.Contains(said, c.want) {
			t.Errorf("%s: %s", c.flags, said)
		}
	}
}
