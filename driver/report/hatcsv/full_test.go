//go:build linux

package hatcsv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"

	"golang.org/x/sys/unix"
)

// fullResults is the environment variable that tells the child which results file to append to.
const fullResults = "ZONEMARK_TEST_FULL_RESULTS"

// TestHATCSVFull appends in a child process whose file size limit is in the middle of the rows. The file must stay
// unchanged.
func TestHATCSVFull(t *testing.T) {
	if path := os.Getenv(fullResults); path != "" {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		limit := uint64(info.Size()) + 20
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
		if err := Append(path, example(), false); !errors.Is(err, syscall.EFBIG) {
			t.Fatalf("error %v, want EFBIG", err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "results.csv")
	if err := Append(path, invocations.RecordsOf(*recordstest.At(t, example(), 0)), false); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestHATCSVFull$")
	child.Env = append(os.Environ(), fullResults+"="+path)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file changed: %q, %v", after, err)
	}
}
