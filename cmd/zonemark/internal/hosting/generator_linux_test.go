package hosting

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"zonemark/driver/setup/setuptest"
	"zonemark/trace"
)

// tracySite returns a site-packages folder with the wheel iree-base-runtime, whose Tracy client and capture tool the
// tests use.
func tracySite(t *testing.T) string {
	t.Helper()
	return setuptest.IREE(t).Site
}

// buildGenerator returns the path of the generator of zones.
func buildGenerator(t *testing.T) string {
	t.Helper()
	generator := filepath.Join(t.TempDir(), "tracegen")
	const source = "zonemark/cmd/zonemark/internal/e2e/testdata/tracegen"
	if out, err := exec.Command("go", "build", "-o", generator, source).CombinedOutput(); err != nil {
		t.Fatalf("build the generator: %v\n%s", err, out)
	}
	return generator
}

// countZones reads a capture, which must be whole.
func countZones(t *testing.T, path string) (zones int) {
	t.Helper()
	f, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, err := range f.Zones() {
		if err != nil {
			t.Fatal(err)
		}
		zones++
	}
	if info := f.Info(); info.Partial || len(info.Warnings) > 0 || info.ZoneCount != int64(zones) {
		t.Errorf("%d zones were read; partial %v, %d announced, warnings %q", zones, info.Partial, info.ZoneCount,
			info.Warnings)
	}
	return zones
}

// waitFor waits until done returns true, at most for the limit.
func waitFor(t *testing.T, what string, limit time.Duration, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come within %v", what, limit)
		}
	}
}

// gone reports whether a process has ended, even if nobody has waited for it yet.
func gone(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || bytes.HasPrefix(text[bytes.LastIndexByte(text, ')')+1:], []byte(" Z"))
}

// command returns this binary as a trace host of tests, with a cache of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0] = hostOfTests
	cmd.Env = append(os.Environ(), "ZONEMARK_HOME="+t.TempDir())
	return cmd
}
