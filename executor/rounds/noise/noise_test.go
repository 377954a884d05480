package noise

import (
	"slices"
	"testing"

	"zonemark/executor/native"
)

func probeOf(ghz, ports float64) Probes { return Probes{Probe: native.Probe{GHz: ghz, Ports: ports}} }

// probesOf returns n probes of one level at one clock.
func probesOf(n int, ghz, ports float64) []Probes {
	return slices.Repeat([]Probes{probeOf(ghz, ports)}, n)
}

func TestOf(t *testing.T) {
	quiet, noisy, low := probeOf(4, 2), probeOf(4, 3), probeOf(3, 2)
	lowNoisy := probeOf(3, 5) // what an interruption of the chain looks like; it shows nothing
	withMemory := func(ns float64) Probes { return Probes{quiet.Probe, ns} }
	for _, c := range []struct {
		name          string
		before, after Probes
		best          Levels
		want          Disturbance
	}{
		{"quiet", quiet, quiet, Levels{2, 0}, None},
		{"a little above the best level", probeOf(4, 2.09), quiet, Levels{2, 0}, None},
		{"level not known", noisy, noisy, Levels{}, None},
		{"shared before", noisy, quiet, Levels{2, 0}, SharedCore},
		{"shared after", quiet, noisy, Levels{2, 0}, SharedCore},
		{"probe before interrupted", lowNoisy, quiet, Levels{2, 0}, None},
		{"probe after interrupted", quiet, lowNoisy, Levels{2, 0}, None},
		{"one interrupted, the other one shared", lowNoisy, noisy, Levels{2, 0}, SharedCore},
		{"shared caches", quiet, withMemory(1700), Levels{2, 1000}, SharedCaches},
		{"caches as they waver", withMemory(900), withMemory(1300), Levels{2, 1000}, None},
		{"slow clock", low, lowNoisy, Levels{2, 0}, SlowClock},
	} {
		l := Learner{slack: quietTimed, best: c.best, ghz: 4}
		if got := l.Of(c.before, c.after); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestLearn(t *testing.T) {
	for _, c := range []struct {
		name       string
		quietPorts float64
		probes     []Probes
		ghz, best  float64
	}{
		{"nothing known", 0, probesOf(20, 4, 2), 4, 2},
		{"the known level is better", 1.9, probesOf(20, 4, 2), 4, 1.9},
		{"better than the known one, by few probes", 2.5, probesOf(fewestProbes-2, 4, 2), 4, 2.5},
		{"better than the known one, by many", 2.5, probesOf(fewestProbes, 4, 2), 4, 2},
		{"worse than the known one, by many", 1.9, probesOf(fewestProbes, 4, 2), 4, 1.9},
		{"a few by accident", 0, slices.Concat(probesOf(5, 4, 1), probesOf(95, 4, 2)), 4, 2},
		{"a tenth quiet", 0, slices.Concat(probesOf(15, 4, 2), probesOf(85, 4, 3)), 4, 2},
		{"other clocks tell nothing", 0,
			slices.Concat(probesOf(30, 3, 1.5), probesOf(30, 5, 1.5), probesOf(61, 4, 2)), 4, 2},
		{"and do not count as probes", 2.5, slices.Concat(probesOf(40, 3, 2), probesOf(fewestProbes-1, 4, 2)), 4, 2.5},
	} {
		q := New(Levels{Ports: c.quietPorts}, false)
		for _, p := range c.probes {
			q.all.Add(p)
		}
		if q.Learn(); q.ghz != c.ghz || q.best.Ports != c.best {
			t.Errorf("%s: clock %g, best level %g; want %g, %g", c.name, q.ghz, q.best.Ports, c.ghz, c.best)
		}
	}
}
