package measuring

import (
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver"
	"zonemark/invocations"
	"zonemark/invocations/suite"
)

// Requests returns the requests for paths: the entries of suites, and one request for each artifact, swept over
// --param.
func (f *Flags) Requests(paths []string) ([]invocations.Invocation, error) {
	requests, err := f.requests(paths)
	if err != nil {
		return nil, err
	}
	var list []invocations.Invocation
	for r, err := range requests {
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// requests yields what Requests returns. Those of suites are made when they are needed.
func (f *Flags) requests(paths []string) (driver.Requests, error) {
	base, err := f.base()
	if err != nil {
		return nil, err
	}
	var parts []driver.Requests
	for _, path := range paths {
		if IsSuite(path) {
			if len(f.Parameters) > 0 || len(f.inputs) > 0 {
				return nil, fmt.Errorf("%s: --param and --input do not apply to a suite; change its params, axes or "+
					"arguments", path)
			}
			points, err := f.suite(path, base)
			if err != nil {
				return nil, err
			}
			parts = append(parts, points)
			continue
		}
		swept, err := f.artifact(path, base)
		if err != nil {
			return nil, err
		}
		parts = append(parts, swept)
	}
	return func(yield func(invocations.Invocation, error) bool) {
		for _, part := range parts {
			for r, err := range part {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}, nil
}

// IsSuite reports whether a path is the path of a suite.
func IsSuite(path string) bool { return strings.EqualFold(filepath.Ext(path), ".toml") }

// suite expands a suite. Flags that the user gave take precedence over the file.
func (f *Flags) suite(path string, base invocations.Invocation) (driver.Requests, error) {
	if err := cli.CheckExists(path, "a suite (*.toml)"); err != nil {
		return nil, err
	}
	s, err := suite.Parse(path, f.Runtimes.Options())
	if err != nil {
		return nil, err
	}
	points, runtimes := s.Points(base, f.override()), map[string]string{} // by path
	return func(yield func(invocations.Invocation, error) bool) {
		for r, err := range points {
			if err == nil && r.Runtime == "" {
				if r.Runtime = runtimes[r.Artifact.Path]; r.Runtime == "" {
					if r.Runtime, err = f.Runtimes.Recognize(r.Artifact.Path); err != nil {
						err = fmt.Errorf("%s: %s: %w", path, r.Name, err)
					}
					runtimes[r.Artifact.Path] = r.Runtime
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}, nil
}

// artifact makes the requests for one artifact or folder of artifacts.
func (f *Flags) artifact(path string, base invocations.Invocation) (driver.Requests, error) {
	if err := cli.CheckExists(path, "a suite (*.toml), or an artifact ("+f.Runtimes.Patterns()+")"); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	base.Artifact.Path = abs
	if base.Runtime == "" {
		if base.Runtime, err = f.Runtimes.Recognize(path); err != nil {
			return nil, err
		}
	}
	requests, _, err := f.sweep(base)
	return requests, err
}

// grouping returns the rule by which functions become variants of each other, nil without --group.
func (f *Flags) grouping() (func(invocations.Function) string, error) {
	switch f.group {
	case "":
		return nil, nil
	case groupAuto:
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
