package costmodel

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"zonemark/driver/costmodel/table"
)

// synthetic makes a sweep of a matrix multiplication whose cost has a bend and a dependence on the format.
func synthetic(tb testing.TB, rows int) *table.Table {
	tb.Helper()
	header := []string{"input0_df", "math_fidelity", "t", "mblock_m", "mblock_n", "ublock_rt", "ublock_ct", "m_k",
		"u_kt", "runtime"}
	var records [][]string
	for i := range rows {
		pick := func(divisor int, of ...int) int { return of[i/divisor%len(of)] }
		m, n, r, c := pick(1, 1, 2, 4, 8, 16), pick(5, 1, 2, 3, 4, 6, 8), pick(30, 1, 2, 4), pick(90, 1, 2, 4, 8)
		k, u, t := pick(360, 1, 2, 4, 8, 16, 32), pick(2160, 1, 2, 4, 8), pick(8640, 1, 2)
		format, fidelity, phases := "Bfp8_b", "LoFi", 1
		if i%7 < 3 {
			format, fidelity, phases = "Float16_b", "HiFi3", 3
		}
		tiles := float64(k * m * n * r * c * u)
		cost := max(15*tiles*float64(phases), 40*tiles/float64(c)) + 90*float64(k*m*n) + 300
		cost *= 1 + 0.02*math.Sin(float64(i))
		record := []string{format, fidelity}
		for _, v := range []int{t, m, n, r, c, k, u, int(cost) * t} {
			record = append(record, strconv.Itoa(v))
		}
		records = append(records, record)
	}
	t, err := table.New("synthetic", header, records, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// BenchmarkFit fits the hybrid alone, and chooses among all models with its errors, as the command does.
func BenchmarkFit(b *testing.B) {
	t := synthetic(b, 10_000)
	for name, models := range map[string][]Name{"hybrid": {Hybrid}, "choice": nil} {
		b.Run(fmt.Sprintf("rows=%d/%s", t.Rows, name), func(b *testing.B) {
			for b.Loop() {
				if _, err := Fit(t, Options{Models: models}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEstimate estimates a million rows with a hybrid.
func BenchmarkEstimate(b *testing.B) {
	t := synthetic(b, 10_000)
	m, err := Fit(t, Options{Models: []Name{Hybrid}})
	if err != nil {
		b.Fatal(err)
	}
	e, err := m.NewEstimator()
	if err != nil {
		b.Fatal(err)
	}
	const million = 1_000_000
	rows := make([]int, million)
	for i := range rows {
		rows[i] = i % t.Rows
	}
	large := t.Select(rows)
	for b.Loop() {
		if _, err := e.Estimate(large); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*million/b.Elapsed().Seconds(), "rows/s")
}
