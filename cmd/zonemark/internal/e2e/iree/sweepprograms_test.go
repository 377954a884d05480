package iree

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
	"zonemark/driver/sweep/operations"
	"zonemark/driver/sweep/program"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"
)

// sweptPrograms returns configurations that between them have every kind of program of operation sweeps.
func sweptPrograms(t testing.TB) []operations.Configuration {
	t.Helper()
	list, err := operations.Parse("test", []byte(`[
		{"op_type": "unary", "op_name": "gelu", "config_overrides": {"unary_type": ["gelu"], "output_mb_r": [1]}},
		{"op_type": "unary", "op_name": "dropout_r", "config_overrides": {"unary_type": [16], "vector_mode": ["r"],
			"output_mb_r": [1]}},
		{"op_type": "binary", "op_name": "add_bfp4", "config_overrides":
			{"input0_df": [6], "input1_df": [6], "output_df": [6], "math_fidelity": [1], "output_mb_r": [1]}},
		{"op_type": "quant", "op_name": "requant", "config_overrides": {"quant_type": [3]}},
		{"op_type": "reduce", "op_name": "reduce_c", "config_overrides": {"output_mb_r": [1]}},
		{"op_type": "splice", "op_name": "splice", "config_overrides": {"input0_mb_c": [1], "output_mb_r": [1],
			"output_ub_c": [1]}},
		{"op_type": "matmul", "op_name": "matmul", "config_overrides": {"mb_inner": [4], "ub_inner": [2],
			"output_ub_c": [2]}},
		{"op_type": "matmul_l1_acc", "op_name": "l1_acc", "config_overrides": {"input0_df": [4], "input1_df": [4],
			"output_df": [4],
			"math_fidelity": [1], "mb_inner": [4], "ub_inner": [2], "output_ub_c": [2]}},
		{"op_type": "matmul", "op_name": "integers", "config_overrides": {"input0_df": [11], "input1_df": [11],
			"output_df": [10],
			"mb_inner": [3], "ub_inner": [1], "output_ub_c": [2]}},
		{"op_type": "depthwise", "op_name": "depthwise", "config_overrides": {"mb_inner": [3], "output_ub_c": [1]}},
		{"op_type": "matmul_sparse_nz_counts", "op_name": "sparse",
			"config_overrides": {"output_t": [2], "mb_inner": [7],
			"output_mb_r": [2], "output_mb_c": [1]}}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	var first []operations.Configuration
	for i := range list {
		s, err := list[i].Space()
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, s.Configurations[0])
	}
	return first
}

// checkSwept runs programs once. Their results must be those of the reference.
func checkSwept(t *testing.T, list []operations.Configuration, target program.Target, flags ...string) {
	folder := t.TempDir()
	for _, c := range list {
		t.Run(c.Operation, func(t *testing.T) {
			p, err := target.Build(&c, folder)
			if err != nil {
				t.Fatal(err)
			}
			v := &p.Invocation
			results := filepath.Join(t.TempDir(), "results.ndjson")
			args := []string{"run", keptSource(t, v.Artifact.Path), "-c", "-o", results, "--tolerance",
				strconv.FormatFloat(v.Verify.Tolerance, 'g', -1, 64)}
			for _, a := range v.Arguments {
				args = append(args, "--input", "@"+a.Path)
			}
			for _, e := range v.Verify.Expected {
				args = append(args, "--expected-output", e)
			}
			e2e.Runs(t, 0, append(args, flags...)...)
			if r := e2e.Journal(t, results)["main"]; r.Status != invocations.OK {
				t.Errorf("%s: %s", r.Status, r.Error)
			}
		})
	}
}

// keptSource returns the path of a copy of a source that stays where it is for the next run. Modules name their source, so
// that each run would compile one in a folder of its own anew.
func keptSource(t *testing.T, source string) string {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(testneeds.Cache(t, "iree"), fmt.Sprintf("%x-%s", sha256.Sum256(text), filepath.Base(source)))
	if err := files.Write(path, 0o644, text); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSweptProgramsPJRT(t *testing.T) {
	t.Parallel()
	setuptest.PJRTCPU(t)
	checkSwept(t, sweptPrograms(t), program.Target{Runtime: program.PJRT, Device: "cpu", Emulate: true}, "--runtime", "tt", "--plugin",
		"cpu")
}

// The small size has some of the programs, since each is compiled; PJRT's compiler is fast, and has all.
func TestSweptProgramsIREE(t *testing.T) {
	t.Parallel()
	e2e.NeedsIREE(t)
	list := sweptPrograms(t)
	checkSwept(t, list[:testsize.Of(2, len(list))], program.Target{Runtime: program.IREE, Device: "cpu", Emulate: true})
}
