package stats

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// RaceOptions are the options of a race. Zero values stand for the defaults in the comments.
type RaceOptions struct {
	Top    int     // number of variants that are looked for; 0: 1
	Margin float64 // relative difference that does not matter; 0: UsualMargin
	// Alpha is the chance that any of those that are looked for is ever dropped, and the chance that the race is over
	// although another one is better than they are by more than the margin; 0: UsualAlpha.
	Alpha float64
}

func (o RaceOptions) withDefaults() RaceOptions {
	o.Top = max(1, o.Top)
	if o.Margin <= 0 {
		o.Margin = UsualMargin
	}
	if o.Alpha <= 0 {
		o.Alpha = UsualAlpha
	}
	return o
}

// Race looks for the best of many variants that are measured launch by launch, all of them a little: variants that
// cannot be the best any more are dropped, and the others get the time that is left (best-arm identification by
// successive elimination, Even-Dar, Mannor and Mansour, JMLR 7, 2006). A look after each launch decides:
//
//   - What all variants have in common in a launch, such as drift, is taken out by a median polish (Tukey).
//   - The figure of a variant is the mean of its launches without a quarter at each end. Its error comes from the
//     scatter of all variants around their figures, since two launches of one variant do not tell it; or from its own
//     scatter if that is larger.
//   - A variant is dropped if the low end of the interval of its ratio to the best is beyond UsualFloor. Look number j
//     has the share 1/j(j+1) of Alpha, divided by the number of pairs of a variant that is looked for and another one: so
//     the chance that one of those that are looked for is dropped at any look by any other stays below Alpha.
//   - Also-rans can still be the best, but hardly by what matters; see Thin.
//   - The race is over when no other variant can be better than the best by the margin or more. Each question has a
//     share of a second Alpha in the same way, divided by the number of pairs that are left: the others are far behind.
//   - Launches that are wildly off are not normal. So intervals are never narrower than to the lowest launches of the one
//     and the highest of the other, and with one launch they reach from an eighth to eight times the ratio. If a quarter
//     of the launches differ by a fifth and more from those before them, calls run in one of several ways from launch to
//     launch: intervals are as wide as that, since all launches of a variant may run in the same one.
//
// On a busy machine, a variant may have set its disturbed launches apart, if enough were quiet. Two of which both have
// done so are compared by their quiet launches, and others by all launches: so quiet times are never compared with
// disturbed ones.
//
// The zero value is a race without variants; NewRace returns one with some.
type Race struct {
	options    RaceOptions
	looks      int // at who is dropped
	ends       int // at whether it is over
	out        []bool
	doubts     []float64    // by which fractions times may be too short
	all, quiet *raceFigures // of the latest look; nil before the first one. quiet is nil, too, if nothing is set apart
}

// raceFigures are what launches say of all variants.
type raceFigures struct {
	of      []raceFigure
	freedom float64 // degrees of freedom of their errors
	jump    float64 // how far launches jump, as a logarithm; 0: they do not
}

// raceFigure is what the launches of a variant say of it, as logarithms.
type raceFigure struct {
	launches  int
	center    float64
	error     float64 // standard error of the center; it has no meaning with one launch
	low, high float64 // lowest and highest launches, without those that may be off
}

// Dropped tells why a variant was dropped from a race.
type Dropped struct {
	Variant, Best    int     // the one that was dropped, and the one that was the best then
	Launches         int     // of the variant
	Ratio, Low, High float64 // of its time to that of the best, with the interval that dropped it
}

// NewRace returns a race of so many variants.
func NewRace(variants int, o RaceOptions) *Race {
	return &Race{options: o.withDefaults(), out: make([]bool, variants), doubts: make([]float64, variants)}
}

// Withdraw takes a variant out of the race that cannot be measured further.
func (r *Race) Withdraw(variant int) { r.out[variant] = true }

// Doubt says that, by the next look, the times of a variant may be too short by a fraction: nobody leaves the race because
// he is slower by less.
func (r *Race) Doubt(variant int, by float64) { r.doubts[variant] = by }

