package command

import (
	"io"
	"os"
)

// The values of optionStdout.
const (
	stdoutNull = "null"
	stdoutPipe = "pipe"
)

// sink is where the standard output of a command goes.
type sink struct {
	write *os.File
	read  *os.File // end of the pipe; nil if there is none
}

// newSink opens what the option says. What is written into a pipe is read and dropped.
func newSink(where string, null *os.File) (*sink, error) {
	if where != stdoutPipe {
		return &sink{write: null}, nil
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() { _, _ = io.Copy(io.Discard, read) }() // until the pipe is closed
	return &sink{write, read}, nil
}

func (s *sink) close() {
	if s.read != nil {
		s.write.Close()
		s.read.Close()
	}
}
