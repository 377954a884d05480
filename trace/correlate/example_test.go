package correlate_test

import (
	"fmt"
	"log"

	"zonemark/trace"
	"zonemark/trace/correlate"
)

// Zones belong to the invocation whose bracket, a zone with text inv=<id>, is around them.
func ExampleJoin() {
	f, err := trace.Open("../testdata/iree_mlp_bracketed.tracy")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	result, err := correlate.Join(f, correlate.Options{WarmupIterations: 1})
	if err != nil {
		log.Fatal(err)
	}
	first := result.Invocations[0]
	fmt.Printf("%d zones, joined by %s to %d invocations; the first, %s, has %d iterations\n",
		result.Zones, result.Method, len(result.Invocations), first.ID, len(first.Iterations))
	for _, d := range first.Dispatches {
		fmt.Printf("%d %s: %d workgroups\n", d.Ordinal, d.Name, d.Workgroups)
	}
	last := first.Iterations[len(first.Iterations)-1]
	fmt.Println("conserved:", last.DispatchNS+last.GapNS+last.HostNS+last.UnexplainedNS == last.BracketNS)
	// Output:
	// 3421 zones, joined by bracket to 10 invocations; the first, 0, has 3 iterations
	// 0 mlp_dispatch_0_matmul_64x512x256_f32: 16 workgroups
	// 1 mlp_dispatch_1_matmul_64x128x512_f32: 16 workgroups
	// 2 mlp_dispatch_2_softmax_64x128xf32_dispatch_tensor_store: 8 workgroups
	// conserved: true
}
