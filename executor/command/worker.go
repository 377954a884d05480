package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"zonemark/executor"
	"zonemark/invocations/foreign"
)

// worker is a process that makes calls and times them by its own clocks. It first writes the line "ready". Then it
// reads lines with a number of calls, makes these calls, and answers each line with five integers: wall time and CPU
// time in nanoseconds, page faults, and voluntary and involuntary context switches.
type worker struct {
	process  *os.Process
	ask      *os.File
	answers  *os.File
	lines    *bufio.Reader
	messages *messages
	ended    bool
}

const (
	readyLine    = "ready"
	longestReply = 256 // bytes
)

// ready waits until the process can make calls.
func (w *worker) ready() error {
	w.lines = bufio.NewReaderSize(w.answers, longestReply)
	line, err := w.line()
	if err == nil && line != readyLine {
		err = fmt.Errorf("the interpreter answered %q, and not %q", foreign.Line(line), readyLine)
	}
	return err
}

// batch has calls made. Times that are longer than the answer took to come are an error.
func (w *worker) batch(calls int64) (executor.Used, error) {
	w.messages.forget()
	begin := time.Now()
	if _, err := io.WriteString(w.ask, strconv.FormatInt(calls, 10)+"\n"); err != nil {
		return executor.Used{}, w.ending(err)
	}
	line, err := w.line()
	if err != nil {
		return executor.Used{}, err
	}
	used, err := parseReply(line)
	if err == nil && used.WallNS > float64(time.Since(begin)) {
		err = fmt.Errorf("the interpreter says that the calls took %v ns, and its answer came earlier", used.WallNS)
	}
	return used, err
}

// line reads one line of the process. An error says how the process ended.
func (w *worker) line() (string, error) {
	line, err := w.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", fmt.Errorf("the interpreter answered with a line of more than %d bytes", longestReply)
	}
	if err != nil {
		return "", w.ending(err)
	}
	return strings.TrimSuffix(string(line), "\n"), nil
}

// ending waits for the end of the process, which has closed its pipes, and returns an error with its last words.
func (w *worker) ending(why error) error {
	timer := time.AfterFunc(lastWait, func() { _ = w.process.Kill() }) // it may have closed its output only
	defer timer.Stop()
	state, err := w.process.Wait()
	w.ended = true
	if err != nil {
		return errors.Join(why, err)
	}
	how := ending(state)
	if state.ExitCode() >= 0 {
		how = "status " + how
	}
	if said := w.messages.last(); said != "" {
		return fmt.Errorf("the interpreter ended with %s: %s", how, said)
	}
	return fmt.Errorf("the interpreter ended with %s, and wrote nothing to standard error", how)
}

// close ends the process.
func (w *worker) close() {
	w.ask.Close()
	w.answers.Close()
	if w.process != nil && !w.ended {
		_ = w.process.Kill()
		_, _ = w.process.Wait()
	}
	w.messages.close()
}

// delayedCPU is a share of the time of a batch. A batch was delayed if its process was switched out against its will
// and had a CPU for less than this share.
const delayedCPU = 1 - delayedShare

// parseReply reads an answer. All numbers are at least 0.
func parseReply(line string) (executor.Used, error) {
	fields := strings.Split(line, " ")
	const want = 5
	if len(fields) != want {
		return executor.Used{}, fmt.Errorf("the interpreter answered %q; want %d numbers", foreign.Line(line), want)
	}
	var n [want]float64
	for i, field := range fields {
		value, err := strconv.ParseInt(field, 10, 64)
		if err != nil || value < 0 {
			return executor.Used{}, fmt.Errorf("the interpreter answered %q; number %d is no count", foreign.Line(line), i+1)
		}
		n[i] = float64(value)
	}
	return executor.Used{
		WallNS: n[0], UserNS: n[1], Faults: n[2], Switches: n[3] + n[4],
		Delayed: n[4] > 0 && n[1] < delayedCPU*n[0],
	}, nil
}