// Out reports whether a variant was dropped or withdrawn.
func (r *Race) Out(variant int) bool { return r.out[variant] }

// Jumps reports whether launches jump by the latest look, so that intervals are wide.
func (r *Race) Jumps() bool { return r.all != nil && r.all.jump > 0 }

// Open returns the variants that are neither dropped nor withdrawn: by the latest look the best first and those without
// a figure last, or in order if there was none.
func (r *Race) Open() (open []int) {
	for v, out := range r.out {
		if !out {
			open = append(open, v)
		}
	}
	if r.all == nil {
		return open
	}
	disturbed := r.disturbance()
	slices.SortStableFunc(open, func(a, b int) int {
		one, other := r.center(a, disturbed), r.center(b, disturbed)
		if math.IsNaN(one) || math.IsNaN(other) {
			return cmp.Compare(other, one) // NaN comes first otherwise
		}
		return cmp.Compare(one, other)
	})
	return open
}

// center returns the logarithm of the time of a variant, as it is in quiet. disturbed is how much longer all launches
// of others take than their quiet ones.
func (r *Race) center(variant int, disturbed float64) float64 {
	if r.quiet != nil && r.quiet.of[variant].launches > 0 {
		return r.quiet.of[variant].center
	}
	return r.all.of[variant].center - disturbed
}

// disturbance returns how much longer all launches take than quiet ones, as a logarithm: in the middle of the variants
// that have quiet ones.
func (r *Race) disturbance() float64 {
	if r.quiet == nil {
		return 0
	}
	var longer []float64
	for v, f := range r.quiet.of {
		if f.launches > 0 {
			longer = append(longer, r.all.of[v].center-f.center)
		}
	}
	if len(longer) == 0 {
		return 0
	}
	return Median(longer)
}

const (
	// aloneFactor is how far a single launch may be off: some functions are six times slower in one process of twenty.
	aloneFactor = 8.0
	// jumpQuantile of the differences between launches in turn tells how far they jump, if that is leastJump or more.
	jumpQuantile = 0.75
	leastJump    = 1.2
	// scatterQuantile of all deviations tells their scatter: one launch in ten may be off and move one more.
	scatterQuantile = 0.8
	// normalScatter is that quantile of the deviations of normal values, in standard deviations.
	normalScatter = 1.2816
	// quantileCost is how many times as many values a quantile needs to tell the scatter as a standard deviation does.
	quantileCost = 2
	// polishings is a number after which hardly anything in common is left.
	polishings = 2
	// alsoRanTail is the chance that a variant is taken for an also-ran by a look at one other variant although it is better
	// than that by the margin.
	alsoRanTail = 5e-4
	// scatterCaution is how much more a variant with few launches may scatter than all variants together.
	scatterCaution = 1.5
)

// Look judges all launches so far, and returns who is dropped now. all are the times of the launches of each variant,
// in any unit; launches with the same number were made in the same round. NaN, or no value, stands for none. quiet are
// those of quiet launches only, also in another unit: of a variant that has too few, there are none. It is nil if
// nobody has set launches apart. The times of a variant may all be wrong by the fraction slack, beside what their
// scatter tells.
func (r *Race) Look(all, quiet [][]float64, slack float64) (dropped []Dropped) {
	r.looks++
	r.all, r.quiet = judged(all), nil
	if quiet != nil {
		r.quiet = judged(quiet)
	}
	open := r.Open()
	leaders := open[:min(r.options.Top, len(open))]
	levels := r.levels(r.looks, r.pairs())
	for _, v := range open[len(leaders):] {
		worst := Dropped{Variant: v, Low: math.Inf(1)}
		for _, l := range leaders {
			if d := r.against(v, l, levels); d.Low < worst.Low || math.IsNaN(d.Low) {
				worst = d
			}
		}
		if worst.Low > (1+UsualFloor)*(1+slack)*(1+r.doubts[worst.Best]) {
			r.out[v] = true
			dropped = append(dropped, worst)
		}
	}
	return dropped
}

