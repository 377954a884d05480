package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/executor/sandbox"
)

// writesSource is a library whose function opens a device and a file for writing, and puts 0 or the error's number into
// its array.
const writesSource = `
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static float writes(const char *path) {
	int file = open(path, O_RDWR | O_CREAT, 0600);
	if (file < 0) return errno;
	close(file);
	return 0;
}

void probe(float x[2]) {
	x[0] = writes("/dev/full");
	x[1] = writes(FILE_PATH);
}
`

// TestSandboxAllow checks that native code reaches the devices and folders that --sandbox-allow names, and no others,
// and that results say which these were.
func TestSandboxAllow(t *testing.T) {
	for _, layer := range []sandbox.Layer{sandbox.LayerMount, sandbox.LayerLandlock} {
		if !sandbox.Probe().Has(layer) {
			t.Skipf("layer %s of the sandbox does not work here", layer)
		}
	}
	folder, err := os.MkdirTemp(".", "allowed-") // /tmp is private in the sandbox anyway
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if folder, err = filepath.Abs(folder); err != nil {
		t.Fatal(err)
	}
	source, library := filepath.Join(t.TempDir(), "writes.c"), filepath.Join(t.TempDir(), "writes.so")
	if err := os.WriteFile(source, []byte(writesSource), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("cc", "-shared", "-fPIC", `-DFILE_PATH="`+folder+`/file"`, "-o", library,
		source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	output := filepath.Join(t.TempDir(), "run.ndjson")
	for _, c := range []struct {
		allowed []string
		want    string // 13 is EACCES, 30 is EROFS
		status  int
	}{
		{nil, "0,0", cli.ExitNotOK},
		{[]string{"/dev/full"}, "0,30", cli.ExitOK},
		{[]string{"/dev/full", folder}, "0,0", cli.ExitOK},
		{[]string{folder}, "13,0", cli.ExitOK},
	} {
		args := []string{"run", library, "--prototype", "void probe(float x[2])", "--check", "-o", output,
			"--expected-output", "2xf32=" + c.want}
		for _, path := range c.allowed {
			args = append(args, "--sandbox-allow", path)
		}
		_ = os.Remove(output)
		e2e.Runs(t, c.status, args...)
		if got := e2e.Journal(t, output)["probe"].SandboxAllowed; !slices.Equal(got, c.allowed) {
			t.Errorf("allowed %q, the result says %q", c.allowed, got)
		}
	}
	missing := e2e.Runs(t, cli.ExitError, "run", library, "--sandbox-allow", "/nowhere")
	if !strings.Contains(missing, "--sandbox-allow") || !strings.Contains(missing, "/nowhere: no such file") {
		t.Errorf("a path that is not there:\n%s", missing)
	}
}
