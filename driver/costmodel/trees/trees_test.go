package trees

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func options() Options {
	return Options{Count: 60, Depth: 4, Rate: 0.15, LeafRows: 2, Ridge: 1, Rows: 0.7, Columns: 0.7, Seed: 1}
}

// sample makes rows with a step, an interaction and a column that says nothing.
func sample(rows int) (columns [][]float64, target []float64) {
	random := rand.New(rand.NewPCG(3, 4))
	columns = make([][]float64, 4)
	for range rows {
		a, b := float64(random.IntN(6)), random.Float64()*10
		columns[0] = append(columns[0], a)
		columns[1] = append(columns[1], b)
		columns[2] = append(columns[2], random.Float64())
		columns[3] = append(columns[3], 7)
		y := 0.0
		if a > 2 {
			y = 1
			if b > 5 {
				y = 3
			}
		}
		target = append(target, y)
	}
	return columns, target
}

func row(columns [][]float64, i int) []float64 {
	x := make([]float64, len(columns))
	for j := range columns {
		x[j] = columns[j][i]
	}
	return x
}

func TestFitLearns(t *testing.T) {
	columns, target := sample(500)
	e, err := Fit(columns, target, options())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, y := range target {
		sum += math.Abs(e.Predict(row(columns, i)) - y)
	}
	if mean := sum / float64(len(target)); mean > 0.05 {
		t.Errorf("mean error %g, want at most 0.05", mean)
	}
	far := e.Predict([]float64{1e6, 1e6, 0.5, 7})
	if math.Abs(far-3) > 0.3 {
		t.Errorf("beyond the data: %g, want about 3, as at the border", far)
	}
}

func TestSameSeedSameTrees(t *testing.T) {
	columns, target := sample(200)
	first, err := Fit(columns, target, options())
	if err != nil {
		t.Fatal(err)
	}
	second, err := Fit(columns, target, options())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	o := options()
	o.Seed = 2
	other, err := Fit(columns, target, o)
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(first, other) {
		t.Error("another seed gave the same trees")
	}
}

// TestPredictorAgrees compares the fast way for many rows with the plain one, on rows within the data, beyond it and on
// thresholds.
func TestPredictorAgrees(t *testing.T) {
	columns, target := sample(333)
	e, err := Fit(columns, target, options())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var read Ensemble
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if err := read.Check(4); err != nil {
		t.Fatal(err)
	}
	for j := range columns {
		columns[j] = append(columns[j], -1, 1e9, e.Trees[0].Threshold[0])
	}
	out := make([]float64, len(columns[0]))
	NewPredictor(&read, 4).Predict(columns, out)
	for i, got := range out {
		if want := e.Predict(row(columns, i)); got != want {
			t.Fatalf("row %d: got %g, want %g", i, got, want)
		}
	}
}

func TestSmallData(t *testing.T) {
	for name, c := range map[string]struct {
		columns [][]float64
		target  []float64
		want    float64
	}{
		"one row":          {[][]float64{{1}}, []float64{5}, 5},
		"constant column":  {[][]float64{{1, 1, 1}}, []float64{1, 2, 3}, 2},
		"constant target":  {[][]float64{{1, 2, 3, 4}}, []float64{4, 4, 4, 4}, 4},
		"neighbour floats": {[][]float64{{1, math.Nextafter(1, 2), 1, 1}}, []float64{2, 2, 2, 2}, 2},
	} {
		e, err := Fit(c.columns, c.target, options())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := e.Predict([]float64{1}); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: got %g, want %g", name, got, c.want)
		}
	}
}

func TestBadInput(t *testing.T) {
	good := [][]float64{{1, 2}}
	for name, c := range map[string]struct {
		columns [][]float64
		target  []float64
		change  func(o *Options)
	}{
		"no columns":   {nil, []float64{1}, func(*Options) {}},
		"no rows":      {[][]float64{{}}, nil, func(*Options) {}},
		"lengths":      {good, []float64{1}, func(*Options) {}},
		"NaN":          {[][]float64{{1, math.NaN()}}, []float64{1, 2}, func(*Options) {}},
		"infinite":     {good, []float64{1, math.Inf(1)}, func(*Options) {}},
		"depth":        {good, []float64{1, 2}, func(o *Options) { o.Depth = 9 }},
		"no trees":     {good, []float64{1, 2}, func(o *Options) { o.Count = 0 }},
		"rate":         {good, []float64{1, 2}, func(o *Options) { o.Rate = math.NaN() }},
		"share":        {good, []float64{1, 2}, func(o *Options) { o.Rows = 0 }},
		"wide":         {make([][]float64, 300), []float64{1}, func(*Options) {}},
		"rows in leaf": {good, []float64{1, 2}, func(o *Options) { o.LeafRows = 0 }},
	} {
		o := options()
		c.change(&o)
		if _, err := Fit(c.columns, c.target, o); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func TestCheck(t *testing.T) {
	tree := func(change func(*Tree)) *Ensemble {
		t := Tree{Column: []int{0}, Threshold: []float64{1}, Leaf: []float64{1, 2}}
		change(&t)
		return &Ensemble{Trees: []Tree{t}}
	}
	if err := tree(func(*Tree) {}).Check(1); err != nil {
		t.Error(err)
	}
	many := &Ensemble{}
	for i := range 300 {
		many.Trees = append(many.Trees, Tree{Column: []int{0}, Threshold: []float64{float64(i)}, Leaf: []float64{1, 2}})
	}
	for name, e := range map[string]*Ensemble{
		"column":     tree(func(t *Tree) { t.Column[0] = 1 }),
		"negative":   tree(func(t *Tree) { t.Column[0] = -1 }),
		"leaves":     tree(func(t *Tree) { t.Leaf = []float64{1, 2, 3} }),
		"no leaves":  tree(func(t *Tree) { t.Leaf = nil }),
		"questions":  tree(func(t *Tree) { t.Threshold = nil }),
		"infinite":   tree(func(t *Tree) { t.Leaf[0] = math.Inf(1) }),
		"base":       {Base: math.NaN()},
		"thresholds": many,
	} {
		if e.Check(1) == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}
