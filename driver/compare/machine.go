package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// machineKeys are the entries of a journal's fingerprint that two runs must share for their times to be comparable, in
// the order of their weight.
var machineKeys = []struct{ key, name string }{
	{"cpu", "processor"}, {featuresKey, "processor features"}, {"arch", "architecture"}, {"cpus", "CPUs"},
	{"caches", "caches"}, {"host", "host"}, {"os", "system"}, {"kernel", "kernel"}, {"governor", "governor"},
	{"max_frequency_khz", "highest frequency in kHz"}, {frequencyKey, "frequency in MHz"}, {"no_turbo", "turbo off"},
	{"boost", "boost"}, {"smt", "SMT"},
	{"aslr", "address layout"}, {"transparent_hugepages", "huge pages"}, {"clocksource", "clock source"},
	{"variables", "environment variables"},
}

// featuresKey is the entry of the fingerprint with the names of what the processor can do, separated by blanks.
const featuresKey = "cpu_features"

// frequencyKey is the entry with the frequency that Google Benchmark has found, by measuring it on some machines.
const frequencyKey = "mhz_per_cpu"

// near reports whether two numbers differ by less than 5 %.
func near(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && math.Abs(x-y) < 0.05*x
}

// Machines returns what differs between the machines of two sets, in words; nothing if a set does not say. What only one
// side tells is no difference: formats, and versions of zonemark, tell more or less.
func Machines(before, after *Set) []string {
	return environments(before.Environment, after.Environment)
}

func environments(before, after map[string]string) (differ []string) {
	for _, k := range machineKeys {
		was, is := before[k.key], after[k.key]
		switch {
		case was == "" || is == "" || was == is || k.key == frequencyKey && near(was, is):
		case k.key == featuresKey:
			if text := features(was, is); text != "" {
				differ = append(differ, k.name+": "+text)
			}
		default:
			differ = append(differ, fmt.Sprintf("%s: %s before, %s now", k.name, was, is))
		}
	}
	return differ
}

// mostFeatures is how many features of processors are named.
const mostFeatures = 6

// features says which names of two lists only one of them has.
func features(before, after string) string {
	was, is := strings.Fields(before), strings.Fields(after)
	var words []string
	for _, side := range []struct {
		mine, others []string
		when         string
	}{{was, is, "before"}, {is, was, "now"}} {
		only := slices.DeleteFunc(slices.Clone(side.mine), func(f string) bool { return slices.Contains(side.others, f) })
		text := strings.Join(only[:min(len(only), mostFeatures)], " ")
		if more := len(only) - mostFeatures; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		if len(only) > 0 {
			words = append(words, text+" only "+side.when)
		}
	}
	return strings.Join(words, ", ")
}

// Differences returns what a reader must know of two sets before any verdict, in words: other machines, clocks and
// versions. It returns nothing if there is nothing to know.
func Differences(before, after *Set) (notes []string) {
	machines := Machines(before, after)
	if len(machines) > 0 {
		notes = append(notes, "the machines differ, and so may their times: "+strings.Join(machines, "; "))
	}
	for _, side := range []struct{ silent, tells *Set }{{before, after}, {after, before}} {
		if len(side.silent.Environment) == 0 && len(side.tells.Environment) > 0 {
			notes = append(notes, side.silent.Source+" does not tell on which machine it was measured")
		}
	}
	switch was, is := before.usualClock(), after.usualClock(); {
	case was == 0 || is == 0 || was == is:
	case len(machines) > 0:
		notes = append(notes, fmt.Sprintf("the usual clock was %.4g GHz before and is %.4g GHz now; times at it are those "+
			"of either", was, is))
	default:
		notes = append(notes, fmt.Sprintf("the usual clock was %.4g GHz before and is %.4g GHz now; times at it are all "+
			"given at %.4g GHz", was, is, was))
	}
	if was, is := before.Version, after.Version; was != "" && is != "" && was != is {
		notes = append(notes, fmt.Sprintf("measured by different versions of zonemark: %s before, %s now", was, is))
	}
	return notes
}

// usualClock returns the reference clock of the first row that has one, in GHz; 0 if none has.
func (s *Set) usualClock() float64 {
	for i := range s.Measurements {
		if ghz := s.Measurements[i].ReferenceGHz; ghz > 0 {
			return ghz
		}
	}
	return 0
}

// referenceAt returns the times at the usual clock as they are at another one. Both are in GHz; 0 is not known.
func (m *Measurement) referenceAt(ghz float64) Values {
	v := m.Reference
	if !(ghz > 0) || !(m.ReferenceGHz > 0) || ghz == m.ReferenceGHz {
		return v
	}
	v.Launches = slices.Clone(v.Launches)
	for i := range v.Launches {
		v.Launches[i] *= m.ReferenceGHz / ghz
	}
	return v
}
