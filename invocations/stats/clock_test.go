package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zonemark/invocations/testsize"
)

// spreadOf returns the distance from the 5 % to the 95 % quantile, as a fraction of the median.
func spreadOf(values []float64) float64 {
	x := slices.Sorted(slices.Values(values))
	return (Quantile(x, 0.95) - Quantile(x, 0.05)) / Quantile(x, 0.5)
}

// machine draws runs of a function on a core.
type machine struct {
	between  float64 // how far the clock moves from run to run, as a deviation of its logarithm
	within   float64 // the same from launch to launch
	follows  float64 // share of the function's time that follows the clock
	noise    float64 // deviation of a launch's time beyond that
	error    float64 // of the clock that is seen
	own      float64 // what the function does to the clock
	ownError float64 // deviation of what a launch sees of that
	capped   bool    // the function runs at its own clock, whatever neighbours leave to scalar code
	works    float64
	memory   bool
	offset   float64 // of the clock from the usual one, in all runs
}

// run returns the launches of a run. A call takes 1,000 ns at the usual clock of 4 GHz, if it is scalar code.
func (m machine) run(random *rand.Rand, launches int) Clocked {
	c := Clocked{Usual: 4, Works: m.works, Memory: m.memory}
	of := m.offset + m.between*random.NormFloat64()
	for range launches {
		moved := of + m.within*random.NormFloat64()
		if m.capped {
			c.NS = append(c.NS, 1000*math.Exp(m.noise*random.NormFloat64()))
			c.GHz = append(c.GHz, 4*m.own)
			c.Own = append(c.Own, m.own*math.Exp(-moved+m.ownError*random.NormFloat64()))
			continue
		}
		c.NS = append(c.NS, 1000*math.Exp(-m.follows*moved+m.noise*random.NormFloat64()))
		c.GHz = append(c.GHz, 4*m.own*math.Exp(moved+m.error*random.NormFloat64()))
		if m.own != 1 {
			c.Own = append(c.Own, m.own*math.Exp(m.ownError*random.NormFloat64()))
		}
	}
	return c
}

