package costmodel

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/driver/costmodel/params"
	"zonemark/driver/costmodel/table"
)

func sweep(tb testing.TB, name string) *table.Table {
	tb.Helper()
	t, err := table.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func readTable(tb testing.TB, text string) *table.Table {
	tb.Helper()
	t, err := table.Read(strings.NewReader(text), "f.csv")
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// TestPublishedWeights fits two whole published sweeps and gets the published weights.
func TestPublishedWeights(t *testing.T) {
	published, err := params.ReadFile(filepath.Join("params", "testdata", "wormhole_b0_params_v3.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"matmul-l1-acc-fp16-op-performance.csv", "maximum-int8-op-performance.csv"} {
		s := sweep(t, file)
		m, err := Fit(s, Options{Models: []Name{NNLS}})
		if err != nil {
			t.Fatal(err)
		}
		op, set, err := Destination(s, Identify(file))
		if err != nil {
			t.Fatal(err)
		}
		checkWeights(t, m, published, op, set)
	}
}

// checkWeights compares the weights of model nnls with published ones, which have 8 decimals.
func checkWeights(t *testing.T, m *Model, published *params.File, op, set string) {
	t.Helper()
	weights := map[string]float64{}
	for _, w := range m.Candidates[0].Weights {
		weights[w.Parameter] = w.Cycles
	}
	for _, s := range published.Operation(op).Sets {
		if s.Name != set {
			continue
		}
		for _, w := range s.Weights {
			if got := weights[w.Name]; math.Abs(got-w.Value) > 1e-8 {
				t.Errorf("%s, %s, %s: got %.9f, published %.8f", op, set, w.Name, got, w.Value)
			}
		}
		return
	}
	t.Errorf("nothing is published for %s, %s", op, set)
}

func TestFitChoosesTheHybridForMatmul(t *testing.T) {
	m, err := Fit(sweep(t, "matmul-l1-acc-fp16-op-performance.csv"), Options{Operation: "matmul"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind != MatmulV2 || m.Model != Hybrid || m.Rows != 228 || m.Groups != 228 || len(m.Warnings) > 0 {
		t.Errorf("kind %s, model %s, %d rows, %d groups, warnings %v", m.Kind, m.Model, m.Rows, m.Groups, m.Warnings)
	}
	if m.CrossValidated.MAPE > 1.2 || m.InSample.MAPE > m.CrossValidated.MAPE || m.Extrapolated.MAPE > 3 {
		t.Errorf("errors %+v, %+v, %+v", m.InSample, m.CrossValidated, m.Extrapolated)
	}
	e := m.CrossValidated
	if !(e.Low < 1 && e.High > 1 && e.P95 <= e.Max && e.Worst.Parameters["k"] != "" && e.Worst.Line > 1) {
		t.Errorf("errors %+v", e)
	}
	if nnls := m.Candidates[0]; nnls.Model != NNLS || math.Abs(nnls.CrossValidated-3.5) > 0.2 {
		t.Errorf("nnls %+v, want 3.5 %%", nnls)
	}
	weights, name, err := m.Parameters()
	if err != nil || name != NNLS || len(weights) != 4 || weights[0].Name != "math_tiles_weight" {
		t.Errorf("parameters %v of %s, %v", weights, name, err)
	}
}

// TestSameFitEveryTime fits twice, on as many processors as there are, and gets the same model.
func TestSameFitEveryTime(t *testing.T) {
	s := sweep(t, "matmul-sparse-op-performance.csv")
	first, err := Fit(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := Fit(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
}

// TestNothingLeaks checks that the reported error is from rows that neither fitted nor chose the model: with runtimes
// that have nothing to do with the shape, no model may look good.
func TestNothingLeaks(t *testing.T) {
	s := sweep(t, "matmul-l1-acc-fp16-op-performance.csv")
	shuffled := *s
	shuffled.Runtime = make([]float64, s.Rows)
	for i := range shuffled.Runtime {
		shuffled.Runtime[i] = 1000 * math.Exp(3*math.Sin(float64(i*i)))
	}
	m, err := Fit(&shuffled, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.CrossValidated.MAPE < 60 { // a constant has 70 %
		t.Errorf("noise is predicted with an error of %g %%", m.CrossValidated.MAPE)
	}
}

func TestFoldsKeepGroupsTogether(t *testing.T) {
	d, err := newData(sweep(t, "matmul-sparse-op-performance.csv"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	where := map[int]int{}
	total := 0
	for f, rows := range d.folds(allRows(d.table.Rows), 5) {
		total += len(rows)
		for _, r := range rows {
			if other, seen := where[d.group[r]]; seen && other != f {
				t.Errorf("group %d is in folds %d and %d", d.group[r], other, f)
			}
			where[d.group[r]] = f
		}
	}
	if total != d.table.Rows {
		t.Errorf("%d rows in folds, want %d", total, d.table.Rows)
	}
}

func TestModelFile(t *testing.T) {
	s := sweep(t, "sine-op-performance.csv")
	m, err := Fit(s, Options{Operation: "sine", Models: []Name{Hybrid}})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Fit(s, Options{Operation: "sine", Models: []Name{Relative}})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := WriteModels(&file, []*Model{m, plain}); err != nil {
		t.Fatal(err)
	}
	read, err := ReadModels(bytes.NewReader(file.Bytes()), "m.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*Model{m, plain}, read, cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().String() == ".Warnings" || p.Last().String() == ".Predicted"
	}, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
	want, err := m.Estimate(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read[0].Estimate(s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, text := range map[string]string{
		"torn":         file.String()[:file.Len()/2],
		"other format": `{"format":"x","version":1,"models":[{}]}`,
		"newer":        `{"format":"zonemark cost models","version":2,"models":[{}]}`,
		"no models":    `{"format":"zonemark cost models","version":1,"models":[]}`,
		"null":         `{"format":"zonemark cost models","version":1,"models":[null]}`,
		"empty model":  `{"format":"zonemark cost models","version":1,"models":[{}]}`,
		"term":         strings.Replace(file.String(), `"term":"t*m*n"`, `"term":"t*m*q"`, 1),
		"kind":         strings.Replace(file.String(), `"kind":"eltwise"`, `"kind":"eltvise"`, 1),
		"negative":     strings.Replace(file.String(), `"cycles":`, `"cycles":-`, 1),
		"column":       strings.Replace(file.String(), `{"column":[`, `{"column":[99,`, 1),
	} {
		if _, err := ReadModels(strings.NewReader(text), "m.json"); err == nil || !strings.HasPrefix(err.Error(),
			"m.json: ") {
			t.Errorf("%s: got %v, want an error that names the file", name, err)
		}
	}
}

func TestEstimate(t *testing.T) {
	m, err := Fit(sweep(t, "matmul-l1-acc-fp16-op-performance.csv"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const header = "input0_df,input1_df,math_fidelity,t,mblock_m,mblock_n,ublock_rt,ublock_ct,m_k,u_kt\n"
	got, err := m.Estimate(readTable(t, header+
		"Float16_b,Float16_b,HiFi4,1,2,2,2,2,32,1\nFloat16_b,Float16_b,LoFi,1,2,2,2,2,64,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	within, beyond := got[0], got[1]
	if math.Abs(within.Cycles/37154-1) > 0.02 || !(within.Low < 37154 && within.High > 37154) ||
		within.Outside != nil || within.ErrorPercent != m.CrossValidated.MAPE {
		t.Errorf("within the range: %+v, measured 37154", within)
	}
	if want := []string{"math_fidelity = LoFi; fitted HiFi4", "k = 64; fitted 1 to 32"}; !slices.Equal(beyond.Outside,
		want) ||
		beyond.ErrorPercent != m.Extrapolated.MAPE {
		t.Errorf("outside of the range: %+v, want %q", beyond, want)
	}
	for text, want := range map[string]string{
		"math_fidelity,mblock_m\nLoFi,1\n":                        "no column mblock_n or output_mb_c or n",
		header + "Float16_b,Float16_b,HiFi9,1,2,2,2,2,32,1\n":     `line 2: column math_fidelity: "HiFi9"`,
		header + "Float16_b,Float16_b,HiFi4,1,2,2,2,2,0,1\n":      "line 2: column m_k: 0 is below 1",
		header + "Float16_b,Float16_b,HiFi4,1,2,2,2,2,1e308,99\n": "column m_k: 1e+308 is no whole number",
		header + "Float16_b,Float16_b,HiFi4,1,2,2,2,2,1.5,1\n":    "column m_k: 1.5 is no whole number",
	} {
		if _, err := m.Estimate(readTable(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestEstimateOverflows: an estimate that is not finite is an error.
func TestEstimateOverflows(t *testing.T) {
	m, err := Fit(readTable(t, "a,b,runtime\n1,1,2\n2,1,4\n1,2,4\n2,2,8\n"), Options{Variables: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "line 2: the estimate is +Inf cycles"
	if _, err := m.Estimate(readTable(t, "a,b\n1e308,1e308\n")); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestBadInput(t *testing.T) {
	const header = "mblock_m,mblock_n,ublock_rt,ublock_ct,runtime\n"
	for name, c := range map[string]struct {
		text, want string
		options    Options
	}{
		"one row": {header + "1,1,1,1,5\n", "f.csv: line 2: one row is too little", Options{}},
		"all rows equal": {header + "1,1,1,1,5\n1,1,1,1,6\n", "f.csv: all 2 rows have the same configuration",
			Options{}},
		"no runtime": {"mblock_m\n1\n2\n", "no column runtime or total-runtime", Options{}},
		"renamed": {"mblok_m,mblock_n,ublock_rt,ublock_ct,runtime\n1,1,1,1,5\n", `the nearest is "mblok_m"`,
			Options{}},
		"no non-zeros":  {header + "1,1,1,1,5\n2,1,1,1,6\n", "no column mblock_k or m_k or k", Options{Kind: Sparse}},
		"unknown kind":  {header + "1,1,1,1,5\n2,1,1,1,6\n", "unknown kind", Options{Kind: "matmull"}},
		"unknown model": {header + "1,1,1,1,5\n2,1,1,1,6\n", "unknown model", Options{Models: []Name{"trees"}}},
		"one fold":      {header + "1,1,1,1,5\n2,1,1,1,6\n", "1 folds", Options{Folds: 1}},
		"no group":      {header + "1,1,1,1,5\n2,1,1,1,6\n", "no column size", Options{GroupBy: []string{"size"}}},
		"no variable":   {header + "1,1,1,1,5\n2,1,1,1,6\n", "no column size", Options{Variables: []string{"size"}}},
	} {
		m, err := Fit(readTable(t, c.text), c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v, want %s", name, m, err, c.want)
		}
	}
}

// TestFewRows fits what is little but enough. It says so.
func TestFewRows(t *testing.T) {
	const header = "mblock_m,mblock_n,ublock_rt,ublock_ct,runtime\n"
	for name, c := range map[string]struct{ text, warning string }{
		"two rows":     {header + "1,1,1,1,50\n2,1,1,1,100\n", "only 2 shapes"},
		"three rows":   {header + "1,1,1,1,50\n2,1,1,1,100\n3,1,1,1,150\n", "only 3 shapes"},
		"all the same": {header + "1,1,1,1,50\n2,1,1,1,50\n3,1,1,1,50\n", "all 3 rows have the same runtime"},
		"collinear": {header + "1,1,2,2,50\n2,1,2,2,100\n3,1,2,2,150\n",
			"t*m*n and t*m*n*r*c are proportional on all rows"},
		"one shape": {"input0_df," + header + "Bfp8,1,1,1,1,50\nFloat16,1,1,1,1,100\n", "only 1 shapes"},
	} {
		m, err := Fit(readTable(t, c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if warnings := strings.Join(m.Warnings, "\n"); !strings.Contains(warnings, c.warning) {
			t.Errorf("%s: warnings %q, want %q", name, warnings, c.warning)
		}
		var file bytes.Buffer
		if err := WriteModels(&file, []*Model{m}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProducts fits a cost of named variables, as from a journal.
func TestProducts(t *testing.T) {
	var text strings.Builder
	text.WriteString("M,N,K,runtime\n")
	for i := range 60 {
		m, n, k := 1<<(i%4), 1<<(i/4%4), 3+i%7
		fmt.Fprintf(&text, "%d,%d,%d,%d\n", m, n, k, 100+7*m*n*k+50*m)
	}
	s := readTable(t, text.String())
	model, err := Fit(s, Options{Variables: []string{"m", "n", "k"}})
	if err != nil {
		t.Fatal(err)
	}
	if model.Kind != Products || model.CrossValidated.MAPE > 0.01 || model.Model != NNLS {
		t.Errorf("%s %s, errors %+v", model.Kind, model.Model, model.CrossValidated)
	}
	for _, w := range model.Weights {
		if want := map[string]float64{"m*n*k": 7, "m": 50, "1": 100}[w.Term]; math.Abs(w.Cycles-want) > 1e-6 {
			t.Errorf("%s: %g, want %g", w.Term, w.Cycles, want)
		}
	}
	if _, _, err := model.Parameters(); err == nil {
		t.Error("want an error: products have no names in parameter files")
	}
}

func TestAgainst(t *testing.T) {
	f, err := params.ReadFile(filepath.Join("params", "testdata", "wormhole_b0_params_v3.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.Architecture = "wormhole_b0"
	var all []Comparison
	for _, name := range []string{"maximum-int8-op-performance.csv", "sine-op-performance.csv"} {
		c, err := Against(sweep(t, name), Identify(name), f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c...)
	}
	WorstFirst(all)
	worst := all[0]
	if len(all) != 3 || worst.Operation != "sine" || worst.Rows != 12 ||
		worst.Bias > -46 || worst.Bias < -47 || worst.Fitted > 1 {
		t.Errorf("got %+v, want sine first, 46 %% too low", all)
	}
	if last := all[2]; last.Asked != "cosine" || last.Errors.MAPE > 1 {
		t.Errorf("last %+v, want the rows of cosine", last)
	}
}

func TestIdentify(t *testing.T) {
	for file, want := range map[string]Identity{
		"a/gelu-derivative-approx-op-performance.csv": {Operation: "gelu_derivative", Approximate: true},
		"matmul-l1-acc-bfp8-op-performance.csv":       {Operation: "matmul", L1Accumulate: true},
		"whb0-reduce-r-performance.csv":               {Operation: "reduce", ReduceDim: "r"},
		"whb0-splice-op-performance.csv":              {Operation: "splice"},
		"matmul-sparse-op-performance.csv":            {Operation: "matmul"},
		"dequantization-int32-op-performance.csv":     {Operation: "dequantization"},
		"my_op.csv": {Operation: "my"},
	} {
		if got := Identify(file); got != want {
			t.Errorf("%s: got %+v, want %+v", file, got, want)
		}
	}
}

func TestRecognize(t *testing.T) {
	for columns, want := range map[string]Kind{
		"m,n,r,c\n1,1,1,1\n":                      Eltwise,
		"m,n,r,c,z\n1,1,1,1,01\n":                 Eltwise,
		"m,n,r,c,z\n1,1,1,1,02\n":                 ReduceZ,
		"m,n,k,r,c,u\n1,1,1,1,1,1\n":              MatmulV2,
		"reduce-dim,m,n,k,r,c,u\nr,1,1,1,1,1,1\n": Eltwise,
		"m,n,k,r,c,u,nz_tiles\n1,1,1,1,1,1,1\n":   Sparse,
	} {
		if got := Recognize(readTable(t, columns), ""); got != want {
			t.Errorf("%q: got %s, want %s", columns, got, want)
		}
	}
	if got := Recognize(readTable(t, "m,n,k,r,c,u\n1,1,1,1,1,1\n"), "grayskull"); got != Matmul {
		t.Errorf("grayskull: got %s", got)
	}
}

func FuzzReadModels(f *testing.F) {
	f.Add(`{"format":"zonemark cost models","version":1,"models":[{"kind":"eltwise","model":"hybrid",` +
		`"weights":[{"term":"t*m*n","cycles":2}],` +
		`"inputs":[{"term":"r/c"},{"column":"input0_df","text":"Bfp8"},{"column":"m"}],` +
		`"trees":{"base":0.1,"trees":[{"column":[2],"threshold":[1.5],"leaf":[0.5,0.25]}]},` +
		`"ranges":[{"column":"m","low":1,"high":2},{"column":"input0_df","texts":["Bfp8"]}],` +
		`"cross_validated":{"mape":1}}]}`)
	f.Add(`{"format":"zonemark cost models","version":1,` +
		`"models":[{"kind":"products","model":"relative","variables":["m"],` +
		`"weights":[{"term":"m","cycles":2},{"term":"1","cycles":2}],"ranges":null}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		models, err := ReadModels(strings.NewReader(text), "m.json")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "m.json: ") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		s := readTable(t, "input0_df,math_fidelity,m,n,k,r,c,u,z,nz_strips,nz_ublocks,nz_tiles\n"+
			"Bfp8,LoFi,1,2,3,4,5,6,7,8,9,10\nFloat16,HiFi4,2,2,1,4,5,6,7,0,0,0\n")
		for _, m := range models {
			estimates, err := m.Estimate(s)
			for _, e := range estimates {
				if err == nil && !(e.Cycles > 0) {
					t.Errorf("estimate %+v", e)
				}
			}
		}
	})
}
