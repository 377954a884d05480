package tracycsv_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"zonemark/trace"
	"zonemark/trace/tracycsv"
)

// A capture is written in the dialect of the tool that a script was made for.
func ExampleWrite() {
	f, err := trace.Open("../testdata/small_0112.tracy")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	err = tracycsv.Write(os.Stdout, f, tracycsv.Options{Dialect: "0.11.2", Filter: "main_dispatch_7_"})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns
	// main_dispatch_7_matmul_56x112,model.mlir,42,266,0.000101,2,133,130,136,4.242641
}

// A table that tracy-csvexport wrote is read with what it broke: here, a name with the separator in it.
func ExampleRead() {
	const exported = `name,src_file,src_line,ns_since_start,exec_time_ns,thread,value
matmul<8, 16>,kernel.c,12,1000,250,1,inv=7
run,main.c,3,900,500,1,
`
	table, err := tracycsv.Read("exported.csv", strings.NewReader(exported))
	if err != nil {
		log.Fatal(err)
	}
	for zone, err := range table.Zones() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s at depth %d: %d ns, %d ns its own\n", zone.Name(), zone.Depth, zone.DurationNS, zone.SelfNS)
	}
	fmt.Println(table.Dialect(), table.Warnings())
	// Output:
	// matmul<8, 16> at depth 1: 250 ns, 250 ns its own
	// run at depth 0: 500 ns, 250 ns its own
	// 0.11.2 -u [1 rows were broken, as their fields are not quoted, and have been repaired]
}
