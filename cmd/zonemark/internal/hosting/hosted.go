package hosting

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"zonemark/driver/executors"
	"zonemark/trace/capture"
)

// hostedProcess is a trace host with its executor. It ends like the executor. To end it, it is asked first, so that it
// kills its executor and saves the capture. If that takes too long, it is killed with its whole process group.
type hostedProcess struct {
	*executors.Process // the host's own
	host               *os.Process
	grace              time.Duration
	report             *os.File       // of the document that the host writes at its end
	result             chan Capture   // the document, once it is read
	ended              func(*Capture) // is called with the document when the process has been waited for

	mu     sync.Mutex
	killer *time.Timer // kills a host that was asked to end; nil if it was not asked
}

// read waits for the document that the host writes at its end. output is the path that its capture was to have.
func (h *hostedProcess) read(output string) {
	defer h.report.Close()
	c, err := readCapture(h.report)
	if err != nil {
		c = Capture{Path: output, Partial: true, Error: err.Error()}
	}
	h.result <- c
}

// kill asks the host to end, and kills it if that takes too long. Further calls do nothing.
func (h *hostedProcess) kill() {
	err := h.host.Signal(syscall.SIGTERM)
	switch {
	case errors.Is(err, os.ErrProcessDone):
	case err != nil: // Windows has no such signals
		h.Kill()
	default:
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.killer == nil {
			h.killer = time.AfterFunc(hostTime(h.grace), h.Kill)
		}
	}
}

// wait waits for the end of the host and returns that of the executor.
func (h *hostedProcess) wait() executors.Exit {
	exit := h.Wait()
	h.mu.Lock()
	if h.killer != nil {
		h.killer.Stop()
	}
	h.mu.Unlock()
	// The host has ended, so its document is in the pipe. The call fails if that was read already.
	_ = h.report.SetReadDeadline(time.Now().Add(time.Second))
	c := <-h.result
	if c.Exit != nil {
		c.Exit.Stderr = exit.Stderr
		exit = *c.Exit
	}
	h.ended(&c)
	return exit
}

// hostTime returns the longest time that a trace host takes to save its capture once its executor has ended: the
// capture tool ends by itself within the first grace, or, if asked, within the second.
func hostTime(grace time.Duration) time.Duration { return 2*grace + 5*time.Second }

// captureBytes is the greatest size of a trace host's document. The output of a tool that it quotes is a few hundred KB
// at most.
const captureBytes = 4 << 20

// Capture is the outcome of a capture. A trace host writes it at its end, as one JSON document.
type Capture struct {
	Path     string          `json:"path"`                // of the capture
	Bytes    int64           `json:"bytes"`               // of the file; 0 if there is none
	Partial  bool            `json:"partial"`             // something is missing in the capture
	Warnings []string        `json:"warnings,omitempty"`  // of the capture
	Error    string          `json:"error,omitempty"`     // why there is no capture
	Port     int             `json:"port"`                // of the client
	Private  bool            `json:"private"`             // the port was in a network of its own
	Notice   string          `json:"notice,omitempty"`    // for people, if it was not
	Exit     *executors.Exit `json:"exit,omitempty"`      // of the executor, without output; nil: not started
	NoRoom   bool            `json:"no_room,omitempty"`   // it was cut, since its disk is full
	NoClient bool            `json:"no_client,omitempty"` // the program ended before the capture tool had found a client
}

// begun notes where a capture listens. notPrivate is why it has no network of its own.
func (c *Capture) begun(s *capture.Session, notPrivate string) {
	c.Port = s.Port()
	if !c.Private {
		c.Notice = fmt.Sprintf("traces on loopback port %d: %s", c.Port, notPrivate)
	}
}

// ended notes what was captured, and how the program ended.
func (c *Capture) ended(captured capture.Result, exit executors.Exit) {
	c.Path, c.Bytes, c.Partial, c.Warnings = captured.Path, captured.Bytes, captured.Partial, captured.Warnings
	c.Exit = &exit
}

// readCapture reads the document that a trace host writes at its end. A host that was killed writes none, which is an
// error.
func readCapture(r io.Reader) (Capture, error) {
	var c Capture
	text, err := io.ReadAll(io.LimitReader(r, captureBytes+1))
	switch {
	case err != nil:
		return Capture{}, fmt.Errorf("result of the trace host: %w", err)
	case len(text) == 0:
		return Capture{}, errors.New("the trace host was killed before it had said what became of the capture")
	case len(text) > captureBytes:
		return Capture{}, fmt.Errorf("result of the trace host: more than %d bytes", captureBytes)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return Capture{}, fmt.Errorf("result of the trace host: %w", err)
	}
	return c, nil
}
