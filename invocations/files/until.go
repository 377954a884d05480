package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Until returns the operating system, except that nobody waits for others longer than until a context ends: opening a
// pipe waits for a program at its other end, and reading a pipe, a terminal or another device waits for what comes. Once
// the context has ended, both return a *WaitedError. tell is called in a goroutine of its own with what is waited for,
// for people, if that takes long before the first byte has come.
func Until(ctx context.Context, tell func(what string)) System { return until{ctx: ctx, tell: tell} }

type until struct {
	operating
	ctx  context.Context
	tell func(what string)
}

const (
	// patience is how long people are not told what is waited for.
	patience = time.Second
	// promptly is how long opening a file may take after the context has ended, so that what need not wait is still opened.
	promptly = 100 * time.Millisecond
)

func (u until) OpenFile(path string, flags int, mode fs.FileMode) (File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return u.operating.OpenFile(path, flags, mode)
	}
	what := "a program that writes to " + path
	if flags&os.O_WRONLY != 0 {
		what = "a program that reads from " + path
	}
	defer u.tellLater(what).Stop()
	type outcome struct {
		file *os.File
		err  error
	}
	ready := make(chan outcome, 1)
	go func() {
		f, err := os.OpenFile(path, flags, mode)
		ready <- outcome{f, err}
	}()
	var o outcome
	select {
	case o = <-ready:
	case <-u.ctx.Done():
		select {
		case o = <-ready:
		case <-time.After(promptly):
			return nil, &WaitedError{what}
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	stop := context.AfterFunc(u.ctx, func() {
		_ = o.file.SetReadDeadline(time.Unix(1, 0)) // files that never wait have no deadline
	})
	return &waiting{File: o.file, until: u, stop: stop}, nil
}

// tellLater tells what is waited for, unless the timer is stopped before.
func (u until) tellLater(what string) *time.Timer {
	return time.AfterFunc(patience, func() { u.tell("waiting for " + what) })
}

// waiting is a file whose reading ends with a context.
type waiting struct {
	File
	until until
	stop  func() bool
	began bool // something has been read
}

func (w *waiting) Read(b []byte) (int, error) {
	what := "what comes from " + w.Name()
	if !w.began {
		defer w.until.tellLater(what).Stop()
	}
	n, err := w.File.Read(b)
	w.began = w.began || n > 0
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = &WaitedError{what}
	}
	return n, err
}

func (w *waiting) Close() error {
	w.stop()
	return w.File.Close()
}

// WaitedError reports that a file was not opened or read to its end, since another program had not done its part when
// this process was asked to end.
type WaitedError struct {
	What string // was waited for
}

func (e *WaitedError) Error() string { return "interrupted while waiting for " + e.What }
