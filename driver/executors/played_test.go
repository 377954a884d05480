package executors

import (
	"os"

	"zonemark/invocations/wire"
)

// played starts an executor that a function plays in a goroutine; it has ended when the function returns. Kill ends what
// it receives. Callers replace what they need otherwise.
func played(play func(*wire.Conn)) (*Process, error) {
	in, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer out.Close()
		play(wire.NewConn(in, out))
	}()
	return &Process{To: to, From: from, Kill: func() { in.Close() }, Wait: func() Exit { <-done; return Exit{} },
		DiscardOutput: func() {}}, nil
}

// endedBy returns the process as one that a signal ends.
func endedBy(p *Process, signal string) *Process {
	if p != nil {
		wait := p.Wait
		p.Wait = func() Exit { wait(); return Exit{Signal: signal} }
	}
	return p
}
