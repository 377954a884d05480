package rounds

import (
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/rounds/noise"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

func TestDisturbed(t *testing.T) {
	quiet, shared := probeOf(4, 2), probeOf(4, 3)
	for _, c := range []struct {
		name  string
		b     batch
		blind bool // there is no canary
		want  noise.Disturbance
	}{
		{"quiet", batch{before: quiet, after: quiet}, false, noise.None},
		{"shared", batch{before: shared, after: quiet}, false, noise.SharedCore},
		{"taken off its CPU", batch{before: quiet, after: shared, interrupted: true}, false, noise.Interrupted},
		{"taken off its CPU, without a canary", batch{interrupted: true}, true, noise.Interrupted},
		{"without a canary", batch{before: shared, after: shared}, true, noise.None},
	} {
		s := &sampling{Session: &Session{}, quiet: noise.New(noise.Levels{Ports: 2}, false)}
		for range 20 {
			s.quiet.Add(quiet, quiet)
		}
		if !c.blind {
			s.watch.canary = &canaryProbes{}
		}
		if got := s.disturbed(&c.b); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func probeOf(ghz, ports float64) noise.Probes {
	return noise.Probes{Probe: native.Probe{GHz: ghz, Ports: ports}}
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
		s := newSampling(ses, budget{}, noise.Levels{})
		addAll(s.made, c.made)
		for range 20 {
			s.quiet.Add(quiet, quiet)
		}
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