// TestAtUsual draws runs on machines whose clock moves, and on such whose clock stands still. From run to run, times at
// the usual clock scatter hardly more than times do, and much less if the clock explains the times; they are those at
// that clock, as far as the function follows it; and the interval of one run holds the figure of another one.
func TestAtUsual(t *testing.T) {
	countsRates(t)
	random := rand.New(rand.NewPCG(1, 2))
	core := machine{follows: 1, noise: 0.0005, error: 0.0003, own: 1, works: 1}
	with := func(m machine, edit func(*machine)) machine {
		edit(&m)
		return m
	}
	for _, c := range []struct {
		name string
		machine
		most  float64 // spread of the figures of runs
		value float64 // of a call
		off   float64 // how far the figure may be from that
	}{
		{"a steady clock", core, 0.002, 1000, 0.001},
		{"a steady clock, not the usual one", with(core, func(m *machine) { m.offset = -0.05 }), 0.002, 1000, 0.002},
		{"it moves from launch to launch", with(core, func(m *machine) { m.within = 0.04 }), 0.006, 1000, 0.003},
		{"it moves from run to run", with(core, func(m *machine) { m.between = 0.05 }), 0.003, 1000, 0.002},
		{"both", with(core, func(m *machine) { m.between, m.within = 0.05, 0.03 }), 0.006, 1000, 0.003},
		{
			"wide vectors", with(core, func(m *machine) { m.own, m.ownError, m.between = 0.93, 0.001, 0.05 }), 0.004,
			1000, 0.002,
		},
		{
			"wide vectors whose clock neighbours do not lower further", with(core, func(m *machine) {
				m.own, m.ownError, m.capped, m.within = 0.93, 0.001, true, 0.04
			}), 0.02, 1000, 0.01,
		},
		{
			"a sleep, while the clock moves", with(core, func(m *machine) {
				m.follows, m.works, m.between, m.within = 0, 0.01, 0.05, 0.03
			}), 0.004, 1000, 0.002,
		},
		{
			"data in memory, while the clock moves from launch to launch", with(core, func(m *machine) {
				m.follows, m.memory, m.within = 0, true, 0.04
			}), 0.01, 1000, 0.005,
		},
		{
			"data in memory, of which nothing is known", with(core, func(m *machine) {
				m.follows, m.memory = 0, true
			}), 0.002, 1000, 0.001,
		},
		{
			"calls that follow nothing, which nobody knows before", with(core, func(m *machine) {
				m.follows, m.within = 0, 0.02
			}), 0.01, 1000, 0.005,
		},
		{
			"calls of which half follows, while the clock moves", with(core, func(m *machine) {
				m.follows, m.between, m.within = 0.5, 0.03, 0.03
			}), 0.01, 1000, 0.003,
		},
		{
			"large data, bound by the core", with(core, func(m *machine) { m.memory, m.within = true, 0.04 }), 0.01, 1000,
			0.005,
		},
	} {
		for _, launches := range []int{5, 12} {
			trials := testsize.Of(400, 1500)
			figures, covered := make([]float64, trials), 0
			var last Interval
			for i := range trials {
				at := c.run(random, launches).AtUsual()
				figures[i] = Median(at.NS)
				if i > 0 && last.Low <= figures[i] && figures[i] <= last.High {
					covered++
				}
				last = LaunchInterval(at.NS)
				last = last.Widen(at.Vague * last.Value)
			}
			if s := spreadOf(figures); s > c.most {
				t.Errorf("%s, %d launches: the figures of runs spread by %.2f %%, want %.2f %%", c.name, launches, 100*s,
					100*c.most)
			}
			if v := Median(figures); math.Abs(v/c.value-1) > c.off {
				t.Errorf("%s, %d launches: %.1f ns, want %.1f", c.name, launches, v, c.value)
			}
			if covered < testsize.AtLeast(trials, 0.91) {
				t.Errorf("%s, %d launches: %d of %d intervals hold the figure of the next run", c.name, launches, covered,
					trials)
			}
		}
	}
}

// TestAtUsualByProbes: launches that agree by chance know the clock no better than probes show it. Counted cycles do. At
// the usual clock, nothing is corrected.
func TestAtUsualByProbes(t *testing.T) {
	c := Clocked{NS: []float64{10, 10, 10, 10, 10}, GHz: []float64{4, 4, 4, 4, 4}, Usual: 4, Works: 1}
	if vague := c.AtUsual().Vague; vague > 1e-9 {
		t.Errorf("by counted cycles, the times may be off by %g", vague)
	}
	c.Usual = 3.9
	for range c.NS {
		c.Courses = append(c.Courses, courseOf([]float64{40, 40, 40}, []float64{10, 10, 10}))
	}
	if vague := c.AtUsual().Vague; vague < 5e-4 || vague > 15e-4 {
		t.Errorf("by probes, the times may be off by %g", vague)
	}
	if c.Usual = 4.004; Median(c.AtUsual().NS) != 10 || c.AtUsual().Vague > 1e-4 {
		t.Errorf("at the usual clock, as far as probes tell: %+v", c.AtUsual())
	}
}

// TestProbesBesideNeighbour: a neighbour slows the probes of a run by a little, and not the calls. A steady clock then
// leaves the times of runs as they are, and one that is another one is still corrected.
func TestProbesBesideNeighbour(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ ghz, most, off float64 }{{4, 0.0004, 0.0002}, {3.96, 0.003, 0.002}} {
		var figures []float64
		for range 300 {
			low, run := math.Exp(-0.001+0.0004*random.NormFloat64()), Clocked{Usual: 4, Works: 1}
			for range 7 {
				ns := 1000 * 4 / c.ghz * math.Exp(0.0001*random.NormFloat64())
				clock := c.ghz * low * math.Exp(0.0002*random.NormFloat64())
				run.NS, run.GHz = append(run.NS, ns), append(run.GHz, clock)
				run.Courses = append(run.Courses, courseOf([]float64{clock, clock, clock}, []float64{1, 1, 1}))
			}
			figures = append(figures, Median(run.AtUsual().NS))
		}
		if s, v := spreadOf(figures), Median(figures); s > c.most || math.Abs(v/1000-1) > c.off {
			t.Errorf("at %g GHz: %.2f ns, spread by %.3f %%, want 1000 within %.2f %%, spread by %.3f %%", c.ghz, v, 100*s,
				100*c.off, 100*c.most)
		}
	}
}

