package stats_test

import (
	"fmt"

	"zonemark/invocations/stats"
)

// One sample in seven is off. It moves the mean, and the end of the interval, but not the median.
func ExampleSummarize() {
	s := stats.Summarize([]float64{102, 100, 101, 180, 99, 100, 103}, nil)
	fmt.Printf("%d samples: %g ns, %g to %g, mean %.0f\n", s.N, s.MedianNS, s.CILowNS, s.CIHighNS, s.MeanNS)
	// Output: 7 samples: 101 ns, 99 to 180, mean 112
}

// The medians of five launches say within what a second run of five lies.
func ExampleLaunchInterval() {
	i := stats.LaunchInterval([]float64{200, 202, 199, 201, 230})
	fmt.Printf("%g ns, %.1f to %.1f, within 2 %%: %t\n", i.Value, i.Low, i.High, i.Within(0.02, 1))
	// Output: 201 ns, 173.1 to 228.9, within 2 %: false
}

// Launches that fall into two classes have no typical time.
func ExampleTwoClasses() {
	classes, two := stats.TwoClasses([]float64{184, 240, 184.2, 239.5, 184.1})
	fmt.Println(two, classes.Low, classes.LowNS, classes.High, classes.HighNS)
	// Output: true 3 184.1 2 239.75
}

// Variants that were measured side by side, round after round: the machine drifts, their order stays.
func ExampleRank() {
	variants := []stats.Variant{
		{Name: "tiled", PairedNS: []float64{100, 140, 120, 101}},
		{Name: "naive", PairedNS: []float64{201, 279, 241, 202}},
		{Name: "unrolled", PairedNS: []float64{100.1, 140, 119.9, 101.1}},
	}
	for i := range variants {
		variants[i].SamplesNS = variants[i].PairedNS
	}
	for _, row := range stats.Rank(variants, stats.RankOptions{}).Rows {
		fmt.Printf("%-8s %.2f × %s\n", row.Name, row.Ratio, row.Standing)
	}
	// Output:
	// tiled    1.00 × best
	// unrolled 1.00 × same
	// naive    2.00 × slower
}

// Two sets of times without overlap differ, but three values a side are too few to say so.
func ExampleMannWhitney() {
	fmt.Printf("%.3f\n", stats.MannWhitney([]float64{1, 2, 3}, []float64{4, 5, 6}))
	fmt.Printf("%.3f\n", stats.MannWhitney([]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}))
	// Output:
	// 0.100
	// 0.008
}
