package generator

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"zonemark/executor/toolchain"
	"zonemark/invocations/lazyregexp"
)

// lack is an error of a source that lacks something.
type lack struct {
	error
	need need
}

func (l *lack) Unwrap() error { return l.error }

// need is what a source lacks.
type need interface {
	// fill adds it to a request. It returns false if it is not found, or is there already. exampleType is for a type that
	// is open.
	fill(r *Request, exampleType string) bool
}

// Kinds of what sources lack.
type (
	neededHeader    string   // a file, as it is included
	neededSymbols   []string // that nothing defines
	neededFeature   string   // of the target
	neededParameter string   // of a generator: NAME.type, NAME.dim or NAME.size
	neededScheduler struct{} // an autoscheduler
)

// fill adds the folder of the header, or the source of the generator whose stub it is.
func (h neededHeader) fill(r *Request, _ string) bool {
	if name, is := strings.CutSuffix(string(h), stubSuffix); is {
		path := registeredNear(name, r.Source)
		if path == "" || slices.Contains(r.Further, path) {
			return false
		}
		r.Further = append(r.Further, path)
		return true
	}
	folder := includedNear(string(h), filepath.Dir(r.Source))
	flag := "-I" + folder
	if folder == "" || strings.ContainsAny(folder, " \t\n") || slices.Contains(r.Flags, flag) {
		return false
	}
	r.Flags = append(r.Flags, flag)
	return true
}

func (s neededSymbols) fill(r *Request, _ string) bool {
	found := definedNear(s, *r)
	r.Further = append(r.Further, found...)
	return len(found) > 0
}

func (f neededFeature) fill(r *Request, _ string) bool {
	if r.Target == "" {
		r.Target = hostTarget
	}
	if slices.Contains(strings.Split(r.Target, "-"), string(f)) {
		return false
	}
	r.Target += "-" + string(f)
	return true
}

func (p neededParameter) fill(r *Request, exampleType string) bool {
	name := string(p)
	if r.GeneratorParams[name] != "" {
		return false
	}
	r.GeneratorParams[name] = exampleType
	if !strings.HasSuffix(name, ".type") {
		r.GeneratorParams[name] = exampleNumber
	}
	return true
}

func (neededScheduler) fill(r *Request, _ string) bool {
	if r.Scheduler != "" && r.Scheduler != Manual {
		return false
	}
	r.Scheduler = "adams2019"
	return true
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
			return &lack{error: err, need: neededParameter(m[1] + ".type")}
		}
	}
	if m := openSize().FindStringSubmatch(first); m != nil {
		return &lack{error: err, need: neededParameter(m[1] + ".size")}
	}
	if m := openDimensions().FindStringSubmatch(first); m != nil {
		return &lack{error: err, need: neededParameter(m[1] + ".dim")}
	}
	if noFeature().MatchString(first) {
		return &lack{error: err, need: neededFeature("cuda")}
	}
	return err
}

// refusal returns the error for an assertion of a generator that failed; nil if there is none in what it printed.
func refusal(at, output string) error {
	m := asserted().FindStringSubmatchIndex(output)
	if m == nil {
		return nil
	}
	condition := output[m[2]:m[3]]
	err := fmt.Errorf("%s: it ended itself: %s%s", at, toolchain.FirstLines(output[m[0]:m[1]]), printed(output[:m[0]]))
	if f := askedFeature().FindStringSubmatch(condition); f != nil {
		return &lack{error: err, need: neededFeature(featureName(f[1]))}
	}
	if askedScheduler().MatchString(condition) {
		return &lack{error: err, need: neededScheduler{}}
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
