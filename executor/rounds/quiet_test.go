package rounds

import (
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

func TestDisturbed(t *testing.T) {
	quiet, noisy, low := probeOf(4, 2), probeOf(4, 3), probeOf(3, 2)
	lowNoisy := probeOf(3, 5) // what an interruption of the chain looks like; it shows nothing
	for _, c := range []struct {
		name   string
		b      batch
		best   float64
		blind  bool // there is no canary
		memory float64
		want   disturbance
	}{
		{"quiet", batch{before: quiet, after: quiet}, 2, false, 0, nothing},
		{"a little above the best level", batch{before: probeOf(4, 2.09), after: quiet}, 2, false, 0, nothing},
		{"taken off its CPU", batch{before: quiet, after: quiet, interrupted: true}, 2, false, 0, interrupted},
		{"taken off its CPU, without a canary", batch{interrupted: true}, 0, true, 0, interrupted},
		{"without a canary", batch{}, 0, true, 0, nothing},
		{"level not known", batch{before: noisy, after: noisy}, 0, false, 0, nothing},
		{"shared before", batch{before: noisy, after: quiet}, 2, false, 0, sharedCore},
		{"shared after", batch{before: quiet, after: noisy}, 2, false, 0, sharedCore},
		{"probe before interrupted", batch{before: lowNoisy, after: quiet}, 2, false, 0, nothing},
		{"probe after interrupted", batch{before: quiet, after: lowNoisy}, 2, false, 0, nothing},
		{"one interrupted, the other one shared", batch{before: lowNoisy, after: noisy}, 2, false, 0, sharedCore},
		{"shared caches", batch{before: quiet, after: probes{quiet.Probe, 1700}}, 2, false, 1000, sharedCaches},
		{"caches as they waver", batch{before: probes{quiet.Probe, 900}, after: probes{quiet.Probe, 1300}},
			2, false, 1000, nothing},
		{"slow clock", batch{before: low, after: lowNoisy}, 2, false, 0, slowClock},
	} {
		s := &sampling{Session: &Session{}, quiet: quietness{slack: quietTimed, best: levels{c.best, c.memory}, ghz: 4}}
		if !c.blind {
			s.watch.canary = &canaryProbes{}
		}
		if got := s.disturbed(&c.b); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func probeOf(ghz, ports float64) probes { return probes{Probe: native.Probe{GHz: ghz, Ports: ports}} }

// probesOf returns n probes of one level at one clock.
func probesOf(n int, ghz, ports float64) []probes {
	return slices.Repeat([]probes{probeOf(ghz, ports)}, n)
}

func TestLearn(t *testing.T) {
	for _, c := range []struct {
		name       string
		quietPorts float64
		probes     []probes
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
		q := newQuietness(levels{ports: c.quietPorts}, nil)
		addAll(q.all, c.probes)
		if q.learn(); q.ghz != c.ghz || q.best.ports != c.best {
			t.Errorf("%s: clock %g, best level %g; want %g, %g", c.name, q.ghz, q.best.ports, c.ghz, c.best)
		}
	}
}

// TestOnlyQuietBatchesCount sorts batches with made-up probes and interruptions. Quiet batches take 10 ns a call,
// others 20.
func TestOnlyQuietBatchesCount(t *testing.T) {
	quiet := probeOf(4, 2)
	made := func(q, shared, slow, off int) (all []batch) {
		all = slices.Concat(
			slices.Repeat([]batch{{ns: 10, cpuNS: 10, before: quiet, after: quiet}}, q),
			slices.Repeat([]batch{{ns: 20, cpuNS: 20, before: quiet, after: probeOf(4, 4)}}, shared),
			slices.Repeat([]batch{{ns: 20, cpuNS: 20, before: probeOf(2, 2), after: probeOf(2, 2)}}, slow),
			slices.Repeat([]batch{{ns: 20, cpuNS: 10, before: quiet, after: quiet, interrupted: true}}, off))
		return all
	}
	for _, c := range []struct {
		name      string // a short launch's begins so
		made      []batch
		kept      int
		apart     int64
		median    float64
		contended bool
		canary    invocations.Canary
	}{
		{"all quiet", made(40, 0, 0, 0), 40, 0, 9, false,
			invocations.Canary{Batches: 40, Quiet: 40, Ports: 0, KeptPorts: 2, GHz: 4}},
		{"some disturbed", made(40, 3, 2, 1), 40, 6, 9, false,
			invocations.Canary{Batches: 46, Quiet: 40, Core: 3, Slow: 2, Interrupted: 1, KeptPorts: 2, GHz: 4}},
		{"few quiet, but most", made(5, 2, 0, 1), 5, 3, 9, false,
			invocations.Canary{Batches: 8, Quiet: 5, Core: 2, Interrupted: 1, KeptPorts: 2, GHz: 4}},
		{"just enough quiet", made(fewestQuiet, 20, 0, 0), fewestQuiet, 20, 9, false,
			invocations.Canary{Batches: 30, Quiet: 10, Core: 20, KeptPorts: 2, GHz: 4}},
		{"too few quiet", made(fewestQuiet-1, 20, 0, 5), 29, 5, 19, true,
			invocations.Canary{Batches: 34, Quiet: 9, Core: 20, Interrupted: 5, KeptPorts: 3, GHz: 4}},
		{"just enough of very many", made(20, 1980, 0, 0), 20, 1980, 9, false,
			invocations.Canary{Batches: 2000, Quiet: 20, Core: 1980, KeptPorts: 2, GHz: 4}},
		{"too few of very many", made(19, 1981, 0, 0), 2000, 0, 19, true,
			invocations.Canary{Batches: 2000, Quiet: 19, Core: 1981, KeptPorts: 3, GHz: 4}},
		{"short: one of ten", made(1, 9, 0, 0), 1, 9, 9, false,
			invocations.Canary{Batches: 10, Quiet: 1, Core: 9, KeptPorts: 2, GHz: 4}},
		{"short: one of eleven", made(1, 10, 0, 0), 11, 0, 19, true,
			invocations.Canary{Batches: 11, Quiet: 1, Core: 10, KeptPorts: 3, GHz: 4}},
		{"short: many", made(10, 190, 0, 0), 10, 190, 9, false,
			invocations.Canary{Batches: 200, Quiet: 10, Core: 190, KeptPorts: 2, GHz: 4}},
		{"none but interrupted ones", made(0, 0, 0, 12), 12, 0, 19, true,
			invocations.Canary{Batches: 12, Interrupted: 12, KeptPorts: 2, GHz: 4}},
	} {
		ses := sessionOf(&executor.Native{}, nil, &Instruments{around: &script{}}, invocations.Measure{})
		ses.watch.canary, ses.watch.why = &canaryProbes{core: &native.Canary{}}, ""
		ses.calls, ses.batches, ses.overhead, ses.short = 1000, 1, 1, strings.HasPrefix(c.name, "short")
		// Too few probes for a best level of the machine.
		s := newSampling(ses, budget{}, levels{})
		addAll(s.made, c.made)
		addAll(s.quiet.all, probesOf(40, 4, 2))
		r := invocations.Result{}
		s.finish(&r)
		if len(r.SamplesNS) != c.kept || r.Discarded.Disturbed != c.apart || r.Iterations != int64(1000*c.kept) {
			t.Errorf("%s: %d kept, %d set apart, %d calls",
				c.name, len(r.SamplesNS), r.Discarded.Disturbed, r.Iterations)
		}
		if m := stats.Median(r.SamplesNS); m != c.median {
			t.Errorf("%s: median %g, want %g", c.name, m, c.median)
		}
		if got := slices.Contains(r.Verdicts, invocations.Contended); got != c.contended {
			t.Errorf("%s: verdicts %v", c.name, r.Verdicts)
		}
		if r.Canary != c.canary {
			t.Errorf("%s: %+v, want %+v", c.name, r.Canary, c.canary)
		}
		if len(r.CyclesSamples) != c.kept || r.CyclesCounted || r.CyclesSamples[0] != 4*r.SamplesNS[0] {
			t.Errorf("%s: %d cycles of %d batches, counted %t", c.name, len(r.CyclesSamples), c.kept, r.CyclesCounted)
		}
	}
}
