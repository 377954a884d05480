package reportpage

import (
	"maps"
	"slices"
	"strings"

	"zonemark/driver/report"
)

// machine is a run with the machine that measured it.
type machine struct {
	Name     string // of the journal
	Facts    []fact
	Warnings []string
}

type fact struct {
	Name, Text string
	Differs    bool // between runs
}

// machinesOf returns what the numbers depend on, for each run.
func machinesOf(sources []Source) []machine {
	differs := differing(sources)
	var all []machine
	for _, s := range sources {
		m := machine{Name: s.name()}
		add := func(name, text string) {
			if text != "" {
				m.Facts = append(m.Facts, fact{name, report.Printable(text), false})
			}
		}
		if !s.Run.Started.IsZero() {
			add("started", s.Run.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
		add("zonemark", s.Run.Build)
		add("command", strings.Join(s.Run.Command, " "))
		for _, key := range slices.Sorted(maps.Keys(s.Run.Environment)) {
			value := s.Run.Environment[key]
			m.Facts = append(m.Facts, fact{report.Printable(key), report.Printable(value), differs[key]})
		}
		if !s.Run.Complete {
			why := "the run did not come to its end"
			if s.Why != "" {
				why = s.Why
			}
			m.Warnings = append(m.Warnings,
				"Not complete: "+report.Printable(why)+". zonemark run --resume continues it.")
		}
		all = append(all, m)
	}
	return all
}

func (s *Source) name() string {
	if s.Journal == "" {
		return "this run"
	}
	return report.Printable(s.Journal)
}

// differing returns the keys of the environment whose values are not the same in all runs.
func differing(sources []Source) map[string]bool {
	keys := map[string]bool{}
	for _, s := range sources {
		for key := range s.Run.Environment {
			for _, other := range sources {
				if other.Run.Environment[key] != s.Run.Environment[key] {
					keys[key] = true
				}
			}
		}
	}
	return keys
}
