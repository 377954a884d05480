package driver

import (
	"sync"
	"testing"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// lending keeps what its executors were lent.
type lending struct {
	*puppet
	mu   sync.Mutex
	lent []*Exchange
}

func (l *lending) Start(allowed Allowance) (*Process, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent = append(l.lent, allowed.Exchange)
	return l.puppet.Start(allowed)
}

// Executors that take turns change the parts of the memory that they are lent after half of the turns. Arguments that
// fit into the first cache, are very large, or ask for huge pages get none.
func TestExchange(t *testing.T) {
	const launches = 2 + exchangeLaunches
	for _, c := range []struct {
		bytes     int64
		hugePages bool
		lent      bool
	}{
		{exchangeLeast - 1, false, false},
		{exchangeLeast, false, true},
		{beyondCaches + 1, true, false},
		{exchangeMost, false, true},
		{exchangeMost + 1, false, false},
	} {
		if hugePagesAlways() && c.bytes > hugePage {
			c.lent = false
		}
		plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), MinTimeNS: 10 * 4 * turnNS, CPU: -1,
			HugePages: c.hugePages})
		parts := map[string][]int{}
		l := &lending{puppet: &puppet{play: func(m *wire.Execute) *invocations.Result {
			if m.Round > 0 {
				parts[m.ID[:1]] = append(parts[m.ID[:1]], m.Part)
			}
			if turns := m.Round > 0; m.InTurns != turns || !turns && m.Part != 0 {
				t.Errorf("%+v: launch %d has part %d, in turns %t", c, m.Round, m.Part, m.InTurns)
			}
			r := turnOf(m, 2)
			r.SetBytes = c.bytes
			return r
		}}}
		_, err := Execute(t.Context(), plan, Execution{Executor: l, Pairs: &Pairs{Of: of,
			Decided: func(_ int, results [2][]invocations.Result, _ bool) bool { return len(results[0]) == launches }}})
		if err != nil {
			t.Fatal(err)
		}
		for launch := range launches - 1 {
			for turn := range 4 {
				a, b := parts["a"][4*launch+turn], parts["b"][4*launch+turn]
				switch {
				case !c.lent && (a != 0 || b != 0):
					t.Errorf("%+v: parts %d and %d of nothing", c, a, b)
				case c.lent && (a+b != 3 || a != partOf(0, turn, 4) || turn >= 2 && a == parts["a"][4*launch]):
					t.Errorf("%+v: parts %d and %d in turn %d", c, a, b, turn)
				}
			}
		}
		lent := map[*Exchange]int{}
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
		for x, executors := range lent {
			if executors%2 != 0 || executors > 2*exchangeLaunches || x.bytes < c.bytes || len(x.Files()) != 2 {
				t.Errorf("%+v: %d executors have %d bytes in %d parts", c, executors, x.bytes, len(x.Files()))
			}
		}
	}
}

// What is confined cannot make the memory larger, nor so small that the other executor dies of it.
func TestExchangeKeepsItsSize(t *testing.T) {
	x := newExchange(10_000)
	defer x.close()
	for _, f := range x.Files() {
		if err := f.Truncate(5_000); err == nil {
			t.Error("it became smaller")
		}
		if err := f.Truncate(20_000); err == nil {
			t.Error("it became larger")
		}
		if _, err := f.WriteAt([]byte{1}, 10_000); err == nil {
			t.Error("something was written behind it")
		}
	}
}
