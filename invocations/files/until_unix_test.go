//go:build unix

package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestUntil has pipes wait for a program at their other end, and for what it writes, until the context ends. People are
// told what is waited for.
func TestUntil(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(in("file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	is := func(err error, what string) bool {
		var waited *WaitedError
		return errors.As(err, &waited) && err.Error() == "interrupted while "+what
	}
	told := make(chan string, 1)
	tell := func(what string) { told <- what }
	// begin makes a pipe and opens it in the background, with a context of its own.
	type opening struct {
		file File
		err  error
	}
	begin := func(name string, flags int) (came <-chan opening, end func()) {
		if err := syscall.Mkfifo(in(name), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(context.Background())
		t.Cleanup(end)
		opened := make(chan opening, 1)
		go func() {
			f, err := Until(ctx, tell).OpenFile(in(name), flags, 0)
			opened <- opening{f, err}
		}()
		return opened, end
	}

	for flags, c := range map[int]struct{ name, what string }{
		os.O_RDONLY: {"in", "waiting for a program that writes to "},
		os.O_WRONLY: {"out", "waiting for a program that reads from "},
	} {
		came, end := begin(c.name, flags)
		if what := <-told; what != c.what+in(c.name) {
			t.Errorf("it says %q", what)
		}
		end()
		if o := <-came; !is(o.err, c.what+in(c.name)) {
			t.Errorf("%s: %v, %v", c.name, o.file, o.err)
		}
	}

	came, end := begin("pipe", os.O_RDONLY)
	writer, err := os.OpenFile(in("pipe"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	o := <-came
	if o.err != nil {
		t.Fatal(o.err)
	}
	text := make([]byte, 8)
	go func() {
		if what := <-told; what != "waiting for what comes from "+in("pipe") {
			t.Errorf("it says %q", what)
		}
		if _, err := writer.WriteString("some"); err != nil {
			t.Error(err)
		}
	}()
	if n, err := o.file.Read(text); err != nil || string(text[:n]) != "some" {
		t.Errorf("%q, %v", text[:n], err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := o.file.Read(text)
		ended <- err
	}()
	end()
	if err := <-ended; !is(err, "waiting for what comes from "+in("pipe")) {
		t.Errorf("nothing more comes: %v", err)
	}
	if err := o.file.Close(); err != nil {
		t.Error(err)
	}

	ctx, stop := context.WithCancel(context.Background())
	stop()
	for _, path := range []string{in("file"), os.DevNull} { // they never wait
		f, err := Until(ctx, tell).OpenFile(path, os.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.Read(text); path == in("file") && (n != 4 || err != nil) {
			t.Errorf("%s: %d bytes, %v", path, n, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
