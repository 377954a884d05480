package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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