// TestProbesStray: a neighbour moves the clock that probes see, by up to 1 %, while calls take the same time at a clock
// that is not the usual one. That does not say that calls follow no clock: an Intel processor had half of the rows of a
// chain of multiplications 3 % too fast, clean.
func TestProbesStray(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, stray := range []float64{0.001, 0.003, 0.006} {
		for range 50 {
			c := Clocked{Usual: 2.9, Works: 1}
			for range 7 {
				seen := 3 * (1 - stray*random.Float64()*2)
				var times, cycles []float64
				for i := range 400 {
					clock := seen
					if i/50%2 == 0 { // and within launches
						clock *= 1 - stray
					}
					times = append(times, 1336.6+0.1*random.NormFloat64())
					cycles = append(cycles, times[i]*clock*(1+0.0005*random.NormFloat64()))
				}
				c.NS, c.GHz, c.Courses = append(c.NS, 1336.6), append(c.GHz, seen), append(c.Courses, courseOf(cycles, times))
			}
			at := c.AtUsual()
			if off := math.Abs(Median(at.NS)/(1336.6*3/2.9) - 1); off > 0.001+2*stray {
				t.Fatalf("probes that stray by %g: off by %g; %+v", stray, off, at)
			}
		}
	}
}

// TestAtUsualExactly checks what follows without chance.
func TestAtUsualExactly(t *testing.T) {
	for _, c := range []struct {
		name string
		Clocked
		want    float64
		follows float64
	}{
		{"at the usual clock", Clocked{NS: []float64{1000}, GHz: []float64{4}, Usual: 4, Works: 1}, 1000, 1},
		{"at half of it", Clocked{NS: []float64{1000}, GHz: []float64{2}, Usual: 4, Works: 1}, 500, 1},
		{
			"at a clock that it has lowered itself",
			Clocked{NS: []float64{1000}, GHz: []float64{3.72}, Own: []float64{0.93}, Usual: 4, Works: 1}, 1000, 1,
		},
		{
			"in a launch that did not look",
			Clocked{NS: []float64{1000, 1000}, GHz: []float64{3.72, 3.72}, Own: []float64{0.93, 0}, Usual: 4, Works: 1}, 1000,
			1,
		},
		{"a sleep at half of it", Clocked{NS: []float64{1000}, GHz: []float64{2}, Usual: 4}, 1000, 0},
		{"nothing known of the machine", Clocked{NS: []float64{1000}, GHz: []float64{2}, Works: 1}, 1000, 1},
		{"no time at all", Clocked{NS: []float64{0, 0}, GHz: []float64{2, 2}, Usual: 4, Works: 1}, 0, 1},
		{
			"less than no time", Clocked{
				NS: []float64{-1, 1, 0, 0, 0}, GHz: []float64{2, 3, 4, 5, 4}, Usual: 4, Works: 1,
			}, 0, 1,
		},
	} {
		at := c.AtUsual()
		if v := Median(at.NS); math.Abs(v-c.want) > 1e-9 || math.Abs(at.Follows-c.follows) > 1e-9 {
			t.Errorf("%s: %g ns, want %g; %+v", c.name, v, c.want, at)
		}
	}
	if at := (Clocked{Usual: 4, Works: 1}).AtUsual(); len(at.NS) != 0 {
		t.Errorf("no launches: %+v", at)
	}
}

