package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// leastRanked is the least number of pairs that are compared. With two, Student's interval is four times as wide as
// with three.
const leastRanked = 3

// Variant is one way of computing something, as it was measured.
type Variant struct {
	Name      string
	PairedNS  []float64 // medians of launches or rounds, NaN if one has none; number i of all variants are side by side
	SamplesNS []float64 // samples of all of them
	// AllNS are the medians of all launches if PairedNS are those of quiet ones only, nil if none was set apart. A
	// variant that had too few quiet ones for that has no PairedNS.
	AllNS []float64
	// Half is the half-width of the interval of its typical PairedNS for a second run, as a fraction. Only launches
	// that were not side by side are compared with it. 0 says that their scatter tells all.
	Half float64
	// Low and High are the 95 % confidence interval of the time: 0 and 0 if its samples tell it, NaN if nothing does.
	Low, High float64
}

// RankOptions are the options of a ranking. Zero values stand for the defaults in the comments.
type RankOptions struct {
	Margin    float64 // relative difference that does not matter; 0: 0.01
	Floor     float64 // relative difference below which nothing is called slower, even if it is significant; 0: 0.003
	Alpha     float64 // chance of calling any of the variants slower if none is; 0: 0.05
	Bootstrap BootstrapOptions
	// Hosts is the number of hosts that measured: number r of PairedNS is of host r % Hosts, and a standing holds on
	// each; 0: one host.
	Hosts int
	// Unpaired says why there are no pairs; empty: they are too few.
	Unpaired string
	// AtOneClock says that PairedNS of launches that were not side by side can be compared: the machine's clock is
	// taken out.
	AtOneClock bool
}

func (o RankOptions) withDefaults() RankOptions {
	for _, d := range []struct {
		value *float64
		zero  float64
	}{{&o.Margin, 0.01}, {&o.Floor, 0.003}, {&o.Alpha, 0.05}} {
		if *d.value <= 0 {
			*d.value = d.zero
		}
	}
	o.Bootstrap = o.Bootstrap.withDefaults()
	return o
}

// Standing is the judgement on one variant of a ranking.
type Standing string

// The standings. Unknown is not Same: the measurement cannot tell.
const (
	Best    Standing = "best"    // what the others are compared with
	Same    Standing = "same"    // with 95 % confidence no slower and no faster than the best by the margin or more
	Slower  Standing = "slower"  // than the best, by more than chance and the floor
	Unknown Standing = "unknown" // undecided: see Row.Detectable for what would have been found
)

// The methods of a ranking.
const (
	Paired          = "paired rounds" // as records of models hold it
	EachOwn         = "launches of their own"
	MedianIntervals = "median intervals"
)

// Ranking is the variants in order of their times.
type Ranking struct {
	Method string // Paired, EachOwn or MedianIntervals
	Pairs  int    // numbers of the paired times at which every variant has a time
	// Disturbed is the number of rows that are compared with the best by all launches, also disturbed ones.
	Disturbed int
	Note      string // why the method is not the better one, and whether one without a time may be the best; may be empty
	Rows      []Row  // best first; variants without a usable time come last, with NaN
}

// Row is one variant of a ranking.
type Row struct {
	Variant    int // index into what was ranked
	Name       string
	MedianNS   float64 // of all samples
	Ratio      float64 // time against the best; 1 for the best itself
	Low, High  float64 // 95 % confidence interval of the ratio
	P          float64 // of "as fast as the best"; NaN for the best itself
	Detectable float64 // relative difference that would have been found; NaN if pairs are too few to say
	Standing   Standing
}

// Rank orders variants by time and says of each whether it is slower than the best. With at least three pairs in which
// all variants have a time it compares pair by pair: the order is that of each pair's logarithms against the
// pair's mean, intervals are those of comparePairs, and a variant is
//
//   - Same when the 1-2·Alpha interval of its ratio lies within the margin,
//   - Slower when its interval lies beyond the floor and its p-value stands up to Holm's correction over all rows and
//     to the choice of the best,
//   - Unknown otherwise.
//
// Where variants have set disturbed launches apart, and few pairs are left that were quiet for all, each variant is
// compared with the best by the first of these that both have: pairs of quiet launches; quiet launches of their own
// that were not side by side, by Independent, if o.AtOneClock; pairs of all launches. So quiet times are never compared
// with disturbed ones. Launches that were not side by side are also compared if o.Unpaired says that there are no
// pairs.
//
// With fewer pairs drift cannot be taken out. It then compares the confidence intervals of the medians, which must not
// touch, and the p-values of Mann-Whitney, and says so in Note. The order need not be that of MedianNS when the machine
// drifted.
//
// Variants whose time is not positive take too little to be measured, and may be faster than all others. None is Best
// then: the fastest of the others, to which ratios are, is Unknown, and Note says why.
func Rank(variants []Variant, o RankOptions) Ranking {
	o = o.withDefaults()
	timed, untimed := partition(variants)
	r, pairs := o.method(variants, timed)
	switch r.Method {
	case Paired:
		r.Rows = pairedRows(variants, timed, pairs, o)
	case EachOwn:
		r.Rows, r.Disturbed = ownRows(variants, timed, o)
	default:
		r.Rows = intervalRows(variants, timed, o)
	}
	fillStandings(r.Rows, o)
	r.openBest(variants, untimed)
	for _, v := range untimed {
		nan := math.NaN()
		r.Rows = append(r.Rows, Row{
			Variant: v, Name: variants[v].Name, MedianNS: Median(variants[v].SamplesNS),
			Ratio: nan, Low: nan, High: nan, P: nan, Detectable: nan, Standing: Unknown,
		})
	}
	return r
}

