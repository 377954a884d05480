package iree

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
)

// pythonInstallation is the installation of IREE's wheels.
func pythonInstallation(t *testing.T) Installation {
	t.Helper()
	in := InstallationFrom(setuptest.Getenv)
	setuptest.Missing(t, newPythonProvider(in).missing())
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

// onPython runs f on the interpreter's thread. It must not end the test, only fail it.
func onPython(t *testing.T, f func() error) {
	t.Helper()
	done := make(chan error)
	pythonThread() <- func() { done <- f() }
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// compiled is a module made of MLIR.
func compiled(t *testing.T, in Installation, mlir string, flags string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "module.mlir")
	if err := os.WriteFile(source, []byte(mlir), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	path, err := compile(ctx, source, executor.DescribeOptions{Cache: t.TempDir(), Options: map[string]string{optionCompileFlags: flags}}, in)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// called is what a function returns on inputs.
func called(s session, function string, inputs ...tensor.Tensor) ([]tensor.Tensor, error) {
	b, err := s.bind(function, inputs)
	if err != nil {
		return nil, err
	}
	defer b.close()
	for range 3 { // the results of all but the last one are released
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
