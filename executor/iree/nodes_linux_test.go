package iree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What lies beside a module in place of its nodes neither stops zonemark nor fills its memory.
func TestNodesOfStrangers(t *testing.T) {
	const text = `{"d":"MatMul a"}`
	folder := t.TempDir()
	pipe, long, good := filepath.Join(folder, "pipe"), filepath.Join(folder, "long"), filepath.Join(folder, "good")
	if err := unix.Mkfifo(nodesFile(pipe), 0o600); err != nil {
		t.Fatal(err)
	}
	for module, contents := range map[string]string{good: text, long: text + strings.Repeat(" ", longestNodes)} {
		if err := os.WriteFile(nodesFile(module), []byte(contents), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := Nodes(good); got["d"] != "MatMul a" {
		t.Errorf("nodes %v", got)
	}
	ended := make(chan map[string]string)
	go func() {
		for _, module := range []string{long, pipe} {
			ended <- Nodes(module)
		}
	}()
	for _, what := range []string{"too long a file", "a pipe"} {
		select {
		case got := <-ended:
			if got != nil {
				t.Errorf("nodes %v of %s", got, what)
			}
		case <-time.After(time.Minute):
			t.Fatalf("it waits for %s", what)
		}
	}
}
