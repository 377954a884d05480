package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zonemark/invocations/testsize"

	"github.com/aclements/go-moremath/stats"
)

// field is a made-up field of variants: the logarithms of their times, and how each of them scatters between launches.
type field struct {
	name    string
	time    func(r *rand.Rand, variant, of int) float64
	scatter func(r *rand.Rand) float64 // standard deviation
	noise   func(r *rand.Rand) float64 // of a launch, in standard deviations
	most    float64                    // launches of each, on average
	// busy is the share of the launches that neighbours disturb: these take up to two thirds longer, some variants more
	// so than others.
	busy float64
}

// ninefold are times between that of the best and nine times that; a tenth of the variants are within 3 % of the best.
func ninefold(r *rand.Rand, variant, of int) float64 {
	if variant < of/10 {
		return 0.03 * r.Float64()
	}
	return r.Float64() * math.Log(9)
}

// similar are times within 10 %.
func similar(r *rand.Rand, _, _ int) float64 { return 0.1 * r.Float64() }

// beyond are times of which all but one lie just beyond the margin, so that ending too early has the wrong winner.
func beyond(_ *rand.Rand, variant, _ int) float64 {
	if variant == 0 {
		return 0
	}
	return 0.012
}

// heavy is noise with the tails of Student's t with three degrees of freedom.
func heavy(r *rand.Rand) float64 {
	square := 0.0
	for range 3 {
		x := r.NormFloat64()
		square += x * x
	}
	return r.NormFloat64() / math.Sqrt(square)
}

func fields() []field {
	alike := func(deviation float64) func(*rand.Rand) float64 {
		return func(*rand.Rand) float64 { return deviation }
	}
	unlike := func(r *rand.Rand) float64 { return 0.003 * math.Pow(10, r.Float64()) }
	return []field{
		{"a quiet machine", ninefold, alike(0.003), (*rand.Rand).NormFloat64, 3.3, 0},
		{"a machine in use", ninefold, alike(0.01), heavy, 6, 0},
		{"variants that scatter by 0.3 to 3 %", ninefold, unlike, (*rand.Rand).NormFloat64, 7, 0},
		{"variants that are alike", similar, alike(0.01), (*rand.Rand).NormFloat64, 12, 0},
		{"all others just beyond the margin", beyond, alike(0.01), (*rand.Rand).NormFloat64, 16, 0},
		{"a busy machine", ninefold, alike(0.003), (*rand.Rand).NormFloat64, 9.5, 0.75},
	}
}

// launchNoise returns what is off in a launch: one in twenty is slower by 10 to 50 %, one of ten of these faster by a
// third of that.
func launchNoise(r *rand.Rand) float64 {
	if r.Float64() >= 0.05 {
		return 0
	}
	off := math.Log(1.1 + 0.4*r.Float64())
	if r.Float64() < 0.1 {
		return -off / 3
	}
	return off
}

// raced is how a race of a made-up field has ended.
type raced struct {
	over             bool
	bestDropped      bool
	behind           float64 // how much slower the winner is than the best, as a logarithm
	launches, finals int
}

