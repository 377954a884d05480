package adams2019

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// usual is a short training.
func usual() Training { return Training{Epochs: 5, Rates: []float32{0.001}, Cores: 4} }

func TestTrainIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	set, _ := NewSet(made(1, 3, 150, 5))
	var first *Weights
	for _, workers := range []int{1, 2, 3, 16} {
		training := usual()
		training.Workers = workers
		w, err := Train(t.Context(), startingWeights(), set, training)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = w
		}
		if *w != *first {
			t.Errorf("%d workers: other weights", workers)
		}
	}
	if *first == *startingWeights() {
		t.Error("nothing was learnt")
	}
}

// TestMachineCodeAddsAsGo compares the sums of the two ways, bit by bit.
func TestMachineCodeAddsAsGo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		stride := 1 + n%5
		factors := random(r, n*stride+1)
		rows24, rows32 := make([][scheduleOut]float64, n), make([][coefficients]float64, n)
		start := random(r, coefficients)
		got24, want24 := [scheduleOut]float64(start), [scheduleOut]float64(start)
		got32, want32 := [coefficients]float64(start), [coefficients]float64(start)
		for i := range n {
			rows24[i] = [scheduleOut]float64(random(r, scheduleOut))
			rows32[i] = [coefficients]float64(random(r, coefficients))
		}
		addEach24(&want24, factors, stride, rows24)
		addEach32(&want32, factors, stride, rows32)
		addRows24(&got24, factors, stride, rows24)
		addRows32(&got32, factors, stride, rows32)
		if got24 != want24 || got32 != want32 {
			t.Errorf("%d rows: other sums", n)
		}
	}
}

func random(r *rand.Rand, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	return values
}

