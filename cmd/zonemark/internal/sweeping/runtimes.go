package sweeping

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	programs "zonemark/driver/sweep/program"
	"zonemark/invocations"
	"zonemark/invocations/spelling"

	"github.com/spf13/pflag"
)

// pairedLaunches is the number of launches of a program that is compared with others, if the user gives none.
const pairedLaunches = 10

// backend is a runtime that sweeps have programs for.
type backend struct {
	name         string
	about        string
	architecture string // of its CPU
}

func backends() []backend {
	return []backend{{programs.PJRT, "PJRT plugins", "pjrt-cpu"}, {programs.IREE, "IREE", "iree-cpu"}}
}

func backendNames() (names []string) {
	for _, b := range backends() {
		names = append(names, b.name)
	}
	return names
}

// side is a runtime that a sweep measures on.
type side struct {
	target       programs.Target
	architecture string // that rows and parameters belong to
	folder       string // of its results in the folder of an operation; empty if there is no other runtime
}

// nameOn returns the name of an invocation on one of several runtimes.
func nameOn(name, runtime string) string { return name + "/" + runtime }

// addRuntimes adds --runtime, which takes several.
func (f *Flags) addRuntimes(s *pflag.FlagSet) {
	s.StringVar(&f.runtimes, "runtime", f.runtimes, "runtimes that run the operations, separated by commas: "+
		strings.Join(backendNames(), ", ")+", or "+cli.All+"; several take turns and are compared")
	cli.Takes(s, "runtime", append(backendNames(), cli.All))
}

// settleRuntimes decides which runtimes the operations are measured on.
func (f *Flags) settleRuntimes() (err error) {
	if f.backends, err = chosenBackends(f.runtimes); err != nil {
		return err
	}
	if !slices.Contains(formats(), f.format) {
		return fmt.Errorf("--format %s: want one of %s%s", f.format, strings.Join(formats(), ", "),
			spelling.Suggest(f.format, formats()))
	}
	if !f.several() {
		if f.Set.Changed("format") {
			return fmt.Errorf("--format is for several runtimes beside each other, such as --runtime %s; the rows of one "+
				"are in its table", strings.Join(backendNames(), ","))
		}
		return nil
	}
	for name := range f.Options() {
		if !slices.ContainsFunc(f.backends, func(b backend) bool { return f.takes(b.name, name) }) {
			return fmt.Errorf("--%s is an option of none of the runtimes %s", name, f.runtimes)
		}
	}
	return nil
}

// chosenBackends returns the runtimes that a list names, separated by commas.
func chosenBackends(list string) (chosen []backend, err error) {
	var known []string
	for _, b := range backends() {
		known = append(known, fmt.Sprintf("%s (%s)", b.name, b.about))
	}
	names, err := cli.Chosen("--runtime", list, backendNames(), "sweeps have programs for "+strings.Join(known, " and "))
	for _, name := range names {
		i := slices.IndexFunc(backends(), func(b backend) bool { return b.name == name })
		chosen = append(chosen, backends()[i])
	}
	return chosen, err
}

// several reports whether the flags name several runtimes.
func (f *Flags) several() bool { return len(f.backends) > 1 }

// takes reports whether a runtime has an option.
func (f *Flags) takes(runtime, option string) bool {
	row := f.Runtimes.Lookup(runtime)
	return slices.ContainsFunc(row.Options, func(o invocations.Option) bool { return o.Name == option })
}

// newSides returns the runtimes that are measured on. architecture is empty if there are several and the user has named
// none.
func (s *Sweep) newSides(architecture string) (sides []*side) {
	for _, b := range s.backends {
		options := s.Options()
		d := &side{architecture: architecture}
		if s.several() {
			maps.DeleteFunc(options, func(name, _ string) bool { return !s.takes(b.name, name) })
			d.folder, d.architecture = b.name, b.architecture
			if architecture != "" {
				d.architecture = architecture + "-" + b.name
			}
		}
		d.target = programs.Target{Runtime: b.name, Options: options, Device: "cpu", Emulate: s.emulate}
		sides = append(sides, d)
	}
	return sides
}

// architectures returns the architectures of all runtimes, for people.
func (s *Sweep) architectures() string {
	var names []string
	for _, d := range s.sides {
		names = append(names, d.architecture)
	}
	return strings.Join(names, " and ")
}
