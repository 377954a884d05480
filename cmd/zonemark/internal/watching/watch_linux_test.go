package watching

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"zonemark/driver/executors"
)

// TestWatch watches harmless processes with limits that they exceed, and with limits that they do not.
func TestWatch(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Limits
		write  bool // the process writes more than the limit into its folder
		want   executors.Limit
	}{
		{"no limits", Limits{}, true, ""},
		{"enough", Limits{MemoryBytes: 1 << 30, Threads: 64}, true, ""},
		{"files", Limits{MemoryBytes: 6 << 20, Threads: 64}, true, executors.LimitMemory},
		{"memory", Limits{MemoryBytes: 1}, false, executors.LimitMemory},
		{"threads", Limits{Threads: 1 << 20}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.limits.Scratch = t.TempDir()
			script := "read go; "
			if c.write {
				script += "dd if=/dev/zero of=file bs=1M count=8 2>/dev/null; "
			}
			if script += "exec sleep 1"; c.want != "" {
				script += "000" // it is killed
			}
			cmd := exec.Command("sh", "-c", script)
			cmd.Dir = c.limits.Scratch
			watched, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w := c.limits.Watch(cmd.Process)
			if _, err := watched.Write([]byte("go\n")); err != nil && c.want == "" { // else it may have been killed
				t.Fatal(err)
			}
			_ = cmd.Wait() // the watch may kill it
			got := w.Stop()
			if got.Limit != c.want || (got.Limit != "" && got.Used <= got.Allowed) {
				t.Errorf("%+v, want limit %q", got, c.want)
			}
		})
	}
}

// TestWatchStopped stops a process and lets it go on. A watch without limits sees it, too.
func TestWatchStopped(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := Limits{}.Watch(cmd.Process)
	until := func(what string, done func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	signal := func(s syscall.Signal) {
		t.Helper()
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if w.Stopped() != 0 {
		t.Errorf("it was stopped for %v before it was", w.Stopped())
	}
	signal(syscall.SIGSTOP)
	until("it is not seen to be stopped", func() bool { return w.Stopped() > 3*quickest })
	signal(syscall.SIGCONT)
	w.Renew()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := w.Stop(); got != (executors.Exceeded{}) {
		t.Errorf("%+v", got)
	}
}

// TestWatchRenewed checks that files from before are not held against a process.
func TestWatchRenewed(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "old"), make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{limits: Limits{MemoryBytes: 4 << 20, Scratch: folder}, process: self}
	w.counted = time.Now()
	w.countFiles()
	if got := w.compare(processStatus{}); got.Limit != executors.LimitMemory {
		t.Errorf("before: %+v", got)
	}
	if got := (&watch{limits: Limits{Threads: 9, OfGroup: true}}).compare(processStatus{threads: 10}); got.Limit !=
		executors.LimitGroup || !strings.Contains(got.Tell("in phase measure"), "(pids.max) leaves 9 to it") {
		t.Errorf("in a control group: %+v", got)
	}
	if got := (&watch{limits: Limits{Threads: 256}}).compare(processStatus{threads: 257}); got != (executors.Exceeded{
		Limit: executors.LimitThreads, Used: 257, Allowed: 256,
	}) {
		t.Errorf("threads: %+v", got)
	}
	waiting := &watch{limits: w.limits, process: self}
	waiting.limits.Waits = true
	waiting.counted = time.Now()
	waiting.countFiles()
	if got := waiting.compare(processStatus{}); got.Limit != "" {
		t.Errorf("while it waits: %+v", got)
	}
	waiting.working = true
	if got := waiting.compare(processStatus{}); got.Limit != executors.LimitMemory {
		t.Errorf("at work: %+v", got)
	}
	w.startFiles()
	if got := w.compare(processStatus{}); got.Limit != "" {
		t.Errorf("after it was renewed: %+v", got)
	}
}

// TestWatchRenewedLate gives an executor something to do while the watch looks at files that another one has left. They
// are not held against it, however late the watch takes notice. Under load, a function that writes nothing was killed
// for them.
func TestWatchRenewedLate(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }() // killed
	w := &watch{
		limits:  Limits{MemoryBytes: 4 << 20, Scratch: t.TempDir(), Waits: true},
		process: cmd.Process, renew: make(chan struct{}, 1), stopped: &stoppedTime{}, working: true,
	}
	w.startFiles()
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(w.limits.Scratch, name), make([]byte, 8<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		w.countFiles()
	}
	write("of another one")
	w.Renew()
	if got := w.enforce(processStatus{}); got.Limit != "" {
		t.Errorf("killed for files of another one: %+v", got)
	}
	if got := w.enforce(processStatus{}); got.Limit != "" {
		t.Errorf("killed for them later: %+v", got)
	}
	write("its own")
	if got := w.enforce(processStatus{}); got.Limit != executors.LimitMemory || !got.Own {
		t.Errorf("not killed for its own files: %+v", got)
	}
}

const statusText = "Name:\tx\nState:\tT (stopped)\nVmSwap:\t4 kB\nRssAnon:\t 100 kB\n" +
	"RssFile:\t 7 kB\nRssShmem:\t 50 kB\nThreads:\t3\n"

// FuzzProcessStatus reads what the kernel writes about a process.
func FuzzProcessStatus(f *testing.F) {
	f.Add(statusText)
	f.Add("Threads:\nRssAnon: -1 kB\nVmSwap: 99999999999999999999 kB")
	f.Fuzz(func(t *testing.T, text string) {
		if s := parseStatus([]byte(text)); s.threads < 0 || s.privateBytes < 0 || s.sharedBytes < 0 {
			t.Errorf("%q: %+v", text, s)
		}
	})
}

func TestParseStatus(t *testing.T) {
	want := processStatus{stopped: true, threads: 3, privateBytes: 104 << 10, sharedBytes: 50 << 10}
	if got := parseStatus([]byte(statusText)); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

const smapsText = "7f00-7f10 rw-s 00000000 00:01 77 /memfd:x (deleted)\nSize: 8 kB\nRss: 8 kB\n" +
	"7f20-7f30 rw-p 00000000 00:00 0 \nRss: 100 kB\n7f40-7f50 rw-s 00000000 00:01 77 /memfd:x (deleted)\nRss: 4 kB\n"

// FuzzResident reads what the kernel writes about mappings.
func FuzzResident(f *testing.F) {
	f.Add(smapsText)
	f.Add("a-b c d e\nRss: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if n := residentOf([]byte(text), map[uint64]bool{77: true}, "Rss:"); n < 0 && strings.Count(text, "Rss") < 100 {
			t.Errorf("%q: %d", text, n)
		}
	})
}

func TestResident(t *testing.T) {
	if got := residentOf([]byte(smapsText), map[uint64]bool{77: true}, "Rss:"); got != 12<<10 {
		t.Errorf("%d bytes, want %d", got, 12<<10)
	}
}
