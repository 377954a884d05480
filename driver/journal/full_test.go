//go:build linux

package journal

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fullJournal is the environment variable that tells the child which journal to fill up to its file size limit.
const fullJournal = "ZONEMARK_TEST_FULL_JOURNAL"

// TestFull fills a journal in a child process with a file size limit: the line that does not fit must leave no trace,
// and the run must be resumable.
func TestFull(t *testing.T) {
	if path := os.Getenv(fullJournal); path != "" {
		fillJournal(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "j.ndjson")
	child := exec.Command(os.Args[0], "-test.run=^TestFull$", "-test.v")
	child.Env = append(os.Environ(), fullJournal+"="+path)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 || len(b) > fileLimit || !bytes.HasSuffix(b, []byte{'\n'}) {
		t.Fatalf("journal of %d bytes, %v; want whole lines of at most %d", len(b), err, fileLimit)
	}
	j, done, err := Resume(t.Context(), path, testHeader())
	if err != nil || len(j.Notes) > 0 || done.Len() == 0 {
		t.Fatalf("resume: %d results, notes %v, %v", done.Len(), j.Notes, err)
	}
	if err := errors.Join(j.Append(testRecord(done.Len())), j.Close(true)); err != nil {
		t.Fatal(err)
	}
}

const fileLimit = 2000

// fillJournal runs in the child, so that the limit applies to that process only.
func fillJournal(t *testing.T, path string) {
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: fileLimit, Max: fileLimit}); err != nil {
		t.Fatal(err)
	}
	j, err := Create(path, testHeader(), false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		err := j.Append(testRecord(i))
		if err == nil {
			continue
		}
		for _, want := range []string{path, "no room", "is valid", "--resume"} {
			if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), want) {
				t.Fatalf("error %v, want EFBIG and %q", err, want)
			}
		}
		if err := j.Close(false); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatal("the file size limit was never reached")
}
