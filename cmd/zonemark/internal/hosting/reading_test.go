package hosting

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"zonemark/driver"
	"zonemark/invocations"
)

// TestServingReads checks that native code may read what the command line and the suite name, and the folder of its
// artifact.
func TestServingReads(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	artifact := filepath.Join(folder, "package", "kernels.hat")
	for _, path := range []string{artifact, filepath.Join(folder, "tables", "file")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	planned := driver.Planned{Invocation: invocations.Invocation{
		Artifact: invocations.Artifact{Path: artifact}, Limits: invocations.Limits{Read: []string{folder + "/tables"}},
	}}
	got := Options{Read: []string{folder + "/given"}}.Serving(driver.NewPlan(planned), folder+"/cache").reading
	for _, want := range []string{"package", "package/kernels.hat", "tables", "given", "cache"} {
		if !slices.Contains(got.allowed, filepath.Join(folder, want)) {
			t.Errorf("%s may not be read, only %q", want, got.allowed)
		}
	}
	if slices.Contains(got.allowed, folder) || !slices.Contains(got.hidden, "/home") {
		t.Errorf("allowed %q, hidden %q", got.allowed, got.hidden)
	}
}
