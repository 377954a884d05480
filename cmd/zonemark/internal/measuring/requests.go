package measuring

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/suite"
)

// Requests returns the requests for paths: the entries of suites, and one request for each artifact, swept over
// --param.
func (t *Task) Requests(paths []string) ([]invocations.Invocation, error) {
	parts, err := t.parts(paths)
	if err != nil {
		return nil, err
	}
	var list []invocations.Invocation
	for r, err := range t.join(parts) {
		if err != nil {
			return nil, err
		}
		list = append(list, *r)
	}
	return list, nil
}

// part is what one path of the user stands for.
type part struct {
	suite    *suite.Suite // nil: the requests come from no suite
	requests plan.Requests
}

// parts returns the requests for each path. Those of suites are made when they are needed.
func (t *Task) parts(paths []string) (parts []part, err error) {
	base, err := t.base()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		var one part
		switch {
		case !IsSuite(path):
			one.requests, err = t.artifact(path, base)
		case len(t.Parameters) > 0 || len(t.Inputs) > 0:
			err = fmt.Errorf("%s: --param and --input do not apply to a suite; change its params, axes or arguments", path)
		default:
			one, err = t.suite(path, base)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, one)
	}
	return parts, nil
}

// join yields the requests of all parts, and notes where each part begins, for where.
func (t *Task) join(parts []part) plan.Requests {
	t.origins = nil
	return func(yield func(*invocations.Invocation, error) bool) {
		count := 0
		for i, part := range parts {
			if i == len(t.origins) {
				t.origins = append(t.origins, origin{part.suite, count})
			}
			for r, err := range part.requests {
				count++
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// origin tells which requests come from a suite: those from a position up to the next origin.
type origin struct {
	suite *suite.Suite // nil: none
	from  int
}

// where returns the line of the suite on which a request sets a key of a table; empty if it comes from no suite.
func (t *Task) where(request int, table, name string) string {
	for _, o := range slices.Backward(t.origins) {
		switch {
		case request < o.from:
		case o.suite == nil:
			return ""
		default:
			return o.suite.Where(request-o.from, table, name)
		}
	}
	return ""
}

// IsSuite reports whether a path is the path of a suite.
func IsSuite(path string) bool { return strings.EqualFold(filepath.Ext(path), ".toml") }

// notGiven stands for a limit of time that a suite does not give.
const notGiven = -1

// suite reads a suite. Flags that the user gave take precedence over the file.
func (t *Task) suite(path string, base invocations.Invocation) (part, error) {
	if err := cli.CheckExists(path, "a suite (*.toml)"); err != nil {
		return part{}, err
	}
	s, err := suite.Parse(path, t.Runtimes.Options())
	if err != nil {
		return part{}, err
	}
	if err := t.takeVia(s); err != nil {
		return part{}, err
	}
	usual := base.Limits.TimeoutNS
	base.Limits.TimeoutNS = notGiven
	points, recognized := s.Points(base, t.override()), map[string]string{} // runtimes
	return part{s, func(yield func(*invocations.Invocation, error) bool) {
		position := 0
		for r, err := range points {
			if err == nil {
				settleTimeout(&r.Limits, usual)
				if err = t.recognize(r, recognized); err != nil {
					err = fmt.Errorf("%s: %w", s.Where(position, "", "artifact"), err)
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
			position++
		}
	}}, nil
}

// settleTimeout completes the limits of time of a suite's point.
func settleTimeout(l *invocations.Limits, usual int64) {
	if l.TimeoutNS == notGiven {
		l.TimeoutNS = usual
	} else { // a limit that somebody has chosen bounds builds, too
		l.BuildNS = l.TimeoutNS
	}
}

// recognize finds the runtime of a request that names none. It remembers those that it has found.
func (t *Task) recognize(r *invocations.Invocation, recognized map[string]string) (err error) {
	if len(r.Command) > 0 {
		r.Runtime = cmp.Or(r.Runtime, t.Runtimes.OfCommands())
	}
	if r.Runtime != "" || r.Model != "" { // exported says what is wrong with a model that has no runtime
		return nil
	}
	key := plan.ArtifactKey(r)
	if r.Runtime = recognized[key]; r.Runtime == "" {
		r.Runtime, err = t.Runtimes.Recognize(r.Artifact.Path, r.Artifact.Options)
		recognized[key] = r.Runtime
	}
	return err
}

// artifact makes the requests for one artifact or folder of artifacts.
func (t *Task) artifact(path string, base invocations.Invocation) (plan.Requests, error) {
	if err := cli.CheckExists(path, "a suite (*.toml), or an artifact ("+t.Runtimes.Patterns()+")"); err != nil {
		if library := SystemLibrary(path); library != "" {
			words := slices.Clone(t.arguments)
			for i := range words {
				if words[i] == path {
					words[i] = library
				}
			}
			return nil, fmt.Errorf("%s: there is no such file here; the system's library is %s:\n  %s", path, library,
				cli.CommandLine(t.verb, words...))
		}
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	base.Artifact.Path = abs
	names := []string{base.Runtime}
	if base.Runtime == "" {
		if names, err = t.Runtimes.RecognizeAll(path, t.ArtifactOptions); err != nil {
			return nil, err
		}
	}
	var parts []part
	for _, base.Runtime = range names {
		swept, _, err := t.sweep(base)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{requests: swept})
	}
	return func(yield func(*invocations.Invocation, error) bool) {
		for _, one := range parts {
			for r, err := range one.requests {
				if !yield(r, err) {
					return
				}
			}
		}
	}, nil
}

// BySignature is the group of settings by which functions of equal signature are variants of each other.
const BySignature = "signature"

// groupedBySignature reports whether --group has no expression.
func (t *Task) groupedBySignature() bool { return t.Group == BySignature || t.Group == "auto" }

// grouping returns the rule by which functions become variants of each other, nil without --group.
func (t *Task) grouping() (func(invocations.Function) string, error) {
	switch {
	case t.Group == "":
		return nil, nil
	case t.groupedBySignature():
		return func(fn invocations.Function) string { return fn.Signature }, nil
	}
	re, err := cli.Compile("--group", t.Group)
	if err != nil {
		return nil, err
	}
	return func(fn invocations.Function) string {
		m := re.FindStringSubmatch(fn.Name)
		switch {
		case m == nil:
			return ""
		case len(m) > 1:
			return m[1]
		}
		return m[0]
	}, nil
}
