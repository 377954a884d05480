package costmodel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/costmodel/table"
)

func TestPublishedSweeps(t *testing.T) {
	root := os.Getenv("ZONEMARK_OPMODEL")
	if root == "" {
		t.Skip("ZONEMARK_OPMODEL names no folder")
	}
	files, _ := filepath.Glob(root + "/perf_data/*/*.csv")
	sum, n := 0.0, 0.0
	for _, f := range files {
		tb, err := table.ReadFile(f)
		if err != nil {
			t.Error(err)
			continue
		}
		m, err := Fit(tb, Options{Architecture: filepath.Base(filepath.Dir(f))})
		if err != nil {
			t.Error(err)
			continue
		}
		fmt.Printf("%-48s %-9s %-8s %5d %4d  in %6.2f  cv %6.2f p95 %6.2f max %6.2f extra %6.2f  ", strings.TrimPrefix(f, root+"/perf_data/"),
			m.Kind, m.Model, m.Rows, m.Groups, m.InSample.MAPE, m.CrossValidated.MAPE, m.CrossValidated.P95, m.CrossValidated.Max, m.Extrapolated.MAPE)
		for _, c := range m.Candidates {
			fmt.Printf("%7.2f", c.CrossValidated)
		}
		fmt.Println(" ", m.Warnings)
		if m.Kind != Sparse {
			sum += m.CrossValidated.MAPE
			n++
		}
	}
	fmt.Println("mean", sum/n)
}
