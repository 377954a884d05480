package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/wire"
)

const (
	buildTimeout  = 10 * time.Minute
	buildPatience = 100 * time.Millisecond // a build that takes longer is announced, since it is not cached
)

// Planner turns the user's requests into invocations. It asks an executor what the artifacts hold, lets it build what
// must be built, and fills in what the user left open.
type Planner struct {
	Builder executors.Starter // starts executors that may start compilers
	Build   string            // of zonemark, for the handshake
	Words   executors.Words   // of remedies; may be nil
	Cache   string            // folder for built artifacts
	Say     func(format string, args ...any)
	// Group returns the group of a function whose request has none. Functions with the same group and parameters are
	// variants. Nil means that there are no such groups.
	Group func(invocations.Function) string
	// Content returns the options as ids count them. The name of a file is replaced by a hash, so that the file can be
	// moved. Content does not change its argument. Nil means that ids count options as they are.
	Content func(options map[string]string) map[string]string
	// Shape returns the shape of the array in a file, for elements of a type; nil if it is not known. Nil: of none.
	Shape func(c invocations.Contents, element invocations.ElementType) []int64
	// Where returns the place in the user's files that sets a key of a request, by the request's position, for errors;
	// empty if there is none. table is that of a suite's keys. Nil: there are no such places.
	Where func(request int, table, name string) string
}

// settingError is an error about what a request sets: a key in a table of suites.
type settingError struct {
	table, name string
	err         error
}

func (e *settingError) Error() string { return e.err.Error() }
func (e *settingError) Unwrap() error { return e.err }

// told returns an error about a setting with what a user may do about it.
func (p *Planner) told(err error) error {
	var setting *settingError
	if errors.As(err, &setting) {
		return &settingError{setting.table, setting.name, errors.New(remedy.Told(err, p.Words))}
	}
	return err
}

// located puts the place that sets what an error is about before it.
func (p *Planner) located(request int, err error) error {
	var setting *settingError
	if p.Where == nil || !errors.As(err, &setting) {
		return err
	}
	if place := p.Where(request, setting.table, setting.name); place != "" {
		return fmt.Errorf("%s: %w", place, err)
	}
	return err
}

// Describe asks an executor what an artifact holds.
func (p *Planner) Describe(
	ctx context.Context, runtime string, artifact invocations.Artifact,
) ([]invocations.Description, error) {
	s := &executors.Supervisor{Starter: p.Builder, Build: p.Build, Words: p.Words}
	defer s.Close()
	return p.describe(ctx, s, runtime, artifact, nil, buildTimeout)
}

func (p *Planner) describe(
	ctx context.Context, s *executors.Supervisor, runtime string, artifact invocations.Artifact, functions []string,
	limit time.Duration,
) ([]invocations.Description, error) {
	path := artifact.Path
	m := &wire.Describe{
		ID: path, Runtime: runtime, Path: path, Options: artifact.Options, Cache: p.Cache, Functions: functions,
	}
	reply, err := p.ask(ctx, s, "reading", m, path, limit)
	if err != nil {
		return nil, err
	}
	d := reply.(*wire.Described) // see answers
	if d.Error != "" {
		return nil, errors.New(d.Error)
	}
	for i := range d.Descriptions {
		if err := hashArtifact(&d.Descriptions[i].Artifact); err != nil {
			return nil, err
		}
	}
	return d.Descriptions, nil
}

// ask asks a builder about an artifact. It says what takes long, and for how long a signal had stopped the builder or a
// compiler.
func (p *Planner) ask(
	ctx context.Context, s *executors.Supervisor, doing string, m wire.Message, path string, limit time.Duration,
) (wire.Message, error) {
	stop := after(buildPatience, func() { p.Say("%s %s", doing, path) })
	reply, err := s.Ask(ctx, m, path, limit)
	stop()
	stopped := s.Stopped()
	switch {
	case err == nil && stopped != "":
		p.Say("%s %s: %s meanwhile", doing, path, stopped)
	case errors.Is(err, executors.ErrTimeout) && stopped != "":
		err = fmt.Errorf("%w; %s of that time", err, stopped)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s it did not end well: %w", path, doing, err)
	}
	return reply, nil
}

// after calls a function after d, unless stop comes before. When stop returns, the function does not run (any more).
func after(d time.Duration, f func()) (stop func()) {
	ended := make(chan struct{})
	timer := time.AfterFunc(d, func() {
		defer close(ended)
		f()
	})
	return func() {
		if !timer.Stop() {
			<-ended
		}
	}
}

// Patience is how long reading, or building, artifacts may take, by ArtifactKey: as long as the most patient invocation
// allows.
type Patience map[string]time.Duration

// Add adds an invocation with the key of its artifact.
func (p Patience) Add(key string, inv *invocations.Invocation) {
	p.Allow(key, cmp.Or(time.Duration(inv.Limits.BuildNS), buildTimeout))
}

// Allow allows an artifact so much time at least.
func (p Patience) Allow(key string, least time.Duration) { p[key] = max(p[key], least) }

// build lets the executor build an artifact.
func (p *Planner) build(
	ctx context.Context, s *executors.Supervisor, runtime string, artifact invocations.Artifact, limit time.Duration,
) (*wire.Built, error) {
	path := artifact.Path
	m := &wire.Build{ID: path, Runtime: runtime, Artifact: artifact, Cache: p.Cache}
	reply, err := p.ask(ctx, s, "building", m, path, limit)
	if err != nil {
		return nil, err
	}
	return reply.(*wire.Built), nil // see answers
}

// BuildAll lets an executor of a runtime build artifacts, and returns the file and the error of each, in their order.
func (p *Planner) BuildAll(
	ctx context.Context, runtime string, list []invocations.Artifact,
) (paths []string, failures []error) {
	s := &executors.Supervisor{Starter: p.Builder, Build: p.Build, Words: p.Words}
	defer s.Close()
	for _, a := range list {
		b, err := p.build(ctx, s, runtime, a, buildTimeout)
		switch {
		case err != nil:
			b = &wire.Built{}
		case b.Error != "":
			err = errors.New(b.Error)
		}
		paths, failures = append(paths, b.Path), append(failures, err)
	}
	return paths, failures
}
