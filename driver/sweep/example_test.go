package sweep_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"zonemark/driver/sweep"
	"zonemark/driver/sweep/operations"
	"zonemark/driver/sweep/program"
	"zonemark/invocations"
)

// A sweep of one operation over four shapes. A driver would measure the invocations; here a record is made up.
func Example() {
	out, err := os.MkdirTemp("", "sweep-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(out)
	list, err := operations.Parse("mine.json", []byte(`[{"op_type": "binary", "op_name": "add", "config_overrides": {
		"binary_type": ["add"], "output_mb_r": [1, 2], "output_mb_c": [1, 2], "output_ub_c": [1]}}]`))
	if err != nil {
		log.Fatal(err)
	}
	configurations, space, err := sweep.Configurations(&list[0], "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(configurations), "configurations of", space.Product)

	target := program.Target{Runtime: program.PJRT, Device: "cpu", Options: map[string]string{"plugin": "cpu"}}
	results, err := sweep.OpenResults(out, &list[0], configurations, sweep.Options{Target: target})
	if err != nil {
		log.Fatal(err)
	}
	defer results.Close()
	programs, err := sweep.Programs(out, &list[0])
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range results.Missing() {
		item, err := sweep.NewCase(c, &target, programs)
		if err != nil {
			log.Fatal(err)
		}
		v := item.Invocation()
		fmt.Println(v.Name, c.Block("output").Rows(), "x", c.Block("output").Columns(), v.FLOP, "FLOP", v.Bytes,
			"bytes")
		record := invocations.NewRecord(*v, invocations.Result{Status: invocations.Failed,
			Error: "not measured in an example"})
		if err := results.Add(item, &record); err != nil {
			log.Fatal(err)
		}
	}
	path, err := results.Finish(out+"/raw", "grayskull")
	if err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(string(data), "\n"), "lines")
	// Output:
	// 4 configurations of 8
	// add/0 64 x 32 2048 FLOP 12288 bytes
	// add/1 64 x 64 4096 FLOP 24576 bytes
	// add/2 128 x 32 4096 FLOP 24576 bytes
	// add/3 128 x 64 8192 FLOP 49152 bytes
	// 5 lines
}
