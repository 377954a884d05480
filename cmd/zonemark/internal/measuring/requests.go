package measuring

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/invocations"
	"zonemark/invocations/suite"
)

// Requests returns the requests for paths: the entries of suites, and one request for each artifact, swept over
// --param.
func (f *Flags) Requests(paths []string) ([]invocations.Invocation, error) {
	base, err := f.base()
	if err != nil {
		return nil, err
	}
	var list []invocations.Invocation
	f.origins = nil
	for _, path := range paths {
		if IsSuite(path) {
			if len(f.Parameters) > 0 || len(f.inputs) > 0 {
				return nil, fmt.Errorf("%s: --param and --input do not apply to a suite; change its params, axes or "+
					"arguments", path)
			}
			s, expanded, err := f.suite(path, base)
			if err != nil {
				return nil, err
			}
			f.origins = append(f.origins, origin{s, len(list), len(expanded)})
			list = append(list, expanded...)
			continue
		}
		swept, err := f.artifact(path, base)
		if err != nil {
			return nil, err
		}
		list = append(list, swept...)
	}
	return list, nil
}

// origin tells which requests come from a suite.
type origin struct {
	suite       *suite.Suite
	from, count int
}

// where returns the line of the suite on which a request sets a key of a table; empty if it comes from no suite.
func (f *Flags) where(request int, table, name string) string {
	for _, o := range f.origins {
		if i := request - o.from; i >= 0 && i < o.count {
			return o.suite.Where(i, table, name)
		}
	}
	return ""
}

// IsSuite reports whether a path is the path of a suite.
func IsSuite(path string) bool { return strings.EqualFold(filepath.Ext(path), ".toml") }

// notGiven stands for a limit of time that a suite does not give.
const notGiven = -1

// suite expands a suite. Flags that the user gave take precedence over the file.
func (f *Flags) suite(path string, base invocations.Invocation) (*suite.Suite, []invocations.Invocation, error) {
	if err := cli.CheckExists(path, "a suite (*.toml)"); err != nil {
		return nil, nil, err
	}
	s, err := suite.Parse(path, f.Runtimes.Options())
	if err != nil {
		return nil, nil, err
	}
	usual := base.Limits.TimeoutNS
	base.Limits.TimeoutNS = notGiven
	list, err := s.Expand(base, f.override())
	if err != nil {
		return nil, nil, err
	}
	for i := range list {
		if l := &list[i].Limits; l.TimeoutNS == notGiven {
			l.TimeoutNS = usual
		} else { // a limit that somebody has chosen bounds builds, too
			l.BuildNS = l.TimeoutNS
		}
		if len(list[i].Command) > 0 {
			list[i].Runtime = cmp.Or(list[i].Runtime, f.Runtimes.OfCommands())
		}
		if list[i].Runtime != "" {
			continue
		}
		if list[i].Runtime, err = f.Runtimes.Recognize(list[i].Artifact.Path, list[i].Artifact.Options); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Where(i, "", "artifact"), err)
		}
	}
	return s, list, nil
}

// artifact makes the requests for one artifact or folder of artifacts.
func (f *Flags) artifact(path string, base invocations.Invocation) ([]invocations.Invocation, error) {
	if err := cli.CheckExists(path, "a suite (*.toml), or an artifact ("+f.Runtimes.Patterns()+")"); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	base.Artifact.Path = abs
	if base.Runtime != "" {
		return f.sweep(base)
	}
	names, err := f.Runtimes.RecognizeAll(path, f.options)
	if err != nil {
		return nil, err
	}
	var list []invocations.Invocation
	for _, base.Runtime = range names {
		swept, err := f.sweep(base)
		if err != nil {
			return nil, err
		}
		list = append(list, swept...)
	}
	return list, nil
}

// groupedBySignature reports whether --group has no expression.
func (f *Flags) groupedBySignature() bool { return f.group == groupAuto || f.group == "auto" }

// grouping returns the rule by which functions become variants of each other, nil without --group.
func (f *Flags) grouping() (func(invocations.Function) string, error) {
	switch {
	case f.group == "":
		return nil, nil
	case f.groupedBySignature():
		return func(fn invocations.Function) string { return fn.Signature }, nil
	}
	re, err := cli.Compile("--group", f.group)
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
