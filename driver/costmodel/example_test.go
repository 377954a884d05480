package costmodel_test

import (
	"fmt"
	"log"
	"path/filepath"
	"strings"

	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/table"
)

func Example() {
	sweep, err := table.ReadFile(filepath.Join("testdata", "matmul-l1-acc-fp16-op-performance.csv"))
	if err != nil {
		log.Fatal(err)
	}
	model, err := costmodel.Fit(sweep, costmodel.Options{Operation: "matmul"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: model %s, cross-validated error %.0f %%\n", model.Operation, model.Model, model.CrossValidated.MAPE)

	asked, err := table.Read(strings.NewReader(
		"math_fidelity,mblock_m,mblock_n,ublock_rt,ublock_ct,m_k,u_kt\n"+
			"HiFi4,2,2,2,2,8,2\n"), "asked.csv")
	if err != nil {
		log.Fatal(err)
	}
	estimates, err := model.Estimate(asked)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f thousand cycles\n", estimates[0].Cycles/1000)
	// Output:
	// matmul: model hybrid, cross-validated error 1 %
	// 18 thousand cycles
}
