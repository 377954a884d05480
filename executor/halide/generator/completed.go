package generator

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
)

// Names of options, for remedies.
const (
	optionTarget    = "target"
	optionScheduler = "scheduler"
	optionGenerator = "generator"
	optionParameter = "generator-param" // one of them
)

// exampleTypes are types that open types of generators are tried with. exampleNumber is a number of dimensions, or of
// the elements of an array.
var exampleTypes = []string{"float32", "uint8", "int16", "int32"}

const exampleNumber = "2"

// withoutFound stands between the error of a source with what was found near it, and what it lacks without that.
const withoutFound = "\nwithout what was found near it: "

// mostLacks is how much a source may lack.
const mostLacks = 16

// completed returns the error of a build with a remedy that gives what the source lacks, if there is one: it is looked
// for near the source, or taken from examples, until the request is built. What was made stays in the cache, so that the
// complete request is built at once. If something else is wrong with it then, the error begins with that.
func (t Toolchain) completed(ctx context.Context, r Request, cache string, failure error) error {
	source, err := filepath.Abs(r.Source)
	if err != nil {
		return failure
	}
	r.Source = source
	var full Request
	var last error
	t = t.sparing(r, &full)
	for _, example := range exampleTypes {
		full = r
		full.GeneratorParams = map[string]string{}
		maps.Copy(full.GeneratorParams, r.GeneratorParams)
		full.Further, full.Flags = slices.Clone(r.Further), slices.Clone(r.Flags)
		last = t.complete(ctx, &full, cache, failure, example)
		if last == nil || len(full.GeneratorParams) == len(r.GeneratorParams) { // no type was open
			break
		}
	}
	text := strings.TrimSuffix(failure.Error(), ".")
	switch {
	case ctx.Err() != nil:
		return failure
	case last != nil: // types would have been chosen for nothing
		full.GeneratorParams = r.GeneratorParams
		if _, last = t.build(ctx, full, cache); last != nil {
			full.Generators = t.buildable(ctx, full, cache)
			unread := t.confine != nil && len(foundFolders(r, full)) > 0 // so it fails in any case
			if own := strings.TrimSuffix(last.Error(), "."); own != text && !unread {
				lacking, _, _ := strings.Cut(text, "\n")
				text = own + withoutFound + lacking
			}
		}
	case len(full.GeneratorParams) > len(r.GeneratorParams):
		text += "; choose its types and numbers"
	}
	options := added(r, full)
	if options == "" {
		return failure
	}
	return remedy.New(text, remedy.Remedy{Kind: remedy.Options, Value: options})
}

// sparing returns a toolchain whose programs may not read folders that only the search for what is lacking has found,
// but for those below folders of the request r: the source may be a stranger's, which could have any folder near it found.
func (t Toolchain) sparing(r Request, full *Request) Toolchain {
	confine := t.confine
	if confine == nil {
		return t
	}
	t.confine = func(cmd *exec.Cmd, a building.Access) (building.Confinement, error) {
		found := foundFolders(r, *full)
		a.Read = slices.DeleteFunc(slices.Clone(a.Read), func(path string) bool { return slices.Contains(found, path) })
		return confine(cmd, a)
	}
	return t
}

// foundFolders returns the folders of a full request that are not below folders of the request r.
func foundFolders(r, full Request) []string {
	given := foldersOf(r)
	return slices.DeleteFunc(foldersOf(full), func(path string) bool {
		return slices.ContainsFunc(given, func(folder string) bool {
			below, err := filepath.Rel(folder, path)
			return err == nil && filepath.IsLocal(below)
		})
	})
}

// foldersOf returns the folders of a request's sources, headers and libraries.
func foldersOf(r Request) (folders []string) {
	for _, path := range append([]string{r.Source}, r.Further...) {
		if absolute, err := filepath.Abs(path); err == nil {
			folders = append(folders, filepath.Dir(absolute))
		}
	}
	if flags, err := flagsOf(r.Flags); err == nil {
		folders = slices.Concat(folders, flags.Headers, flags.Libraries)
	}
	return folders
}

// buildable returns the generators that are built, of a source with several of which some are not. It returns those of
// the request if it names any.
func (t Toolchain) buildable(ctx context.Context, r Request, cache string) (names []string) {
	if len(r.Generators) > 0 {
		return r.Generators
	}
	p, err := t.open(ctx, r, cache)
	if err != nil {
		return nil
	}
	all, err := p.names(ctx)
	if err != nil || len(all) < 2 {
		return nil
	}
	for _, name := range all {
		r.Generators = []string{name}
		if _, err := t.build(ctx, r, cache); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// complete adds to a request what it lacks, until it is built. It returns the error that is left.
func (t Toolchain) complete(ctx context.Context, r *Request, cache string, failure error, exampleType string) error {
	for range mostLacks {
		var missing *lack
		if !errors.As(failure, &missing) || ctx.Err() != nil || !missing.need.fill(r, exampleType) {
			break
		}
		if _, failure = t.build(ctx, *r, cache); failure == nil {
			break
		}
	}
	return failure
}

// added returns the options that a complete request has and another one lacks, NAME=VALUE lines.
func added(r, full Request) string {
	var lines []string
	if full.Target != r.Target {
		lines = append(lines, optionTarget+"="+full.Target)
	}
	if full.Scheduler != r.Scheduler {
		lines = append(lines, optionScheduler+"="+full.Scheduler)
	}
	if len(full.Generators) > len(r.Generators) {
		lines = append(lines, optionGenerator+"="+strings.Join(full.Generators, ","))
	}
	for _, path := range full.Further[len(r.Further):] {
		lines = append(lines, optionSource+"="+path)
	}
	if len(full.Flags) > len(r.Flags) {
		lines = append(lines, optionFlags+"="+strings.Join(full.Flags, " "))
	}
	for _, assignment := range assignments("", full.GeneratorParams) {
		name, _, _ := strings.Cut(assignment, "=")
		if _, given := r.GeneratorParams[name]; !given {
			lines = append(lines, optionParameter+"="+assignment)
		}
	}
	return strings.Join(lines, "\n")
}