// Thin has also-rans leave the race while more than so many variants are in it, the worst first, and returns them: those
// that, by the latest look, are hardly better by the margin or more than as many others as are looked for. To measure them
// further is unlikely to find another winner that matters. That is no verdict: the chance of an error is that of a single
// comparison. The intervals are those of that look, which have dropped none of them.
func (r *Race) Thin(least int) (left []Dropped) {
	open := r.Open()
	for _, v := range slices.Backward(r.alsoRans(open)) {
		if len(open)-len(left) <= max(least, r.options.Top) {
			break
		}
		r.out[v] = true
		left = append(left, r.against(v, open[0], r.levels(r.looks, r.pairs())))
	}
	return left
}

// alsoRans returns the also-rans among the variants that are left, in their order.
func (r *Race) alsoRans(open []int) (list []int) {
	if r.all == nil {
		return nil
	}
	levels := r.beyond(alsoRanTail)
	for _, v := range open {
		better := 0
		for _, other := range open {
			if other != v && r.against(v, other, levels).Low*(1+r.options.Margin) >= 1+r.doubts[other] {
				better++
			}
		}
		if better >= r.options.Top {
			list = append(list, v)
		}
	}
	return list
}

// Over reports whether no further launches are needed: none of the others is better than those that are looked for by
// the margin or more. Each call is a look of its own, which makes later ones stricter.
func (r *Race) Over() bool {
	open := r.Open()
	if len(open) <= r.options.Top {
		return true
	}
	if r.all == nil {
		return false
	}
	leaders, others := open[:r.options.Top], open[r.options.Top:]
	r.ends++
	levels := r.levels(r.ends, len(leaders)*len(others))
	for _, l := range leaders {
		for _, v := range others {
			if d := r.against(l, v, levels); !(d.High*(1+r.doubts[l]) <= 1+r.options.Margin) {
				return false
			}
		}
	}
	return true
}

// pairs returns the number of pairs of a variant that is looked for and another one.
func (r *Race) pairs() int { return r.options.Top * (len(r.out) - r.options.Top) }

// raceLevels are how many standard errors intervals reach to either side.
type raceLevels struct{ all, quiet float64 }

// levels returns those of one of several looks, from 1, at so many pairs.
func (r *Race) levels(look, pairs int) raceLevels {
	return r.beyond(r.options.Alpha / float64(look*(look+1)) / float64(max(1, pairs)))
}

// beyond returns the levels beyond which a ratio is with such a chance.
func (r *Race) beyond(tail float64) (l raceLevels) {
	if l.all = studentBeyond(tail, int(r.all.freedom)); r.quiet != nil {
		l.quiet = studentBeyond(tail, int(r.quiet.freedom))
	}
	return l
}

// against compares a variant with another one by the latest look.
func (r *Race) against(variant, best int, levels raceLevels) Dropped {
	d := Dropped{Variant: variant, Best: best, Ratio: math.NaN(), Low: math.NaN(), High: math.NaN()}
	by, level := r.all, levels.all
	if q := r.quiet; q != nil && q.of[variant].launches > 0 && q.of[best].launches > 0 {
		by, level = q, levels.quiet
	}
	v, b := by.of[variant], by.of[best]
	if d.Launches = v.launches; v.launches == 0 || b.launches == 0 {
		return d
	}
	center := v.center - b.center
	half := math.Log(aloneFactor)
	if v.launches > 1 && b.launches > 1 {
		half = max(by.jump, level*math.Hypot(v.error, b.error))
	}
	low := min(center-half, v.low-b.high)
	high := max(center+half, v.high-b.low)
	d.Ratio, d.Low, d.High = math.Exp(center), math.Exp(low), math.Exp(high)
	return d
}