// TestGradient compares the gradient with differences of the loss.
func TestGradient(t *testing.T) {
	set, _ := NewSet(made(2, 1, 10, 3))
	p := set.Pipelines[0].prepare(4)
	fastest := minimum(p.runtimes)
	w := startingWeights()
	lossOf := func() float64 {
		var n network
		var g gradient
		n.load(w, p)
		g.of(&n, p, 0, len(p.runtimes), fastest)
		return g.loss
	}
	var n network
	var g gradient
	var derivatives Weights
	n.load(w, p)
	g.of(&n, p, 0, len(p.runtimes), fastest)
	g.weights(&n, p, &derivatives)
	checked := 0
	all := w.buffers()
	for i, buffer := range derivatives.buffers() {
		for j, row := range buffer.rows {
			for k, derivative := range row {
				if (7*j+k)%5 != 0 || math.Abs(float64(derivative)) < 1e-3*math.Abs(g.loss) {
					continue
				}
				v := all[i].rows[j][k]
				const step = 1e-3
				all[i].rows[j][k] = v + step
				above := lossOf()
				all[i].rows[j][k] = v - step
				below := lossOf()
				all[i].rows[j][k] = v
				estimate := (above - below) / float64((v+step)-(v-step))
				if math.Abs(estimate-float64(derivative)) > 0.02*math.Abs(estimate)+1e-4*g.loss {
					t.Errorf("%s %d %d: derivative %v; differences say %v", buffer.name, j, k, derivative, estimate)
				}
				checked++
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d derivatives were checked", checked)
	}
}

func TestTrainReportsEpochs(t *testing.T) {
	set, _ := NewSet(append(made(1, 2, 20, 3), made(2, 3, 4, 3)[8:]...))
	var epochs []Epoch
	training := usual()
	training.Rates, training.Progress = []float32{0.001, 0.0005}, func(e Epoch) { epochs = append(epochs, e) }
	if _, err := Train(t.Context(), startingWeights(), set, training); err != nil {
		t.Fatal(err)
	}
	if len(epochs) != 10 || epochs[0].Rate != 0.001 || epochs[5].Rate != 0.0005 || epochs[5].Number != 1 {
		t.Errorf("epochs %v", epochs)
	}
	if first, last := epochs[0], epochs[9]; first.Pipelines != 2 || !(last.Loss < first.Loss) {
		t.Errorf("first %+v, last %+v", first, last)
	}
}

func TestTrainRefuses(t *testing.T) {
	set, _ := NewSet(made(1, 1, 10, 2))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Train(canceled, startingWeights(), set, usual()); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	for want, change := range map[string]func(*Training){
		"0 epochs":               func(t *Training) { t.Epochs = 0 },
		"no learning rate":       func(t *Training) { t.Rates = nil },
		"rate -1 is not above":   func(t *Training) { t.Rates = []float32{0.1, -1} },
		"rate NaN is not above":  func(t *Training) { t.Rates = []float32{float32(math.NaN())} },
		"0 cores":                func(t *Training) { t.Cores = 0 },
		"loss is NaN in epoch 2": func(t *Training) { t.Rates = []float32{1e38} },
		"are no longer finite":   func(t *Training) { t.Rates, t.Epochs = []float32{3e38}, 1 },
	} {
		training := usual()
		change(&training)
		w, err := Train(t.Context(), startingWeights(), set, training)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s; weights %v", err, want, w != nil)
		}
	}
}

func TestSet(t *testing.T) {
	samples := made(1, 2, 9, 2)
	again := samples[4]
	again.RuntimeMS, again.File, again.ScheduleID = samples[4].RuntimeMS/2, "again.sample", 77
	slower := samples[5]
	slower.RuntimeMS *= 2
	mixed := samples[9]
	mixed.PipelineID, mixed.File = samples[0].PipelineID, "mixed.sample"
	set, problems := NewSet(append(slices.Clone(samples), again, slower, mixed))
	if len(problems) != 1 || problems[0].File != "mixed.sample" ||
		!strings.Contains(problems[0].Err.Error(), "mixed.sample: its pipeline id 1000 is that of another pipeline") {
		t.Errorf("problems %v", problems)
	}
	if len(set.Pipelines) != 2 || set.Pipelines[0].ID != 1000 || len(set.Pipelines[0].Schedules) != 9 {
		t.Fatalf("%d pipelines", len(set.Pipelines))
	}
	for _, s := range set.Pipelines[0].Schedules {
		measured, ms := 1, samples[s.ScheduleID%9].RuntimeMS
		switch s.ScheduleID {
		case 77:
			measured, ms = 2, again.RuntimeMS
		case 5:
			measured = 2
		}
		if s.Measured != measured || s.RuntimeMS != ms {
			t.Errorf("schedule %d: %d times, %v ms", s.ScheduleID, s.Measured, s.RuntimeMS)
		}
	}
}

func TestEvaluate(t *testing.T) {
	set, _ := NewSet(made(1, 1, 40, 3))
	w := startingWeights()
	before, err := Evaluate(w, set, 4)
	if err != nil {
		t.Fatal(err)
	}
	training := usual()
	training.Epochs = 400
	w, err = Train(t.Context(), w, set, training)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Evaluate(w, set, 4)
	if err != nil {
		t.Fatal(err)
	}
	if !(after[0].Loss < before[0].Loss) || !(after[0].RankCorrelation > before[0].RankCorrelation) {
		t.Errorf("loss %v, then %v; correlation %v, then %v", before[0].Loss, after[0].Loss, before[0].RankCorrelation,
			after[0].RankCorrelation)
	}
	for i, s := range set.Pipelines[0].Schedules {
		ms, err := predict(w, s.Features, 4)
		if err != nil || ms != after[0].PredictedMS[i] || after[0].MeasuredMS[i] != float64(s.RuntimeMS) {
			t.Errorf("schedule %d: %v and %v ms, measured %v; %v", i, ms, after[0].PredictedMS[i],
				after[0].MeasuredMS[i], err)
		}
	}
	if _, err := predict(w, nil, 4); err == nil {
		t.Error("no features were accepted")
	}
	if _, err := Evaluate(w, set, 0); err == nil {
		t.Error("no cores were accepted")
	}
}

// TestPipelineID: ids are kept in files, so they may never change.
func TestPipelineID(t *testing.T) {
	for _, test := range []struct {
		name       string
		parameters map[string]string
		want       int32
	}{
		{"gaussian5x5", nil, 1396030765},
		{"conv3x3", map[string]string{"accumulator": "16"}, 1095399023},
		{"conv3x3", map[string]string{"accumulator": "32"}, 1289456481},
		{"conv3x3", map[string]string{"b": "2", "a": "1"}, 1104954580},
	} {
		if got := PipelineID(test.name, test.parameters); got != test.want {
			t.Errorf("%s %v: %d, not %d", test.name, test.parameters, got, test.want)
		}
	}
}

// TestMersenne: the C++ standard names the 10,000th number of a default std::mt19937.
func TestMersenne(t *testing.T) {
	m := newMersenne(5489)
	var last uint32
	for range 10_000 {
		last = m.uint32()
	}
	if last != 4123659995 {
		t.Errorf("%d", last)
	}
}

// TestFastLog: the approximation is near the logarithm, and exact where a feature is zero.
func TestFastLog(t *testing.T) {
	if fastLog(1) != 0 {
		t.Errorf("of 1: %v", fastLog(1))
	}
	for x := float32(1); x < 1e14; x *= 1.37 {
		if d := float64(fastLog(x)) - math.Log(float64(x)); math.Abs(d) > 2e-5 {
			t.Errorf("of %v: off by %v", x, d)
		}
	}
}

// predict returns the run time of a schedule in milliseconds, as the model sees it, on a machine with so many cores.
// The autoscheduler counts the cores that its parameter parallelism names. It is an error if the result is not finite.
func predict(w *Weights, f Features, cores int) (ms float64, err error) {
	if len(f) == 0 || cores < 1 {
		return 0, fmt.Errorf("prediction for %d stages on %d cores: at least one of each is needed", len(f), cores)
	}
	ms = predictAll(w, prepare([]Features{f}, cores))[0]
	if math.IsInf(ms, 0) || math.IsNaN(ms) {
		return 0, fmt.Errorf("prediction: %v ms: the features or the weights are out of range", ms)
	}
	return ms, nil
}
