package runtimes

import (
	"context"
	"errors"

	"zonemark/driver/environ"
	"zonemark/driver/setup"
	"zonemark/invocations"
)

// Request asks a runtime to provide what invocations need.
type Request struct {
	// Setup says where to look and install, and whom to tell. Its variables are those that runtimes see besides what is
	// provided.
	Setup setup.Options
	// Invocations are those of the runtime; at least one. Their options may be completed.
	Invocations []*invocations.Invocation
	// FindOnly says that nothing is installed: what is not there is done without.
	FindOnly bool
}

// say tells people.
func (r Request) say(format string, args ...any) {
	if r.Setup.Say != nil {
		r.Setup.Say(format, args...)
	}
}

// Provide finds, or installs, what invocations need beside zonemark itself, and returns the variables for the processes
// that carry them out: those of o with what was found. It may complete options of the invocations. With findOnly,
// nothing is installed, and what is not there is done without.
func (t Table) Provide(
	ctx context.Context,
	o setup.Options,
	list []invocations.Invocation,
	findOnly bool,
) (environ.Variables, error) {
	for _, row := range t {
		if row.Provide == nil {
			continue
		}
		r := Request{Setup: o, FindOnly: findOnly}
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
	return o.Variables, nil
}

// Folders are where executors may leave what later runs use.
type Folders struct {
	Scratch string // the one folder that they may write to; it goes when the run has ended
	// Cache returns the path of a folder below zonemark's cache, which it makes.
	Cache func(name string) (string, error)
}

// Kept is what a runtime keeps of a run.
type Kept struct {
	Entries []string // NAME=VALUE, which tell executors where
	// Take moves what executors have left in the scratch folder into the cache.
	Take func() error
}

// Keep prepares folders for what the executors of certain runtimes make and later runs use. It returns the variables of
// these executors, and what is to be done when they have ended.
func (t Table) Keep(
	f Folders,
	v environ.Variables,
	names ...string,
) (variables environ.Variables, take func() error, err error) {
	var all []func() error
	for _, name := range names {
		row, found := t.Lookup(name)
		if !found || row.Keep == nil {
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
