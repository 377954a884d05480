package measuring

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/suite"
)

// base returns the settings of the flags for every invocation.
func (f *Flags) base() (invocations.Invocation, error) {
	inv := f.Base
	if err := f.takePrototypes(); err != nil { // the errors show the text, so they are no misuse of flags
		return inv, err
	}
	inv.Artifact.Options = maps.Clone(f.options)
	var err error
	if inv.Arguments, err = inputArguments(f.inputs); err != nil {
		return inv, err
	}
	if err := checkExpected(f.expected); err != nil {
		return inv, err
	}
	inv.Verify.Expected = f.expected
	return inv, nil
}

// Request returns what the flags say of a single invocation: how it is measured, and its arguments.
func (f *Flags) Request() (invocations.Invocation, error) {
	base, err := f.base()
	if err != nil {
		return base, err
	}
	list, err := f.sweep(base)
	if err != nil {
		return base, err
	}
	if len(list) > 1 {
		return base, errors.New("--param with several values is for \"zonemark run\", which sweeps them; give one value")
	}
	return list[0], nil
}

// override returns what copies the values of the given flags into an invocation of a suite, since the command line
// takes precedence over the file.
func (f *Flags) override() func(*invocations.Invocation) {
	keys := givenKeys(f.Set, suite.Keys())
	cold := f.Set.Changed("input-sets-minimum-size-mb") // it implies mode cold
	return func(inv *invocations.Invocation) {
		for _, key := range keys {
			key.Copy(inv, &f.Base)
		}
		if cold {
			inv.Measure.Mode = f.Base.Measure.Mode
		}
		for key, value := range f.options {
			inv.SetOption(key, value)
		}
	}
}

// sweep expands NAME=V1,V2 parameters into their product, first name slowest. The names get a suffix if there are
// several.
func (f *Flags) sweep(base invocations.Invocation) ([]invocations.Invocation, error) {
	list := []invocations.Invocation{base}
	for _, text := range f.Parameters {
		name, values, ok := strings.Cut(text, "=")
		if !ok || name == "" || values == "" {
			return nil, fmt.Errorf("--param %q: want NAME=VALUE, or NAME=VALUE,VALUE… to sweep", text)
		}
		points := strings.Split(values, ",")
		if len(list)*len(points) > 1_000_000 {
			return nil, fmt.Errorf("--param %s: more than a million combinations", name)
		}
		var next []invocations.Invocation
		for _, inv := range list {
			if _, twice := inv.Parameters[name]; twice {
				return nil, fmt.Errorf("--param %s is given twice; give all its values at once, separated by commas",
					name)
			}
			for _, value := range points {
				next = append(next, withParameter(inv, name, strings.TrimSpace(value), len(points) > 1))
			}
		}
		list = next
	}
	return list, nil
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
