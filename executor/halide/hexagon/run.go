package hexagon

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// CrashError reports that a signal ended the emulated program.
type CrashError struct {
	Signal string // "SIGSEGV"
	Output string // of the emulator
}

func (e *CrashError) Error() string {
	text := "the pipeline ended the emulator by " + e.Signal
	if e.Signal == signalNames[syscall.SIGILL] {
		text += ": this emulator lacks an instruction of the target; choose an older one, such as hvx_v66, or a newer " +
			"emulator"
	}
	return text
}

// signalNames are the signals by which code ends itself.
var signalNames = map[syscall.Signal]string{
	syscall.SIGILL: "SIGILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGABRT: "SIGABRT", syscall.SIGTRAP: "SIGTRAP", syscall.SIGKILL: "SIGKILL",
}

// harnessFaults tell what the exit statuses of the harness mean (harness/harness.c).
var harnessFaults = map[int]string{
	91: "the harness could not read its request",
	92: "the harness could not write its reply",
	93: "the emulator has no room for the arguments; choose smaller extents",
	94: "Halide's runtime ended the program (abort)",
}

// afterlife limits how long the emulator's output may stay open when it has ended.
const afterlife = 5 * time.Second

// Call makes one call of a pipeline, which is a number in the table of the program, on the memory m. cmd, which is not
// started yet, is the program in the emulator, and run runs it to its end. Call returns a *CrashError if the pipeline
// died.
func Call(cmd *exec.Cmd, run func() error, pipeline int, m *Memory) (Reply, error) {
	out := &limited{most: replyBytes + maxTextBytes + len(m.bytes)}
	said := &limited{most: maxTextBytes}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(m.encode(pipeline)), out, said
	cmd.WaitDelay = afterlife
	err := run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return Reply{}, fault(ended, strings.TrimSpace(strings.ToValidUTF8(said.String(), "�")))
	case err != nil:
		return Reply{}, fmt.Errorf("run the emulator: %w", err)
	}
	return m.decode(out.Bytes())
}

// fault tells how an emulator has ended that printed this.
func fault(ended *exec.ExitError, said string) error {
	if status, ok := ended.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		name := signalNames[status.Signal()]
		if name == "" {
			name = fmt.Sprintf("signal %d", status.Signal())
		}
		return &CrashError{Signal: name, Output: said}
	}
	if text := harnessFaults[ended.ExitCode()]; text != "" {
		return errors.New(text)
	}
	line, _, _ := strings.Cut(said, "\n")
	if strings.Contains(line, "find CPU model") {
		return fmt.Errorf("%s: this emulator is too old for the processor of the target; choose an older one, such as "+
			"hvx_v66, or install a newer qemu", line)
	}
	return fmt.Errorf("the emulator: %w: %s", ended, line)
}

// limited keeps the first bytes of what is written to it, one more than most, so that too many are noticed.
type limited struct {
	bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), max(0, l.most+1-l.Len()))])
	return len(p), nil
}
