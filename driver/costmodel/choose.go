package costmodel

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// manyRows is the number of rows from which three folds choose within a fold, instead of five: the choice is clear.
const manyRows = 4000

// exact is a relative error below which two models are equally good.
const exact = 1e-9

// choice is the outcome of a cross-validation.
type choice struct {
	models []Name
	sum    []float64 // of the relative errors over all rows, for each model; infinite if it could not be fitted
	rows   int
	nested []float64 // for each row, the prediction of the model that was chosen and fitted without the row's fold
}

// crossValidate predicts each row by models that were fitted without its fold, for all models. It also chooses a model
// within each fold's training rows, by a cross-validation of their own, and takes that one's prediction as nested. With
// fewer than three groups, or if the chosen model cannot be fitted to a fold, nothing is nested; with one group there
// is no choice.
func (d *data) crossValidate(rows []int) *choice {
	folds := d.folds(rows, d.options.Folds)
	if len(folds) < 2 {
		return &choice{models: d.options.Models}
	}
	inner := d.options.Folds
	if len(rows) >= manyRows {
		inner = min(inner, 3)
	}
	outer := make([][][]float64, len(folds)) // predictions of the fold's rows, by model
	within := make([]*choice, len(folds))
	var jobs []func()
	for f, test := range folds {
		train := without(rows, test)
		jobs = append(jobs, func() { outer[f] = d.predictAll(train, test) })
		if len(folds) > 2 {
			within[f] = &choice{models: d.options.Models}
			jobs = append(jobs, d.plain(within[f], train, inner)...)
		}
	}
	parallel(jobs)
	c := &choice{models: d.options.Models}
	place := map[int]int{}
	for i, r := range rows {
		place[r] = i
	}
	if len(folds) > 2 {
		c.nested = make([]float64, len(rows))
	}
	for f, test := range folds {
		c.add(d.measured, test, outer[f])
		if c.nested == nil {
			continue
		}
		chosen := within[f].at()
		for i, r := range test {
			c.nested[place[r]] = outer[f][chosen][i]
		}
	}
	if slices.ContainsFunc(c.nested, math.IsNaN) { // the chosen model could not be fitted to some fold
		c.nested = nil
	}
	return c
}

// plain returns jobs that cross-validate all models on some rows. A mutex orders what they add, not when.
func (d *data) plain(c *choice, rows []int, count int) []func() {
	folds := d.folds(rows, count)
	if len(folds) < 2 {
		return nil
	}
	var jobs []func()
	var lock sync.Mutex
	done := make([][][]float64, len(folds))
	left := len(folds)
	for f, test := range folds {
		train := without(rows, test)
		jobs = append(jobs, func() {
			predicted := d.predictAll(train, test)
			lock.Lock()
			defer lock.Unlock()
			done[f] = predicted
			if left--; left > 0 {
				return
			}
			for f, test := range folds { // in one order, so that the sums are the same on every run
				c.add(d.measured, test, done[f])
			}
		})
	}
	return jobs
}

// predictAll fits all models to train and predicts test. A model that cannot be fitted predicts NaN.
func (d *data) predictAll(train, test []int) [][]float64 {
	var out [][]float64
	for _, f := range d.fitAll(train) {
		if f.err != nil {
			out = append(out, slices.Repeat([]float64{math.NaN()}, len(test)))
			continue
		}
		out = append(out, f.predict(d, test))
	}
	return out
}

// add adds the relative errors of predictions, by model.
func (c *choice) add(measured []float64, test []int, predicted [][]float64) {
	if c.sum == nil {
		c.sum = make([]float64, len(c.models))
	}
	c.rows += len(test)
	for m, values := range predicted {
		for i, r := range test {
			e := math.Abs(values[i]-measured[r]) / measured[r]
			if math.IsNaN(e) {
				e = math.Inf(1)
			}
			c.sum[m] += e
		}
	}
}

// at returns the chosen model: the one with the least error, or a simpler one that is within the margin of it. Without
// a cross-validation it is the simplest.
func (c *choice) at() int {
	if c.sum == nil {
		return 0
	}
	limit := slices.Min(c.sum)*(1+choiceMargin) + exact*float64(c.rows)
	return slices.IndexFunc(c.sum, func(s float64) bool { return s <= limit })
}

// best returns the chosen model of those that could be fitted to all rows, or -1.
func (c *choice) best(fits []fitted) int {
	if at := c.at(); fits[at].err == nil {
		return at
	}
	return slices.IndexFunc(fits, func(f fitted) bool { return f.err == nil })
}

// mape returns the mean absolute error of a model in percent, or 0 if nothing was cross-validated.
func (c *choice) mape(model int) float64 {
	if c.sum == nil || math.IsInf(c.sum[model], 0) {
		return 0
	}
	return 100 * c.sum[model] / float64(c.rows)
}

// folds divides rows into at most count parts with about as many groups each. Groups are shuffled by the seed.
func (d *data) folds(rows []int, count int) [][]int {
	var groups []int
	for _, r := range rows {
		groups = append(groups, d.group[r])
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	random := rand.New(rand.NewPCG(d.options.Seed, 7))
	random.Shuffle(len(groups), func(a, b int) { groups[a], groups[b] = groups[b], groups[a] })
	folds := make([][]int, min(count, len(groups)))
	fold := make([]int, d.groups)
	for i, g := range groups {
		fold[g] = i % len(folds)
	}
	for _, r := range rows {
		f := fold[d.group[r]]
		folds[f] = append(folds[f], r)
	}
	return folds
}

func without(rows, test []int) []int {
	out := make([]int, 0, len(rows)-len(test))
	i := 0
	for _, r := range rows { // test has the same order
		if i < len(test) && test[i] == r {
			i++
			continue
		}
		out = append(out, r)
	}
	return out
}

// parallel runs jobs on all processors.
func parallel(jobs []func()) {
	queue := make(chan func())
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		workers.Go(func() {
			for job := range queue {
				job()
			}
		})
	}
	for _, job := range jobs {
		queue <- job
	}
	close(queue)
	workers.Wait()
}

// leastExtrapolated is the number of rows from which the slowest 30 % say something.
const leastExtrapolated = 10

// extrapolate fits a model to the fastest 70 % of the rows and returns its errors on the slowest 30 %.
func (d *data) extrapolate(name Name) *Errors {
	if d.table.Rows < leastExtrapolated {
		return nil
	}
	rows := FastestFirst(d.measured)
	fast := len(rows) * 7 / 10
	f := d.fit(name, rows[:fast])
	if f.err != nil {
		return nil
	}
	e := d.errors(rows[fast:], f.predict(d, rows[fast:]))
	return &e
}

// FastestFirst returns the numbers of the rows in ascending order of their runtimes. Equal ones keep their order.
func FastestFirst(measured []float64) []int {
	rows := allRows(len(measured))
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(measured[a], measured[b]) })
	return rows
}
