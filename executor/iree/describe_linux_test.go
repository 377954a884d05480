package iree

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"zonemark/executor"
)

// A module that another one calls may be named by a suite of a stranger: one that has no end, or waits for a writer, is
// refused.
func TestContentHashOfWhatHasNoEnd(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.vmfb")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := make(chan error)
	for _, path := range []string{pipe, "/dev/zero"} {
		go func() {
			options := executor.DescribeOptions{Options: map[string]string{optionModules: path}}
			_, err := Installation{}.contentHash(sample("tiny.vmfb"), options, nil)
			refused <- err
		}()
		select {
		case err := <-refused:
			if err == nil || !strings.Contains(err.Error(), path+": not a regular file") {
				t.Errorf("%s: %v", path, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s is read, or waited for", path)
		}
	}
}
