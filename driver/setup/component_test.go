package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func nothing(context.Context, *Work) error { return nil }

// Of two installations at once, one installs. The other reports that it waits and then finds the component.
func TestTwoAtOnce(t *testing.T) {
	o := homeOf(t)
	var count atomic.Int32
	waiting := make(chan struct{})
	var once sync.Once
	goOn := func() { once.Do(func() { close(waiting) }) }
	c := fileComponent(&count, func(context.Context, *Work) error {
		if count.Load() > 1 { // nobody waits: both install
			goOn()
		}
		<-waiting // until the other one has said that it waits
		return nil
	})
	o.Say = func(format string, args ...any) {
		if strings.Contains(format, "waiting for it") {
			goOn()
		}
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if m, err := ensure(t.Context(), o, c); err != nil || m.Name != "file" {
				t.Errorf("manifest %+v, error %v", m, err)
			}
		})
	}
	both.Wait()
	if count.Load() != 1 {
		t.Errorf("installed %d times, want once", count.Load())
	}
}

// Waiting for another installation can be interrupted.
func TestInterruptedWait(t *testing.T) {
	o := homeOf(t)
	folder := filepath.Join(o.Home, "runtimes", "file-2")
	l, err := tryLock(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer l.unlock()
	ctx, interrupt := context.WithCancel(t.Context())
	o.Say = func(string, ...any) { interrupt() }
	var count atomic.Int32
	if _, err := ensure(ctx, o, fileComponent(&count, nothing)); !errors.Is(err, context.Canceled) ||
		count.Load() != 0 {
		t.Errorf("error %v after %d installations", err, count.Load())
	}
}

// A failed installation leaves no folder. An installed component is not installed again unless a part is missing.
func TestEnsure(t *testing.T) {
	o := homeOf(t)
	folder := filepath.Join(o.Home, "runtimes", "file-2")
	var count atomic.Int32
	failure := errors.New("no luck")
	failing := fileComponent(&count, func(context.Context, *Work) error { return failure })
	if _, err := ensure(t.Context(), o, failing); !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
	wantFile(t, folder, false)
	c := fileComponent(&count, nothing)
	for range 2 {
		if _, err := ensure(t.Context(), o, c); err != nil {
			t.Fatal(err)
		}
	}
	if count.Load() != 2 {
		t.Errorf("%d attempts, want the one that failed and one more", count.Load())
	}
	if err := os.Remove(filepath.Join(folder, "payload")); err != nil {
		t.Fatal(err)
	}
	if _, err := ensure(t.Context(), o, c); err != nil || count.Load() != 3 {
		t.Errorf("error %v after %d attempts, want that it was installed again", err, count.Load())
	}
	// If an installation fails, the manifest of the broken component is removed, too.
	if err := os.Remove(filepath.Join(folder, "payload")); err != nil {
		t.Fatal(err)
	}
	if _, err := ensure(t.Context(), o, failing); !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
	wantFile(t, filepath.Join(folder, manifestName), false)
	// A file that is not a manifest is not overwritten but shown.
	if err := errors.Join(os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, manifestName), []byte(`{"name":"other"}`), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := ensure(t.Context(), o, c); err == nil || !strings.Contains(err.Error(), manifestName) ||
		!strings.Contains(err.Error(), "--remove file") {
		t.Errorf("error %v, want one that names the manifest and the remedy", err)
	}
}