// TestLooksErr: if the looks at the clock of a function do not agree from launch to launch, that clock tells either that
// the function does not follow its neighbours or that the looks err. Most intervals hold the figure of a function that does
// follow, too.
func TestLooksErr(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	m := machine{follows: 1, noise: 0.0005, error: 0.0003, own: 0.93, ownError: 0.02, offset: -0.05, works: 1}
	const trials = 200
	held := 0
	for range trials {
		at := m.run(random, 5).AtUsual()
		i := LaunchInterval(at.NS)
		i = i.Widen(at.Vague * i.Value)
		if i.Low <= 1000 && 1000 <= i.High {
			held++
		}
	}
	if held < 160 {
		t.Errorf("%d of %d intervals hold 1000", held, trials)
	}
}

// TestOneLaunchTellsNoSlope: five launches at one clock, and one at another, in which something else was different, too.
func TestOneLaunchTellsNoSlope(t *testing.T) {
	c := Clocked{
		NS:  []float64{1000, 1003, 1001, 999, 975, 1001},
		GHz: []float64{4.1, 4.101, 4.099, 4.1, 4.0, 4.1}, Usual: 3.8, Works: 1,
	}
	at := c.AtUsual()
	if want := 1000 * 4.1 / 3.8; at.Follows != 1 || math.Abs(Median(at.NS)/want-1) > 0.005 {
		t.Errorf("%+v, want about %.0f", at, want)
	}
}

// TestWaitsForTime: a call that spins until a time of day takes the same time at any clock. That says more than what is
// usual, although the clock moved little from launch to launch, and was far from the usual one.
func TestWaitsForTime(t *testing.T) {
	c := Clocked{Usual: 4, Works: 1,
		NS:  []float64{50045, 50049, 50048, 50055, 50055, 50058, 50057, 50060, 50051, 50051},
		GHz: []float64{3.766, 3.774, 3.77, 3.765, 3.772, 3.768, 3.775, 3.769, 3.771, 3.767}}
	at := c.AtUsual()
	for i, ns := range at.NS {
		if math.Abs(ns/c.NS[i]-1) > 1e-3 {
			t.Fatalf("%.0f ns at the usual clock, want %.0f; %+v", at.NS, c.NS, at)
		}
	}
}

// TestReadsClock: whether calls that read the clock follow that of their core is known only if their times tell.
func TestReadsClock(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, follows := range []float64{0, 1} {
		m := machine{follows: follows, noise: 0.0002, error: 0.0001, own: 1, works: 1, offset: 0.05}
		c := m.run(random, 8)
		c.ReadsClock = true
		at := c.AtUsual()
		if value := Median(at.NS); math.Abs(value/1000-1) > at.Vague || at.Vague > 0.06 {
			t.Errorf("of %g, which nothing tells: %.1f ± %.2f %%, want an interval that holds 1000", follows, value, 100*at.Vague)
		}
		m.within = 0.02
		c = m.run(random, 8)
		c.ReadsClock = true
		if at := c.AtUsual(); math.Abs(at.Follows-follows) > 0.05 || at.Vague > 0.01 {
			t.Errorf("of %g, which launches tell: %+v", follows, at)
		}
	}
}

// TestFewLongBatches: the clock of a launch is seen for some microseconds of its few long batches. Launches then seem to
// have clocks of their own, which explain nothing.
func TestFewLongBatches(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	wrong := 0
	const runs = 200
	for range runs {
		c := Clocked{Usual: 4, Works: 1}
		for range 5 {
			var times, clocks, cycles []float64
			for range 3 {
				ns, ghz := 25e6*math.Exp(0.001*random.NormFloat64()), 4.19*math.Exp(0.004*random.NormFloat64())
				times, clocks, cycles = append(times, ns), append(clocks, ghz), append(cycles, ns*ghz)
			}
			c.NS, c.GHz = append(c.NS, Median(times)), append(c.GHz, Median(clocks))
			c.Courses = append(c.Courses, courseOf(cycles, times))
		}
		at := c.AtUsual()
		if want := 25e6 * 4.19 / 4; math.Abs(Median(at.NS)/want-1) > at.Vague+0.005 {
			wrong++
		}
	}
	if wrong > runs/50 {
		t.Errorf("%d of %d runs are not at the usual clock", wrong, runs)
	}
}
