package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// component is something that can be installed.
type component struct {
	name    string // what "zonemark setup" is told
	version string
	summary string // what it is, for people
	plan    string // what is about to happen and how much it is, for people
	// install puts the component into the folder of w and describes it. What it leaves there when it fails must help the next attempt.
	install func(ctx context.Context, w *work) (Manifest, error)
	// variable names, in the environment, a library of the user's that takes the component's place, which find finds; empty where a component is more than a library.
	variable string
	find     func(Options) (string, error)
	// broken says what is gone of a component whose manifest is there; empty when all is there.
	broken func(folder string, m Manifest) string
}

// components is the table of everything that can be installed.
func components() []component {
	return []component{ireeComponent(), capiComponent(), pjrtCPUComponent(), modelsComponent()}
}

// Names are the names and summaries of the components that can be installed, in the order to show them.
func Names() (names, summaries []string) {
	for _, c := range components() {
		names = append(names, c.name)
		summaries = append(summaries, c.summary)
	}
	return names, summaries
}

// folder is where a component lies, or would lie.
func (o Options) folder(c component) (string, error) {
	runtimes, err := o.runtimes()
	if err != nil {
		return "", err
	}
	return filepath.Join(runtimes, c.name+"-"+c.version), nil
}

// work is an installation in progress.
type work struct {
	component component
	folder    string // of the component; it exists
	lock      *lock
	options   Options
}

// ensure installs a component unless it is there. Another zonemark that is installing it is waited for.
func ensure(ctx context.Context, o Options, c component) (Manifest, error) {
	if runtimes, err := o.runtimes(); err != nil {
		return Manifest{}, err
	} else if err := os.MkdirAll(runtimes, 0o755); err != nil {
		return Manifest{}, fmt.Errorf("make the cache: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	folder, err := o.folder(c)
	if err != nil {
		return Manifest{}, err
	}
	l, err := waitLock(ctx, folder, func() {
		o.say("another zonemark is installing %s %s; waiting for it", c.name, c.version)
	})
	if err != nil {
		return Manifest{}, fmt.Errorf("install %s %s: %w", c.name, c.version, err)
	}
	m, err := ensureLocked(ctx, &work{c, folder, l, o})
	if err := errors.Join(err, l.unlock()); err != nil {
		return Manifest{}, fmt.Errorf("install %s %s: %w", c.name, c.version, err)
	}
	return m, nil
}

func ensureLocked(ctx context.Context, w *work) (Manifest, error) {
	c := w.component
	m, err := readManifest(w.folder, c.name, c.version)
	if err == nil {
		reason := c.broken(w.folder, m)
		if reason == "" {
			return m, nil
		}
		w.options.say("%s %s must be installed again: %s", c.name, c.version, reason)
		if err := removeManifest(w.folder); err != nil {
			return Manifest{}, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, err
	}
	if err := os.MkdirAll(w.folder, 0o755); err != nil {
		return Manifest{}, err
	}
	w.options.say("%s", c.plan)
	if m, err = c.install(ctx, w); err != nil {
		_ = os.Remove(w.folder) // when nothing is in it that helps the next attempt
		return Manifest{}, err
	}
	m.Name, m.Version, m.When, m.Bytes = c.name, c.version, time.Now().UTC().Truncate(time.Second), folderBytes(w.folder)
	return m, writeManifest(w.folder, m)
}

// watchPause is the time between two looks at how much of a folder is there: looking at thousands of files takes CPU time.
const watchPause = 500 * time.Millisecond

// watch reports the growth of folders until the returned function is called, which waits for the last report.
func (w *work) watch(step string, total int64, folders ...string) (stop func()) {
	if w.options.Progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	var finished sync.WaitGroup
	finished.Go(func() {
		for tick := time.NewTicker(watchPause); ; {
			var bytes int64
			for _, folder := range folders {
				bytes += folderBytes(folder)
			}
			w.options.progress(Progress{Component: w.component.name, Step: step, Bytes: bytes, TotalBytes: total})
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		close(done)
		finished.Wait()
	}
}
