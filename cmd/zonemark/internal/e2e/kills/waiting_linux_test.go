package kills

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

// said is what a process says, read while it runs.
type said struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.String()
}

// TestWaitingForPipes has verbs open pipes with no program at the other end. Each says what it waits for, and ends when
// it is asked to.
func TestWaitingForPipes(t *testing.T) {
	folder := t.TempDir()
	journal, page := filepath.Join(folder, "j.ndjson"), filepath.Join(folder, "page.html")
	if out, err := e2e.Command(t, "run", "-q", "-o", journal, "--launches", "1", "--max-time", "1ms", "--", "true").
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	reads, writes := "waiting for a program that writes to ", "waiting for a program that reads from "
	cases := []struct {
		says string
		args []string // PIPE stands for the pipe, with an extension behind it
	}{
		{reads, []string{"list", "PIPE.toml"}},
		{reads, []string{"run", "PIPE.toml"}},
		{reads, []string{"run", "--dry-run", "PIPE.toml"}},
		{reads, []string{"compare", journal, "PIPE.ndjson"}},
		{reads, []string{"history", journal, "PIPE.ndjson"}},
		{reads, []string{"report", "PIPE.ndjson", "--html", page}},
		{reads, []string{"merge", "PIPE.ndjson", "-o", filepath.Join(folder, "merged.ndjson")}},
		{reads, []string{"replay", "PIPE.zip"}},
		{reads, []string{"trace", "info", "PIPE.tracy"}},
		{reads, []string{"trace", "stats", "PIPE.csv"}},
		{reads, []string{"trace", "tt", "PIPE.csv"}},
		{reads, []string{"fit", "PIPE.csv"}},
		{reads, []string{"estimate", "--op-type", "matmul", "--params", "PIPE.yaml"}},
		{reads, []string{"sweep", "--operations-cfg", "PIPE.json"}},
		{writes, []string{"report", journal, "--html", "PIPE.html"}},
	}
	programs, ended := make([]*exec.Cmd, len(cases)), make([]chan error, len(cases))
	for i, c := range cases {
		pipe := ""
		for a, word := range c.args {
			if extension, found := strings.CutPrefix(word, "PIPE"); found {
				pipe = filepath.Join(t.TempDir(), "pipe"+extension)
				c.args[a] = pipe
			}
		}
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		cases[i].says += pipe
		cmd := e2e.Command(t, c.args...)
		cmd.Dir, cmd.Stderr = folder, &said{}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		programs[i], ended[i] = cmd, make(chan error, 1)
		go func() { ended[i] <- cmd.Wait() }()
		t.Cleanup(func() { cmd.Process.Kill() }) // it has ended if all is well
	}
	for i, c := range cases {
		text := programs[i].Stderr.(*said)
		e2e.WaitFor(t, strings.Join(c.args, " ")+" to say what it waits for", func() bool {
			if len(ended[i]) > 0 {
				t.Fatalf("%s does not wait:\n%s", strings.Join(c.args, " "), text)
			}
			return strings.Contains(text.String(), c.says)
		})
		with := []os.Signal{syscall.SIGTERM, syscall.SIGINT}[i%2]
		if err := programs[i].Process.Signal(with); err != nil {
			t.Fatal(err)
		}
		e2e.WaitFor(t, strings.Join(c.args, " ")+" to end", func() bool { return len(ended[i]) > 0 })
		if code := programs[i].ProcessState.ExitCode(); code != 1 {
			t.Errorf("%s: exit status %d\n%s", strings.Join(c.args, " "), code, text)
		}
	}
}