// method returns a ranking without rows that has the method by which variants are compared, and the pairs that it uses.
func (o RankOptions) method(variants []Variant, chosen []int) (r Ranking, pairs []int) {
	apart, single := false, false // some have set launches apart; some have too few launches of their own
	paired, all := make([][]float64, len(chosen)), make([][]float64, len(chosen))
	for i, v := range chosen {
		one := &variants[v]
		paired[i], all[i] = one.PairedNS, one.all()
		apart, single = apart || one.AllNS != nil, single || !one.alone()
	}
	pairs, every := CommonPairs(paired), CommonPairs(all)
	switch {
	case o.Unpaired == "" && o.enoughPairs(pairs) && (!apart || EnoughQuiet(pairs, every)):
		return Ranking{Method: Paired, Pairs: len(pairs)}, pairs
	case o.Unpaired == "" && apart && o.enoughPairs(every):
		return Ranking{Method: EachOwn, Pairs: len(every)}, every
	case o.Unpaired != "" && o.AtOneClock && !single:
		return Ranking{Method: EachOwn, Note: o.Unpaired}, nil
	}
	why := cmp.Or(o.Unpaired, fmt.Sprintf("fewer than %d pairs", leastRanked))
	why += ": medians are compared by their confidence intervals, which drift can mislead"
	return Ranking{Method: MedianIntervals, Pairs: len(pairs), Note: why}, nil
}

// openBest leaves open which variant is the best if some have samples, and no usable time.
func (r *Ranking) openBest(variants []Variant, untimed []int) {
	var short []string // names
	for _, v := range untimed {
		if Median(variants[v].SamplesNS) <= 0 {
			short = append(short, variants[v].Name)
		}
	}
	if len(short) == 0 {
		return
	}
	who := short[0] + " takes"
	if len(short) > 1 {
		who = fmt.Sprintf("%d variants take", len(short))
	}
	r.Note = strings.TrimPrefix(r.Note+"; "+who+" no time that can be measured, and may be the best", "; ")
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Standing == Best {
			row.Standing, row.Low, row.High = Unknown, math.NaN(), math.NaN()
		}
	}
}

// partition tells variants with a positive median from those without, which have no ratio to anything.
func partition(variants []Variant) (timed, untimed []int) {
	for i, v := range variants {
		if usable(Median(v.SamplesNS)) {
			timed = append(timed, i)
		} else {
			untimed = append(untimed, i)
		}
	}
	return timed, untimed
}

// CommonPairs returns the numbers at which each of the lists has a usable time.
func CommonPairs(lists [][]float64) []int {
	if len(lists) == 0 {
		return nil
	}
	var pairs []int
	for r := range lists[0] {
		missing := slices.ContainsFunc(lists, func(list []float64) bool { return r >= len(list) || !usable(list[r]) })
		if !missing {
			pairs = append(pairs, r)
		}
	}
	return pairs
}

// pairedRows ranks pair by pair. Standings are left open.
func pairedRows(variants []Variant, chosen, pairs []int, o RankOptions) []Row {
	times := make([][]float64, len(chosen)) // variant by common pair
	for i, v := range chosen {
		for _, r := range pairs {
			times[i] = append(times[i], variants[v].PairedNS[r])
		}
	}
	best := leastScore(times)
	return rowsAgainst(variants, chosen, chosen[best], o, func(i int) comparison {
		return compareOnEach(LogRatios(times[best], times[i]), pairs, o)
	})
}

