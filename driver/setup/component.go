package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"zonemark/driver/setup/command"
	"zonemark/invocations/files"
)

// Component is something that "zonemark setup" installs. It is a row of Components, which holds everything specific to
// the component.
type Component struct {
	Name    string // argument of "zonemark setup"
	Version string // version that is installed; it begins with a digit
	Summary string // what the component is, for people
	Plan    string // what will happen, and sizes, for people

	// Install installs the component into the folder of w and describes it. If it fails, it keeps only the files that
	// help the next attempt.
	Install func(ctx context.Context, w *Work) (Manifest, error)
	// Broken returns what is missing of a component that has a manifest; "" if nothing is.
	Broken func(folder string, m Manifest) string
	// Find returns where the component is: the user's own, or else the one that zonemark installed. It installs
	// nothing. The error is a *NotInstalledError if there is none and installing it would help.
	Find func(Options) (Found, error)
	// FindOrInstall finds the component or installs it. If it is nil, the component is installed if Find does not find
	// it.
	FindOrInstall func(ctx context.Context, o Options) (Found, error)
	// Existing returns a line of the list for each installation that the user made. It leaves out what zonemark
	// installed into the given folders. It may be nil.
	Existing func(o Options, folders []string) []Status
	// Expected is true if people who ask for the variables shall be told that the component is missing.
	Expected bool

	Help Help
}

// Help is what the help of "zonemark setup" says about a component, beside its summary. An empty text is left out.
type Help struct {
	Example string // what "zonemark setup NAME" is good for
	Places  string // what its variables name, such as "PJRT plugins"
	Own     string // a sentence that says when an installation of the user is used instead
}

// Found tells where a component is.
type Found struct {
	Version     string   // for people; may be empty
	Place       string   // an interpreter, or a library
	Environment []string // NAME=VALUE entries for executors and for a user's shell
	Notes       []string // what it lacks and what to do, for people
}

// Components is a table of the components that can be installed.
type Components []Component

// All returns everything that zonemark can install.
func All() Components {
	return Components{
		ireeEnvironment().component(), capiComponent(), pjrtCPUComponent(), onnxComponent(),
		modelsEnvironment().component(), halideEnvironment().component(), hexagonComponent(),
	}
}

// Names returns the names of the components in their order.
func (cs Components) Names() (names []string) {
	for _, c := range cs {
		names = append(names, c.Name)
	}
	return names
}

// Lookup returns the component of a name.
func (cs Components) Lookup(name string) (c Component, found bool) {
	for _, c := range cs {
		if c.Name == name {
			return c, true
		}
	}
	return Component{}, false
}

// FindAll finds the components, the last of the table first. It returns the environment entries of the components that
// it finds, each variable once, and notes for people. If it finds none, it returns the error of the table's first
// component.
func (cs Components) FindAll(o Options) (environment, notes []string, err error) {
	var entries entryList
	for i := len(cs) - 1; i >= 0; i-- {
		found, findErr := cs[i].Find(o)
		var none *NotInstalledError
		switch {
		case findErr == nil:
			entries.add(found.Environment)
			notes = appendNew(notes, found.Notes...)
			continue
		case i == 0:
			err = findErr
		}
		// An interpreter that the user named may well lack the other components.
		if cs[i].Expected || o.Python == "" && !errors.As(findErr, &none) {
			notes = appendNew(notes, findErr.Error())
		}
	}
	if len(entries) == 0 && err != nil {
		return nil, nil, err
	}
	return entries, notes, nil
}

// entryList is a list of NAME=VALUE entries, each name once.
type entryList []string

// add appends entries. Of several entries with one name, it keeps the last one, in the last one's place.
func (l *entryList) add(entries []string) {
	for _, entry := range entries {
		name := entryName(entry)
		var kept entryList
		for _, other := range *l {
			if entryName(other) != name {
				kept = append(kept, other)
			}
		}
		*l = append(kept, entry)
	}
}

func entryName(entry string) string {
	name, _, _ := strings.Cut(entry, "=")
	return name
}

