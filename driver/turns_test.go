package driver

import (
	"strings"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// turnOf is what an executor answers in a turn. Calls are too long for steps.
func turnOf(m *wire.Execute, samples int) *invocations.Result {
	return answerOf(m, samples, 2*longestStepped)
}

// answerOf is what an executor answers in a turn whose calls take so many nanoseconds.
func answerOf(m *wire.Execute, samples int, ns float64) *invocations.Result {
	r := combinetest.MadeUp(ns)
	r.SamplesNS, r.CPUSamplesNS = r.SamplesNS[:samples], r.CPUSamplesNS[:samples]
	r.CyclesSamples = r.CyclesSamples[:samples]
	r.Number, r.CallsPerBatch, r.Iterations = m.Number, 1, int64(samples)
	r.Discarded.Warmup = 3
	return &r
}

// asked is a message to an executor, as far as turns concern it.
type asked struct {
	id             string
	launch         int
	last           bool
	offset, least  int64
	most, leastRun int64
	cpu            int
}

func TestTurns(t *testing.T) {
	const launches, least = 4, 6
	each := 0 // turns of a side: more than the least if starting an executor took long, as on a busy machine
	measure := invocations.Measure{MaxTimeNS: int64(time.Hour), MinTimeNS: 10 * 5 * turnNS, MinIterations: 1000, CPU: -1,
		Precision: 0.01}
	plan, of := pairedPlan(1, measure)
	var seen []asked
	p := &puppet{play: func(m *wire.Execute) *invocations.Result {
		seen = append(seen, asked{m.ID, m.Number, m.Last, m.Measure.PageOffset, m.Measure.MinTimeNS, m.Measure.MaxTimeNS,
			m.Measure.MinIterations, m.Measure.CPU})
		if m.Number > 0 && (m.Measure.Precision != 0 || !m.Trusted) {
			t.Errorf("a turn has the precision %v, trusted %t", m.Measure.Precision, m.Trusted)
		}
		r := turnOf(m, 1+len(seen)%2)
		if m.InTurns {
			r.CPU = 1 + 10*m.Number + len(seen)%2 // the first one of a launch tells
		}
		return r
	}}
	_, err := Execute(t.Context(), plan, Execution{Executor: p, Pairs: &Pairs{Of: of,
		Decided: func(_ int, results [2][]invocations.Result, _ bool) bool {
			n := len(results[0])
			for side, list := range results {
				last := list[n-1]
				samples := 0
				for _, k := range last.MergedSamples {
					samples += k
				}
				if n == 2 && side == 0 {
					each = len(last.MergedSamples)
				}
				switch {
				case len(list) != n || last.Number != n-1:
					t.Errorf("side %d has %d launches, the last of which is %d", side, len(list), last.Number)
				case n == 1 && last.MergedSamples != nil:
					t.Errorf("the first launch has turns: %v", last.MergedSamples)
				case n > 1 && (len(last.MergedSamples) != each || samples != len(last.SamplesNS) ||
					last.Cycles.N != samples || len(last.Cycles.Turns) != each || int64(samples) != last.Iterations || last.Discarded.Warmup != 3):
					t.Errorf("a launch in turns: %+v", last)
				}
			}
			return n == launches
		}}})
	if err != nil {
		t.Fatal(err)
	}
	if each < least || each > mostTurns || each%2 != 0 {
		t.Fatalf("%d turns of a side", each)
	}
	if len(seen) != 2+(launches-1)*2*each || p.starts < 2*launches {
		t.Fatalf("%d messages to %d executors", len(seen), p.starts)
	}
	calls := int64((200 + each - 1) / each) // a fifth of 1,000, in each launch
	for launch := 1; launch < launches; launch++ {
		turns := seen[2+(launch-1)*2*each:][:2*each]
		var sides string
		for i, a := range turns {
			sides += a.id[:1]
			if a.launch != launch || a.offset != turns[0].offset || a.least != turnNS || a.last != (i >= 2*each-2) || a.leastRun != calls {
				t.Errorf("turn %d of launch %d: %+v", i/2, launch, a)
			}
			if want := turns[1].cpu; i > 0 && a.cpu != want || i == 0 && a.cpu != -1 || want/10 != launch {
				t.Errorf("turn %d of launch %d runs on CPU %d, the second on %d", i/2, launch, a.cpu, want)
			}
			if i >= 2 && a.most != longestTurn {
				t.Errorf("turn %d may take %v", i/2, time.Duration(a.most))
			}
		}
		if sides != strings.Repeat("abba", each/2) && sides != strings.Repeat("baab", each/2) {
			t.Errorf("order of turns: %s", sides)
		}
	}
}

// A side that fails ends the launch; the other side has its turns so far, if there are any.
func TestTurnFails(t *testing.T) {
	for _, failing := range []int{1, 2, 3, 8} { // message of side b
		plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), CPU: -1})
		messages := 0
		p := &puppet{play: func(m *wire.Execute) *invocations.Result {
			if strings.HasPrefix(m.ID, "b") {
				if messages++; messages == failing {
					return &invocations.Result{Status: invocations.Failed, Error: "no", Number: m.Number}
				}
			}
			return turnOf(m, 2)
		}}
		outcome, err := Execute(t.Context(), plan, Execution{Executor: p, Pairs: &Pairs{Of: of,
			Decided: func(int, [2][]invocations.Result, bool) bool { return false }}})
		if err != nil || outcome.Records.Len() != 2 {
			t.Fatalf("message %d: %d records, %v", failing, outcome.Records.Len(), err)
		}
		if a, b := recordstest.At(t, outcome.Records, 0), recordstest.At(t, outcome.Records, 1); a.Status != invocations.OK || b.Status != invocations.Failed ||
			b.Error != "no" || messages != failing {
			t.Errorf("message %d: %s and %s %q after %d", failing, a.Status, b.Status, b.Error, messages)
		}
	}
}