// run has a race of so many variants, as the driver does: a launch of each that is left, in random order, while the
// machine drifts.
func (f *field) run(r *rand.Rand, variants, least, most int) (end raced) {
	truth, scatter := make([]float64, variants), make([]float64, variants)
	for v := range truth {
		truth[v], scatter[v] = f.time(r, v, variants), f.scatter(r)
	}
	best := slices.Index(truth, slices.Min(truth))
	race, drift := NewRace(variants, RaceOptions{}), 0.0
	all, quiet := make([][]float64, variants), make([][]float64, variants)
	for round := range most {
		open := race.Open()
		r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		common := 0.005 * r.NormFloat64()
		for _, v := range open {
			drift += 0.0002 * r.NormFloat64()
			took, longer := truth[v]+common+drift+scatter[v]*f.noise(r)+launchNoise(r), 0.0
			if f.busy > 0 && r.Float64() < f.busy {
				longer = (0.1 + 0.4*r.Float64()) * (0.9 + 0.2*float64(v%5)/4)
			}
			all[v], quiet[v] = append(all[v], math.Exp(took+longer)), append(quiet[v], math.NaN())
			if longer == 0 {
				quiet[v][round] = math.Exp(took)
			}
			end.launches++
		}
		slack := 0.0
		if round < 4 { // brief looks
			slack = 0.05
		}
		for _, d := range race.Look(all, f.setApart(all, quiet), slack) {
			end.bestDropped = end.bestDropped || d.Variant == best
		}
		if slack == 0 {
			race.Thin(6)
		}
		if end.over = race.Over(); end.over && round+1 >= least {
			break
		}
	}
	open := race.Open()
	end.behind, end.finals = truth[open[0]]-truth[best], len(open)
	return end
}

// setApart returns the quiet launches of the variants that have enough of them, as the driver does; nil if none has.
func (f *field) setApart(all, quiet [][]float64) (kept [][]float64) {
	if f.busy == 0 {
		return nil
	}
	kept = make([][]float64, len(quiet))
	for v := range quiet {
		if len(known(quiet[v])) >= min(3, len(all[v])) {
			kept[v] = quiet[v]
		}
	}
	return kept
}

// TestRaceFindsTheBest: in races of made-up fields whose true order is known, the winner is the best or within 1 % of
// it in 97 of 100, and of those races that end by themselves, one in a hundred at most is wrong about that. The best is
// dropped in one of a hundred at most. Much less is measured than all variants ten times.
func TestRaceFindsTheBest(t *testing.T) {
	countsRates(t)
	for _, variants := range []int{20, 120, 1000} {
		for _, f := range fields() {
			trials := testsize.Of(max(3, 600/variants), max(12, 12000/variants))
			r := rand.New(rand.NewPCG(uint64(variants), 1))
			wrong, mistaken, dropped, launches := 0, 0, 0, 0
			for range trials {
				end := f.run(r, variants, 10, 30)
				if launches += end.launches; end.bestDropped {
					dropped++
				}
				if end.behind > math.Log(1+UsualMargin) {
					if wrong++; end.over {
						mistaken++
					}
				}
			}
			if wrong > testsize.Most(trials, 0.03) || mistaken > testsize.Most(trials, UsualAlpha) ||
				dropped > testsize.Most(trials, UsualAlpha) {
				t.Errorf("%d variants, %s: of %d races, %d have a winner that is 1 %% slower than the best, %d of them "+
					"after an end by itself; %d dropped the best", variants, f.name, trials, wrong, mistaken, dropped)
			}
			each := float64(launches) / float64(trials*variants)
			if each > f.most {
				t.Errorf("%d variants, %s: %.1f launches of each", variants, f.name, each)
			}
			t.Logf("%d variants, %s: %d races, %d wrong (%d at an end by itself), best dropped in %d, %.1f launches of each",
				variants, f.name, trials, wrong, mistaken, dropped, each)
		}
	}
}

// TestRaceOfModes: calls of some functions run in one of two ways for as long as a process lives, such as code of which
// a loop's stores are forwarded or not. The best is not dropped because its launches happened to run in the slow way,
// be that common or rare.
func TestRaceOfModes(t *testing.T) {
	countsRates(t)
	for _, c := range []struct {
		name   string
		chance float64 // of the slow way
		factor float64
	}{{"half of the launches", 0.5, 2.5}, {"a third of them", 0.35, 2.5}, {"one of twenty", 0.05, 6}} {
		r, trials, dropped := rand.New(rand.NewPCG(7, 7)), testsize.Of(200, 2000), 0
		for range trials {
			const variants = 20
			race, times := NewRace(variants, RaceOptions{}), make([][]float64, variants)
			for round := range 10 {
				for v := range times {
					if race.Out(v) {
						continue
					}
					ns := (100 + 5*float64(v)) * (1 + 0.005*r.NormFloat64())
					if r.Float64() < c.chance {
						ns *= c.factor
					}
					times[v] = append(times[v], ns)
				}
				slack := 0.0
				if round < 4 {
					slack = 0.05
				}
				race.Look(times, nil, slack)
			}
			if race.Out(0) {
				dropped++
			}
		}
		t.Logf("%s: the best is dropped in %d of %d", c.name, dropped, trials)
		if dropped > testsize.Most(trials, UsualAlpha) {
			t.Errorf("%s run %g times as long: the best is dropped in %d of %d races", c.name, c.factor, dropped, trials)
		}
	}
}

