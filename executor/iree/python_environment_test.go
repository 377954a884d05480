package iree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/testneeds"
)

// pythonInstallation returns the installation of IREE's wheels.
func pythonInstallation(t *testing.T) Installation {
	t.Helper()
	in := InstallationFrom(setuptest.Getenv)
	testneeds.Missing(t, (pythonProvider{in}).unusable(defaultDevice))
	return in
}

// pythonThread runs functions on the one thread that the interpreter belongs to.
var pythonThread = sync.OnceValue(func() chan func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// onPython runs f on the interpreter's thread. f must not end the test, only fail it.
func onPython(t *testing.T, f func() error) {
	t.Helper()
	var err error
	waitForPython(func() { err = f() })
	if err != nil {
		t.Fatal(err)
	}
}

func waitForPython(f func()) {
	done := make(chan struct{})
	pythonThread() <- func() {
		defer close(done)
		f()
	}
	<-done
}

// mismatchOf returns what an invocation's function gets wrong. It works on the interpreter's thread, since a dispatch is
// verified by a call of the whole function, by whatever provider is installed.
func mismatchOf(r Runtime, inv *invocations.Invocation) (mismatch string, err error) {
	waitForPython(func() {
		var program executor.Program
		if program, err = r.Load(inv.Artifact); err != nil {
			return
		}
		defer func() { err = errors.Join(err, program.Close()) }()
		var call *executor.Call
		if call, err = program.Prepare(inv, 0); err != nil {
			return
		}
		defer call.Close()
		mismatch, err = call.Verify(func(string) {})
	})
	return mismatch, err
}

// compiled returns the path of a module made of MLIR, which stays in the cache that all tests of a user share.
func compiled(t *testing.T, in Installation, mlir string, flags string) string {
	t.Helper()
	source, cache := keptSource(t, "module.mlir", mlir)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	path, err := compile(ctx, source,
		executor.DescribeOptions{Cache: cache, Options: map[string]string{optionCompileFlags: flags}}, in)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// keptSource returns the path of a source that stays where it is for the next run, since modules name their source, and
// the cache that all tests of a user share. Tests of the cache itself have their own.
func keptSource(t *testing.T, name, content string) (path, cache string) {
	t.Helper()
	cache = testneeds.Cache(t, "iree")
	path = filepath.Join(cache, fmt.Sprintf("%x-%s", sha256.Sum256([]byte(content)), name))
	if err := files.Write(path, 0o644, []byte(content)); err != nil {
		t.Fatal(err)
	}
	return path, cache
}

// called returns the results of a function on inputs.
func called(s session, function string, inputs ...tensor.Tensor) ([]tensor.Tensor, error) {
	b, err := s.bind(function, inputs)
	if err != nil {
		return nil, err
	}
	defer b.close()
	for range 3 { // releases the results of all calls but the last
		if err := b.invoke(); err != nil {
			return nil, err
		}
	}
	return b.outputs()
}

func artifact(path string, options ...string) invocations.Artifact {
	a := invocations.Artifact{Path: path, Options: map[string]string{}}
	for i := 0; i < len(options); i += 2 {
		a.Options[options[i]] = options[i+1]
	}
	return a
}
