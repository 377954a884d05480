package e2e

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations/testsize"
)

// SweptOperations are the operations that tests sweep.
const SweptOperations = `[
	{"op_type": "unary", "op_name": "exp", "config_overrides": {
		"unary_type": ["exp"], "output_mb_r": [1, 2], "output_mb_c": [1, 2], "output_ub_r": [1], "output_ub_c": [1]}},
	{"op_type": "binary", "op_name": "add_bfp8", "config_overrides": {"binary_type": ["add"], "math_fidelity": [1],
		"input0_df": [4], "input1_df": [4], "output_df": [4], "output_mb_r": [1], "output_mb_c": [1, 2]}}]`

// FewerOperations returns SweptOperations with so many configurations of each, for sweeps on several runtimes: one,
// or in the large size two.
func FewerOperations() (operations string, each int) {
	operations = strings.Replace(SweptOperations, `"output_mb_r": [1, 2]`, `"output_mb_r": [1]`, 1)
	if testsize.Large() {
		return operations, 2
	}
	return strings.ReplaceAll(operations, `"output_mb_c": [1, 2]`, `"output_mb_c": [1]`), 1
}

// SweepFolder is the folder of a sweep on XLA's CPU plugin, with as little measuring as there can
// be.
type SweepFolder struct{ path string }

// NewSweepFolder makes a folder with the operations.
func NewSweepFolder(t *testing.T, operations string) SweepFolder {
	t.Helper()
	f := SweepFolder{t.TempDir()}
	if err := os.WriteFile(f.In("operations.json"), []byte(operations), 0o644); err != nil {
		t.Fatal(err)
	}
	return f
}

// In returns the path of a file in the folder.
func (f SweepFolder) In(elements ...string) string {
	return filepath.Join(append([]string{f.path}, elements...)...)
}

// Arguments are those of the sweep.
func (f SweepFolder) Arguments(more ...string) []string {
	return append([]string{"sweep", "--operations-cfg", f.In("operations.json"), "--plugin", "cpu", "--arch", "mine",
		"--perf-sweep-output-dir", f.In("data"), "--raw-data-output-dir", f.In("raw"), "--params-dir", f.In("params"),
		"--launches", "1", "--min-time", "1ms", "--max-time", "5ms"}, more...)
}

// Rows returns the whole lines of the summary of an operation, without the header.
func (f SweepFolder) Rows(t *testing.T, operation string) []string {
	t.Helper()
	data, err := os.ReadFile(f.In("data", operation, "perf_sweep_summary.csv"))
	if err != nil {
		return nil
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	lines := strings.Split(strings.TrimSuffix(string(whole), "\n"), "\n")
	return lines[1:]
}

// ComparedRows reads the table of a sweep on several runtimes, by the names of its columns.
func ComparedRows(t *testing.T, text string) (rows []map[string]string) {
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
