package generator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"zonemark/invocations/building"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
)

// lack is an error of a source that lacks something. One of the fields says what.
type lack struct {
	error
	header    string   // a file, as it is included
	symbols   []string // that nothing defines
	feature   string   // of the target
	parameter string   // of a generator: NAME.type, NAME.dim or NAME.size
	scheduled bool     // an autoscheduler
}

func (l *lack) Unwrap() error { return l.error }

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

// mostLacks is how much a source may lack.
const mostLacks = 16

// completed returns the error of a build with a remedy that gives what the source lacks, if there is one: it is looked
// for near the source, or taken from examples, until the request is built. What was made stays in the cache, so that the
// complete request is built at once. If something else is wrong with it then, the error says that, too.
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
			text += "; with what was found near it: " + last.Error()
			full.Generators = t.buildable(ctx, full, cache)
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
	confine, given := t.confine, foldersOf(r)
	if confine == nil {
		return t
	}
	t.confine = func(cmd *exec.Cmd, a building.Access) (building.Confinement, error) {
		found := foldersOf(*full)
		a.Read = slices.DeleteFunc(slices.Clone(a.Read), func(path string) bool {
			return slices.Contains(found, path) && !slices.ContainsFunc(given, func(folder string) bool {
				below, err := filepath.Rel(folder, path)
				return err == nil && filepath.IsLocal(below)
			})
		})
		return confine(cmd, a)
	}
	return t
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
		if !errors.As(failure, &missing) || ctx.Err() != nil || !missing.fill(r, exampleType) {
			break
		}
		if _, failure = t.build(ctx, *r, cache); failure == nil {
			break
		}
	}
	return failure
}

// fill adds to a request what it lacks. It returns false if that is not found, or is there already.
func (l *lack) fill(r *Request, exampleType string) bool {
	switch {
	case l.header != "":
		return l.fillHeader(r)
	case len(l.symbols) > 0:
		found := definedNear(l.symbols, *r)
		r.Further = append(r.Further, found...)
		return len(found) > 0
	case l.feature != "":
		if r.Target == "" {
			r.Target = hostTarget
		}
		if slices.Contains(strings.Split(r.Target, "-"), l.feature) {
			return false
		}
		r.Target += "-" + l.feature
		return true
	case l.parameter != "":
		if r.GeneratorParams[l.parameter] != "" {
			return false
		}
		r.GeneratorParams[l.parameter] = exampleType
		if !strings.HasSuffix(l.parameter, ".type") {
			r.GeneratorParams[l.parameter] = exampleNumber
		}
		return true
	case l.scheduled && (r.Scheduler == "" || r.Scheduler == Manual):
		r.Scheduler = "adams2019"
		return true
	}
	return false
}

// fillHeader adds the folder of a header, or the source of the generator whose stub it is.
func (l *lack) fillHeader(r *Request) bool {
	if name, is := strings.CutSuffix(l.header, stubSuffix); is {
		path := registeredNear(name, r.Source)
		if path == "" || slices.Contains(r.Further, path) {
			return false
		}
		r.Further = append(r.Further, path)
		return true
	}
	folder := includedNear(l.header, filepath.Dir(r.Source))
	flag := "-I" + folder
	if folder == "" || strings.ContainsAny(folder, " \t\n") || slices.Contains(r.Flags, flag) {
		return false
	}
	r.Flags = append(r.Flags, flag)
	return true
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

// What generators of Halide 19 to 21 print about what they lack. The C library prints assertions.
var (
	openType       = lazyregexp.New(`^Type is not defined for \S+ '([^'\s]+)'`)
	openDimensions = lazyregexp.New(`^Dimensions are not defined for \S+ '([^'\s]+)'`)
	openSize       = lazyregexp.New(`^ArraySize is (?:unspecified|not defined) for \w+ ?'([^'\s]+)'`)
	askedType      = lazyregexp.New(`^Can't call Func::types? on Func "([^"$\s]+)(?:\$\d+)?" because it is undefined`)
	noFeature      = lazyregexp.New(`no compatible target feature is enabled`)
	asserted       = lazyregexp.New("(?m)^.*Assertion [`'](.+)' failed\\.?$")
	askedFeature   = lazyregexp.New(`has_feature\((?:\w+::)*(\w+)\)$`)
	askedScheduler = lazyregexp.New(`(?i)auto_?schedul`)
)

// lacking returns the error of a generator with what it lacks, if its text tells that.
func lacking(err error, text string) error {
	first, _, _ := strings.Cut(text, "\n")
	for _, message := range []*regexp.Regexp{openType(), askedType()} {
		if m := message.FindStringSubmatch(first); m != nil {
			return &lack{error: err, parameter: m[1] + ".type"}
		}
	}
	if m := openSize().FindStringSubmatch(first); m != nil {
		return &lack{error: err, parameter: m[1] + ".size"}
	}
	if m := openDimensions().FindStringSubmatch(first); m != nil {
		return &lack{error: err, parameter: m[1] + ".dim"}
	}
	if noFeature().MatchString(first) {
		return &lack{error: err, feature: "cuda"}
	}
	return err
}

// refusal returns the error for an assertion of a generator that failed; nil if there is none in what it printed.
func refusal(at, output string) error {
	m := asserted().FindStringSubmatch(output)
	if m == nil {
		return nil
	}
	err := fmt.Errorf("%s: it ended itself: %s", at, firstLines(m[0]))
	if f := askedFeature().FindStringSubmatch(m[1]); f != nil {
		return &lack{error: err, feature: featureName(f[1])}
	}
	if askedScheduler().MatchString(m[1]) {
		return &lack{error: err, scheduled: true}
	}
	return err
}

var wordBegins = lazyregexp.New(`([a-z0-9])([A-Z])`)

// featureName returns the word of a target for a feature as C++ names it: no_bounds_query for NoBoundsQuery.
func featureName(name string) string {
	if name == "CPlusPlusMangling" {
		return "c_plus_plus_name_mangling"
	}
	return strings.ToLower(wordBegins().ReplaceAllString(name, "${1}_${2}"))
}