// rowsAgainst ranks the chosen variants by their comparisons with the best of them. Standings are left open. judge
// compares the chosen variant i with the best.
func rowsAgainst(variants []Variant, chosen []int, best int, o RankOptions, judge func(i int) comparison) []Row {
	rows := make([]Row, len(chosen))
	for i, v := range chosen {
		rows[i] = Row{
			Variant: v, Name: variants[v].Name, MedianNS: Median(variants[v].SamplesNS),
			Ratio: 1, Low: 1, High: 1, P: math.NaN(), Detectable: math.NaN(),
		}
		if v == best {
			rows[i].Standing = Best
			continue
		}
		c := judge(i)
		rows[i].Ratio, rows[i].Low, rows[i].High = math.Exp(c.center), math.Exp(c.low), math.Exp(c.high)
		rows[i].P, rows[i].Detectable = c.p, c.detectable
		if within(c.lowSame, c.highSame, o.Margin) {
			rows[i].Standing = Same
		}
	}
	return sorted(rows)
}

// leastScore returns the variant with the least median of its logarithms against each pair's mean.
func leastScore(times [][]float64) int {
	means := make([]float64, len(times[0]))
	for _, pairs := range times {
		for r, ns := range pairs {
			means[r] += math.Log(ns) / float64(len(times))
		}
	}
	best, least := 0, math.Inf(1)
	for i := range times {
		score := make([]float64, len(means))
		for r, mean := range means {
			score[r] = math.Log(times[i][r]) - mean
		}
		if m := Median(score); m < least {
			best, least = i, m
		}
	}
	return best
}

// intervalRows ranks by medians of all samples. Standings are left open.
func intervalRows(variants []Variant, chosen []int, o RankOptions) []Row {
	rows := make([]Row, len(chosen))
	best := -1
	for i, v := range chosen {
		rows[i] = Row{
			Variant: v, Name: variants[v].Name, MedianNS: Median(variants[v].SamplesNS), Detectable: math.NaN(),
		}
		if best < 0 || rows[i].MedianNS < rows[best].MedianNS {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	base := variants[chosen[best]]
	baseLow, baseHigh, baseKnown := base.interval()
	for i, v := range chosen {
		rows[i].Ratio = rows[i].MedianNS / rows[best].MedianNS
		if i == best {
			rows[i].Low, rows[i].High, rows[i].P, rows[i].Standing = 1, 1, math.NaN(), Best
			continue
		}
		low, high, known := variants[v].interval()
		rows[i].Low, rows[i].High = low/baseHigh, high/baseLow // wider than 95 %: both errors add up
		if !usable(baseLow) {
			rows[i].High = math.Inf(1)
		}
		rows[i].P = MannWhitney(base.SamplesNS, variants[v].SamplesNS)
		if known && baseKnown && within(math.Log(rows[i].Low), math.Log(rows[i].High), o.Margin) {
			rows[i].Standing = Same
		}
	}
	return sorted(rows)
}

// interval returns the 95 % confidence interval of the variant's time, and whether it is known.
func (v Variant) interval() (low, high float64, known bool) {
	if v.Low != 0 || v.High != 0 {
		return v.Low, v.High, !math.IsNaN(v.Low) && !math.IsNaN(v.High)
	}
	return medianInterval(v.SamplesNS)
}

// medianInterval returns the 95 % confidence interval of the median; below six samples, known is false and it is their
// whole range.
func medianInterval(samples []float64) (low, high float64, known bool) {
	low, high = MedianInterval(slices.Sorted(slices.Values(samples)))
	return low, high, len(samples) >= 6
}

// within reports whether the interval of a log ratio lies inside the margin.
func within(low, high, margin float64) bool {
	limit := math.Log1p(margin)
	return low > -limit && high < limit
}

// sorted returns the rows with the best first and the others in order of their ratio.
func sorted(rows []Row) []Row {
	slices.SortStableFunc(rows, func(a, b Row) int {
		switch {
		case a.Standing == Best:
			return -1
		case b.Standing == Best, a.Ratio > b.Ratio:
			return 1
		case a.Ratio < b.Ratio:
			return -1
		}
		return 0
	})
	return rows
}

// fillStandings fills the standings that are still open. The best was chosen by looking at the data, so that any of the
// k(k-1)/2 pairs could have been the one that is tested: Holm's correction over the k-1 rows is made stricter by k/2.
func fillStandings(rows []Row, o RankOptions) {
	p := make([]float64, len(rows))
	for i, row := range rows {
		p[i] = row.P
	}
	reject := Holm(p, o.Alpha*2/float64(max(2, len(rows))))
	for i := range rows {
		switch {
		case rows[i].Standing != "":
		case reject[i] && rows[i].Low > 1+o.Floor:
			rows[i].Standing = Slower
		default:
			rows[i].Standing = Unknown
		}
	}
}
