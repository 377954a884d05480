package bundle

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"zonemark/driver/plan"
	"zonemark/invocations"
)

// Plan is the plan of a run in a bundle.
type Plan struct {
	Environment map[string]string `json:"environment"`
	Invocations []plan.Entry      `json:"invocations"`
}

// Encode returns the plan as JSON.
func (p *Plan) Encode() ([]byte, error) { return json.MarshalIndent(p, "", " ") }

// DecodePlan reads the plan of a bundle.
func (b *Bundle) DecodePlan() (*Plan, error) {
	text, err := b.Plan()
	if err != nil {
		return nil, err
	}
	var p Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", b.path, PlanName, err)
	}
	return &p, nil
}

// Options applies f to each path in the options of an artifact and returns the options that this gives.
type Options func(options map[string]string, f func(path string) string) map[string]string

// EachPath replaces each path that an invocation names by what f returns for it. Relative paths are made absolute
// first. Lists and maps of the invocation are not changed, but replaced.
func EachPath(inv *invocations.Invocation, options Options, f func(path string) string) {
	one := func(path string) string {
		if path == "" {
			return ""
		}
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		return f(path)
	}
	if file, name, ok := inv.ReferenceFile(); ok {
		inv.Verify.Reference = one(file) + ":" + name
	}
	for _, a := range []*invocations.Artifact{&inv.Artifact, &inv.Verify.Of} {
		a.Path, a.Built, a.Profiled = one(a.Path), one(a.Built), one(a.Profiled)
		a.Options = options(a.Options, one)
	}
	inv.Arguments = slices.Clone(inv.Arguments)
	for i := range inv.Arguments {
		inv.Arguments[i].Path = one(inv.Arguments[i].Path)
	}
	inv.Verify.Expected = slices.Clone(inv.Verify.Expected)
	for i, expected := range inv.Verify.Expected {
		inv.Verify.Expected[i] = invocations.MoveTensorFile(expected, one)
	}
}

// Loaded returns the paths of the artifacts that an invocation names, and of what was built of them. Executors load
// some of these files.
func Loaded(inv *invocations.Invocation) (paths []string) {
	for _, a := range []*invocations.Artifact{&inv.Artifact, &inv.Verify.Of} {
		for _, path := range []string{a.Path, a.Built} {
			if path != "" {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
