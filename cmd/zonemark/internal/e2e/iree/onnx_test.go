package iree

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
)

// TestONNX measures models that the package onnx has made, and compares their outputs with NumPy's.
func TestONNX(t *testing.T) {
	t.Parallel()
	e2e.NeedsIREE(t)
	interpreter, site := setuptest.ONNX(t)
	folder := t.TempDir()
	script := e2e.Top(t, "executor", "iree", "testdata", "onnx_models.py")
	if out, err := exec.Command(interpreter, script, site, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		args   string
		status string
	}{
		{"named.onnx --dim batch=3 --input x.npy --expected-output y.npy", "ok"},
		{"fixed.onnx --input x.npy --expected-output y.npy --max-time 20ms --dispatches off", "ok"},
		{"fixed.onnx --input x=zeros --expected-output y.npy", "mismatch"},
		{"types.onnx --dim n=1 --input u.npy --input i.npy --input b.npy --input s.npy --expected-output sum.npy", "ok"},
		{"doubles.onnx --input d.npy --input e.npy --expected-output dd.npy --expected-output e.npy --expected-output cast.npy", "ok"},
		{"doubles.onnx --input d.npy --input e.npy --expected-output d.npy", "mismatch"},
	} {
		args := append(strings.Fields("run --overwrite -o j.ndjson"), strings.Fields(c.args)...)
		if !strings.Contains(c.args, "--max-time") {
			args = append(args, "--check")
		}
		cmd := e2e.Command(t, args...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		if (err == nil) != (c.status == "ok") {
			t.Errorf("%s: %v\n%s", c.args, err, out)
			continue
		}
		results := e2e.Journal(t, filepath.Join(folder, "j.ndjson"))
		if len(results) != 1 {
			t.Errorf("%s: %d results", c.args, len(results))
		}
		for name, r := range results {
			if string(r.Status) != c.status || filepath.Base(r.Artifact) != strings.Fields(c.args)[0] {
				t.Errorf("%s: %s of %s is %s: %s", c.args, name, r.Artifact, r.Status, r.Error)
			}
		}
	}
}
