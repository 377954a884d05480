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
	const arrays = 3 // which have room between them in some launches
	for _, c := range []struct {
		bytes     int64
		hugePages bool
		host      string // transparent huge pages of the host that measures; empty: this machine does
		lent      bool
	}{
		{exchangeLeast - 1, false, "", false},
		{exchangeLeast, false, "", true},
		{beyondCaches + 1, true, "", false},
		{exchangeMost, false, "", true},
		{exchangeMost + 1, false, "", false},
		{exchangeLeast, false, "always [madvise] never", true},
		{exchangeMost, false, "[always] madvise never", false},
	} {
		if c.host == "" && hugePagesAlways() && c.bytes > hugePage {
			c.lent = false
		}
		plan, of := pairedPlan(1, invocations.Measure{MaxTimeNS: int64(time.Hour), MinTimeNS: 10 * 4 * turnNS, CPU: -1,
			HugePages: c.hugePages})
		var mu sync.Mutex // both sides are prepared at the same time
		parts, prepared := map[string][]int{}, map[string][]int{}
		l := &lending{puppet: &puppet{play: func(m *wire.Execute) *invocations.Result {
			mu.Lock()
			switch side := m.ID[:1]; {
			case m.Number > 0 && m.Measure.MinTimeNS == 0:
				prepared[side] = append(prepared[side], m.Part)
			case m.Number > 0:
				parts[side] = append(parts[side], m.Part)
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
		for launch := range launches - 1 {
			if c.lent && (prepared["a"][launch] != parts["a"][4*launch] || prepared["b"][launch] != parts["b"][4*launch]) {
				t.Errorf("%+v: sides are prepared for parts %v", c, prepared)
			}
			for turn := range 4 {
				a, b := parts["a"][4*launch+turn], parts["b"][4*launch+turn]
				switch {
				case !c.lent && (a != 0 || b != 0):
					t.Errorf("%+v: parts %d and %d of nothing", c, a, b)
				case c.lent && (a+b != 3 || (a == parts["a"][4*launch]) != (turn < 2)):
					t.Errorf("%+v: parts %d and %d in turn %d", c, a, b, turn)
				case c.lent && launch > 0 && launch%2 == 0 && a == parts["a"][4*(launch-1)+turn]:
					t.Errorf("%+v: part %d twice in turn %d, though the other one began", c, a, turn)
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
			if executors%2 != 0 || executors > 2*exchangeLaunches || x.bytes < c.bytes+2*arrays*invocations.PlacementPage ||
				len(x.parts) != parted {
				t.Errorf("%+v: %d executors have %d bytes in %d parts", c, executors, x.bytes, len(x.parts))
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
			_, err := x.steps.Stat()
			open[m.Number] = err == nil
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

func TestLentElsewhere(t *testing.T) {
	for _, c := range []struct{ number, bytes int64 }{{0, 0}, {0, 10}, {-1, 10}, {1, 0}, {1, -1}, {1, 1 << 62}} {
		if x := LentElsewhere(c.number, c.bytes); x != nil {
			t.Errorf("%+v: there is memory", c)
		}
	}
	if number, bytes := (*Exchange)(nil).Named(); number != 0 || bytes != 0 {
		t.Errorf("nothing has number %d and %d bytes", number, bytes)
	}
}

// What is confined cannot make the memory larger, nor so small that the other executor dies of it.
func TestExchangeKeepsItsSize(t *testing.T) {
	x := LentElsewhere(newExchange(10_000).Named())
	defer x.Close()
	for _, f := range x.parts {
		if err := f.Truncate(5_000); err == nil {
			t.Error("it became smaller")
		}
		if err := f.Truncate(20_000); err == nil {
			t.Error("it became larger")
		}
		info, err := f.Stat()
		if err != nil || info.Size() < 10_000 {
			t.Fatalf("%d bytes, %v", info.Size(), err)
		}
		if _, err := f.WriteAt([]byte{1}, info.Size()); err == nil {
			t.Error("something was written behind it")
		}
	}
}