// judged returns the figures of all variants.
func judged(times [][]float64) *raceFigures {
	logs, shrunk := polished(times)
	figures := make([]raceFigure, len(times))
	own := make([]float64, len(times))
	var all []float64
	freedom := 0
	for v := range figures {
		launches := known(logs[v])
		slices.Sort(launches)
		n := len(launches)
		figures[v] = raceFigure{launches: n, center: middle(launches)}
		if n == 0 {
			continue
		}
		odd := mayBeOff(n)
		figures[v].low, figures[v].high = launches[odd], launches[n-1-odd]
		if n == 1 {
			continue
		}
		off := make([]float64, 0, n)
		for round, one := range logs[v] {
			if !math.IsNaN(one) {
				off = append(off, math.Abs(one-figures[v].center)*math.Sqrt(float64(n)/float64(n-1))/shrunk[round])
			}
		}
		own[v], all, freedom = scaleOf(off), append(all, off...), freedom+n-1
	}
	pooled := scaleOf(all)
	for v := range figures {
		f := &figures[v]
		n := float64(f.launches)
		caution := 1 + (scatterCaution-1)*min(1, 2/n)
		f.error = max(pooled*caution, own[v]) * middleCost(f.launches) / math.Sqrt(n)
	}
	return &raceFigures{figures, float64(freedom) / quantileCost, jumpOf(logs)}
}

// jumpOf returns how far the launches of variants jump, as a logarithm; 0 if they do not.
func jumpOf(logs [][]float64) float64 {
	var steps []float64
	for _, list := range logs {
		launches := known(list)
		for i := 1; i < len(launches); i++ {
			steps = append(steps, math.Abs(launches[i]-launches[i-1]))
		}
	}
	if len(steps) == 0 {
		return 0
	}
	if jump := selectQuantile(steps, jumpQuantile); jump >= math.Log(leastJump) {
		return jump
	}
	return 0
}

// leastTrimmed is the least number of values of which some are left out at each end.
const leastTrimmed = 5

// middle returns the mean of sorted values without a quarter at each end; of few, it is their median.
func middle(sorted []float64) float64 {
	if n := len(sorted); n >= leastTrimmed {
		return stats.Mean(sorted[n/4 : n-n/4])
	}
	return Median(sorted)
}

// middleCost returns the standard error of the middle of n normal values as a multiple of that of their mean.
func middleCost(n int) float64 {
	if n >= leastTrimmed {
		return 1.1
	}
	return medianError(n)
}

// mayBeOff returns how many of n launches at each end do not bound an interval. The median always lies well between
// the launches that are left.
func mayBeOff(n int) int { return max(0, (n+1)/2-2) }

// scaleOf returns the standard deviation that normal values have with these absolute deviations; 0 if there are none.
func scaleOf(deviations []float64) float64 {
	if len(deviations) == 0 {
		return 0
	}
	return selectQuantile(deviations, scatterQuantile) / normalScatter
}

// polished returns the logarithms of times without what the variants have in common in each launch, and for each launch
// the factor by which this lessens the scatter.
func polished(times [][]float64) (logs [][]float64, shrunk []float64) {
	logs = make([][]float64, len(times))
	rounds := 0
	for v, list := range times {
		logs[v] = make([]float64, len(list))
		for round, t := range list {
			logs[v][round] = math.NaN()
			if usable(t) {
				logs[v][round] = math.Log(t)
			}
		}
		rounds = max(rounds, len(list))
	}
	shrunk = make([]float64, rounds)
	for range polishings {
		centers := make([]float64, len(logs))
		for v, list := range logs {
			centers[v] = selectQuantile(known(list), 0.5)
		}
		for round := range rounds {
			rest := make([]float64, 0, len(logs))
			for v, list := range logs {
				if len(list) > 1 && round < len(list) && !math.IsNaN(list[round]) {
					rest = append(rest, list[round]-centers[v])
				}
			}
			if shrunk[round] = 1; len(rest) < 2 {
				continue
			}
			shrunk[round] = math.Sqrt(1 - 1/float64(len(rest)))
			common := selectQuantile(rest, 0.5)
			for _, list := range logs {
				if round < len(list) {
					list[round] -= common
				}
			}
		}
	}
	return logs, shrunk
}

// known returns the values that are numbers.
func known(values []float64) []float64 { return slices.DeleteFunc(slices.Clone(values), math.IsNaN) }
