package main

import (
	"bytes"
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/setup/setuptest"
)

const sweptOperations = `[
	{"op_type": "unary", "op_name": "exp", "config_overrides": {
		"unary_type": ["exp"], "output_mb_r": [1, 2, 4], "output_mb_c": [1, 2], "output_ub_r": [1], "output_ub_c": [1]}},
	{"op_type": "binary", "op_name": "add_bfp8", "config_overrides": {"binary_type": ["add"], "math_fidelity": [1],
		"input0_df": [4], "input1_df": [4], "output_df": [4], "output_mb_r": [1], "output_mb_c": [1, 2]}}]`

// sweepFolder is the folder of a sweep of sweptOperations on XLA's CPU plugin, with as little measuring as there can
// be.
type sweepFolder struct{ path string }

func newSweepFolder(t *testing.T) sweepFolder {
	t.Helper()
	f := sweepFolder{t.TempDir()}
	if err := os.WriteFile(f.in("operations.json"), []byte(sweptOperations), 0o644); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f sweepFolder) in(elements ...string) string {
	return filepath.Join(append([]string{f.path}, elements...)...)
}

// arguments are those of the sweep.
func (f sweepFolder) arguments(more ...string) []string {
	return append([]string{"sweep", "--operations-cfg", f.in("operations.json"), "--plugin", "cpu", "--arch", "mine",
		"--perf-sweep-output-dir", f.in("data"), "--raw-data-output-dir", f.in("raw"), "--params-dir", f.in("params"),
		"--launches", "1", "--min-time", "1ms", "--max-time", "5ms"}, more...)
}

// rows returns the whole lines of the summary of an operation, without the header.
func (f sweepFolder) rows(t *testing.T, operation string) []string {
	t.Helper()
	data, err := os.ReadFile(f.in("data", operation, "perf_sweep_summary.csv"))
	if err != nil {
		return nil
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	lines := strings.Split(strings.TrimSuffix(string(whole), "\n"), "\n")
	return lines[1:]
}

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
	whole := newSweepFolder(t)
	said := runs(t, cli.ExitOK, whole.arguments()...)
	for _, want := range []string{
		"2 operations with 8 configurations for mine", "exp: 6 rows measured", "add_bfp8: 0 rows measured",
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
		if info, err := os.Stat(whole.in(filepath.FromSlash(path))); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(whole.in("data", "programs")); err == nil {
		t.Error("programs are left")
	}
	want := whole.rows(t, "exp")

	killed := newSweepFolder(t)
	cmd := command(t, killed.arguments("--skip-performance-model", "--quiet")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(killed.rows(t, "exp")) == 0 {
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
	kept := killed.rows(t, "exp")
	runs(t, cli.ExitError, killed.arguments("--skip-performance-model", "--quiet")...)
	runs(t, cli.ExitOK, killed.arguments("--skip-performance-model", "--quiet", "--continue-run")...)
	got := killed.rows(t, "exp")
	for _, row := range kept {
		if !slices.Contains(got, row) {
			t.Errorf("the row %s is gone or has changed", row)
		}
	}
	if len(got) != len(want) || len(killed.rows(t, "add_bfp8")) != 2 {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if !slices.Equal(cells(got[i]), cells(want[i])) {
			t.Errorf("row %d differs:\n%s\n%s", i, got[i], want[i])
		}
	}
}

// A sweep on two runtimes has the rows of each, as sweeps of one have them, and shows all configurations beside each
// other, those that a runtime does not apply as well. Results that are in the journal are not measured again.
func TestSweepBeside(t *testing.T) {
	t.Parallel()
	setuptest.PJRTCPU(t)
	needsIREE(t)
	f := newSweepFolder(t)
	arguments := func(more ...string) []string {
		return f.arguments(append([]string{"--runtime", "tt,iree", "--launches", "3", "--skip-performance-model", "--format",
			"csv", "--quiet"}, more...)...)
	}
	rows := comparedRows(t, runs(t, cli.ExitOK, arguments()...))
	if len(rows) != 2*8 {
		t.Fatalf("%d rows, want one for each of 8 configurations on each runtime", len(rows))
	}
	for i, row := range rows {
		runtime, operation, status := []string{"tt", "iree"}[i%2], "exp", "ok"
		if i >= 12 {
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
	summary := f.in("data", "exp", "iree", "perf_sweep_summary.csv")
	for _, path := range []string{summary, f.in("data", "exp", "tt", "perf_sweep_summary.csv"),
		f.in("raw", "mine-tt", "exp-op-performance.csv"), f.in("raw", "mine-iree", "exp-op-performance.csv")} {
		data, err := os.ReadFile(path)
		if err != nil || bytes.Count(data, []byte("\n")) != 7 {
			t.Errorf("%s: %v, %d lines", path, err, bytes.Count(data, []byte("\n")))
		}
	}
	if err := os.Remove(summary); err != nil {
		t.Fatal(err)
	}
	again := comparedRows(t, runs(t, cli.ExitOK, arguments("--continue-run")...))
	for i := range rows {
		if !maps.Equal(rows[i], again[i]) {
			t.Errorf("row %d was\n%v, is\n%v", i, rows[i], again[i])
		}
	}
	runs(t, cli.ExitOK, arguments("--force-clean", "--op-name", "add_bfp8")...)
	if _, err := os.Stat(f.in("data", "exp")); !os.IsNotExist(err) {
		t.Errorf("results are left: %v", err)
	}
}

// comparedRows reads the table of a sweep on several runtimes, by the names of its columns.
func comparedRows(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(table) == 0 {
		t.Fatalf("%v:\n%s", err, text)
	}
	for _, cells := range table[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[table[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
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
		said := runs(t, cli.ExitError, append([]string{"sweep"}, strings.Fields(c.flags)...)...)
		if !strings.Contains(said, c.want) {
			t.Errorf("%s: %s", c.flags, said)
		}
	}
}