// steady returns the times of launches that do not scatter, of variants with these times.
func steady(launches int, times ...float64) (list [][]float64) {
	for _, one := range times {
		list = append(list, slices.Repeat([]float64{one}, launches))
	}
	return list
}

// A single launch drops only who takes more than eight times as long as the best, and says by which interval.
func TestRaceFirstLook(t *testing.T) {
	r := NewRace(4, RaceOptions{})
	if open := r.Open(); !slices.Equal(open, []int{0, 1, 2, 3}) {
		t.Errorf("before the first look: %v", open)
	}
	got := r.Look(steady(1, 120, 10, 40, 79), nil, 0)
	want := Dropped{Variant: 0, Best: 1, Launches: 1, Ratio: 12, Low: 1.5, High: 96}
	if len(got) != 1 || got[0].Variant != want.Variant || got[0].Best != want.Best || got[0].Launches != want.Launches ||
		math.Abs(got[0].Ratio-want.Ratio) > 1e-9 || math.Abs(got[0].Low-want.Low) > 1e-9 ||
		math.Abs(got[0].High-want.High) > 1e-9 {
		t.Errorf("dropped %+v, want %+v", got, want)
	}
	if open := r.Open(); !slices.Equal(open, []int{1, 2, 3}) || r.Over() {
		t.Errorf("open %v, over %t", open, r.Over())
	}
}

// Times that may all be wrong by some fraction drop nobody who is slower by no more.
func TestRaceSlack(t *testing.T) {
	for slack, want := range map[float64][]int{0: {0}, 0.05: {0, 1}, 0.2: {0, 1, 2}} {
		r := NewRace(3, RaceOptions{})
		r.Look(steady(2, 10, 10.4, 11.5), nil, slack)
		if open := r.Open(); !slices.Equal(open, want) {
			t.Errorf("slack %g: open %v, want %v", slack, open, want)
		}
	}
}

// Nobody leaves the race because of a time that may be too short by as much, and no race ends with it.
func TestRaceDoubt(t *testing.T) {
	r := NewRace(3, RaceOptions{})
	r.Doubt(0, 0.3)
	r.Look(steady(2, 10, 12, 20), nil, 0)
	if open := r.Open(); !slices.Equal(open, []int{0, 1}) || r.Over() {
		t.Errorf("open %v, over %t", open, r.Over())
	}
	r.Doubt(0, 0)
	r.Look(steady(3, 10, 12, 20), nil, 0)
	if open := r.Open(); !slices.Equal(open, []int{0}) || !r.Over() {
		t.Errorf("without doubt: open %v, over %t", open, r.Over())
	}
}

// Without scatter, a second look decides all. With top, as many are left.
func TestRaceTop(t *testing.T) {
	for top, want := range map[int][]int{0: {2}, 1: {2}, 2: {2, 1}, 3: {2, 1, 3}, 4: {2, 1, 3, 0}, 9: {2, 1, 3, 0}} {
		r := NewRace(4, RaceOptions{Top: top})
		r.Look(steady(1, 14, 11, 10, 12), nil, 0)
		r.Look(steady(2, 14, 11, 10, 12), nil, 0)
		if open := r.Open(); !slices.Equal(open, want) || !r.Over() {
			t.Errorf("top %d: open %v, over %t, want %v", top, open, r.Over(), want)
		}
	}
}

