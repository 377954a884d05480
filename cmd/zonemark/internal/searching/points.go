package searching

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/executor/csource"
	"zonemark/invocations"
)

// mostPoints limits a search. Building them all would take days.
const mostPoints = 100_000

// macros are the beginning of the name of an axis that defines a macro of C.
const macros = "D."

// points returns all points, the default first, each with its place among the others.
func (f *Flags) points() ([]invocations.Invocation, error) {
	reading := f.Task // errors about requests name their lines, but those of a round are not all
	reading.Race = measuring.RaceOff
	list, err := reading.Requests([]string{f.path})
	if err != nil {
		return nil, err
	}
	f.Via, f.Functions, f.ArtifactOptions = reading.Via, reading.Functions, reading.ArtifactOptions
	if len(f.Via) > 1 {
		return nil, errors.New("tune compares on one machine; give --via once")
	}
	axes, err := f.axes()
	if err != nil {
		return nil, err
	}
	count := len(list)
	for _, a := range axes {
		if count *= len(a.values); count > mostPoints {
			break
		}
	}
	if count > mostPoints {
		return nil, fmt.Errorf("%s: more than %d variants; leave out values, or search in parts", f.path, mostPoints)
	}
	for i := range list {
		if list[i].Model != "" {
			return nil, fmt.Errorf("%s: tune does not export models; export it with \"zonemark bench\", and tune the file", f.path)
		}
		if list[i].Point == nil {
			list[i].Point = []int{i}
		}
		if mode := list[i].Measure.Mode; mode != list[0].Measure.Mode {
			return nil, fmt.Errorf("%s: it has variants in mode %s and in mode %s, which are not compared; leave out one mode",
				f.path, list[0].Measure.Mode, mode)
		}
		if g := list[i].Group; g != list[0].Group {
			return nil, fmt.Errorf("%s: it has the groups %q and %q, and tune looks for the best of one; divide the suite",
				f.path, list[0].Group, g)
		}
	}
	for i := range list {
		if len(axes) > 0 {
			f.name(&list[i])
		}
	}
	slices.SortStableFunc(axes, func(a, b axis) int { // those that add words to options come last
		return cmp.Compare(strings.Count(a.name, "."), strings.Count(b.name, "."))
	})
	for _, a := range axes {
		if list, err = f.spread(list, a); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// name names a request, so that the names of its variants do not begin with the file: the only function, or the file.
func (f *Flags) name(inv *invocations.Invocation) {
	if inv.Function == "" && len(f.Functions) == 1 {
		inv.Function = f.Functions[0]
	}
	if inv.Name == "" || strings.HasPrefix(inv.Name, "/") { // the values of --param
		base := filepath.Base(inv.Artifact.Path)
		inv.Name = cmp.Or(inv.Function, strings.TrimSuffix(base, filepath.Ext(base))) + inv.Name
	}
}

// spread makes of each point one for each value of an axis.
func (f *Flags) spread(list []invocations.Invocation, a axis) ([]invocations.Invocation, error) {
	set, err := f.setter(a.name)
	if err != nil {
		return nil, err
	}
	wide := make([]invocations.Invocation, 0, len(list)*len(a.values))
	for _, inv := range list {
		for i, value := range a.values {
			one := inv
			one.Artifact.Options, one.Parameters = maps.Clone(inv.Artifact.Options), maps.Clone(inv.Parameters)
			one.Point = append(slices.Clone(inv.Point), i)
			one.Name += "/" + a.name + "=" + value
			set(&one, value)
			wide = append(wide, one)
		}
	}
	return wide, nil
}

// setter returns what gives an invocation a value of an axis.
func (f *Flags) setter(name string) (func(inv *invocations.Invocation, value string), error) {
	if name == "function" {
		return func(inv *invocations.Invocation, value string) { inv.Function = value }, nil
	}
	if macro, ok := strings.CutPrefix(name, macros); ok {
		if macro == "" {
			return nil, fmt.Errorf("--try %s: want the name of a macro behind %s", name, macros)
		}
		return func(inv *invocations.Invocation, value string) {
			addWord(inv, csource.OptionCFlags, "-D"+macro+"="+value)
		}, nil
	}
	flag, word, words := strings.Cut(name, ".")
	for _, o := range f.Runtimes.Options() {
		switch {
		case words && o.Repeatable != "" && o.Repeatable == flag && word != "":
			return func(inv *invocations.Invocation, value string) { addWord(inv, o.Name, word+"="+value) }, nil
		case name == o.Name || name == o.Key():
			return func(inv *invocations.Invocation, value string) { setOption(inv, o.Name, value) }, nil
		}
	}
	return func(inv *invocations.Invocation, value string) {
		if inv.Parameters == nil {
			inv.Parameters = map[string]string{}
		}
		inv.Parameters[name] = value
	}, nil
}

func setOption(inv *invocations.Invocation, name, value string) {
	if inv.Artifact.Options == nil {
		inv.Artifact.Options = map[string]string{}
	}
	inv.Artifact.Options[name] = value
}

func addWord(inv *invocations.Invocation, option, word string) {
	setOption(inv, option, strings.TrimSpace(inv.Artifact.Options[option]+" "+word))
}
