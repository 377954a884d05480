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

// statText is what the kernel tells of a process (/proc/PID/stat), with its state, its flags and its pending signals.
const statText = "4522 (a) b) (c) %s 1 2 3 0 -1 %d 101 0 0 0 0 0 0 0 20 0 1 0 192738 3133440 412 18446744073709551615 " +
	"1 1 1 0 0 %d 0 0 0 0 0 0 17 0 0 0 0 0 0\n"

// TestEnds checks that a process that was killed, but had no CPU since, is not taken for one that runs: a run that is
// resumed right after would be refused.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		state          string
		flags, pending uint64
		want           bool
	}{
		{"S", 0x400000, 0, false},
		{"R", 0x400000, 1 << 9, false}, // SIGUSR1
		{"T", 0x400000, 0, false},
		{"Z", 0x400000, 0, true},
		{"X", 0x400000, 0, true},
		{"D", 0x400004, 0, true},
		{"R", 0x400000, 1 << 8, true},
	} {
		if got := ends(fmt.Sprintf(statText, c.state, c.flags, c.pending)); got != c.want {
			t.Errorf("%+v: ends %t", c, got)
		}
	}
	if own, err := os.ReadFile("/proc/self/stat"); err != nil || ends(string(own)) {
		t.Errorf("this process ends: %s, %v", own, err)
	}
	if ends("") || ends("1 (x) Z") {
		t.Error("a damaged text says that a process ends")
	}
}

// FuzzEnds reads what the kernel writes about a process.
func FuzzEnds(f *testing.F) {
	f.Add(fmt.Sprintf(statText, "R", 4, 0))
	f.Add(") ) Z")
	f.Fuzz(func(t *testing.T, text string) {
		if ends(text) && len(text) < 2*29 {
			t.Errorf("%q: ends", text)
		}
	})
}
