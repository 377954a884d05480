package bench

import (
	"zonemark/invocations/stats"
)

// Beside compares the records of one model on several runtimes, end to end.
type Beside struct {
	// Method is "paired rounds", in which the runtimes took turns, or "median intervals" if there were too few.
	Method string      `json:"method"`
	Pairs  int         `json:"pairs,omitempty"` // repetitions that were compared
	Note   string      `json:"note,omitempty"`  // why the method is not the better one
	Rows   []BesideRow `json:"rows"`            // the fastest first
}

// BesideRow is one runtime of a comparison.
type BesideRow struct {
	Record  int            `json:"-"` // index of its record
	Runtime string         `json:"runtime"`
	Device  string         `json:"device"`
	Ratio   float64        `json:"ratio"` // time against the fastest
	Low     float64        `json:"ratio_low,omitempty"`
	High    float64        `json:"ratio_high,omitempty"` // 95 % confidence interval of the ratio; absent if it has no end
	Result  stats.Standing `json:"standing"`
}

// Compare compares records of the same model, end to end, by repetitions in which the runtimes took turns. It leaves
// out records of failures, and returns nil if fewer than two are left.
func Compare(records []*RunRecord) *Beside {
	var variants []stats.Variant
	var of []int
	for i, r := range records {
		if r.Error != "" {
			continue
		}
		totals, iterations, err := together(r.Zonemark.Modules)
		if err != nil {
			continue // Measured has made a failure of it
		}
		variants = append(variants, stats.Variant{
			Name: r.Zonemark.Runtime, PairedNS: totals, SamplesNS: iterations,
		})
		of = append(of, i)
	}
	if len(variants) < 2 {
		return nil
	}
	ranking := stats.Rank(variants, stats.RankOptions{})
	b := &Beside{Method: ranking.Method, Pairs: ranking.Pairs, Note: ranking.Note}
	for _, row := range ranking.Rows {
		r := records[of[row.Variant]]
		b.Rows = append(b.Rows, BesideRow{
			Record: of[row.Variant], Runtime: r.Zonemark.Runtime, Device: r.Arch,
			Ratio: finite(row.Ratio), Low: finite(row.Low), High: finite(row.High), Result: row.Standing,
		})
	}
	return b
}
