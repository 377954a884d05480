package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
)

// In a suite, a count is a number or a product, in which axes are replaced. Axes are also replaced in options of
// artifacts.
func TestSuiteCountsAndOptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[[invocation]]\nname = \"p {M} {device}\"\nartifact = \"p.vmfb\"\nflop = \"2*{M}*8\"\nbytes = " +
		"1e6\ntask_threads = 2\n[invocation.axes]\nM = [4, 6]\ndevice = [\"local-sync\", \"local-task\"]\n")
	s, err := Parse(path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Expand(invocations.Invocation{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 4 || list[0].FLOP != 64 || list[3].FLOP != 96 || list[3].Bytes != 1e6 {
		t.Fatalf("%+v", list)
	}
	if o := list[1].Artifact.Options; o["device"] != "local-task" || o["task-threads"] != "2" ||
		list[0].Artifact.Options["device"] != "local-sync" {
		t.Errorf("options: %v, %v", list[0].Artifact.Options, o)
	}
	write("[[invocation]]\nartifact = \"p.vmfb\"\nflop = \"2*M\"\n")
	if _, err := Parse(path, testOptions()); err == nil || !strings.Contains(err.Error(), ":3:") &&
		!strings.Contains(err.Error(), "line 3") || !strings.Contains(err.Error(), "is no count") {
		t.Errorf("a name in a count: %v", err)
	}
}
