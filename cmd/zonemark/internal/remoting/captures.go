package remoting

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver/executors"
	"zonemark/invocations/files"
	"zonemark/invocations/wire"
	"zonemark/trace/capture"
)

// toSend is a role of what is no executor: its output is the captures that the captured executors of this session with
// the same settings have left. Each begins with a line of JSON, a hosting.Capture; its bytes follow.
const toSend = "captures"

// Tracer returns what starts captured executors on the only host, and brings their captures here when they have ended.
// The first one gets the path output.
func (h *Hosts) Tracer(output string) *Tracer { return &Tracer{host: h.list[0], output: output} }

// Tracer starts captured executors on a host.
type Tracer struct {
	host    *host
	output  string
	started int
}

// Start starts a captured executor.
func (t *Tracer) Start(allowed executors.Allowance) (*executors.Process, error) {
	if there := t.host.platform(); there != here {
		return nil, fmt.Errorf("a capture needs the runtime that is installed on this machine (%s), and host %s is %s", here,
			t.host.name, there)
	}
	process, err := starter{t.host, hosting.ToTrace}.Start(allowed)
	if err == nil {
		t.started++
		process.ExitTimeout = hosting.CaptureGrace
	}
	return process, err
}

// Close does nothing: the host ends its executors.
func (t *Tracer) Close() {}

// Captures brings the captures of all executors that have ended here.
func (t *Tracer) Captures() (list []hosting.Capture) {
	if t.started == 0 {
		return nil
	}
	sent, err := starter{t.host, toSend}.Start(executors.Allowance{})
	if err == nil {
		list, err = t.take(sent.From)
		_ = sent.From.Close() // nothing more is read
		sent.Kill()
		exit := sent.Wait()
		if why := cmp.Or(exit.Lost, strings.Join(exit.Stderr, "; ")); why != "" {
			err = errors.New(why)
		}
	}
	if err != nil {
		list = append(list, hosting.Capture{Path: t.output, Partial: true, Error: "bring the capture here: " + err.Error()})
	}
	return list
}

// Bounds of what a host sends, which both sides keep to: a head of a capture, and its bytes, which the head announces.
const (
	mostHead    = 64 << 10
	mostCapture = 64 << 30
)

// take writes the captures that a host sends to their paths: at most one for each executor that was started.
func (t *Tracer) take(sent io.Reader) (list []hosting.Capture, err error) {
	from := bufio.NewReaderSize(sent, mostHead)
	for {
		line, err := from.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return list, nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			err = fmt.Errorf("host %s: the head of a capture does not end within %d KiB", t.host.name, mostHead>>10)
		}
		if err != nil {
			return list, err
		}
		var one hosting.Capture
		if err := json.Unmarshal(line, &one); err != nil {
			return list, fmt.Errorf("host %s: %w", t.host.name, err)
		}
		switch {
		case len(list) == t.started:
			return list, fmt.Errorf("host %s sends more captures than executors were started there (%d)",
				t.host.name, t.started)
		case one.Bytes < 0 || one.Bytes > mostCapture:
			return list, fmt.Errorf("host %s announces a capture of %d bytes, and at most %d GiB are taken", t.host.name,
				one.Bytes, mostCapture>>30)
		}
		one.Path = hosting.NumberedCapture(t.output, len(list))
		if one.Bytes > 0 {
			if err := save(one.Path, from, one.Bytes); err != nil {
				return list, err
			}
		}
		list = append(list, one)
	}
}

// save writes so many bytes to a file, which is not there before all of them are.
func save(path string, from io.Reader, bytes int64) error {
	unfinished := capture.Unfinished(path)
	out, err := os.Create(unfinished)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(from, bytes))
	if err == nil && n < bytes {
		err = fmt.Errorf("%d of %d bytes arrived", n, bytes)
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(unfinished, path)
	}
	if err != nil {
		_ = os.Remove(unfinished) // the error is told
	}
	return err
}

// sender sends the captures of a tracer, on the host's side. It is a executors.Starter.
type sender struct{ tracer *hosting.Tracer }

// Start begins to send.
func (s sender) Start(executors.Allowance) (*executors.Process, error) {
	read, write := io.Pipe()
	failed := make(chan error, 1)
	go func() {
		err := s.send(write)
		failed <- err
		_ = write.Close() // it never fails
	}()
	return &executors.Process{
		To: nobody{}, From: read, Kill: func() { _ = read.Close() }, DiscardOutput: func() {},
		Wait: func() executors.Exit {
			if err := <-failed; err != nil && !errors.Is(err, io.ErrClosedPipe) {
				return executors.Exit{Code: 1, Stderr: []string{err.Error()}}
			}
			return executors.Exit{}
		},
	}, nil
}

// nobody takes what nobody needs.
type nobody struct{}

func (nobody) Write(b []byte) (int, error) { return len(b), nil }

func (nobody) Close() error { return nil }

func (s sender) send(to io.Writer) error {
	for _, one := range s.tracer.Captures() {
		if one.Bytes > mostCapture {
			one = hosting.Capture{Path: one.Path, Partial: true, Error: fmt.Sprintf("it has %d GiB, and at most %d are sent",
				one.Bytes>>30, mostCapture>>30)}
		}
		head, err := json.Marshal(one)
		if err == nil && len(head) >= mostHead {
			head, err = json.Marshal(hosting.Capture{Path: one.Path, Bytes: one.Bytes, Partial: one.Partial,
				Warnings: []string{"what was said of the capture is too long, and was left out"}})
		}
		if err == nil {
			_, err = to.Write(append(head, '\n'))
		}
		if err != nil {
			return err
		}
		if one.Bytes == 0 {
			continue
		}
		f, err := files.Open(one.Path)
		if err != nil {
			return err
		}
		_, err = io.CopyN(to, f, one.Bytes)
		_ = f.Close() // it was only read
		if err != nil {
			return fmt.Errorf("%s: %w", one.Path, err)
		}
	}
	return nil
}

// capturesOf returns what sends the captures of a session with these settings.
func (h *server) capturesOf(s *wire.ExecutorSettings) (executors.Starter, error) {
	tracer, _ := h.ready[keyOf(hosting.ToTrace, s)].(*hosting.Tracer)
	if tracer == nil {
		return nil, errors.New("this session has captured no executor")
	}
	return sender{tracer}, nil
}