// A race of variants that are alike is over with all of them. Who cannot be measured is withdrawn, and who has no time
// may be the best: it is not dropped, and the race is not over, while others are dropped.
func TestRaceEnds(t *testing.T) {
	alike := steady(3, 10, 10.001, 10.002)
	r := NewRace(3, RaceOptions{})
	for launches := 1; launches <= 3; launches++ {
		r.Look([][]float64{alike[0][:launches], alike[1][:launches], alike[2][:launches]}, nil, 0)
	}
	if len(r.Open()) != 3 || !r.Over() {
		t.Errorf("alike: open %v, over %t", r.Open(), r.Over())
	}
	r = NewRace(2, RaceOptions{})
	r.Withdraw(0)
	if r.Look([][]float64{nil, {10}}, nil, 0); !slices.Equal(r.Open(), []int{1}) || !r.Over() {
		t.Errorf("withdrawn: open %v, over %t", r.Open(), r.Over())
	}
	r = NewRace(3, RaceOptions{})
	untimed := append(steady(2, 10, 50), []float64{math.NaN(), 0})
	d := r.Look(untimed, nil, 0)
	if len(d) != 1 || d[0].Variant != 1 || !slices.Equal(r.Open(), []int{0, 2}) || r.Over() {
		t.Errorf("no time: dropped %v, open %v, over %t", d, r.Open(), r.Over())
	}
}

// A race of variants whose launches scatter is over as soon as none of them can be better than the best by the margin.
func TestRaceMargin(t *testing.T) {
	for _, c := range []struct {
		scatter, margin float64
		over            bool
	}{{0.003, 0, true}, {0.012, 0, false}, {0.012, 0.05, true}} {
		r, times := NewRace(10, RaceOptions{Margin: c.margin}), make([][]float64, 10)
		for v := range times {
			for launch := range 10 {
				times[v] = append(times[v], 100*(1+c.scatter*float64(1-2*((v+launch)%2))))
			}
		}
		if r.Look(times, nil, 0); len(r.Open()) != len(times) || r.Over() != c.over {
			t.Errorf("scatter %g, margin %g: %d are open, over %t, want %t", c.scatter, c.margin, len(r.Open()), r.Over(),
				c.over)
		}
	}
}

// All looks at all pairs together have the chance Alpha to be wrong.
func TestRaceLevel(t *testing.T) {
	const freedom, looks, pairs = 12.0, 1000, 40
	r := NewRace(pairs+1, RaceOptions{})
	r.all = &raceFigures{freedom: freedom}
	sum := 0.0
	for look := 1; look <= looks; look++ {
		sum += pairs * (1 - stats.TDist{V: freedom}.CDF(r.levels(look, pairs).all))
	}
	if sum > UsualAlpha || sum < 0.99*UsualAlpha {
		t.Errorf("%d looks at %d pairs are wrong with the chance %g, want a little less than %g", looks, pairs, sum,
			UsualAlpha)
	}
}

// What all variants have in common in a launch does not count, and neither does a launch that is wildly off.
func TestRaceDriftAndWildLaunch(t *testing.T) {
	drift := []float64{1, 1.3, 0.8, 1.1, 0.9, 1.2}
	times := make([][]float64, 20)
	for v := range times {
		for launch, common := range drift {
			times[v] = append(times[v], 10*common*(1+0.05*float64(v))*(1+0.001*float64((7*v+3*launch)%5)))
		}
	}
	times[0][1] *= 1.5
	r := NewRace(len(times), RaceOptions{})
	for launches := range drift {
		look := make([][]float64, len(times))
		for v := range times {
			look[v] = times[v][:launches+1]
		}
		r.Look(look, nil, 0)
	}
	if open := r.Open(); open[0] != 0 || len(open) > 2 {
		t.Errorf("open %v", open)
	}
}
