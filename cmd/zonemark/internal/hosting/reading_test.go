package hosting

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"zonemark/driver/executors"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/environ"
)

// TestServingReads checks that native code may read what the command line and the suite name, and the folder of its
// artifact.
func TestServingReads(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	artifact := filepath.Join(folder, "package", "kernels.hat")
	for _, path := range []string{artifact, filepath.Join(folder, "tables", "file"),
		filepath.Join(folder, "secret", "key"), filepath.Join(folder, "my files", "k.h")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	planned := plan.Entry{Invocation: invocations.Invocation{
		Artifact: invocations.Artifact{Path: artifact, Options: map[string]string{"header": folder + "/my files/k.h"}},
		Limits:   invocations.Limits{Read: []string{folder + "/tables"}},
		Verify:   invocations.Verification{Reference: "../other/r.so:f", Expected: []string{folder + "/y.npy"}},
	}}
	skipped := plan.Entry{Verdict: "skipped", Invocation: invocations.Invocation{
		Artifact: invocations.Artifact{Path: folder + "/secret/key"},
	}}
	got := Options{Read: []string{folder + "/given"}}.Serving(plan.NewPlan(planned, skipped), folder+"/cache").reading
	if slices.Contains(got.allowed, folder+"/secret") {
		t.Error("the folder of what is not executed may be read")
	}
	for _, want := range []string{"package", "package/kernels.hat", "tables", "given", "cache", "other/r.so", "y.npy",
		"my files"} {
		if !slices.Contains(got.allowed, filepath.Join(folder, want)) {
			t.Errorf("%s may not be read, only %q", want, got.allowed)
		}
	}
	if slices.Contains(got.allowed, folder) || !slices.Contains(got.hidden, "/home") {
		t.Errorf("allowed %q, hidden %q", got.allowed, got.hidden)
	}
}

// TestServingHome checks that of a home, in which an artifact lies, native code may read what is not hidden by a dot.
func TestServingHome(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kernels.hat", "kernels.so", ".netrc"} {
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	planned := plan.Entry{Invocation: invocations.Invocation{
		Artifact: invocations.Artifact{Path: filepath.Join(home, "kernels.hat")},
	}}
	got := Options{Variables: environ.Of("HOME=" + home)}.Serving(plan.NewPlan(planned)).reading.allowed
	want := []string{filepath.Join(home, "kernels.hat"), filepath.Join(home, "kernels.so")}
	if !slices.Equal(got, want) {
		t.Errorf("%q may be read, want %q", got, want)
	}
}

// TestDevicePatterns checks that native code may write the files of devices that are on the machine that starts it, and
// that patterns of others do no harm.
func TestDevicePatterns(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{"board0", "board1", "given"} {
		want = append(want, filepath.Join(folder, name))
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	allowed := executors.Allowance{Allow: executors.JoinPaths(want[2:]), Devices: executors.JoinPaths([]string{
		filepath.Join(folder, "board*"), filepath.Join(folder, "other[0-9]"), filepath.Join(folder, "none"),
	})}
	got := slices.Sorted(slices.Values(Options{}.allowing(allowed).reading.writable))
	if !slices.Equal(got, want) {
		t.Errorf("%q may be written, want %q", got, want)
	}
}

// TestProjectIsRead: a build of a source below the working folder may read that folder, unless it is a home.
func TestProjectIsRead(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		hidden, source string
		want           bool
	}{
		{home, filepath.Join(project, "src"), true},
		{home, project, true},
		{home, filepath.Join(home, "src"), false},
		{project, filepath.Join(project, "src"), false},
		{filepath.Join(project, "me"), filepath.Join(project, "src"), false},
	} {
		t.Chdir(project)
		hidden := c.hidden
		if h, err := filepath.EvalSymlinks(hidden); err == nil {
			hidden = h
		}
		r := reading{hidden: []string{hidden}}
		r.addProject(c.source)
		if got := slices.Contains(r.allowed, real); got != c.want {
			t.Errorf("%+v: %v", c, r.allowed)
		}
	}
}

// TestReading checks what executors may read for an artifact in the home of a user.
func TestReading(t *testing.T) {
	home := t.TempDir()
	for _, path := range []string{".ssh/key", "kernels/a.so", "work/data", "b.so"} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for artifact, want := range map[string][]string{
		"kernels/a.so": {"kernels", "kernels/a.so"},
		"b.so":         {"b.so", "kernels", "work"}, // all of the home but what a dot hides
	} {
		r := reading{hidden: []string{home}}
		r.addFolderOf(filepath.Join(home, artifact))
		seen := map[string]bool{}
		for _, path := range r.allowed {
			seen[path] = true
		}
		for _, path := range want {
			if !seen[filepath.Join(home, path)] {
				t.Errorf("%s: %s may not be read: %q", artifact, path, r.allowed)
			}
			delete(seen, filepath.Join(home, path))
		}
		if len(seen) > 0 {
			t.Errorf("%s: %v may be read", artifact, seen)
		}
	}
}
