package runtimes

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"zonemark/driver/setup"
	"zonemark/invocations"
	"zonemark/invocations/environ"
)

// Request asks a runtime to provide what invocations need.
type Request struct {
	// Setup holds where to search and install, and who gets messages. Runtimes see its variables, and those that are
	// provided.
	Setup setup.Options
	// Invocations are those of the runtime, at least one. Provide may complete their options.
	Invocations []*invocations.Invocation
}

// say sends a message to the user.
func (r Request) say(format string, args ...any) {
	if r.Setup.Say != nil {
		r.Setup.Say(format, args...)
	}
}

// namedFile returns the absolute path of a file that the user has named. wanted says what to name where that is no file.
func namedFile(path, wanted string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", errors.New("there is no such file; name " + wanted)
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("a folder; name the file in it: " + wanted)
	}
	return filepath.Abs(path)
}

// Provide finds, or installs, what invocations need beside zonemark itself. It returns the variables for their
// executors: those of o, and those that name what was found. It may complete options of the invocations, and confines
// them. If o is to find only, runtimes do without what is missing.
func (t Table) Provide(ctx context.Context, o setup.Options, list []invocations.Invocation) (environ.Variables, error) {
	for _, row := range t {
		if row.Provide == nil {
			continue
		}
		r := Request{Setup: o}
		for i := range list {
			if list[i].Runtime == row.Name {
				r.Invocations = append(r.Invocations, &list[i])
			}
		}
		if len(r.Invocations) == 0 {
			continue
		}
		entries, err := row.Provide(ctx, r)
		if err != nil {
			return o.Variables, err
		}
		o.Variables = o.Variables.With(entries...)
	}
	for i := range list {
		t.Confine(&list[i])
	}
	return o.Variables, nil
}

// Folders are the folders for files of executors that later runs use.
type Folders struct {
	Scratch string // the only folder that executors may write to; it is removed after the run
	// Cache makes a folder below zonemark's cache and returns its path.
	Cache func(name string) (string, error)
}

// Kept describes what a runtime keeps of a run.
type Kept struct {
	Entries []string // NAME=VALUE entries that tell executors the folders
	// Take moves files of executors from the scratch folder into the cache.
	Take func() error
}

// Keep prepares folders for files that the executors of certain runtimes make and later runs use. It returns the
// variables of these executors, and a function to call after they have ended.
func (t Table) Keep(
	f Folders,
	v environ.Variables,
	names ...string,
) (variables environ.Variables, take func() error, err error) {
	var all []func() error
	for _, name := range names {
		row := t.Lookup(name)
		if row.Keep == nil {
			continue
		}
		kept, err := row.Keep(f)
		if err != nil {
			return v, nil, err
		}
		v = v.With(kept.Entries...)
		all = append(all, kept.Take)
	}
	return v, func() (err error) {
		for _, one := range all {
			err = errors.Join(err, one())
		}
		return err
	}, nil
}
