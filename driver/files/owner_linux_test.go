package files

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// lockVariable names a file to the process that TestLockOfOneThatWasKilled starts and kills.
const lockVariable = "ZONEMARK_TEST_LOCK"

// holdLock locks a file, starts a program that inherits it, and says so. The program ends at the end of its input.
func holdLock(t *testing.T, path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(f); err != nil {
		t.Fatal(err)
	}
	heir := exec.Command("cat")
	heir.Stdin, heir.ExtraFiles = os.Stdin, []*os.File{f}
	if err := heir.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Println("locked")
	time.Sleep(time.Hour) // without a timer, the runtime would end a process that waits for nothing
}

// A lock whose owner was killed remains as long as a process that the owner has started still has the owner's files.
// Lock waits for the end of this process, but not for an owner that runs.
func TestLockOfOneThatWasKilled(t *testing.T) {
	if path := os.Getenv(lockVariable); path != "" {
		holdLock(t, path)
	}
	defer func(d time.Duration) { remainsPatience = d }(remainsPatience)
	remainsPatience = time.Minute
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	owner := exec.Command(os.Args[0], "-test.run", "^TestLockOfOneThatWasKilled$")
	owner.Env = append(os.Environ(), lockVariable+"="+path)
	heir, err := owner.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer heir.Close()
	said, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(said).ReadString('\n'); line != "locked\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := Lock(f); !errors.Is(err, ErrLocked) {
		t.Errorf("while the owner runs: %v", err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for ownerRuns(f) { // it is not waited for: this is how a shell's script sees it, too
		time.Sleep(time.Millisecond)
	}
	if _, err := TryLock(f); !errors.Is(err, ErrLocked) {
		t.Errorf("while the program that the owner started runs: %v", err)
	}
	locked := make(chan error, 1)
	go func() {
		_, err := Lock(f)
		locked <- err
	}()
	if err := heir.Close(); err != nil { // the program ends
		t.Fatal(err)
	}
	if err := <-locked; err != nil {
		t.Errorf("after the owner's death: %v", err)
	}
	if err := owner.Wait(); err == nil {
		t.Error("the owner ended by itself")
	}
}
