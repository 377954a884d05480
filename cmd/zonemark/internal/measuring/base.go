package measuring

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/inputs"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/suite"
)

// base returns the settings of the flags for every invocation.
func (t *Task) base() (invocations.Invocation, error) {
	inv := t.Base
	if err := t.takePrototypes(); err != nil { // the errors show the text, so they are no misuse of flags
		return inv, err
	}
	inv.Artifact.Options = maps.Clone(t.ArtifactOptions)
	var err error
	if inv.Arguments, err = inputs.Arguments(t.Inputs); err != nil {
		return inv, err
	}
	if inv.Verify.Expected, err = inputs.Expected(t.Expected); err != nil {
		return inv, err
	}
	return inv, nil
}

// Request returns what the flags say of a single invocation: how it is measured, and its arguments.
func (t *Task) Request() (invocations.Invocation, error) {
	base, err := t.base()
	if err != nil {
		return base, err
	}
	requests, count, err := t.sweep(base)
	if err != nil {
		return base, err
	}
	if count > 1 {
		return base, errors.New("--param with several values is for \"zonemark run\", which sweeps them; give one value")
	}
	for one := range requests {
		base = *one
	}
	return base, nil
}

// override returns what copies the values of the given flags into an invocation of a suite, since the command line
// takes precedence over the file.
func (t *Task) override() func(*invocations.Invocation) {
	keys := GivenKeys(t.Given, suite.Keys())
	cold := t.Given["input-sets-minimum-size-mb"] // it implies mode cold
	return func(inv *invocations.Invocation) {
		for _, key := range keys {
			key.Copy(inv, &t.Base)
		}
		if cold {
			inv.Measure.Mode = t.Base.Measure.Mode
		}
		for key, value := range t.ArtifactOptions {
			inv.SetOption(key, value)
		}
	}
}

// parameterAxis is a --param with its values.
type parameterAxis struct {
	name   string
	values []string
}

// sweep yields the product of the NAME=V1,V2 parameters, the first name slowest, and returns the number of requests.
// The names get a suffix if there are several.
func (t *Task) sweep(base invocations.Invocation) (requests plan.Requests, count int, err error) {
	var axes []parameterAxis
	count = 1
	for _, text := range t.Parameters {
		name, values, ok := strings.Cut(text, "=")
		if !ok || name == "" || values == "" {
			return nil, 0, fmt.Errorf("--param %q: want NAME=VALUE, or NAME=VALUE,VALUE… to sweep", text)
		}
		a := parameterAxis{name, strings.Split(values, ",")}
		if count *= len(a.values); count > 1_000_000 {
			return nil, 0, fmt.Errorf("--param %s: more than a million combinations", name)
		}
		if slices.ContainsFunc(axes, func(b parameterAxis) bool { return b.name == name }) {
			return nil, 0, fmt.Errorf("--param %s is given twice; give all its values at once, separated by commas", name)
		}
		axes = append(axes, a)
	}
	return func(yield func(*invocations.Invocation, error) bool) { vary(base, axes, yield) }, count, nil
}

// vary yields the invocation with each combination of values of the axes, until yield returns false.
func vary(inv invocations.Invocation, axes []parameterAxis, yield func(*invocations.Invocation, error) bool) bool {
	if len(axes) == 0 {
		return yield(&inv, nil)
	}
	a := axes[0]
	for _, value := range a.values {
		if !vary(withParameter(inv, a.name, strings.TrimSpace(value), len(a.values) > 1), axes[1:], yield) {
			return false
		}
	}
	return true
}

func withParameter(inv invocations.Invocation, name, value string, suffix bool) invocations.Invocation {
	ps := map[string]string{name: value}
	for k, v := range inv.Parameters {
		ps[k] = v
	}
	inv.Parameters = ps
	if suffix {
		inv.Name += "/" + name + "=" + value
	}
	return inv
}

// GivenKeys returns the keys whose flags the user gave.
func GivenKeys(flags map[string]bool, keys []suite.Key) (given []suite.Key) {
	for _, key := range keys {
		if key.Flag != "" && flags[key.Flag] {
			given = append(given, key)
		}
	}
	return given
}
