package driver

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// lending keeps what its executors were lent.
type lending struct {
	*puppet
	mu    sync.Mutex
	lent  []*executors.Exchange
	parts []int // of each, when it was lent
}

func (l *lending) Start(allowed executors.Allowance) (*executors.Process, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent = append(l.lent, allowed.Exchange)
	if x := allowed.Exchange; x != nil {
		l.parts = append(l.parts, x.Parts())
	}
	return l.puppet.Start(allowed)
}

// Executors that take turns change the parts of the memory that they are lent after half of the turns. Arguments that
// fit into the first cache, are very large, or ask for huge pages get none.
func TestExchange(t *testing.T) {
	const launches = 2 + exchangeLaunches
	const arrays = 3 // which have room between them in some launches
	for _, c := range []struct {
		bytes     int64
		hugePages bool
		host      string // transparent huge pages of the host that measures; empty: this machine does
		lent      bool
	}{
		{exchangeLeast - 1, false, "", false},
		{exchangeLeast, false, "", true},
		{executors.HugePage/2 + 1, true, "", false},
		{executors.MostExchanged, false, "", true},
		{executors.MostExchanged + 1, false, "", false},
		{exchangeLeast, false, "always [madvise] never", true},
		{executors.MostExchanged, false, "[always] madvise never", false},
	} {
		if c.host == "" && strings.Contains(executors.HugePages(), "[always]") && c.bytes > executors.HugePage {
			c.lent = false
		}
		plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), MinTimeNS: 10 * 4 * turnNS, CPU: -1,
			HugePages: c.hugePages})
		var mu sync.Mutex                    // both sides are prepared at the same time
		var parts [launches]map[string][]int // of each turn, by side; loading takes long on a busy machine, and turns are more
		prepared := map[string][]int{}
		for launch := range parts {
			parts[launch] = map[string][]int{}
		}
		l := &lending{puppet: &puppet{play: func(m *wire.Execute) *invocations.Result {
			mu.Lock()
			switch side := m.ID[:1]; {
			case m.Number > 0 && m.Measure.MinTimeNS == 0:
				prepared[side] = append(prepared[side], m.Part)
			case m.Number > 0:
				parts[m.Number][side] = append(parts[m.Number][side], m.Part)
			}
			mu.Unlock()
			if turns := m.Number > 0; m.InTurns != turns || !turns && m.Part != 0 {
				t.Errorf("%+v: launch %d has part %d, in turns %t", c, m.Number, m.Part, m.InTurns)
			}
			r := turnOf(m, 2)
			r.SetBytes, r.Sets, r.Places = c.bytes, 2, make([]invocations.ArrayPlace, arrays)
			return r
		}}}
		execution := Execution{Executor: l, Pairs: &Pairs{Of: of,
			Decided: func(_ int, results [2][]invocations.Result, _ bool) bool { return len(results[0]) == launches }}}
		parted := 2
		if c.host != "" { // which has the parts
			execution.Hosts = []*Host{{Name: "n1", Executor: l, Environment: map[string]string{"transparent_hugepages": c.host}}}
			parted = 0
		}
		_, err := Execute(t.Context(), plan, execution)
		if err != nil {
			t.Fatal(err)
		}
		if c.lent != (len(prepared["a"]) == launches-1) || c.lent != (len(prepared["b"]) == launches-1) {
			t.Errorf("%+v: sides are prepared for parts %v", c, prepared)
		}
		for launch := 1; launch < launches; launch++ {
			a, b := parts[launch]["a"], parts[launch]["b"]
			if len(a) < 4 || len(a)%2 != 0 || len(a) != len(b) {
				t.Fatalf("%+v: launch %d has the turns %v and %v", c, launch, a, b)
			}
			if c.lent && (prepared["a"][launch-1] != a[0] || prepared["b"][launch-1] != b[0]) {
				t.Errorf("%+v: sides are prepared for parts %v", c, prepared)
			}
			if c.lent && launch%2 == 1 && launch > 1 && a[0] == parts[launch-1]["a"][0] {
				t.Errorf("%+v: part %d begins twice, though the other one began", c, a[0])
			}
			for turn := range a {
				switch {
				case !c.lent && (a[turn] != 0 || b[turn] != 0):
					t.Errorf("%+v: parts %d and %d of nothing", c, a[turn], b[turn])
				case c.lent && (a[turn]+b[turn] != 3 || (a[turn] == a[0]) != (turn < len(a)/2)):
					t.Errorf("%+v: parts %d and %d in turn %d", c, a[turn], b[turn], turn)
				}
			}
		}
		lent := map[*executors.Exchange]int{}
		for _, x := range l.lent {
			if x != nil {
				lent[x]++
			}
		}
		if c.lent != (len(lent) > 0) {
			t.Errorf("%+v: %d exchanges", c, len(lent))
		}
		if c.lent && len(lent) != 2 {
			t.Errorf("%+v: %d exchanges", c, len(lent))
		}
		if slices.ContainsFunc(l.parts, func(parts int) bool { return parts != parted }) {
			t.Errorf("%+v: they have %v parts", c, l.parts)
		}
		for x, n := range lent {
			if n%2 != 0 || n > 2*exchangeLaunches || x.Bytes() < c.bytes+2*arrays*invocations.PlacementPage {
				t.Errorf("%+v: %d executors have %d bytes", c, n, x.Bytes())
			}
		}
	}
}

// The memory stays open as long as a launch uses it: an executor that dies in the meantime is followed by another one.
// It used to be closed in the eighth launch, when both executors had started.
func TestExchangeIsOpen(t *testing.T) {
	const launches = 2 + exchangeLaunches
	plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), MinTimeNS: 10 * 4 * turnNS, CPU: -1})
	var l *lending
	open := map[int]bool{}
	l = &lending{puppet: &puppet{play: func(m *wire.Execute) *invocations.Result {
		l.mu.Lock()
		defer l.mu.Unlock()
		if x := l.lent[len(l.lent)-1]; x != nil {
			open[m.Number] = x.Parts() > 0
		}
		r := turnOf(m, 2)
		r.SetBytes, r.Sets, r.Places = exchangeLeast, 2, make([]invocations.ArrayPlace, 3)
		return r
	}}}
	_, err := Execute(t.Context(), plan, Execution{Executor: l, Pairs: &Pairs{Of: of,
		Decided: func(_ int, results [2][]invocations.Result, _ bool) bool { return len(results[0]) == launches }}})
	if err != nil {
		t.Fatal(err)
	}
	for launch := 1; launch < launches; launch++ {
		if !open[launch] {
			t.Errorf("the memory of launch %d is closed while it is in use", launch)
		}
	}
}