// appendNew appends the texts that are not in the list yet.
func appendNew(list []string, texts ...string) []string {
	for _, text := range texts {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// Ensure finds the component, or installs it if it is not there. An installation that was interrupted continues.
func (c Component) Ensure(ctx context.Context, o Options) (Found, error) {
	if c.FindOrInstall != nil {
		return c.FindOrInstall(ctx, o)
	}
	return c.findOrInstall(ctx, o)
}

// findOrInstall installs the component unless Find finds it.
func (c Component) findOrInstall(ctx context.Context, o Options) (Found, error) {
	found, err := c.Find(o)
	var none *NotInstalledError
	if !errors.As(err, &none) || o.FindOnly {
		return found, err
	}
	if _, err := ensure(ctx, o, c); err != nil {
		return Found{}, err
	}
	return c.Find(o)
}

// Folder returns where zonemark installs the component; it need not exist.
func (c Component) Folder(o Options) (string, error) {
	runtimes, err := o.runtimes()
	if err != nil {
		return "", err
	}
	return filepath.Join(runtimes, c.Name+"-"+c.Version), nil
}

// Installed returns the folder of the component that zonemark installed. The error is a *NotInstalledError if there is
// none or a part of it is missing.
func (c Component) Installed(o Options) (folder string, err error) {
	folder, _, err = c.installed(o, c.Name+" "+c.Version)
	return folder, err
}

// installed returns what Installed does, and the manifest. The text what names the missing thing in the error, for
// people.
func (c Component) installed(o Options, what string) (folder string, m Manifest, err error) {
	if folder, err = c.Folder(o); err != nil {
		return "", Manifest{}, err
	}
	m, err = readManifest(folder, c.Name, c.Version)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", Manifest{}, &NotInstalledError{c.Name, "there is no " + what + " in " + folder}
	case err != nil:
		return "", Manifest{}, err
	}
	if reason := c.Broken(folder, m); reason != "" {
		return "", Manifest{}, &NotInstalledError{c.Name, reason}
	}
	return folder, m, nil
}

// Work is an installation in progress.
type Work struct {
	Folder    string // folder of the component; it exists
	Options   Options
	component Component
	lock      *lock
}

// run runs a program of the installation, which holds its lock.
func (w *Work) run(ctx context.Context, c command.Command) error {
	c.Base, c.Held = w.Options.Variables, w.lock.held()
	return c.Run(ctx)
}

// ensure installs a component unless it is there. If another zonemark is installing it, ensure waits for that one.
func ensure(ctx context.Context, o Options, c Component) (Manifest, error) {
	if runtimes, err := o.runtimes(); err != nil {
		return Manifest{}, err
	} else if err := os.MkdirAll(runtimes, 0o755); err != nil {
		return Manifest{}, fmt.Errorf("make the cache: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	folder, err := c.Folder(o)
	if err != nil {
		return Manifest{}, err
	}
	l, err := waitLock(ctx, folder, func() {
		o.say("another zonemark is installing %s %s; waiting for it", c.Name, c.Version)
	})
	if err != nil {
		return Manifest{}, fmt.Errorf("install %s %s: %w", c.Name, c.Version, err)
	}
	m, err := ensureLocked(ctx, &Work{Folder: folder, Options: o, component: c, lock: l})
	if err := errors.Join(err, l.unlock()); err != nil {
		return Manifest{}, fmt.Errorf("install %s %s: %w", c.Name, c.Version, err)
	}
	return m, nil
}

func ensureLocked(ctx context.Context, w *Work) (Manifest, error) {
	c := w.component
	m, err := readManifest(w.Folder, c.Name, c.Version)
	if err == nil {
		reason := c.Broken(w.Folder, m)
		if reason == "" {
			return m, nil
		}
		w.Options.say("%s %s must be installed again: %s", c.Name, c.Version, reason)
		if err := removeManifest(w.Folder); err != nil {
			return Manifest{}, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, err
	}
	if err := os.MkdirAll(w.Folder, 0o755); err != nil {
		return Manifest{}, err
	}
	w.Options.say("%s", c.Plan)
	if m, err = c.Install(ctx, w); err != nil {
		_ = os.Remove(w.Folder) // This removes the folder only if it is empty, because files in it help the next attempt.
		return Manifest{}, err
	}
	m.Name, m.Version, m.When, m.Bytes = c.Name, c.Version, time.Now().UTC().Truncate(time.Second), files.BytesBelow(w.Folder)
	return m, writeManifest(w.Folder, m)
}

// watchPause is the time between two measurements of the size of a folder. Measuring thousands of files takes CPU time.
const watchPause = 500 * time.Millisecond

// watch reports the growth of folders until the caller calls stop, which waits for the last report.
func (w *Work) watch(step string, total int64, folders ...string) (stop func()) {
	if w.Options.Progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	var finished sync.WaitGroup
	finished.Go(func() {
		for tick := time.NewTicker(watchPause); ; {
			var bytes int64
			for _, folder := range folders {
				bytes += files.BytesBelow(folder)
			}
			w.Options.progress(Progress{Component: w.component.Name, Step: step, Bytes: bytes, TotalBytes: total})
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
